// Level 6: the prefill tile, 64 tokens by 128 weight rows per block of 8 warps.
//
// Idea: with many tokens the weights must be reused. Three shared-memory stages
// of one chunk (128 bytes of K), ldmatrix for both operands, 32 by 32 outputs
// per warp, and tiles visited in groups of tune0 rows of tiles, so that blocks
// that run together share operands in the L2 cache.
// Expected: the rate of the MMA instruction. Brought: 185 TFLOP/s at N=K=M=4096
// on an H200, whose mma.sync on e4m3 is emulated with conversions and fp16 MMAs;
// its home is the chips with a native one, where it has not run yet.
// grid (ceil(M/64)*ceil(N/128), 1, groups), block 256, dynamic shared memory
// 3*(24576 + 768*B), B = 1 (4 for _fine), tune0 = rows of tiles per group (8).
#include "w8a8_f32scale_mma_rows.cuh"

constexpr int kTileM = 64, kTileN = 128, kStages = 3, kThreads = 256;

template <bool Fine> struct TileStage {
  static constexpr int kBlocks = Fine ? 4 : 1;
  static constexpr int kWeights = kTileM * kChunk;
  static constexpr int kScales = kWeights + kTileN * kChunk;
  static constexpr int kBytes = kScales + 4 * (kTileM + kTileN) * kBlocks;
};

// Which tile a block works on: down a group of tile rows, then to the next
// column of tiles.
__device__ __forceinline__ void groupedTile(int id, int tilesM, int tilesN, int group, int &tileM, int &tileN) {
  int first = id / (group * tilesN) * group, rows = min(group, tilesM - first), in = id % (group * tilesN);
  tileM = first + in % rows;
  tileN = in / rows;
}

template <bool Fine> __device__ __forceinline__ void prefill(const Problem &p, int group) {
  typedef TileStage<Fine> St;
  extern __shared__ __align__(128) u8 memory[];
  int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, tileM, tileN;
  groupedTile(blockIdx.x, ceilDiv(p.M, kTileM), ceilDiv(p.N, kTileN), group, tileM, tileN);
  int m0 = tileM * kTileM, n0 = tileN * kTileN, warpM = warp % 2 * 32, warpN = warp / 2 * 32;
  int chunks = ceilDiv(p.K, kChunk), steps = p.blockK / 32, perChunk = Fine ? 4 / steps : 1, blocks = ceilDiv(p.K, p.blockK);
  u32 base = sharedAddress(memory);

  // Each warp copies 8 rows of tokens and 16 of weights per chunk, each of the
  // first 192 threads the scales of one row.
  AnyRowCopier<8> tokens;
  AnyRowCopier<16> weights;
  tokens.start(p.A, p.strideA, m0 + 8 * warp, p.M, p.K, lane);
  weights.start(p.B, p.strideB, n0 + 16 * warp, p.N, p.K, lane);
  const float *scale = nullptr;
  i64 column = 0;
  if (tid < kTileM) {
    if (m0 + tid < p.M) scale = p.As + (m0 + tid) * p.asRow, column = p.asCol;
  } else if (tid < kTileM + kTileN) {
    int n = n0 + tid - kTileM;
    if (n < p.N) scale = weightScaleRow(p, n), column = p.bsCol;
  }
  auto fill = [&](int slot, int chunk) {
    if (chunk < chunks) {
      u32 stage = base + slot * St::kBytes;
      tokens.copy(stage + warp * 8 * kChunk, chunk);
      weights.copy(stage + St::kWeights + warp * 16 * kChunk, chunk);
      for (int j = 0; j < perChunk; j++)
        if (scale && chunk * perChunk + j < blocks)
          copyAsync4(stage + St::kScales + 4 * (j * (kTileM + kTileN) + tid), scale + (chunk * perChunk + j) * column);
    }
    commitCopies();
  };
#pragma unroll 1
  for (int i = 0; i < kStages - 1; i++) fill(i, i);

  // Lane addresses: matrices (rows 0-7, k 0-15), (8-15, 0-15), (0-7, 16-31),
  // (8-15, 16-31) for tokens; (rows 0-7, both halves), (8-15, both) for weights.
  int q = lane / 8, r = lane % 8;
  u32 tokenLane = (warpM + q % 2 * 8 + r) * kChunk + 16 * ((q / 2) ^ r);
  u32 weightLane = St::kWeights + (warpN + q / 2 * 8 + r) * kChunk + 16 * ((q % 2) ^ r);

  float acc[2][4][4] = {}, d[2][4][4] = {};
  int slot = 0;
#pragma unroll 1
  for (int chunk = 0; chunk < chunks; chunk++) {
    waitCopies<kStages - 2>();
    __syncthreads(); // also: everyone is done with the slot that is filled next
    fill(slot == 0 ? kStages - 1 : slot - 1, chunk + kStages - 1);
    u32 stage = base + slot * St::kBytes;
#pragma unroll
    for (int step = 0; step < 4; step++) {
      u32 a[2][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 2; i++) ldmatrix4(a[i], stage + (tokenLane ^ (32 * step)) + i * 16 * kChunk);
#pragma unroll
      for (int i = 0; i < 2; i++) ldmatrix4(b[i], stage + (weightLane ^ (32 * step)) + i * 16 * kChunk);
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) mma16x8x32(d[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      if (Fine ? ((step + 1) & (steps - 1)) != 0 : step != 3) continue;
      int block = !Fine || steps == 4 ? 0 : steps == 2 ? step / 2 : step;
      bool used = !Fine || chunk * perChunk + block < blocks;
      const float *scales = sharedFloats(memory, slot * St::kBytes + St::kScales) + block * (kTileM + kTileN);
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
          for (int k = 0; k < 4; k++) {
            float s = scales[warpM + 16 * i + lane / 4 + k / 2 * 8], w = scales[kTileM + warpN + 8 * j + lane % 4 * 2 + k % 2];
            if (used) acc[i][j][k] = chain(acc[i][j][k], d[i][j][k], s, w);
            d[i][j][k] = 0.0f;
          }
    }
    slot = slot + 1 == kStages ? 0 : slot + 1;
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int k = 0; k < 4; k++) {
        int m = m0 + warpM + 16 * i + lane / 4 + k / 2 * 8, n = n0 + warpN + 8 * j + lane % 4 * 2 + k % 2;
        if (m < p.M && n < p.N) storeOutput(p, m, n, acc[i][j][k]);
      }
}

extern "C" __global__ void __launch_bounds__(kThreads, 1) w8a8_f32scale_mma_l6(GEMM_PARAMETERS) {
  prefill<false>(GEMM_PROBLEM, (int)tune0);
}

extern "C" __global__ void __launch_bounds__(kThreads, 1) w8a8_f32scale_mma_l6_fine(GEMM_PARAMETERS) {
  prefill<true>(GEMM_PROBLEM, (int)tune0);
}

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
#include "w8a8_f32scale_mma_ring.cuh"
#include "w8a8_tile.cuh"

template <bool Fine> struct TileStage {
  static constexpr int kBlocks = Fine ? 4 : 1;
  static constexpr int kScales = kTileCodes;
  static constexpr int kBytes = kScales + 4 * (kTileM + kTileN) * kBlocks;
};

template <bool Fine> __device__ __forceinline__ void prefill(const Problem &p, int group) {
  typedef TileStage<Fine> St;
  extern __shared__ __align__(128) u8 memory[];
  int tid = threadIdx.x, lane = tid % 32;
  int chunks = ceilDiv(p.K, kChunk), steps = p.blockK / 32, perChunk = Fine ? 4 / steps : 1, blocks = ceilDiv(p.K, p.blockK);
  u32 base = sharedAddress(memory);
  TileWarp tile;
  tile.start(p, group, lane);

  // Each of the first 192 threads copies the scales of one row.
  const float *scale = nullptr;
  i64 column = 0;
  if (tid < kTileM) {
    if (tile.m0 + tid < p.M) scale = p.As + (tile.m0 + tid) * p.asRow, column = p.asCol;
  } else if (tid < kTileM + kTileN) {
    int n = tile.n0 + tid - kTileM;
    if (n < p.N) scale = weightScaleRow(p, n), column = p.bsCol;
  }
  auto fill = [&](int slot, int chunk) {
    if (chunk < chunks) {
      u32 stage = base + slot * St::kBytes;
      tile.copy(stage, chunk);
      for (int j = 0; j < perChunk; j++)
        if (scale && chunk * perChunk + j < blocks)
          copyAsync4(stage + St::kScales + 4 * (j * (kTileM + kTileN) + tid), scale + (chunk * perChunk + j) * column);
    }
    commitCopies();
  };
#pragma unroll 1
  for (int i = 0; i < kTileStages - 1; i++) fill(i, i);

  float acc[2][4][4] = {}, d[2][4][4] = {};
  int slot = 0;
#pragma unroll 1
  for (int chunk = 0; chunk < chunks; chunk++) {
    waitCopies<kTileStages - 2>();
    __syncthreads(); // also: everyone is done with the slot that is filled next
    fill(slot == 0 ? kTileStages - 1 : slot - 1, chunk + kTileStages - 1);
#pragma unroll
    for (int step = 0; step < 4; step++) {
      u32 a[2][4], b[2][4];
      tile.load(a, b, base + slot * St::kBytes, step);
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
            float s = scales[tile.token(i, k, lane)], w = scales[kTileM + tile.row(j, k, lane)];
            if (used) acc[i][j][k] = chain(acc[i][j][k], d[i][j][k], s, w);
            d[i][j][k] = 0.0f;
          }
    }
    slot = slot + 1 == kTileStages ? 0 : slot + 1;
  }
  tile.store(p, acc, lane);
}

extern "C" __global__ void __launch_bounds__(kTileThreads, 1) w8a8_f32scale_mma_l6(GEMM_PARAMETERS) {
  prefill<false>(GEMM_PROBLEM, (int)tune0);
}

extern "C" __global__ void __launch_bounds__(kTileThreads, 1) w8a8_f32scale_mma_l6_fine(GEMM_PARAMETERS) {
  prefill<true>(GEMM_PROBLEM, (int)tune0);
}

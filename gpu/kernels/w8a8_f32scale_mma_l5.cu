// Level 5: the activations stay in shared memory; a fixed grid of blocks streams
// weight tiles past them.
//
// Idea: for wide weights with a short K, all tokens fit beside the ring. They are
// fetched once per block instead of once per 16 or 32 weight rows, and a warp's
// ring runs on from tile to tile, so the machine never drains between tiles.
// Expected: near the read time. Brought: N=32768 K=1024 M=8 12.3 us from 14.4
// (level 3), where only reading takes 11.0 us.
// grid (any number of blocks, ceil(M/(8*NT)), groups), block 32*warps,
// dynamic shared memory chunks*1024*NT + roundup128(chunks*32*NT*B) + warps*S*stage,
// = 2048*RT + 64*RT*B, B = 1 (4 for _fine).
#include "w8a8_f32scale_mma_ring.cuh"

// A stage without tokens.
template <int RT, int NT, bool Fine> struct WeightStage {
  static constexpr int kBlocks = Fine ? 4 : 1;
  static constexpr int kScaleBytes = 2048 * RT;
  static constexpr int kBytes = kScaleBytes + 64 * RT * kBlocks;
};

template <int RT, int NT, int S, bool Fine> __device__ __forceinline__ void resident(const Problem &p) {
  typedef WeightStage<RT, NT, Fine> St;
  constexpr int kRows = 16 * RT, kTokens = 8 * NT, kBlocks = Fine ? 4 : 1;
  extern __shared__ __align__(128) u8 memory[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int m0 = blockIdx.y * kTokens;
  int chunks = ceilDiv(p.K, kChunk), steps = p.blockK / 32, perChunk = Fine ? 4 / steps : 1, blocks = Fine ? ceilDiv(p.K, p.blockK) : chunks;
  u32 base = sharedAddress(memory), tokensAt = 0, tokenScalesAt = chunks * 1024 * NT;
  u32 ring = tokenScalesAt + (chunks * kTokens * 4 * kBlocks + 127) / 128 * 128 + warp * S * St::kBytes;

  // All tokens and their scales, once: warps take chunks in turn.
  RowCopier<kTokens, true> tokens;
  tokens.start(p.A, p.strideA, m0, p.M, p.K, warp, lane);
  for (int chunk = warp; chunk < chunks; chunk += warps) {
    tokens.copy(base + tokensAt + chunk * 1024 * NT, warps, (chunk + 1) * kChunk <= p.K);
    for (int word = lane; word < 256 * NT; word += 32)
      if (m0 + word / 32 >= p.M) storeShared(base + tokensAt + chunk * 1024 * NT + 4 * word, 0);
  }
  for (int i = threadIdx.x; i < blocks * kTokens; i += blockDim.x) {
    int m = m0 + i % kTokens;
    if (m < p.M) copyAsync4(base + tokenScalesAt + 4 * i, p.As + m * p.asRow + (i / kTokens) * p.asCol);
  }
  commitCopies();

  // This warp's work is the list (tile, chunk) in order; the ring runs S ahead.
  int step = gridDim.x * warps, tiles = ceilDiv(p.N, kRows), mine = blockIdx.x * warps + warp;
  int aheadTile = mine, aheadChunk = 0;
  RowCopier<kRows, false> weights;
  Fragments<RT, NT> fragments;
  fragments.start(lane);
  ScaleCopier<RT, NT, Fine, false> scales;
  auto startTile = [&]() {
    weights.start(p.B, p.strideB, aheadTile * kRows, p.N, p.K, 0, lane);
    scales.start(p, m0, aheadTile * kRows, 0, perChunk, blocks, lane);
  };
  startTile();
  auto fill = [&](int slot) {
    if (aheadTile < tiles) {
      u32 stage = base + ring + slot * St::kBytes;
      weights.copy(stage, 1, (aheadChunk + 1) * kChunk <= p.K);
      scales.copy(stage + St::kScaleBytes, 1, lane);
      if (++aheadChunk == chunks) {
        aheadChunk = 0;
        aheadTile += step;
        startTile();
      }
    }
    commitCopies();
  };
  if (chunks > 0) {
#pragma unroll 1
    for (int i = 0; i < S; i++) fill(i);
  }
  if (chunks > 0) waitCopies<S>(); // the tokens' group, the oldest
  __syncthreads();

  int slot = 0;
#pragma unroll 1
  for (int tile = mine; tile < tiles; tile += step) {
    float acc[RT][NT][4] = {};
#pragma unroll 1
    for (int chunk = 0; chunk < chunks; chunk++) {
      waitCopies<S - 1>();
      __syncwarp();
      u32 at = ring + slot * St::kBytes;
      chunkDots<RT, NT, Fine>(fragments, base + at, base + tokensAt + chunk * 1024 * NT, steps, [&](int j, float(&d)[RT][NT][4]) {
        int block = chunk * perChunk + j;
        if (Fine && block >= blocks) return;
        const float *a = sharedFloats(memory, tokenScalesAt) + block * kTokens, *b = sharedFloats(memory, at + St::kScaleBytes) + j * kRows;
#pragma unroll
        for (int r = 0; r < RT; r++)
#pragma unroll
          for (int c = 0; c < NT; c++)
#pragma unroll
            for (int i = 0; i < 4; i++)
              acc[r][c][i] = chain(acc[r][c][i], d[r][c][i], a[8 * c + tileToken(lane, i)], b[16 * r + tileRow(lane, i)]);
      });
      __syncwarp();
      fill(slot);
      slot = slot + 1 == S ? 0 : slot + 1;
    }
    storeTiles(p, m0, tile * kRows, acc, lane);
  }
}

#define RESIDENT(name, RT, NT, S, FINE, THREADS, BLOCKS)                       \
  extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                \
      name(GEMM_PARAMETERS) {                                                  \
    resident<RT, NT, S, FINE>(GEMM_PROBLEM);                                   \
  }

RESIDENT(w8a8_f32scale_mma_l5_r1t1, 1, 1, 4, false, 512, 1)
RESIDENT(w8a8_f32scale_mma_l5_r1t2, 1, 2, 4, false, 512, 1)
RESIDENT(w8a8_f32scale_mma_l5_r1t1_s8, 1, 1, 8, false, 512, 1)
RESIDENT(w8a8_f32scale_mma_l5_r1t2_s8, 1, 2, 8, false, 512, 1)
RESIDENT(w8a8_f32scale_mma_l5_r1t1_fine, 1, 1, 4, true, 512, 1)
RESIDENT(w8a8_f32scale_mma_l5_r1t2_fine, 1, 2, 4, true, 512, 1)

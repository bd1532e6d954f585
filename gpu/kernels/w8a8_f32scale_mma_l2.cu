// Level 2: every warp owns 16*RT weight rows and walks K through a private ring
// of asynchronous copies.
//
// Idea: keep many bytes in flight. The copies of S stages are outstanding at any
// time; codes reach the MMA through ldmatrix, scales travel with them, the chain
// stays in registers, and no barrier is wider than a warp.
// Expected: most of the read bandwidth. Brought: 13.0 us from 71.0. Then the
// serial path of one warp (wait, ldmatrix, four dependent MMAs, chain) is the
// limit: 4096 rows are 256 warps, two for each multiprocessor.
// grid (ceil(N/(16*RT*warps)), ceil(M/(8*NT)), groups), block 32*warps,
// dynamic shared memory warps*S*stage.
#include "w8a8_f32scale_mma_ring.cuh"

template <int RT, int NT, int S, bool Fine> __device__ __forceinline__ void walk(const Problem &p) {
  typedef Stage<RT, NT, Fine> St;
  extern __shared__ __align__(128) u8 memory[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int m0 = blockIdx.y * 8 * NT, n0 = (blockIdx.x * (blockDim.x / 32) + warp) * 16 * RT;
  if (n0 >= p.N) return;
  u32 ring = warp * S * St::kBytes, base = sharedAddress(memory);
  int chunks = ceilDiv(p.K, kChunk), steps = p.blockK / 32, perChunk = Fine ? 4 / steps : 1, blocks = Fine ? ceilDiv(p.K, p.blockK) : chunks;

  RowCopier<16 * RT, false> weights;
  RowCopier<8 * NT, true> tokens;
  ScaleCopier<RT, NT, Fine, true> scales;
  Fragments<RT, NT> fragments;
  weights.start(p.B, p.strideB, n0, p.N, p.K, 0, lane);
  tokens.start(p.A, p.strideA, m0, p.M, p.K, 0, lane);
  scales.start(p, m0, n0, 0, perChunk, blocks, lane);
  fragments.start(lane);

  auto fill = [&](int slot, int chunk) {
    u32 stage = base + ring + slot * St::kBytes;
    if (chunk < chunks) {
      bool whole = (chunk + 1) * kChunk <= p.K;
      weights.copy(stage, 1, whole);
      tokens.copy(stage + St::kTokens, 1, whole);
      scales.copy(stage + St::kScaleBytes, 1, lane);
    }
    commitCopies();
  };
#pragma unroll 1
  for (int i = 0; i < S; i++) {
    zeroMissingTokens<RT, NT>(base + ring + i * St::kBytes, p.M - m0, lane);
    fill(i, i);
  }

  float acc[RT][NT][4] = {};
  int slot = 0;
#pragma unroll 1
  for (int chunk = 0; chunk < chunks; chunk++) {
    waitCopies<S - 1>();
    __syncwarp();
    u32 at = ring + slot * St::kBytes;
    chunkDots<RT, NT, Fine>(fragments, base + at, base + at + St::kTokens, steps, [&](int j, float(&d)[RT][NT][4]) {
      if (Fine && chunk * perChunk + j >= blocks) return;
      const float *a = sharedFloats(memory, at + St::kScaleBytes) + j * St::kScales, *b = a + 8 * NT;
#pragma unroll
      for (int r = 0; r < RT; r++)
#pragma unroll
        for (int c = 0; c < NT; c++)
#pragma unroll
          for (int i = 0; i < 4; i++)
            acc[r][c][i] = chain(acc[r][c][i], d[r][c][i], a[8 * c + tileToken(lane, i)], b[16 * r + tileRow(lane, i)]);
    });
    __syncwarp();
    fill(slot, chunk + S);
    slot = slot + 1 == S ? 0 : slot + 1;
  }
  storeTiles(p, m0, n0, acc, lane);
}

#define WALK(name, RT, NT, S, FINE, THREADS, BLOCKS)                           \
  extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                \
      name(GEMM_PARAMETERS) {                                                  \
    walk<RT, NT, S, FINE>(GEMM_PROBLEM);                                       \
  }

WALK(w8a8_f32scale_mma_l2_r1t1, 1, 1, 4, false, 256, 1)
WALK(w8a8_f32scale_mma_l2_r1t2, 1, 2, 4, false, 256, 1)
WALK(w8a8_f32scale_mma_l2_r2t1, 2, 1, 4, false, 256, 1)
WALK(w8a8_f32scale_mma_l2_r2t2, 2, 2, 4, false, 256, 1)
WALK(w8a8_f32scale_mma_l2_r1t1_fine, 1, 1, 4, true, 256, 1)
WALK(w8a8_f32scale_mma_l2_r1t2_fine, 1, 2, 4, true, 256, 1)

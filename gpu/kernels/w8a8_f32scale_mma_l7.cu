// Level 7: level 3 without a ring. Every chunk of the block's weight rows has a
// stage of its own and is asked for before anything is computed.
//
// Idea: in a decode step a multiprocessor's share of a weight is often smaller
// than its shared memory. Then nothing need ever wait for a free stage: all bytes
// are in flight from the start. A chunk's terms overwrite its codes, so the chain
// costs no memory of its own.
// Expected: the time of reading plus one chunk. Brought: N=8192 K=1024 M=8 5.15
// us from 5.35 (reading only: 4.5), level with level 3 on 1536x4096, and 0.3 us
// behind it on 4096x4096, where the largest blocks leave room for only two.
// K is at most 4 chunks per warp. grid (ceil(N/(16*RT)), ceil(M/(8*NT)), groups),
// block 32*warps with 128 to 256 threads, dynamic shared memory
// warps*ceil(chunks/warps)*(2048*RT + 1024*NT + 4*(8*NT + 16*RT)).
#include "w8a8_f32scale_mma_split.cuh"

template <int RT, int NT> __device__ __forceinline__ void oneShot(const Problem &p) {
  typedef Stage<RT, NT, false> St;
  typedef Terms<RT, NT> Te;
  constexpr int kRows = 16 * RT, kOutputs = RT * NT, kMost = 4, kBytes = St::kScaleBytes + 4 * St::kScales;
  extern __shared__ __align__(128) u8 memory[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int m0 = blockIdx.y * 8 * NT, n0 = blockIdx.x * kRows;
  int chunks = ceilDiv(p.K, kChunk), next = warps * kBytes; // from a warp's stage to its next
  u32 base = sharedAddress(memory);

  RowCopier<kRows, false> weights;
  RowCopier<8 * NT, true> tokens;
  ScaleCopier<RT, NT, false, true> scales;
  weights.start(p.B, p.strideB, n0, p.N, p.K, warp, lane);
  tokens.start(p.A, p.strideA, m0, p.M, p.K, warp, lane);
#pragma unroll
  for (int i = 0; i < kMost; i++) {
    int chunk = warp + i * warps;
    u32 stage = base + warp * kBytes + i * next;
    if (chunk < chunks) {
      bool whole = (chunk + 1) * kChunk <= p.K;
      weights.copy(stage, warps, whole);
      tokens.copy(stage + St::kTokens, warps, whole);
    }
    if (i == 0) scales.start(p, m0, n0, warp, 1, chunks, lane); // its division hides behind the first copies
    if (chunk < chunks) {
      scales.copy(stage + St::kScaleBytes, warps, lane);
      zeroMissingTokens<RT, NT>(stage, p.M - m0, lane);
    }
    commitCopies();
  }

  Fragments<RT, NT> fragments;
  fragments.start(lane);
  auto consume = [&](int i) {
    u32 at = warp * kBytes + i * next;
    chunkDots<RT, NT, false>(fragments, base + at, base + at + St::kTokens, 4, [&](int, float(&d)[RT][NT][4]) {
      storeTerms<RT, NT>(sharedFloats(memory, at), sharedFloats(memory, at + St::kScaleBytes), d, lane);
    });
  };
  if (warp < chunks) waitCopies<3>(), __syncwarp(), consume(0);
  if (warp + warps < chunks) waitCopies<2>(), __syncwarp(), consume(1);
  if (warp + 2 * warps < chunks) waitCopies<1>(), __syncwarp(), consume(2);
  if (warp + 3 * warps < chunks) waitCopies<0>(), __syncwarp(), consume(3);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kOutputs; i++) {
    int output = threadIdx.x + i * blockDim.x, row = output % kRows, token = output / kRows;
    if (token >= 8 * NT || m0 + token >= p.M || n0 + row >= p.N) continue;
    const float *term = (const float *)memory + token * Te::kColumn + row, *b = (const float *)memory + Te::kScales + row;
    float acc = 0.0f;
#pragma unroll 8
    for (int k = 0; k < chunks; k++) acc = __fmaf_rn(term[k * (kBytes / 4)], b[k * (kBytes / 4)], acc);
    storeOutput(p, m0 + token, n0 + row, acc);
  }
}

#define ONE_SHOT(name, RT, NT)                                                 \
  extern "C" __global__ void __launch_bounds__(256, 1) name(GEMM_PARAMETERS) { \
    oneShot<RT, NT>(GEMM_PROBLEM);                                             \
  }

ONE_SHOT(w8a8_f32scale_mma_l7_r1t1, 1, 1)
ONE_SHOT(w8a8_f32scale_mma_l7_r1t2, 1, 2)
ONE_SHOT(w8a8_f32scale_mma_l7_r2t1, 2, 1)
ONE_SHOT(w8a8_f32scale_mma_l7_r2t2, 2, 2)

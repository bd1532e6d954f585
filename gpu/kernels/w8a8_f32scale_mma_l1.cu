// Level 1: the operands change sides: 16 rows of weights by 8 tokens per warp.
//
// Idea: a decode step has few tokens, and half or more of a 16-token tile would
// be padding. The MMA's arithmetic is symmetric in its operands, so no bit
// changes. Any blockK (a multiple of 32), any alignment: the fallback for block
// sizes that the later levels do not take.
// Expected: up to twice level 0 where M <= 8, since a warp covers twice as many
// weight bytes. Brought: 71.0 us from 77.3. Loads of single words, each waited
// for, bound both levels, not the number of MMAs.
// grid (ceil(N/64), ceil(M/8), groups), block 128.
#include "w8a8_f32scale_mma_plain.cuh"

extern "C" __global__ void __launch_bounds__(128) w8a8_f32scale_mma_l1(GEMM_PARAMETERS) {
  Problem p = GEMM_PROBLEM;
  int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  int m0 = blockIdx.y * 8, n0 = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
  if (n0 >= p.N) return;
  PlainRows x = plainRows(p.B, p.strideB, n0 + g, p.N);
  PlainRows y = plainRows(p.A, p.strideA, m0 + g, p.M);
  float acc[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  int blocks = ceilDiv(p.K, p.blockK);
#pragma unroll 1
  for (int kb = 0; kb < blocks; kb++) {
    float d[4];
    plainDots(d, x, y, kb * p.blockK, min(p.K, (kb + 1) * p.blockK), t);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int n = n0 + g + 8 * (i / 2), m = m0 + 2 * t + i % 2;
      if (m < p.M && n < p.N) acc[i] = chain(acc[i], d[i], p.As[m * p.asRow + kb * p.asCol], weightScaleRow(p, n)[kb * p.bsCol]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int n = n0 + g + 8 * (i / 2), m = m0 + 2 * t + i % 2;
    if (m < p.M && n < p.N) storeOutput(p, m, n, acc[i]);
  }
}

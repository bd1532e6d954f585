// Level 0: one warp per tile of 16 rows of A by 8 rows of B.
//
// Idea: none. Every lane loads the words that the MMA wants from it straight
// from global memory. Any blockK (a multiple of 32), any alignment. This is the
// kernel to read first, and the one that the others are compared with.
// Measured (N=K=4096, M=8, H200, as for all levels): 77.3 us.
// grid (ceil(N/8), ceil(M/16), groups), block 32.
#include "w8a8_f32scale_mma_plain.cuh"

extern "C" __global__ void __launch_bounds__(32) w8a8_f32scale_mma_l0(GEMM_PARAMETERS) {
  Problem p = GEMM_PROBLEM;
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  int m0 = blockIdx.y * 16, n0 = blockIdx.x * 8;
  PlainRows x = plainRows(p.A, p.strideA, m0 + g, p.M);
  PlainRows y = plainRows(p.B, p.strideB, n0 + g, p.N);
  float acc[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  int blocks = ceilDiv(p.K, p.blockK);
#pragma unroll 1
  for (int kb = 0; kb < blocks; kb++) {
    float d[4];
    plainDots(d, x, y, kb * p.blockK, min(p.K, (kb + 1) * p.blockK), t);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int m = m0 + g + 8 * (i / 2), n = n0 + 2 * t + i % 2;
      if (m < p.M && n < p.N) acc[i] = chain(acc[i], d[i], p.As[m * p.asRow + kb * p.asCol], weightScaleRow(p, n)[kb * p.bsCol]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int m = m0 + g + 8 * (i / 2), n = n0 + 2 * t + i % 2;
    if (m < p.M && n < p.N) storeOutput(p, m, n, acc[i]);
  }
}

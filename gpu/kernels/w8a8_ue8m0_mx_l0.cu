// Level 0 of the ue8m0 mx family: one warp per tile of 16 rows of A by 8 rows of B.
//
// Idea: none. Every lane loads the words and the scales that the MMA wants from it
// straight from global memory. Any blockK (a multiple of 32), any alignment. This is
// the kernel to read first, and the one that the others are compared with.
// Assembled, not yet run on hardware.
// grid (ceil(N/8), ceil(M/16), groups), block 32.
// target: compute_120f, PTX 8.8
#include "w8a8_plain.cuh"
#include "w8a8_ue8m0_mx.cuh"

extern "C" __global__ void __launch_bounds__(32) w8a8_ue8m0_mx_l0(GEMM_PARAMETERS) {
  Problem p = GEMM_PROBLEM;
  int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  int m0 = blockIdx.y * 16, n0 = blockIdx.x * 8;
  PlainRows x = plainRows(p.A, p.strideA, m0 + g, p.M);
  PlainRows y = plainRows(p.B, p.strideB, n0 + g, p.N);
  int m = m0 + g + 8 * (t % 2), n = n0 + g; // whose scales this lane holds
  float acc[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
  for (int k = 0; k < p.K; k += 32) {
    u32 a[4], b[2];
    plainStep(a, b, x, y, k, p.K, t);
    i64 block = k / p.blockK;
    u32 scaleA = m < p.M ? p.As[m * p.asRow + block * p.asCol] : kNoScale;
    u32 scaleB = n < p.N ? weightScaleRow(p, n)[block * p.bsCol] : kNoScale;
    mmaScaled<0, 0>(acc, a, b[0], b[1], scaleA, scaleB);
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int row = m0 + g + 8 * (i / 2), column = n0 + 2 * t + i % 2;
    if (row < p.M && column < p.N) storeOutput(p, row, column, acc[i]);
  }
}

// The dot products of one scale block, for levels 0 and 1.
#pragma once
#include "w8a8_f32scale_mma.cuh"
#include "w8a8_plain.cuh"

// Those of [from, to): x is the MMA's 16-row side, y its 8-column side.
__device__ __forceinline__ void plainDots(float (&d)[4], const PlainRows &x, const PlainRows &y, int from, int to, int t) {
  d[0] = d[1] = d[2] = d[3] = 0.0f;
#pragma unroll 1
  for (int k = from; k < to; k += 32) {
    u32 a[4], b[2];
    plainStep(a, b, x, y, k, to, t);
    mma16x8x32(d, a, b[0], b[1]);
  }
}

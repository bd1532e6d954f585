// Codes straight from global memory to registers, for the plain levels.
#pragma once
#include "w8a8.cuh"

// Four codes at k.. of a row, zeros past K and for a row that does not exist.
__device__ __forceinline__ u32 loadCodes(const u8 *row, int k, int K, bool exists, bool aligned) {
  u32 v = 0;
  if (!exists) return v;
  if (aligned && k + 4 <= K) return *(const u32 *)(row + k);
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (k + i < K) v |= (u32)row[k + i] << (8 * i);
  return v;
}

struct PlainRows {
  const u8 *low, *high; // rows g and g+8
  bool hasLow, hasHigh, aligned;
};

__device__ __forceinline__ PlainRows plainRows(const u8 *base, i64 stride, int row, int rows) {
  return {base + row * stride, base + (row + 8) * stride, row < rows, row + 8 < rows, rowAlignment(base, stride) >= 4};
}

// The operands of the MMA step at k, zeros from `to` on: x is its 16-row side, y
// (row `low` only) its 8-column side.
__device__ __forceinline__ void plainStep(u32 (&a)[4], u32 (&b)[2], const PlainRows &x, const PlainRows &y, int k, int to, int t) {
  a[0] = loadCodes(x.low, k + 4 * t, to, x.hasLow, x.aligned);
  a[1] = loadCodes(x.high, k + 4 * t, to, x.hasHigh, x.aligned);
  a[2] = loadCodes(x.low, k + 16 + 4 * t, to, x.hasLow, x.aligned);
  a[3] = loadCodes(x.high, k + 16 + 4 * t, to, x.hasHigh, x.aligned);
  b[0] = loadCodes(y.low, k + 4 * t, to, y.hasLow, y.aligned);
  b[1] = loadCodes(y.low, k + 16 + 4 * t, to, y.hasLow, y.aligned);
}

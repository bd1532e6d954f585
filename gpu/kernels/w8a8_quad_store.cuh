// Stores accumulators of an MMA in 16-byte pieces. Lane 4g+t holds columns 8j+2t and
// 8j+2t+1 of a row for every j: two-byte outputs of four j are traded among the four
// lanes of a row, so that each stores 8 neighbouring columns.
#pragma once
#include "w8a8.cuh"

// Two floats as two-byte outputs in one word, the lower column below.
__device__ __forceinline__ u32 pack(float low, float high, int output) {
  u32 r;
  if (output == 1) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  else asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}

// Transposes a 4x4 matrix of words whose row t lies in lane t of the quad.
__device__ __forceinline__ void transposeQuad(u32 (&w)[4], int t) {
#pragma unroll
  for (int bit = 1; bit <= 2; bit *= 2) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      if (i & bit) continue;
      bool high = t & bit;
      u32 traded = __shfl_xor_sync(~0u, high ? w[i] : w[i | bit], bit);
      if (high) w[i] = traded;
      else w[i | bit] = traded;
    }
  }
}

// Whether rows of C may be stored in pieces of 16 bytes.
template <class Scale> __device__ __forceinline__ bool storesPieces(const ProblemOf<Scale> &p) {
  u64 row = p.strideC * (p.output == 0 ? 4 : 2);
  return (((u64)p.C | row) & 15) == 0;
}

// Stores COLUMNS (a multiple of 32) columns of row m from n0 on, two of every eight from
// each of the four lanes. All lanes of a warp call it together; rows past M and columns
// past N are left out.
template <int COLUMNS, class Scale>
__device__ __forceinline__ void storeRow(const ProblemOf<Scale> &p, const float (&v)[COLUMNS / 4], int m, int n0, int t, bool pieces) {
#pragma unroll
  for (int q = 0; q < COLUMNS / 32; q++) {
    int n = n0 + 32 * q;
    if (p.output == 0 || !pieces || n + 32 > p.N) {
#pragma unroll
      for (int i = 0; i < 8; i++) {
        int column = n + i / 2 * 8 + 2 * t + i % 2;
        if (m < p.M && column < p.N) storeOutput(p, m, column, v[8 * q + i]);
      }
      continue;
    }
    u32 w[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float low = v[8 * q + 2 * j], high = v[8 * q + 2 * j + 1];
      if (p.bias) {
        low = __fadd_rn(low, p.bias[n + 8 * j + 2 * t]);
        high = __fadd_rn(high, p.bias[n + 8 * j + 2 * t + 1]);
      }
      w[j] = pack(low, high, p.output);
    }
    transposeQuad(w, t);
    if (m < p.M) *(uint4 *)((u16 *)p.C + m * p.strideC + n + 8 * t) = make_uint4(w[0], w[1], w[2], w[3]);
  }
}

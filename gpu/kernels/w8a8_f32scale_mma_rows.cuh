// Copies of rows of any alignment, for the level that takes every problem that
// the decode levels leave.
#pragma once
#include "w8a8_f32scale_mma_ring.cuh"

// Copies ROWS rows (a multiple of 4) of one chunk, 8 lanes to a row. Rows from
// `rows` on are left alone: what the MMA makes of them reaches no output.
template <int ROWS> struct AnyRowCopier {
  const u8 *from;
  i64 fourRows;
  int rows, alignment, K, piece;
  u32 to;

  __device__ __forceinline__ void start(const u8 *base, i64 stride, int firstRow, int lastRow, int k, int lane) {
    piece = 16 * (lane % 8);
    from = base + (firstRow + lane / 8) * stride + piece;
    fourRows = 4 * stride;
    rows = lastRow - firstRow - lane / 8;
    alignment = rowAlignment(base, stride);
    K = k;
    to = lane / 8 * 128;
  }

  // Which form of the copy is used depends on the chunk alone. A version that
  // chose lane by lane gave wrong results at short chunks on sm_90 (ptxas 13.0).
  __device__ __forceinline__ void copy(u32 stage, int chunk) {
    int bytes = clampBytes(K - chunk * kChunk - piece, 16);
    const u8 *source = from + (i64)chunk * kChunk;
    if (alignment == 16 && (chunk + 1) * kChunk <= K) {
#pragma unroll
      for (int i = 0; i < ROWS / 4; i++)
        if (4 * i < rows) copyAsync16(stage + to + i * 512 + swizzled(i), source + i * fourRows);
    } else {
#pragma unroll 1
      for (int i = 0; i < ROWS / 4; i++) {
        if (4 * i >= rows) continue;
        if (alignment == 16) copyAsync16(stage + to + i * 512 + swizzled(i), source + i * fourRows, bytes);
        else copyUnaligned(stage + to + i * 512 + swizzled(i), source + i * fourRows, bytes, alignment);
      }
    }
  }

  // Row to/128 + 4i has row%8 = to/128 + 4*(i%2).
  __device__ __forceinline__ u32 swizzled(int i) { return piece ^ (to / 8 + 64 * (i % 2)); }
};

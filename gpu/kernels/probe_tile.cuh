// The operands of one matrix instruction in global memory, as its registers want
// them. A tile is rows x 32 codes of A, 8 columns of 32 codes of B (k contiguous)
// and rows x 8 accumulators; tiles lie one after another. Accumulators are moved as
// bits: what goes in and what comes out has seen no arithmetic but the
// instruction's.
#pragma once

typedef unsigned char u8;
typedef unsigned int u32;

// What a lane holds for the 16x8x32 part of a tile that starts at row `row`.
struct Fragments {
  u32 a[4], b[2];
  float c[4];
};

__device__ __forceinline__ int lane() { return threadIdx.x % 32; }

// Register i of the accumulators: row lane/4 + 8*(i/2), column 2*(lane%4) + i%2.
__device__ __forceinline__ int accumulator(int row, int i) {
  return (row + lane() / 4 + 8 * (i / 2)) * 8 + lane() % 4 * 2 + i % 2;
}

__device__ __forceinline__ void loadAccumulators(float (&c)[4], const u32 *C, int row) {
#pragma unroll
  for (int i = 0; i < 4; i++) c[i] = __uint_as_float(C[accumulator(row, i)]);
}

__device__ __forceinline__ void storeAccumulators(u32 *D, int row, const float (&d)[4]) {
#pragma unroll
  for (int i = 0; i < 4; i++) D[accumulator(row, i)] = __float_as_uint(d[i]);
}

// Register i of a: row lane/4 + 8*(i%2), k = 16*(i/2) + 4*(lane%4) and the three
// after it; register i of b: column lane/4, k = 16*i + 4*(lane%4). A row is 8 words.
__device__ __forceinline__ Fragments loadFragments(const u32 *A, const u32 *B, const u32 *C) {
  Fragments f;
  int row = lane() / 4, word = lane() % 4;
#pragma unroll
  for (int i = 0; i < 4; i++) f.a[i] = A[(row + 8 * (i % 2)) * 8 + 4 * (i / 2) + word];
#pragma unroll
  for (int i = 0; i < 2; i++) f.b[i] = B[row * 8 + 4 * i + word];
  loadAccumulators(f.c, C, 0);
  return f;
}

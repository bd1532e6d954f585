// What all levels of the ue8m0 mx family share: the MMA that takes E8M0 scales,
// and the way of the scales to it. Nothing is upcast.
//
// C[m,n] = sum of a*b*2^(as-127)*2^(bs-127), with A [M,K] activations and B [N,K]
// weights in e4m3, and one E8M0 byte as for each row and blockK columns of A, bs
// for each blockN rows and blockK columns of B. The bits are fixed by the recipe:
// one accumulator goes through the MMAs of all of K, ascending in steps of 32 from
// +0; scales add to the exponents of the products inside the instruction; one
// rounding to the output format.
//
// So K has an order that nothing may change: an MMA aligns and truncates its
// products against the accumulator, and sums that began at zero elsewhere would
// have other bits. Warps cannot share the K of an output, as those of the f32scale
// family do. What hides latency instead is many warps, by rows, and deep rings.
#pragma once
#include "w8a8.cuh"

typedef ProblemOf<u8> Problem;
#define GEMM_PARAMETERS GEMM_PARAMETERS_OF(u8)

// The scale of what does not exist: 1. Its products are zeros; a NaN scale would
// make them NaN.
constexpr u32 kNoScale = 0x7F;

// One tensor-core step: d += a*b with scales, for a 16x32 tile a and a 32x8 tile b
// of e4m3, laid out as for the MMA without scales. Row r of a has the low byte of
// `scaleA` of lane 4(r%8) + 2*TileA + r/8, column c of b that of `scaleB` of lane
// 4c + TileB: so one register of a warp holds the scales of two tiles a or four
// tiles b.
template <int TileA, int TileB>
__device__ __forceinline__ void mmaScaled(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1, u32 scaleA, u32 scaleB) {
  asm volatile("mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, %10, {0,%12}, %11, {0,%13};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(scaleA), "r"(scaleB),
                 "n"(TileA), "n"(TileB));
}

// The row of a tile a, and the tile, whose scale a lane holds; for tiles b it is
// row lane/4 of tile lane%4.
__device__ __forceinline__ int scaledRow(int lane) { return lane % 4 / 2 * 16 + lane % 2 * 8 + lane / 4; }

// Calls f with the constants 0 to Count-1: selectors are part of the instruction.
template <int Value> struct Constant {
  static constexpr int value = Value;
};

template <int Count, class F> __device__ __forceinline__ void unrolled(F f) {
  if constexpr (Count > 0) {
    unrolled<Count - 1>(f);
    f(Constant<Count - 1>());
  }
}

// The scales of one row, one after another for every Unit columns of K. Unit is 32,
// or 128 if that divides blockK.
template <int Unit> struct RowScales {
  const u8 *from;
  i64 column;
  int left, inBlock, perBlock; // units: to come, begun in this block, of a block

  __device__ __forceinline__ void start(const u8 *row, i64 stride, bool exists, int K, int blockK) {
    from = row;
    column = stride;
    left = exists ? ceilDiv(K, Unit) : 0;
    inBlock = 0;
    perBlock = blockK / Unit;
  }

  __device__ __forceinline__ u32 next() {
    u32 scale = left > 0 ? *from : kNoScale;
    left--;
    if (++inBlock == perBlock) inBlock = 0, from += column;
    return scale;
  }
};

// The scales that a lane gives the MMAs of one chunk: a byte for each of its
// units, loaded several chunks before they are used.
template <int Unit> struct ChunkScales {
  static constexpr int kUnits = 128 / Unit;
  u32 ofUnit[kUnits];

  __device__ __forceinline__ void load(RowScales<Unit> &row) {
#pragma unroll
    for (int i = 0; i < kUnits; i++) ofUnit[i] = row.next();
  }

  // Of step 0 to 3 of the chunk.
  __device__ __forceinline__ u32 ofStep(int step) const { return ofUnit[step * kUnits / 4]; }
};

// One mma.sync m16n8k32 of E4M3 codes per block, for `blockfp8 probe`: D = A*B + C
// for tiles of any bits. Unlike in the GEMM kernels the accumulator that goes in is
// the tile's own.
// grid (tiles), block 32.
#include "probe_tile.cuh"

extern "C" __global__ void __launch_bounds__(32) probe_mma(u32 *D, const u32 *A, const u32 *B, const u32 *C) {
  Fragments f = loadFragments(A + blockIdx.x * 128ull, B + blockIdx.x * 64ull, C + blockIdx.x * 128ull);
  // Other registers for the result than for c, see mma16x8x32.
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]),
                 "f"(f.c[0]), "f"(f.c[1]), "f"(f.c[2]), "f"(f.c[3]));
  storeAccumulators(D + blockIdx.x * 128ull, 0, d);
}

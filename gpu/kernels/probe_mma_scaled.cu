// One block-scaled mma.sync m16n8k32 of E4M3 codes per block, for `blockfp8 probe`:
// D = sum of 2^(sa-127) * 2^(sb-127) * A*B, and C, with an E8M0 scale per row of A
// and per column of B.
// grid (tiles), block 32. Assembled, not yet run on hardware.
// target: compute_120f, PTX 8.8
#include "probe_tile.cuh"

// The scales of A's rows are taken from lanes 4*(row%8) + row/8, those of B's
// columns from lanes 4*column, both from the byte that the instruction names. All
// other bytes and lanes hold NaN scales, which would show.
template <int Byte> __device__ __forceinline__ u32 scaleWord(const u8 *scales, int index, bool read) {
  u32 word = ~0u;
  if (read) word = ~((~(u32)scales[index] & 0xFF) << (8 * Byte));
  return word;
}

template <int Byte>
__device__ __forceinline__ void multiply(float (&d)[4], const Fragments &f, const u8 *sa, const u8 *sb) {
  int quad = lane() / 4, in = lane() % 4;
  u32 a = scaleWord<Byte>(sa, quad + 8 * in, in < 2), b = scaleWord<Byte>(sb, quad, in == 0);
  asm volatile("mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13}, %14, {%15,0}, %16, {%15,0};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]),
                 "f"(f.c[0]), "f"(f.c[1]), "f"(f.c[2]), "f"(f.c[3]), "r"(a), "n"(Byte), "r"(b));
}

// Tiles take the four bytes of the scale registers by turns.
extern "C" __global__ void __launch_bounds__(32)
    probe_mma_scaled(u32 *D, const u32 *A, const u32 *B, const u32 *C, const u8 *SA, const u8 *SB) {
  Fragments f = loadFragments(A + blockIdx.x * 128ull, B + blockIdx.x * 64ull, C + blockIdx.x * 128ull);
  const u8 *sa = SA + blockIdx.x * 16ull, *sb = SB + blockIdx.x * 8ull;
  float d[4];
  switch (blockIdx.x % 4) {
  case 0: multiply<0>(d, f, sa, sb); break;
  case 1: multiply<1>(d, f, sa, sb); break;
  case 2: multiply<2>(d, f, sa, sb); break;
  default: multiply<3>(d, f, sa, sb);
  }
  storeAccumulators(D + blockIdx.x * 128ull, 0, d);
}

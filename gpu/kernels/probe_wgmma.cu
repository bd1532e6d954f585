// One wgmma m64n8k32 of E4M3 codes per block, for `blockfp8 probe`: D = A*B + C for
// tiles of 64 rows of any bits, operands from shared memory.
// grid (tiles), block 128.
// target: compute_90a, PTX 8.4
#include "probe_tile.cuh"

typedef unsigned long long u64;

// Without swizzle a core matrix is 8 rows of 16 codes, 128 bytes; a row of 32 codes
// is two of them, 8 rows further are 256 bytes on.
constexpr int coreBytes = 128, eightRowsBytes = 2 * coreBytes;

__device__ __forceinline__ void storeRow(u8 *to, const u32 *codes, int row) {
#pragma unroll
  for (int word = 0; word < 8; word++)
    *(u32 *)(to + row / 8 * eightRowsBytes + word / 4 * coreBytes + row % 8 * 16 + word % 4 * 4) = codes[row * 8 + word];
}

// The matrix descriptor: address, distance of core matrices along K, and of eight
// rows, all in units of 16 bytes.
__device__ __forceinline__ u64 descriptor(const u8 *p) {
  return (u64)(__cvta_generic_to_shared(p) & 0x3FFFF) >> 4 | (u64)(coreBytes >> 4) << 16 | (u64)(eightRowsBytes >> 4) << 32;
}

extern "C" __global__ void __launch_bounds__(128) probe_wgmma(u32 *D, const u32 *A, const u32 *B, const u32 *C) {
  __shared__ __align__(128) u8 a[64 * 32], b[8 * 32];
  if (threadIdx.x < 64) storeRow(a, A + blockIdx.x * 512ull, threadIdx.x);
  if (threadIdx.x < 8) storeRow(b, B + blockIdx.x * 64ull, threadIdx.x);
  int row = threadIdx.x / 32 * 16;
  float c[4];
  loadAccumulators(c, C + blockIdx.x * 512ull, row);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, %4, %5, 1, 1, 1;"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "l"(descriptor(a)), "l"(descriptor(b))
               : "memory");
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])::"memory");
  storeAccumulators(D + blockIdx.x * 512ull, row, c);
}

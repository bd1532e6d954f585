// What all GEMM families share: parameters, the PTX instructions that C++ has no
// name for, and the output conversion. A family's own header names its Problem
// and its GEMM_PARAMETERS, by the type of its scales, and its MMA.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// The parameter list of every GEMM kernel. Each is 8 bytes, because launchers
// that copy 8-byte slots exist; README.md explains them one by one.
#define GEMM_PARAMETERS_OF(Scale)                                              \
  void *C, const u8 *A, const u8 *B, const Scale *As, const Scale *Bs,         \
      const float *bias, i64 M, i64 N, i64 K, i64 strideA, i64 strideB,        \
      i64 strideC, i64 asRow, i64 asCol, i64 bsRow, i64 bsCol, i64 blockK,     \
      i64 blockN, i64 rowOffset, i64 output, i64 groupA, i64 groupB,           \
      i64 groupC, i64 groupAs, i64 groupBs, i64 groupBias, i64 tune0, i64 tune1

template <class Scale> struct ProblemOf {
  char *C;
  const u8 *A, *B;
  const Scale *As, *Bs;
  const float *bias;
  int M, N, K;
  i64 strideA, strideB, strideC, asRow, asCol, bsRow, bsCol;
  int blockK, blockN, rowOffset, output;
};

// The problem of this block's group (blockIdx.z).
#define GEMM_PROBLEM                                                           \
  Problem {                                                                    \
    (char *)C + blockIdx.z * groupC * (output == 0 ? 4 : 2),                   \
        A + blockIdx.z * groupA, B + blockIdx.z * groupB,                      \
        As + blockIdx.z * groupAs, Bs + blockIdx.z * groupBs,                  \
        bias ? bias + blockIdx.z * groupBias : bias, (int)M, (int)N, (int)K,   \
        strideA, strideB, strideC, asRow, asCol, bsRow, bsCol, (int)blockK,    \
        (int)blockN, (int)rowOffset, (int)output                               \
  }

__device__ __forceinline__ int ceilDiv(int a, int b) { return (a + b - 1) / b; }

// Four 8x16-byte matrices from shared memory. Lane i gives the address of row
// i%8 of matrix i/8 and receives word i%4 of row i/4 of each: for 8-bit codes
// that is exactly the MMA's operand layout.
__device__ __forceinline__ void ldmatrix4(u32 (&r)[4], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

__device__ __forceinline__ u32 sharedAddress(const void *p) {
  return (u32)__cvta_generic_to_shared(p);
}

// Asynchronous copies of 16 bytes. Weights go past the L1 cache (cg): nobody
// reads them twice.
__device__ __forceinline__ void copyAsync16(u32 to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// The same through the L1 cache (ca), for activations: blocks that share a
// multiprocessor read the same ones.
__device__ __forceinline__ void copyAsync16Shared(u32 to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Copies of 16 bytes of which only the first `bytes` are read; the
// rest is zero-filled. They cost several instructions more than the fixed form.
__device__ __forceinline__ void copyAsync16(u32 to, const void *from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

__device__ __forceinline__ void copyAsync4(u32 to, const void *from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

__device__ __forceinline__ void copyAsync4(u32 to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}

__device__ __forceinline__ void commitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most Pending of this thread's committed groups are in flight.
template <int Pending> __device__ __forceinline__ void waitCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

__device__ __forceinline__ void storeShared(u32 to, u32 word) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}

// How rows of codes may be copied: 16 or 4 bytes at a time, or single bytes.
__device__ __forceinline__ int rowAlignment(const u8 *base, i64 stride) {
  u32 bits = (u32)(unsigned long long)base | (u32)stride;
  return (bits & 15) == 0 ? 16 : (bits & 3) == 0 ? 4 : 1;
}

__device__ __forceinline__ int clampBytes(int left, int most) {
  return left < 0 ? 0 : left > most ? most : left;
}

// Copies `bytes` (at most 16) code bytes to shared memory and zeros the rest of
// the 16, for rows that 16-byte copies cannot read. Correct, not fast.
__device__ __forceinline__ void copyUnaligned(u32 to, const u8 *from, int bytes, int alignment) {
#pragma unroll 1
  for (int word = 0; word < 4; word++) {
    int n = clampBytes(bytes - 4 * word, 4);
    if (alignment == 4) {
      copyAsync4(to + 4 * word, from + 4 * word, n);
    } else {
      u32 v = 0;
#pragma unroll 1
      for (int i = 0; i < n; i++) v |= (u32)from[4 * word + i] << (8 * i);
      storeShared(to + 4 * word, v);
    }
  }
}

__device__ __forceinline__ u16 bf16Bits(float v) {
  u16 r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(v));
  return r;
}

__device__ __forceinline__ u16 fp16Bits(float v) {
  u16 r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(v));
  return r;
}

// Adds the bias, rounds once to the output format and stores element (m, n).
template <class Scale>
__device__ __forceinline__ void storeOutput(const ProblemOf<Scale> &p, int m, int n, float acc) {
  if (p.bias) acc = __fadd_rn(acc, p.bias[n]);
  i64 at = m * p.strideC + n;
  if (p.output == 0) {
    ((float *)p.C)[at] = acc;
  } else {
    ((u16 *)p.C)[at] = p.output == 1 ? bf16Bits(acc) : fp16Bits(acc);
  }
}

// The row of the weights' scale grid that weight row n uses.
template <class Scale>
__device__ __forceinline__ const Scale *weightScaleRow(const ProblemOf<Scale> &p, int n) {
  return p.Bs + (i64)((u32)(p.rowOffset + n) / (u32)p.blockN) * p.bsRow;
}

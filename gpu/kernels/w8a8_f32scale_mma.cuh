// What all levels of the f32scale mma family share: their MMA.
#pragma once
#include "w8a8_f32scale.cuh"

// One tensor-core step: d += a*b for a 16x32 tile a and a 32x8 tile b of e4m3.
// Lane 4g+t holds a: rows g and g+8, k = 4t.. and 16+4t..; b: column g, the
// same k; d: rows g and g+8, columns 2t and 2t+1. The instruction gets fresh
// registers for its result: ptxas 12.4 emulates it on sm_90 and doubles the
// product instead of adding c where both name the same registers.
__device__ __forceinline__ void mma16x8x32(float (&d)[4], const u32 (&a)[4],
                                           u32 b0, u32 b1) {
  float r[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1),
                 "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
#pragma unroll
  for (int i = 0; i < 4; i++) d[i] = r[i];
}

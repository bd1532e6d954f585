// What the families with float32 scales share.
//
// C[m,n] = sum over scale blocks of (dot * a_s) * b_s, with A [M,K] activations
// and B [N,K] weights in e4m3. The bits are fixed by the recipe: per scale block
// the MMAs are chained from zero, k ascending; t = RN(dot*a_s); acc = FMA(t, b_s,
// acc), blocks ascending from +0; one rounding to the output format.
#pragma once
#include "w8a8.cuh"

typedef ProblemOf<float> Problem;
#define GEMM_PARAMETERS GEMM_PARAMETERS_OF(float)

// One scaled partial sum joins the chain. The order of the two operations, and
// the single rounding of each, are the recipe.
__device__ __forceinline__ float chain(float acc, float dot, float a, float b) {
  return __fmaf_rn(__fmul_rn(dot, a), b, acc);
}

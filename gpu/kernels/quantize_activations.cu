// Activations to e4m3, one scale per token and group of `group` elements along
// the row; the bits of scale.QuantizeActivations.
//
// Per group, float32, every operation rounded to nearest even: amax is the
// largest finite magnitude, raised to the style's floor; s = amax/448 (rounded
// up to a power of two by the deepseek style); the code is x/s, clamped to
// +-448 and rounded once. NaN and infinities become NaN codes with their sign
// and take no part in amax.
//
// One warp per group. grid (ceil(rows*ceil(cols/group)/8)), block 256.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef long long i64;

constexpr u32 kMagnitude = 0x7FFFFFFFu, kInfinity = 0x7F800000u;

__device__ __forceinline__ float toFloat32(float v) { return v; }

struct BF16 { u16 bits; };
__device__ __forceinline__ float toFloat32(BF16 v) { return __uint_as_float((u32)v.bits << 16); }

struct FP16 { u16 bits; };
__device__ __forceinline__ float toFloat32(FP16 v) {
  // Spelt out for NaN and infinity: the instruction drops the sign of a NaN.
  if ((v.bits & 0x7C00u) == 0x7C00u) return __uint_as_float((v.bits & 0x8000u) << 16 | kInfinity | (v.bits & 0x3FFu) << 13);
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v.bits));
  return r;
}

// The magnitude bits of a finite number, 0 of any other.
__device__ __forceinline__ u32 finiteMagnitude(float v) {
  u32 bits = __float_as_uint(v) & kMagnitude;
  return bits < kInfinity ? bits : 0;
}

// Magnitudes order like their bits, so the maximum is an integer one.
__device__ __forceinline__ u32 warpMax(u32 v) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) v = max(v, __shfl_xor_sync(0xFFFFFFFFu, v, step));
  return v;
}

// The smallest power of two not below a normal s.
__device__ __forceinline__ float roundUpToPowerOfTwo(float s) {
  return __uint_as_float((__float_as_uint(s) + 0x007FFFFFu) & 0xFF800000u);
}

// v/s rounded to float32 and then, saturating, to e4m3. Not finite: NaN with the
// sign of v.
__device__ __forceinline__ u8 quantizeOne(float v, float s) {
  u32 bits = __float_as_uint(v);
  if ((bits & kMagnitude) >= kInfinity) return (u8)(bits >> 24 & 0x80u | 0x7Fu);
  u16 pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(__fdiv_rn(v, s)));
  return (u8)pair;
}

template <class In>
__device__ __forceinline__ void quantizeGroups(u8 *codes, float *scales, u8 *e8m0, const In *x, i64 rows, i64 cols, i64 group, i64 codesStride,
                                               i64 xStride, i64 scaleRow, i64 scaleCol, i64 deepseek) {
  i64 groups = (cols + group - 1) / group, id = (i64)blockIdx.x * 8 + threadIdx.x / 32;
  if (id >= rows * groups) return;
  i64 row = id / groups, block = id % groups, from = block * group, to = min(cols, from + group);
  const In *in = x + row * xStride;
  int lane = threadIdx.x % 32;
  u32 most = 0;
  for (i64 i = from + lane; i < to; i += 32) most = max(most, finiteMagnitude(toFloat32(in[i])));
  float amax = fmaxf(__uint_as_float(warpMax(most)), deepseek ? 1e-4f : 1e-10f);
  float s = __fdiv_rn(amax, 448.0f);
  if (deepseek) s = roundUpToPowerOfTwo(s);
  for (i64 i = from + lane; i < to; i += 32) codes[row * codesStride + i] = quantizeOne(toFloat32(in[i]), s);
  if (lane == 0) {
    i64 at = row * scaleRow + block * scaleCol;
    if (scales) scales[at] = s;
    if (e8m0) e8m0[at] = (u8)(__float_as_uint(s) >> 23);
  }
}

#define QUANTIZE(name, In)                                                                                                            \
  extern "C" __global__ void __launch_bounds__(256) name(u8 *codes, float *scales, u8 *e8m0, const In *x, i64 rows, i64 cols, i64 group, \
                                                         i64 codesStride, i64 xStride, i64 scaleRow, i64 scaleCol, i64 deepseek) {    \
    quantizeGroups(codes, scales, e8m0, x, rows, cols, group, codesStride, xStride, scaleRow, scaleCol, deepseek);                     \
  }

QUANTIZE(quantize_activations_f32, float)
QUANTIZE(quantize_activations_bf16, BF16)
QUANTIZE(quantize_activations_fp16, FP16)

// E8M0 scale codes to float32. Two readings are in use: OCP (0x00 is 2^-127,
// 0xFF is NaN) and the plain shift of older kernels (0 and +Inf).
//
// upcast_e8m0 fills a dense row-major float32 grid from codes with any strides
// in one launch. widen_e8m0 and shift_e8m0 are the same work as two launches
// over an int32 array, the form that some frameworks run at every call; they
// exist to measure what the cache saves.
// grid (ceil(rows*cols/256)), block 256.
typedef unsigned char u8;
typedef unsigned int u32;
typedef long long i64;

__device__ __forceinline__ u32 upcastBits(u32 code, bool ocp) {
  if (ocp && code == 0) return 0x00400000u;    // 2^-127 is subnormal in float32
  if (ocp && code == 255) return 0x7FC00000u;  // the quiet NaN
  return code << 23;
}

extern "C" __global__ void __launch_bounds__(256)
    upcast_e8m0(u32 *to, const u8 *codes, i64 rows, i64 cols, i64 rowStride, i64 colStride, i64 shiftMode) {
  i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i < rows * cols) to[i] = upcastBits(codes[i / cols * rowStride + i % cols * colStride], shiftMode == 0);
}

extern "C" __global__ void __launch_bounds__(256)
    widen_e8m0(u32 *to, const u8 *codes, i64 rows, i64 cols, i64 rowStride, i64 colStride) {
  i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i < rows * cols) to[i] = codes[i / cols * rowStride + i % cols * colStride];
}

extern "C" __global__ void __launch_bounds__(256) shift_e8m0(u32 *inPlace, i64 count, i64 shiftMode) {
  i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i < count) inPlace[i] = upcastBits(inPlace[i], shiftMode == 0);
}

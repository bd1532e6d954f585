// Level 0: the plain kernel. A block multiplies 64 weight rows by 16 tokens, one chunk of
// a scale block after the other, with plain loads: any blockK (a multiple of 32), rows
// at any address. The others are checked against it.
// grid (ceil(N/64), ceil(M/16), groups), block 128.
// target: compute_90a, PTX 8.4
#include "w8a8_f32scale_wgmma.cuh"
#include "w8a8_plain.cuh"

constexpr int kRows = 64, kTokens = 16, kThreads = 128, kWords = kChunkCodes / 4;

// Copies the codes from k on of ROWS rows, zeros from `to` on and for rows that do not
// exist, into a tile that is swizzled as bulk copies do it.
template <int ROWS>
__device__ __forceinline__ void fillTile(u32 tile, const u8 *base, i64 stride, int row0, int rows, int k, int to) {
  bool aligned = rowAlignment(base, stride) >= 4;
  for (int i = threadIdx.x; i < ROWS * kWords; i += kThreads) {
    int row = i / kWords, word = i % kWords;
    u32 codes = loadCodes(base + (row0 + row) * stride, k + 4 * word, to, row0 + row < rows, aligned);
    storeShared(tile + row * kChunkCodes + ((4 * word) ^ (row % 8 * 16)), codes);
  }
}

// The dots of one scale block: codes k to `to` of K.
__device__ __forceinline__ void blockDots(float (&d)[8], const Problem &p, u32 rows, u32 tokens, int n0, int m0, int k, int to) {
  for (int chunk = k; chunk < to; chunk += kChunkCodes) {
    fillTile<kRows>(rows, p.B, p.strideB, n0, p.N, chunk, to);
    fillTile<kTokens>(tokens, p.A, p.strideA, m0, p.M, chunk, to);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    mmaPin(d);
    mmaFence();
#pragma unroll
    for (int step = 0; step < 4; step++)
      mmaStep(d, swizzledTile(rows) + step * kStepOfTile, swizzledTile(tokens) + step * kStepOfTile, chunk + step > k);
    mmaCommit();
    mmaWait<0>();
    mmaPin(d);
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(kThreads) w8a8_f32scale_wgmma_l0(GEMM_PARAMETERS) {
  __shared__ __align__(1024) u8 tiles[(kRows + kTokens) * kChunkCodes];
  waitForPrerequisites();
  Problem p = GEMM_PROBLEM;
  int n0 = blockIdx.x * kRows, m0 = blockIdx.y * kTokens, lane = threadIdx.x % 32;
  int n = n0 + threadIdx.x / 32 * 16 + lane / 4, m = m0 + lane % 4 * 2;
  float acc[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  int blocks = ceilDiv(p.K, p.blockK);
  for (int kb = 0; kb < blocks; kb++) {
    float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    u32 rows = sharedAddress(tiles);
    blockDots(d, p, rows, rows + kRows * kChunkCodes, n0, m0, kb * p.blockK, min(p.K, (kb + 1) * p.blockK));
#pragma unroll
    for (int i = 0; i < 8; i++) {
      int mi = min(m + i / 4 * 8 + i % 2, p.M - 1), ni = min(n + i / 2 % 2 * 8, p.N - 1);
      acc[i] = chain(acc[i], d[i], p.As[mi * p.asRow + kb * p.asCol], weightScaleRow(p, ni)[kb * p.bsCol]);
    }
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    int mi = m + i / 4 * 8 + i % 2, ni = n + i / 2 % 2 * 8;
    if (mi < p.M && ni < p.N) storeOutput(p, mi, ni, acc[i]);
  }
}

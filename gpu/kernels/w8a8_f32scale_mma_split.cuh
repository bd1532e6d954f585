// The split form of levels 3 and 4: the warps of a block share 16*RT weight rows
// and take turns along K, one chunk each. The dots of different scale blocks
// start from zero, so they do not depend on each other; only the short chain
// does, and the block runs it in ascending order from shared memory. The bits
// are those of one warp that walks K alone.
//
// K is cut into phases of tune0 chunks per warp, so that any K fits: in a phase
// every warp leaves t = RN(dot*a_s) in shared memory, then every thread adds its
// outputs' terms. Copies of the next phase stay in flight meanwhile.
//
// grid (ceil(N/(16*RT)), ceil(M/(8*NT)), groups), block 32*warps with
// warps*32 >= 128, dynamic shared memory
// warps*S*stage + warps*tune0*B*terms, B = 1 (4 for _fine).
#pragma once
#include "w8a8_f32scale_mma_ring.cuh"

// The terms of one scale block: per token a column of 16*RT rows, 4 words of
// padding to spread the banks, and at the end the rows' scales.
template <int RT, int NT> struct Terms {
  static constexpr int kColumn = 16 * RT + 4;
  static constexpr int kScales = 8 * NT * kColumn;
  static constexpr int kFloats = kScales + 16 * RT;
};

// Writes t = RN(dot*a_s) and the rows' scales of one block. `scales` holds the
// tokens' scales, then the rows'. Everything is read before anything is stored,
// because the terms may lie where the codes were.
template <int RT, int NT>
__device__ __forceinline__ void storeTerms(float *terms, const float *scales, float (&d)[RT][NT][4], int lane) {
  typedef Terms<RT, NT> Te;
  constexpr int kRows = 16 * RT, kCopies = (kRows + 31) / 32;
  float *to = terms + tileToken(lane, 0) * Te::kColumn + tileRow(lane, 0);
  float2 s[NT];
  float mine[kCopies];
#pragma unroll
  for (int c = 0; c < NT; c++) s[c] = *(const float2 *)(scales + 8 * c + tileToken(lane, 0));
#pragma unroll
  for (int r = 0; r < kCopies; r++) mine[r] = scales[8 * NT + (lane + 32 * r) % kRows];
  __syncwarp();
#pragma unroll
  for (int r = 0; r < RT; r++)
#pragma unroll
    for (int c = 0; c < NT; c++)
#pragma unroll
      for (int i = 0; i < 4; i++)
        to[(8 * c + i % 2) * Te::kColumn + 16 * r + 8 * (i / 2)] = __fmul_rn(d[r][c][i], i % 2 ? s[c].y : s[c].x);
#pragma unroll
  for (int r = 0; r < kCopies; r++)
    if (lane + 32 * r < kRows) terms[Te::kScales + lane + 32 * r] = mine[r];
}

template <int RT, int NT, int S, bool Fine> __device__ __forceinline__ void split(const Problem &p, int perPhase) {
  typedef Stage<RT, NT, Fine> St;
  typedef Terms<RT, NT> Te;
  constexpr int kRows = 16 * RT, kOutputs = RT * NT; // outputs per thread at 128 threads
  extern __shared__ __align__(128) u8 memory[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int m0 = blockIdx.y * 8 * NT, n0 = blockIdx.x * kRows;
  u32 ring = warp * S * St::kBytes, base = sharedAddress(memory);
  float *terms = sharedFloats(memory, warps * S * St::kBytes);
  int chunks = ceilDiv(p.K, kChunk), steps = p.blockK / 32, perChunk = Fine ? 4 / steps : 1, blocks = Fine ? ceilDiv(p.K, p.blockK) : chunks;

  RowCopier<kRows, false> weights;
  RowCopier<8 * NT, true> tokens;
  ScaleCopier<RT, NT, Fine, true> scales;
  Fragments<RT, NT> fragments;
  weights.start(p.B, p.strideB, n0, p.N, p.K, warp, lane);
  tokens.start(p.A, p.strideA, m0, p.M, p.K, warp, lane);
  fragments.start(lane);

  auto fill = [&](int slot, int chunk, bool first) {
    u32 stage = base + ring + slot * St::kBytes;
    if (chunk < chunks) {
      bool whole = (chunk + 1) * kChunk <= p.K;
      weights.copy(stage, warps, whole);
      tokens.copy(stage + St::kTokens, warps, whole);
      if (first) scales.start(p, m0, n0, warp, perChunk, blocks, lane); // its division hides behind the first copies
      scales.copy(stage + St::kScaleBytes, warps, lane);
    }
    commitCopies();
  };
#pragma unroll 1
  for (int i = 0; i < S; i++) fill(i, warp + i * warps, i == 0);
#pragma unroll 1
  for (int i = 0; i < S; i++) zeroMissingTokens<RT, NT>(base + ring + i * St::kBytes, p.M - m0, lane);

  float acc[kOutputs] = {};
  int slot = 0, phaseChunks = perPhase * warps;
#pragma unroll 1
  for (int first = 0; first < chunks; first += phaseChunks) {
    int end = min(chunks, first + phaseChunks);
#pragma unroll 1
    for (int chunk = first + warp; chunk < end; chunk += warps) {
      waitCopies<S - 1>();
      __syncwarp();
      u32 at = ring + slot * St::kBytes;
      float *term = terms + (chunk - first) * perChunk * Te::kFloats;
      chunkDots<RT, NT, Fine>(fragments, base + at, base + at + St::kTokens, steps, [&](int j, float(&d)[RT][NT][4]) {
        if (Fine && chunk * perChunk + j >= blocks) return;
        storeTerms<RT, NT>(term + j * Te::kFloats, sharedFloats(memory, at + St::kScaleBytes) + j * St::kScales, d, lane);
      });
      __syncwarp();
      fill(slot, chunk + S * warps, false);
      slot = slot + 1 == S ? 0 : slot + 1;
    }
    __syncthreads();
    int count = min(blocks - first * perChunk, phaseChunks * perChunk);
#pragma unroll
    for (int i = 0; i < kOutputs; i++) {
      int output = threadIdx.x + i * blockDim.x, row = output % kRows, token = output / kRows;
      if (token >= 8 * NT || m0 + token >= p.M) continue;
      const float *term = terms + token * Te::kColumn + row, *b = terms + Te::kScales + row;
#pragma unroll 8
      for (int k = 0; k < count; k++) acc[i] = __fmaf_rn(term[k * Te::kFloats], b[k * Te::kFloats], acc[i]);
    }
    if (end < chunks) __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kOutputs; i++) {
    int output = threadIdx.x + i * blockDim.x, n = n0 + output % kRows, token = output / kRows;
    if (token < 8 * NT && m0 + token < p.M && n < p.N) storeOutput(p, m0 + token, n, acc[i]);
  }
}

#define SPLIT(name, RT, NT, S, FINE, THREADS)                                  \
  extern "C" __global__ void __launch_bounds__(THREADS, 1)                     \
      name(GEMM_PARAMETERS) {                                                  \
    split<RT, NT, S, FINE>(GEMM_PROBLEM, (int)tune0);                          \
  }

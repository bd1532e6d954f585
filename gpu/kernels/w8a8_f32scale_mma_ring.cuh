// The f32scale family's part of a ring: a stage with the scales of its chunk's
// blocks, and the dot products of one stage.
//
// Fine = false: blockK is 128 and a chunk is one scale block.
// Fine = true: blockK is 32, 64 or 128, up to 4 blocks per chunk.
#pragma once
#include "w8a8_f32scale_mma.cuh"
#include "w8a8_ring.cuh"

template <int RT, int NT, bool Fine> struct Stage {
  static constexpr int kBlocks = Fine ? 4 : 1;
  static constexpr int kScales = 8 * NT + 16 * RT; // per block: tokens, then weight rows
  static constexpr int kTokens = 2048 * RT;        // offset of the tokens
  static constexpr int kScaleBytes = kTokens + 1024 * NT;
  static constexpr int kBytes = (kScaleBytes + 4 * kScales * kBlocks + 127) / 128 * 128;
};

// Copies the scales of one chunk after another, each a 4-byte asynchronous copy,
// because their strides are the caller's. They travel with the codes: reading
// them in the loop would put a memory latency into every block. Tokens says
// whether the tokens' scales are wanted too, or only the weight rows'.
template <int RT, int NT, bool Fine, bool Tokens> struct ScaleCopier {
  static constexpr int kSkip = Tokens ? 0 : 8 * NT;
  static constexpr int kScales = Stage<RT, NT, Fine>::kScales - kSkip, kCopies = (kScales * (Fine ? 4 : 1) + 31) / 32;
  const float *from[kCopies];
  i64 column[kCopies];
  int block[kCopies], perChunk, blocks; // block and blocks only for Fine

  __device__ __forceinline__ void start(const Problem &p, int m0, int n0, int chunk, int blocksPerChunk, int allBlocks, int lane) {
    perChunk = blocksPerChunk;
    blocks = allBlocks;
#pragma unroll
    for (int i = 0; i < kCopies; i++) {
      int slot = lane + 32 * i, r = slot % kScales + kSkip, m = m0 + r, n = n0 + r - 8 * NT;
      bool token = r < 8 * NT, exists = slot / kScales < perChunk && (token ? m < p.M : n < p.N);
      block[i] = chunk * perChunk + slot / kScales;
      column[i] = token ? p.asCol : p.bsCol;
      from[i] = exists ? (token ? p.As + m * p.asRow : weightScaleRow(p, n)) + block[i] * column[i] : nullptr;
      column[i] *= perChunk;
    }
  }

  __device__ __forceinline__ void copy(u32 to, int chunks, int lane) {
#pragma unroll
    for (int i = 0; i < kCopies; i++) {
      if (from[i]) {
        if (!Fine || block[i] < blocks) copyAsync4(to + 4 * (lane + 32 * i), from[i]);
        from[i] += chunks * column[i];
      }
      if (Fine) block[i] += chunks * perChunk;
    }
  }
};

// Runs the MMAs of one chunk and hands the dots of every scale block, in
// ascending order, to flush(blockInChunk, dots).
template <int RT, int NT, bool Fine, class Flush>
__device__ __forceinline__ void chunkDots(Fragments<RT, NT> &f, u32 weightsAt, u32 tokensAt, int stepsPerBlock, Flush flush) {
  float d[RT][NT][4] = {};
  u32 w[RT][4], x[NT][4];
#pragma unroll
  for (int step = 0; step < 4; step++) {
    f.load(w, x, weightsAt, tokensAt, step);
#pragma unroll
    for (int i = 0; i < RT; i++)
#pragma unroll
      for (int j = 0; j < NT; j++) mma16x8x32(d[i][j], w[i], f.word(x, j, 0, step), f.word(x, j, 1, step));
    if (Fine ? ((step + 1) & (stepsPerBlock - 1)) == 0 : step == 3) {
      flush(!Fine || stepsPerBlock == 4 ? 0 : stepsPerBlock == 2 ? step / 2 : step, d);
#pragma unroll
      for (int i = 0; i < RT; i++)
#pragma unroll
        for (int j = 0; j < NT; j++) d[i][j][0] = d[i][j][1] = d[i][j][2] = d[i][j][3] = 0.0f;
    }
  }
}

__device__ __forceinline__ float *sharedFloats(u8 *memory, u32 offset) { return (float *)(memory + offset); }

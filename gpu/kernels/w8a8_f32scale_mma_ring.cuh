// The decode levels' pieces: a ring of shared-memory stages that belongs to one
// warp alone (so no block-wide barrier waits in the loop), and the dot products
// of one stage.
//
// A stage holds one chunk, 128 bytes of K: RT tiles of 16 weight rows, NT tiles
// of 8 tokens, and the scales of the chunk's blocks. Rows are 128 bytes; the
// 16-byte piece c of row r lies at piece c^(r%8), which makes ldmatrix free of
// bank conflicts without padding.
//
// Fine = false: blockK is 128 and a chunk is one scale block.
// Fine = true: blockK is 32, 64 or 128, up to 4 blocks per chunk.
#pragma once
#include "w8a8_f32scale_mma.cuh"

constexpr int kChunk = 128;

template <int RT, int NT, bool Fine> struct Stage {
  static constexpr int kBlocks = Fine ? 4 : 1;
  static constexpr int kScales = 8 * NT + 16 * RT; // per block: tokens, then weight rows
  static constexpr int kTokens = 2048 * RT;        // offset of the tokens
  static constexpr int kScaleBytes = kTokens + 1024 * NT;
  static constexpr int kBytes = (kScaleBytes + 4 * kScales * kBlocks + 127) / 128 * 128;
};

// Copies ROWS rows (a multiple of 4) of one chunk after another, 8 lanes to a
// row. Everything that does not change from chunk to chunk is worked out once:
// the copies share the issue slots with the MMAs. Rows must be 16-byte aligned.
// Rows that do not exist are left alone: what the MMA makes of them reaches no
// output.
template <int ROWS, bool ThroughL1> struct RowCopier {
  const u8 *from;
  i64 fourRows;
  int rows, left; // rows from this lane's first on; bytes of K from this lane's piece on
  u32 even, odd;  // offsets in the stage of rows 0, 8, .. and 4, 12, ..

  __device__ __forceinline__ void start(const u8 *base, i64 stride, int firstRow, int lastRow, int K, int chunk, int lane) {
    int piece = 16 * (lane % 8), row = lane / 8;
    from = base + (firstRow + row) * stride + chunk * kChunk + piece;
    fourRows = 4 * stride;
    rows = lastRow - firstRow - row;
    left = K - chunk * kChunk - piece;
    even = row * 128 + (piece ^ (16 * row));
    odd = even ^ 64; // row%8 is 4 more
  }

  // Copies the current chunk and moves `chunks` ahead. Only the last chunk of a
  // row can be short; the others use the cheaper form of the copy.
  __device__ __forceinline__ void copy(u32 stage, int chunks, bool whole) {
    const u8 *source = from;
    if (whole) {
#pragma unroll
      for (int i = 0; i < ROWS / 4; i++, source += fourRows) {
        if (4 * i >= rows) continue;
        if (ThroughL1) copyAsync16Shared(place(stage, i), source);
        else copyAsync16(place(stage, i), source);
      }
    } else {
      int bytes = clampBytes(left, 16);
#pragma unroll 1
      for (int i = 0; i < ROWS / 4; i++, source += fourRows)
        if (4 * i < rows) copyAsync16(place(stage, i), source, bytes);
    }
    from += chunks * kChunk;
    left -= chunks * kChunk;
  }

  __device__ __forceinline__ u32 place(u32 stage, int i) { return stage + (i % 2 ? odd : even) + i * 512; }
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

// Clears what no copy will ever write but the MMA reads: tokens past M.
template <int RT, int NT, bool Fine>
__device__ __forceinline__ void zeroMissingTokens(u32 stage, int tokens, int lane) {
  for (int word = lane; word < 256 * NT; word += 32)
    if (word / 32 >= tokens) storeShared(stage + Stage<RT, NT, Fine>::kTokens + 4 * word, 0);
}

// The fragments of one MMA step. `lane` addresses are worked out once.
template <int RT, int NT> struct Fragments {
  u32 weights, tokens; // this lane's row and swizzled piece for step 0

  __device__ __forceinline__ void start(int lane) {
    int q = lane / 8, r = lane % 8;
    // weights: matrices (rows 0-7, k 0-15), (8-15, 0-15), (0-7, 16-31), (8-15, 16-31)
    weights = ((q % 2) * 8 + r) * 128 + 16 * ((q / 2) ^ r);
    // tokens: NT = 1: four pieces of two steps; else two tiles of one step
    tokens = NT == 1 ? r * 128 + 16 * (q ^ r) : ((q / 2) * 8 + r) * 128 + 16 * ((q % 2) ^ r);
  }

  __device__ __forceinline__ void load(u32 (&w)[RT][4], u32 (&x)[NT][4], u32 weightsAt, u32 tokensAt, int step) {
#pragma unroll
    for (int i = 0; i < RT; i++) ldmatrix4(w[i], weightsAt + 2048 * i + (weights ^ (32 * step)));
    if (NT == 1) {
      if (step % 2 == 0) ldmatrix4(x[0], tokensAt + (tokens ^ (32 * step)));
    } else {
#pragma unroll
      for (int i = 0; i < NT; i += 2) ldmatrix4(x[i], tokensAt + 1024 * i + (tokens ^ (32 * step)));
    }
  }

  // The two words of token tile i for this step.
  static __device__ __forceinline__ u32 word(const u32 (&x)[NT][4], int i, int half, int step) {
    return NT == 1 ? x[0][2 * (step % 2) + half] : x[i / 2 * 2][2 * (i % 2) + half];
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

// A lane's dot i of a tile: weight row g+8(i/2), token 2t+i%2.
__device__ __forceinline__ int tileRow(int lane, int i) { return lane / 4 + 8 * (i / 2); }
__device__ __forceinline__ int tileToken(int lane, int i) { return 2 * (lane % 4) + i % 2; }

__device__ __forceinline__ float *sharedFloats(u8 *memory, u32 offset) { return (float *)(memory + offset); }

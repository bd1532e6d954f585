// The decode levels' pieces: a ring of shared-memory stages that belongs to one
// warp alone (so no block-wide barrier waits in the loop), and its fragments.
//
// A stage holds one chunk, 128 bytes of K: RT tiles of 16 weight rows, then NT
// tiles of 8 tokens. Rows are 128 bytes; the 16-byte piece c of row r lies at
// piece c^(r%8), which makes ldmatrix free of bank conflicts without padding.
#pragma once
#include "w8a8.cuh"

constexpr int kChunk = 128;

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

// Clears what no copy will ever write but the MMA reads: tokens past M.
template <int RT, int NT> __device__ __forceinline__ void zeroMissingTokens(u32 stage, int tokens, int lane) {
  for (int word = lane; word < 256 * NT; word += 32)
    if (word / 32 >= tokens) storeShared(stage + 2048 * RT + 4 * word, 0);
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

// A lane's output i of a tile: weight row g+8(i/2), token 2t+i%2.
__device__ __forceinline__ int tileRow(int lane, int i) { return lane / 4 + 8 * (i / 2); }
__device__ __forceinline__ int tileToken(int lane, int i) { return 2 * (lane % 4) + i % 2; }

// Rounds and stores the outputs of a warp whose tiles begin at (m0, n0).
template <int RT, int NT, class Scale>
__device__ __forceinline__ void storeTiles(const ProblemOf<Scale> &p, int m0, int n0, const float (&acc)[RT][NT][4], int lane) {
#pragma unroll
  for (int r = 0; r < RT; r++)
#pragma unroll
    for (int c = 0; c < NT; c++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        int m = m0 + 8 * c + tileToken(lane, i), n = n0 + 16 * r + tileRow(lane, i);
        if (m < p.M && n < p.N) storeOutput(p, m, n, acc[r][c][i]);
      }
}

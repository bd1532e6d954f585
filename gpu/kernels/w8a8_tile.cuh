// The prefill levels' pieces: a block of 8 warps computes 64 tokens by 128 weight
// rows, 32 by 32 per warp, with copies that take rows of any alignment: these
// are the levels that take what the decode levels leave.
#pragma once
#include "w8a8_grouped_tile.cuh"
#include "w8a8_ring.cuh"

constexpr int kTileM = 64, kTileN = 128, kTileThreads = 256, kTileStages = 3;
constexpr int kTileWeights = kTileM * kChunk;              // offset of the weights in a stage
constexpr int kTileCodes = kTileWeights + kTileN * kChunk; // bytes of codes in a stage

// Copies ROWS rows (a multiple of 4) of one chunk, 8 lanes to a row. Rows from
// `rows` on are left alone: what the MMA makes of them reaches no output.
template <int ROWS> struct AnyRowCopier {
  const u8 *from;
  i64 fourRows;
  int rows, alignment, K, piece;
  u32 to;

  __device__ __forceinline__ void start(const u8 *base, i64 stride, int firstRow, int lastRow, int k, int lane) {
    piece = 16 * (lane % 8);
    from = base + (firstRow + lane / 8) * stride + piece;
    fourRows = 4 * stride;
    rows = lastRow - firstRow - lane / 8;
    alignment = rowAlignment(base, stride);
    K = k;
    to = lane / 8 * 128;
  }

  // Which form of the copy is used depends on the chunk alone. A version that
  // chose lane by lane gave wrong results at short chunks on sm_90 (ptxas 13.0).
  __device__ __forceinline__ void copy(u32 stage, int chunk) {
    int bytes = clampBytes(K - chunk * kChunk - piece, 16);
    const u8 *source = from + (i64)chunk * kChunk;
    if (alignment == 16 && (chunk + 1) * kChunk <= K) {
#pragma unroll
      for (int i = 0; i < ROWS / 4; i++)
        if (4 * i < rows) copyAsync16(stage + to + i * 512 + swizzled(i), source + i * fourRows);
    } else {
#pragma unroll 1
      for (int i = 0; i < ROWS / 4; i++) {
        if (4 * i >= rows) continue;
        if (alignment == 16) copyAsync16(stage + to + i * 512 + swizzled(i), source + i * fourRows, bytes);
        else copyUnaligned(stage + to + i * 512 + swizzled(i), source + i * fourRows, bytes, alignment);
      }
    }
  }

  // Row to/128 + 4i has row%8 = to/128 + 4*(i%2).
  __device__ __forceinline__ u32 swizzled(int i) { return piece ^ (to / 8 + 64 * (i % 2)); }
};

// A warp's share of a tile: 8 rows of tokens and 16 of weights to copy per chunk,
// 32 by 32 outputs to compute.
struct TileWarp {
  AnyRowCopier<8> tokens;
  AnyRowCopier<16> weights;
  int warp, m0, n0, warpM, warpN; // the tile's place in C, this warp's in the tile
  u32 tokenLane, weightLane;

  template <class Scale> __device__ __forceinline__ void start(const ProblemOf<Scale> &p, int group, int lane) {
    int tileM, tileN, q = lane / 8, r = lane % 8;
    warp = threadIdx.x / 32;
    groupedTile(blockIdx.x, ceilDiv(p.M, kTileM), ceilDiv(p.N, kTileN), group, tileM, tileN);
    m0 = tileM * kTileM, n0 = tileN * kTileN;
    warpM = warp % 2 * 32, warpN = warp / 2 * 32;
    tokens.start(p.A, p.strideA, m0 + 8 * warp, p.M, p.K, lane);
    weights.start(p.B, p.strideB, n0 + 16 * warp, p.N, p.K, lane);
    // Lane addresses: matrices (rows 0-7, k 0-15), (8-15, 0-15), (0-7, 16-31),
    // (8-15, 16-31) for tokens; (rows 0-7, both halves), (8-15, both) for weights.
    tokenLane = (warpM + q % 2 * 8 + r) * kChunk + 16 * ((q / 2) ^ r);
    weightLane = kTileWeights + (warpN + q / 2 * 8 + r) * kChunk + 16 * ((q % 2) ^ r);
  }

  __device__ __forceinline__ void copy(u32 stage, int chunk) {
    tokens.copy(stage + warp * 8 * kChunk, chunk);
    weights.copy(stage + kTileWeights + warp * 16 * kChunk, chunk);
  }

  // The fragments of one step. Columns of tile j are words 2*(j%2) and the next of
  // b[j/2].
  __device__ __forceinline__ void load(u32 (&a)[2][4], u32 (&b)[2][4], u32 stage, int step) {
#pragma unroll
    for (int i = 0; i < 2; i++) ldmatrix4(a[i], stage + (tokenLane ^ (32 * step)) + i * 16 * kChunk);
#pragma unroll
    for (int i = 0; i < 2; i++) ldmatrix4(b[i], stage + (weightLane ^ (32 * step)) + i * 16 * kChunk);
  }

  // Where output k of this warp's MMA tile (i, j) lies in the block's tile.
  __device__ __forceinline__ int token(int i, int k, int lane) { return warpM + 16 * i + lane / 4 + k / 2 * 8; }
  __device__ __forceinline__ int row(int j, int k, int lane) { return warpN + 8 * j + lane % 4 * 2 + k % 2; }

  template <class Scale> __device__ __forceinline__ void store(const ProblemOf<Scale> &p, const float (&acc)[2][4][4], int lane) {
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 4; j++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
          int m = m0 + token(i, k, lane), n = n0 + row(j, k, lane);
          if (m < p.M && n < p.N) storeOutput(p, m, n, acc[i][j][k]);
        }
  }
};

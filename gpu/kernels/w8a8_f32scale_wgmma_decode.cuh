// What the levels of the f32scale wgmma family for few tokens share. The weights take the
// MMA's 64-row side, the tokens its columns; one thread copies both through tensor maps
// into a ring of stages.
//
// A tile of R = 64 weight rows multiplies one chunk of K per step. Fewer rows make more
// tiles: with R = 32 or 16 the 64 rows of the MMA are the tile's rows in 2 or 4 successive
// chunks of K ("ways"), each beside the tokens of its own chunk, of which it uses T of the
// T*64/R columns. The tensor cores have the time.
//
// The weights of a launch are on their way while the one before it ends: nothing but the
// weights and their scales is read before waitForPrerequisites.
#pragma once
#include "w8a8_f32scale_wgmma.cuh"

template <int R, int T, int F, int THREADS> struct Decode {
  static constexpr int kWays = 64 / R, kColumns = T * kWays, kThreads = THREADS;
  static constexpr u32 kWeightBytes = 64 * kChunkCodes, kTokenBytes = kColumns * kChunkCodes;

  const Problem &p;
  const int stages, slots, m0 = blockIdx.y * T;
  const int perChunk = F == 1 ? 1 : kChunkCodes / p.blockK; // scale blocks
  const int chunks = ceilDiv(p.K, kChunkCodes), blocks = F == 1 ? chunks : ceilDiv(p.K, p.blockK), steps = ceilDiv(chunks, kWays), tiles = ceilDiv(p.N, R);
  // Shared memory from a multiple of 1024 bytes on: stages of weights, slots of tokens,
  // barriers, scales of tokens [block][T], of two tiles of weights [block][R], and terms.
  const u32 weights, tokens, full, empty;
  float *const tokenScales, *const weightScales, *const terms;

  __device__ __forceinline__ Decode(const Problem &p, int stages, int slots, u8 *shared)
      : p(p), stages(stages), slots(slots), weights(alignPattern(sharedAddress(shared))), tokens(weights + stages * kWeightBytes),
        full(tokens + slots * kTokenBytes), empty(full + 8 * stages), tokenScales((float *)(shared + (empty - sharedAddress(shared)) + 8 * stages)),
        weightScales(tokenScales + T * blocks), terms(weightScales + 2 * R * blocks) {}

  __device__ __forceinline__ void initBarriers() const {
    int i = threadIdx.x % 32;
    if (i < stages) {
      barrierInit(full + 8 * i, 1);
      barrierInit(empty + 8 * i, 4);
    }
    barrierInitFence();
  }
};

// The thread that copies.
template <int R, int T, int F, int THREADS> struct Copier : Decode<R, T, F, THREADS> {
  using D = Decode<R, T, F, THREADS>;
  const TensorMap &mapA, &mapB;
  const bool byChunk;
  const int groupA, groupB; // in chunks

  __device__ __forceinline__ Copier(const D &d, const TensorMap &mapA, const TensorMap &mapB, i64 groupA, i64 groupB, bool byChunk)
      : D(d), mapA(mapA), mapB(mapB), byChunk(byChunk), groupA(blockIdx.z * (groupA / kChunkCodes)), groupB(blockIdx.z * (groupB / kChunkCodes)) {}

  // Copies rows of the chunks of a step, one box for all ways or one for each.
  template <int ROWS>
  __device__ __forceinline__ void rows(u32 to, const TensorMap &map, u32 barrier, int step, int row, int group, u64 policy) const {
    int chunk = step * D::kWays;
    if (byChunk) {
      copyBox(to, map, barrier, 0, row, group + chunk, policy);
      return;
    }
#pragma unroll
    for (int way = 0; way < D::kWays; way++)
      copyBox(to + way * (ROWS * kChunkCodes), map, barrier, (chunk + way) * kChunkCodes, row, blockIdx.z, policy);
  }

  // Sends for the weights of a step and announces its bytes.
  __device__ __forceinline__ void copyWeights(int stage, int tile, int step, bool withTokens) const {
    u32 barrier = this->full + 8 * stage;
    barrierExpect(barrier, D::kWeightBytes + (withTokens ? D::kTokenBytes : 0));
    rows<R>(this->weights + stage * D::kWeightBytes, mapB, barrier, step, tile * R, groupB, kEvictFirst);
  }

  __device__ __forceinline__ void copyTokens(int stage, int slot, int step) const {
    rows<T>(this->tokens + slot * D::kTokenBytes, mapA, this->full + 8 * stage, step, this->m0, groupA, kEvictLast);
  }

  __device__ __forceinline__ void run() const {
    bool stay = this->slots >= this->steps; // tokens are copied once
    int tile = blockIdx.x, step = 0, ahead = min(this->stages, this->steps);
#pragma unroll 1
    for (; step < ahead; step++) copyWeights(step, tile, step, true);
    waitForPrerequisites();
#pragma unroll 1
    for (int i = 0; i < ahead; i++) copyTokens(i, i, i);
    RingPlace place;
    place.advance(ahead, this->stages);
#pragma unroll 1
    for (; tile < this->tiles; tile += gridDim.x, step = 0) {
      bool withTokens = !stay || tile == blockIdx.x;
#pragma unroll 1
      for (; step < this->steps; step++) {
        barrierWait(this->empty + 8 * place.stage, place.parity ^ 1);
        copyWeights(place.stage, tile, step, withTokens);
        if (withTokens) copyTokens(place.stage, stay ? step : place.stage, step);
        place.next(this->stages);
      }
    }
  }
};

// What a warp that multiplies does in the same way at every level.
template <int R, int T, int F, int THREADS> struct DecodeWarp : Decode<R, T, F, THREADS> {
  using D = Decode<R, T, F, THREADS>;
  using D::kThreads;
  static constexpr int kDots = D::kColumns / 2;

  const int lane = threadIdx.x % 32;
  int buffer = 0; // of the two of weights' scales

  __device__ __forceinline__ DecodeWarp(const D &d) : D(d) {}

  __device__ __forceinline__ void copyTokenScales() const {
    const Problem &p = this->p;
#pragma unroll 1
    for (int i = threadIdx.x; i < this->blocks * T; i += kThreads)
      if (this->m0 + i % T < p.M) copyAsync4(sharedAddress(this->tokenScales + i), p.As + (this->m0 + i % T) * p.asRow + i / T * p.asCol);
      else this->tokenScales[i] = 0.0f;
  }

  // Sends for the scales of a tile's weights.
  __device__ __forceinline__ void copyWeightScales(int tile, int to) const {
    const Problem &p = this->p;
    if (tile < this->tiles) {
      int row = threadIdx.x % R;
      const float *from = weightScaleRow(p, min(tile * R + row, p.N - 1));
#pragma unroll 1
      for (int block = threadIdx.x / R; block < this->blocks; block += kThreads / R)
        copyAsync4(sharedAddress(this->weightScales + (to * this->blocks + block) * R + row), from + block * p.bsCol);
    }
    commitCopies();
  }

  // Gives the MMAs of a stage to the tensor cores, in chains of STEPS, one for each
  // scale block.
  template <int STEPS> __device__ __forceinline__ void multiply(float (&d)[F][kDots], u64 a, u64 b) const {
#pragma unroll
    for (int k = 0; k < 4; k++) mmaStep(d[k / STEPS], a + k * kStepOfTile, b + k * kStepOfTile, k % STEPS);
  }

  __device__ __forceinline__ void multiply(float (&d)[F][kDots], const RingPlace &at, int slot) const {
    barrierWait(this->full + 8 * at.stage, at.parity);
    u64 a = swizzledTile(this->weights + at.stage * D::kWeightBytes), b = swizzledTile(this->tokens + slot * D::kTokenBytes);
#pragma unroll
    for (int f = 0; f < F; f++) mmaPin(d[f]);
    mmaFence();
    if constexpr (F == 1) multiply<4>(d, a, b);
    else if (this->perChunk == 4) multiply<1>(d, a, b);
    else if (this->perChunk == 2) multiply<2>(d, a, b);
    else multiply<4>(d, a, b);
    mmaCommit();
  }

  // The dots are there: their stage goes back.
  __device__ __forceinline__ void giveStage(float (&d)[F][kDots], int stage) const {
#pragma unroll
    for (int f = 0; f < F; f++) mmaPin(d[f]);
    if (lane == 0) barrierArrive(this->empty + 8 * stage);
  }

  __device__ __forceinline__ void sync() const { asm volatile("bar.sync 1, %0;" ::"n"(kThreads) : "memory"); }
};

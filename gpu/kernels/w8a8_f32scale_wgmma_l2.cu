// Level 2: many tokens. Two warpgroups multiply 64 tokens each by C weight rows, a third
// one copies; blocks stay and take tile after tile.
//
// Idea: the tensor cores always have something to do. While the dots of one warpgroup
// join their chains, two operations each on all the lanes, the other's are made: they
// take turns. With C = 64 and 128 a turn is two chunks of K, so that the first one's
// dots join the chains while the second one's are made. With C = 256, which reads the
// fewest bytes per product, the outputs leave registers for the dots of 128 columns only:
// a turn is half a chunk. Whatever else there is to do waits until the tensor cores are
// busy. The copies of the next tile start while this one is being stored.
//
// Expected: the MMAs' time, as two operations per dot fit beside them. Brought: 930 to 1,040
// TFLOP/s at K >= 4096 and M = 4096, tensor cores busy 60 % of the time; 760 to 800 at
// K = 1024, where a tile's store weighs more.
//
// The scales of weights change only at multiples of 128 rows: blockN and rowOffset are
// multiples of 128.
//
// grid (blocks, 1, groups), block 384, shared 1024 + stages*((128 + C)*128 + 16) with
// 4, 6 or 8 stages for C = 256, 128 or 64; tune0: rows of tiles that run together.
// Tensor maps {K, rows, groups}, boxes of 128 tokens and C rows.
// target: compute_90a, PTX 8.4
#include "w8a8_f32scale_wgmma.cuh"
#include "w8a8_grouped_tile.cuh"
#include "w8a8_quad_store.cuh"

constexpr int kTokens = 128, kGroupTokens = 64, kMathThreads = 256, kMathWarps = 8;

template <int C> struct Prefill {
  static constexpr int kStages = C == 256 ? 4 : C == 128 ? 6 : 8;
  static constexpr u32 kTokenBytes = kTokens * kChunkCodes, kStageBytes = kTokenBytes + C * kChunkCodes;

  const Problem &p;
  const int chunks, tilesM, tilesN, together;
  const u32 ring, full, empty;
  RingPlace place;

  __device__ __forceinline__ Prefill(const Problem &p, int together, u32 shared)
      : p(p), chunks(ceilDiv(p.K, kChunkCodes)), tilesM(ceilDiv(p.M, kTokens)), tilesN(ceilDiv(p.N, C)), together(together),
        ring(alignPattern(shared)), full(ring + kStages * kStageBytes), empty(full + 8 * kStages) {}

  __device__ __forceinline__ void initBarriers() const {
    for (int i = 0; i < kStages; i++) {
      barrierInit(full + 8 * i, 1);
      barrierInit(empty + 8 * i, kMathWarps);
    }
    barrierInitFence();
  }

  __device__ __forceinline__ void find(int tile, int &m0, int &n0) const {
    int tileM, tileN;
    groupedTile(tile, tilesM, tilesN, together, tileM, tileN);
    m0 = tileM * kTokens;
    n0 = tileN * C;
  }
};

// The thread that copies.
template <int C> struct Copier : Prefill<C> {
  using P = Prefill<C>;

  __device__ __forceinline__ Copier(const P &p) : P(p) {}

  __device__ __forceinline__ void weights(const TensorMap &map, int chunk, int n0) const {
    u32 barrier = this->full + 8 * this->place.stage;
    barrierExpect(barrier, P::kStageBytes);
    copyBox(this->ring + this->place.stage * P::kStageBytes + P::kTokenBytes, map, barrier, chunk * kChunkCodes, n0, blockIdx.z, kEvictLast);
  }

  __device__ __forceinline__ void tokens(const TensorMap &map, int chunk, int m0) const {
    copyBox(this->ring + this->place.stage * P::kStageBytes, map, this->full + 8 * this->place.stage, chunk * kChunkCodes, m0, blockIdx.z, kEvictLast);
  }

  __device__ __forceinline__ void run(const TensorMap &mapA, const TensorMap &mapB) {
    waitForPrerequisites();
    for (int tile = blockIdx.x; tile < this->tilesM * this->tilesN; tile += gridDim.x) {
      int m0, n0;
      this->find(tile, m0, n0);
      for (int chunk = 0; chunk < this->chunks; chunk++) {
        barrierWait(this->empty + 8 * this->place.stage, this->place.parity ^ 1);
        weights(mapB, chunk, n0);
        tokens(mapA, chunk, m0);
        this->place.next(P::kStages);
      }
    }
  }
};

// A warp that multiplies.
template <int C> struct Multiplier : Prefill<C> {
  using P = Prefill<C>;
  static constexpr int kBlocks = C == 256 ? 2 : 1; // of 128 rows of weights, which share a scale
  static constexpr int kDots = C / kBlocks / 2;    // per thread, that the tensor cores make at once

  struct Scales {
    float tokens[2], weights[kBlocks];
  };

  const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0), lane = threadIdx.x % 32;
  int turns; // that this warpgroup will have at the tensor cores
  float acc[C / 2];
  const float *tokenScales[2], *weightScales[kBlocks];

  __device__ __forceinline__ Multiplier(const P &p)
      : P(p), turns(ceilDiv(this->tilesM * this->tilesN - (int)blockIdx.x, gridDim.x) * (C == 256 ? 2 * this->chunks : ceilDiv(this->chunks, 2))) {}

  __device__ __forceinline__ void findScales(int m, int n0) {
    const Problem &p = this->p;
#pragma unroll
    for (int i = 0; i < 2; i++) tokenScales[i] = p.As + min(m + 8 * i, p.M - 1) * p.asRow;
#pragma unroll
    for (int i = 0; i < kBlocks; i++) weightScales[i] = weightScaleRow(p, min(n0 + i * 128, p.N - 1));
  }

  // Sends for the scales of the next chunk.
  __device__ __forceinline__ void nextScales(Scales &s) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      s.tokens[i] = *tokenScales[i];
      tokenScales[i] += this->p.asCol;
    }
#pragma unroll
    for (int i = 0; i < kBlocks; i++) {
      s.weights[i] = *weightScales[i];
      weightScales[i] += this->p.bsCol;
    }
  }

  // The second warpgroup lets the first one begin; there is no turn after its last.
  __device__ __forceinline__ void waitForTurn() const { asm volatile("bar.sync %0, 256;" ::"r"(1 + warpgroup) : "memory"); }
  __device__ __forceinline__ void passTurn() {
    if (--turns > 0 || warpgroup == 0) asm volatile("bar.arrive %0, 256;" ::"r"(2 - warpgroup) : "memory");
  }

  // Gives the MMAs of a chunk, from one of its blocks of weights, to the tensor cores.
  __device__ __forceinline__ void multiply(float (&d)[kDots], int stage, int block) const {
    u32 tokens = this->ring + stage * P::kStageBytes, weights = tokens + P::kTokenBytes;
    u64 a = swizzledTile(tokens + warpgroup * (kGroupTokens * kChunkCodes)), b = swizzledTile(weights + block * (128 * kChunkCodes));
    mmaPin(d);
    mmaFence();
#pragma unroll
    for (int k = 0; k < 4; k++) mmaStep(d, a + k * kStepOfTile, b + k * kStepOfTile, k);
    mmaCommit();
  }

  // Waits for the stage of the next chunk and returns it.
  __device__ __forceinline__ int takeStage() {
    int stage = this->place.stage;
    barrierWait(this->full + 8 * stage, this->place.parity);
    this->place.next(P::kStages);
    return stage;
  }

  __device__ __forceinline__ void giveStage(int stage) const {
    if (lane == 0) barrierArrive(this->empty + 8 * stage);
  }

  __device__ __forceinline__ void join(float (&d)[kDots], const Scales &s, int block) {
    mmaPin(d);
#pragma unroll
    for (int i = 0; i < kDots; i++) acc[block * kDots + i] = chain(acc[block * kDots + i], d[i], s.tokens[i / 2 % 2], s.weights[block]);
  }

  // Two chunks in one turn.
  __device__ __forceinline__ void multiplyPair(Scales &first, Scales &second, int left) {
    float d[2][kDots];
    Scales nextFirst, nextSecond;
    int stages[2];
    stages[0] = takeStage();
    waitForTurn();
    multiply(d[0], stages[0], 0);
    stages[1] = takeStage();
    multiply(d[1], stages[1], 0);
    passTurn();
    if (left > 2) nextScales(nextFirst);
    if (left > 3) nextScales(nextSecond);
    mmaWait<1>();
    giveStage(stages[0]);
    join(d[0], first, 0);
    mmaWait<0>();
    giveStage(stages[1]);
    join(d[1], second, 0);
    first = nextFirst;
    second = nextSecond;
  }

  // One chunk, a turn for each of its blocks of weights.
  __device__ __forceinline__ void multiplyChunk(Scales &s, int left) {
    Scales next;
    int stage = takeStage();
#pragma unroll
    for (int block = 0; block < kBlocks; block++) {
      float d[kDots];
      waitForTurn();
      multiply(d, stage, block);
      passTurn();
      if (block == 0 && left > 1) nextScales(next);
      mmaWait<0>();
      if (block == kBlocks - 1) giveStage(stage);
      join(d, s, block);
    }
    s = next;
  }

  __device__ __forceinline__ void multiplyTile(int m, int n0) {
#pragma unroll
    for (int i = 0; i < C / 2; i++) acc[i] = 0.0f;
    int left = this->chunks;
    Scales first, second;
    findScales(m, n0);
    if (left > 0) nextScales(first);
    if constexpr (C != 256) {
      if (left > 1) nextScales(second);
      for (; left > 1; left -= 2) multiplyPair(first, second, left);
    }
    for (; left > 0; left--) multiplyChunk(first, left);
  }

  __device__ __forceinline__ void store(int m, int n0, bool pieces) const {
#pragma unroll
    for (int high = 0; high < 2; high++) {
      float row[C / 4];
#pragma unroll
      for (int i = 0; i < C / 4; i++) row[i] = acc[i / 2 * 4 + high * 2 + i % 2];
      storeRow<C>(this->p, row, m + 8 * high, n0, lane % 4, pieces);
    }
  }

  __device__ __forceinline__ void run() {
    bool pieces = storesPieces(this->p);
    turns++;
    if (warpgroup == 1) passTurn();
    waitForPrerequisites();
    for (int tile = blockIdx.x; tile < this->tilesM * this->tilesN; tile += gridDim.x) {
      int m0, n0;
      this->find(tile, m0, n0);
      int m = m0 + threadIdx.x / 32 * 16 + lane / 4;
      multiplyTile(m, n0);
      store(m, n0, pieces);
    }
  }
};

template <int C> __device__ __forceinline__ void prefill(const Problem &problem, int together, const TensorMap &mapA, const TensorMap &mapB) {
  extern __shared__ u8 shared[];
  launchDependents();
  Prefill<C> p(problem, together, sharedAddress(shared));
  if (threadIdx.x == kMathThreads) p.initBarriers();
  __syncthreads();
  if (threadIdx.x < kMathThreads) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    Multiplier<C>(p).run();
  } else {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == kMathThreads) Copier<C>(p).run(mapA, mapB);
  }
}

#define KERNEL(C)                                                                                        \
  extern "C" __global__ void __launch_bounds__(384, 1) w8a8_f32scale_wgmma_l2_c##C(                      \
      GEMM_PARAMETERS, const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB) { \
    prefill<C>(GEMM_PROBLEM, (int)tune0, mapA, mapB);                                                    \
  }

KERNEL(64)
KERNEL(128)
KERNEL(256)

// Level 1: few tokens. The weights take the MMA's 64-row side, the tokens its columns; one
// warp copies both through tensor maps into a ring of stages, G warpgroups multiply a
// stage each.
//
// Idea: a tile of R = 64 weight rows multiplies one chunk of K per stage. Fewer rows make
// more tiles: with R = 32 or 16 the 64 rows of the MMA are the tile's rows in 2 or 4
// successive chunks of K ("ways"), each beside the tokens of its own chunk, of which it
// uses T of the T*64/R columns. The tensor cores have the time. What a stage costs is
// latency, of barriers and of a few dependent instructions, so several warpgroups have
// theirs at once. Partial dots of different chunks are independent; they meet in shared
// memory, where the chain of each output takes them in the order of K.
//
// The weights of this launch are on their way while the one before it ends: nothing
// but the weights and their scales is read before waitForPrerequisites.
//
// Expected: the bytes' time plus a microsecond, as launches overlap. Brought: 96 % of the
// copy bandwidth at N=36864 K=7168 M=1 (67.0 us); 3.8 us at N=1536 K=4096, whose bytes
// take 1.5: rounds that wait for one another are the rest.
//
// grid (blocks, ceil(M/T), groups), block 128*G + 32; blocks stay and take tile after
// tile. tune0: stages; tune1: 2*slots, and 1 more where the maps' third dimension is
// chunks of K and not groups. There are as many slots for tokens as stages, or, so that
// tokens stay for the next tile, at least as many as steps (ceil(ceil(K/128)*R/64)).
// blockK is 128, or 32, 64 or 128 where the name ends with _fine: F = 4 scale blocks in a
// chunk at most, each with dots and terms of its own. Dynamic shared memory: 1024 +
// stages*(8192 + 16) + slots*8192*T/R + 4*ceil(K/blockK)*(T + 2R) + 512*F*G*T*(R + 4)/R.
// G is 2 for T >= 32 and where F = 4, 3 for R = T = 16, else 4.
// target: compute_90a, PTX 8.4
#include "w8a8_f32scale_wgmma.cuh"

template <int R, int T, int G, int F> struct Decode {
  static constexpr int kWays = 64 / R, kRound = G * kWays, kColumns = T * kWays, kThreads = 128 * G;
  static constexpr u32 kWeightBytes = 64 * kChunkCodes, kTokenBytes = kColumns * kChunkCodes;
  // Terms of a scale block: [token][row], tokens 4 words further apart than they need, so
  // that a warp's stores hit different banks.
  static constexpr int kTokenWords = R + 4, kBlockWords = T * kTokenWords, kRoundWords = kRound * F * kBlockWords;

  const Problem &p;
  const int stages, slots, m0 = blockIdx.y * T;
  const int perChunk = F == 1 ? 1 : kChunkCodes / p.blockK; // scale blocks
  const int chunks = ceilDiv(p.K, kChunkCodes), blocks = F == 1 ? chunks : ceilDiv(p.K, p.blockK), steps = ceilDiv(chunks, kWays), tiles = ceilDiv(p.N, R);
  // Shared memory from a multiple of 1024 bytes on: stages of weights, slots of tokens,
  // barriers, scales of tokens [block][T], of two tiles of weights [block][R], terms of
  // two rounds.
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
template <int R, int T, int G, int F> struct Copier : Decode<R, T, G, F> {
  using D = Decode<R, T, G, F>;
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
        place.advance(1, this->stages);
      }
    }
  }
};

// A warp that multiplies.
template <int R, int T, int G, int F> struct Multiplier : Decode<R, T, G, F> {
  using D = Decode<R, T, G, F>;
  using D::kWays, D::kRound, D::kThreads, D::kTokenWords, D::kBlockWords, D::kRoundWords;
  static constexpr int kDots = D::kColumns / 2, kOutputs = R * T > kThreads ? R * T / kThreads : 1;

  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int mmaRow = threadIdx.x % 128 / 32 * 16 + g, way = mmaRow / R;
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);
  const int row = threadIdx.x % R; // of this thread's outputs
  int turn = 0;                    // of the two buffers of terms
  int buffer = 0;                  // of the two of weights' scales
  float acc[kOutputs];

  __device__ __forceinline__ Multiplier(const D &d) : D(d) {}

  __device__ __forceinline__ int token(int output) const { return (output * kThreads + threadIdx.x) / R; }
  __device__ __forceinline__ bool chains() const { return R * T >= kThreads || threadIdx.x < R * T; }

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

  // The scales of this lane's tokens in its warp's chunk of a round, read while the
  // tensor cores work.
  __device__ __forceinline__ void readTokenScales(float2 (&scales)[F][T / 8], int round) const {
    int first = (round * kRound + warpgroup * kWays + way) * this->perChunk;
#pragma unroll
    for (int f = 0; f < F; f++) {
      int block = min(first + f, this->blocks - 1);
#pragma unroll
      for (int i = 0; i < T / 8; i++) scales[f][i] = *(const float2 *)(this->tokenScales + T * block + 8 * i + 2 * t);
    }
  }

  // Waits for the dots and gives their stage back.
  __device__ __forceinline__ void take(float (&d)[F][kDots], int stage) const {
    mmaWait<0>();
#pragma unroll
    for (int f = 0; f < F; f++) mmaPin(d[f]);
    if (lane == 0) barrierArrive(this->empty + 8 * stage);
  }

  __device__ __forceinline__ float *termsOf(int block) const { return this->terms + turn * kRoundWords + block * kBlockWords; }

  // The terms dot*a_s of way W go to shared memory.
  template <int W> __device__ __forceinline__ void storeTerms(const float (&d)[F][kDots], const float2 (&scales)[F][T / 8]) const {
#pragma unroll
    for (int f = 0; f < F; f++) {
      if (f >= this->perChunk) break;
      float *to = termsOf((warpgroup * kWays + W) * this->perChunk + f) + mmaRow % R;
#pragma unroll
      for (int i = 0; i < T / 2; i++) {
        float2 scale = scales[f][i / 4];
        to[(i / 4 * 8 + 2 * t + i % 2) * kTokenWords + i / 2 % 2 * 8] = __fmul_rn(d[f][W * (T / 2) + i], i % 2 ? scale.y : scale.x);
      }
    }
  }

  __device__ __forceinline__ void storeTerms(const float (&d)[F][kDots], const float2 (&scales)[F][T / 8]) const {
    if (way == 0) storeTerms<0>(d, scales);
    if constexpr (kWays > 1)
      if (way == 1) storeTerms<1>(d, scales);
    if constexpr (kWays > 2) {
      if (way == 2) storeTerms<2>(d, scales);
      if (way == 3) storeTerms<3>(d, scales);
    }
  }

  // The terms of COUNT blocks of a round join the chains, in the order of K.
  template <int COUNT> __device__ __forceinline__ void chainTerms(int round, int first) {
    const float *scale = this->weightScales + (buffer * this->blocks + round * kRound * this->perChunk + first) * R + row;
    const float *term = termsOf(first) + row;
    float scales[COUNT], values[COUNT][kOutputs];
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
      scales[c] = scale[c * R];
#pragma unroll
      for (int i = 0; i < kOutputs; i++) values[c][i] = term[c * kBlockWords + token(i) * kTokenWords];
    }
#pragma unroll
    for (int c = 0; c < COUNT; c++)
#pragma unroll
      for (int i = 0; i < kOutputs; i++) acc[i] = __fmaf_rn(values[c][i], scales[c], acc[i]);
  }

  // The last round may have fewer blocks than the others.
  __device__ __forceinline__ void chainRound(int round) {
    constexpr int kBatch = kOutputs > 4 ? 1 : kRound; // at once, as registers allow
    int most = kRound * this->perChunk, left = this->blocks - round * most;
    if (left >= most) {
#pragma unroll 1
      for (int c = 0; c < most; c += kBatch) chainTerms<kBatch>(round, c);
      return;
    }
#pragma unroll 1
    for (int c = 0; c < left; c++) chainTerms<1>(round, c);
  }

  __device__ __forceinline__ void store(int tile) const {
#pragma unroll
    for (int i = 0; i < kOutputs; i++) {
      int m = this->m0 + token(i), n = tile * R + row;
      if (m < this->p.M && n < this->p.N) storeOutput(this->p, m, n, acc[i]);
    }
  }

  __device__ __forceinline__ void sync() const { asm volatile("bar.sync 1, %0;" ::"n"(kThreads) : "memory"); }

  __device__ __forceinline__ void multiplyTile(int tile, RingPlace place) {
#pragma unroll
    for (int i = 0; i < kOutputs; i++) acc[i] = 0.0f;
    place.advance(warpgroup, this->stages);
#pragma unroll 1
    for (int first = 0, round = 0; first < this->steps; first += G, round++) {
      if (first + warpgroup < this->steps) {
        float d[F][kDots];
        float2 scales[F][T / 8];
        multiply(d, place, this->slots >= this->steps ? first + warpgroup : place.stage);
        readTokenScales(scales, round);
        take(d, place.stage);
        storeTerms(d, scales);
        place.advance(G, this->stages);
      }
      if (first == 0) waitCopies<0>();
      sync();
      // Nobody reads the other buffer of scales any more.
      if (first == 0) copyWeightScales(tile + gridDim.x, buffer ^ 1);
      if (chains()) chainRound(round);
      turn ^= 1;
    }
  }

  __device__ __forceinline__ void run() {
    copyWeightScales(blockIdx.x, buffer);
    waitForPrerequisites();
    copyTokenScales();
    commitCopies();
    waitCopies<0>();
    sync();
    RingPlace place;
#pragma unroll 1
    for (int tile = blockIdx.x; tile < this->tiles; tile += gridDim.x) {
      multiplyTile(tile, place);
      place.advance(this->steps, this->stages);
      buffer ^= 1;
      if (chains()) store(tile);
    }
  }
};

template <int R, int T, int G, int F>
__device__ __forceinline__ void decode(const Problem &p, const TensorMap &mapA, const TensorMap &mapB, i64 groupA, i64 groupB, int stages, int slots, bool byChunk) {
  extern __shared__ u8 shared[];
  launchDependents();
  Decode<R, T, G, F> d(p, stages, slots, shared);
  if (threadIdx.x >= d.kThreads) d.initBarriers();
  __syncthreads();
  if (threadIdx.x < d.kThreads) Multiplier<R, T, G, F>(d).run();
  else if (threadIdx.x == d.kThreads) Copier<R, T, G, F>(d, mapA, mapB, groupA, groupB, byChunk).run();
}

#define KERNEL(NAME, R, T, G, F, BLOCKS)                                                                 \
  extern "C" __global__ void __launch_bounds__(128 * G + 32, BLOCKS) w8a8_f32scale_wgmma_l1_##NAME(      \
      GEMM_PARAMETERS, const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB) { \
    decode<R, T, G, F>(GEMM_PROBLEM, mapA, mapB, groupA, groupB, (int)tune0, (int)tune1 >> 1, tune1 & 1); \
  }

KERNEL(r16t8, 16, 8, 4, 1, 2)
KERNEL(r16t16, 16, 16, 3, 1, 2)
KERNEL(r32t8, 32, 8, 4, 1, 2)
KERNEL(r32t16, 32, 16, 4, 1, 2)
KERNEL(r64t8, 64, 8, 4, 1, 2)
KERNEL(r64t16, 64, 16, 4, 1, 2)
KERNEL(r64t32, 64, 32, 2, 1, 2)
KERNEL(r64t64, 64, 64, 2, 1, 1)
KERNEL(r16t8_fine, 16, 8, 2, 4, 2)
KERNEL(r32t8_fine, 32, 8, 2, 4, 2)
KERNEL(r32t16_fine, 32, 16, 2, 4, 1)

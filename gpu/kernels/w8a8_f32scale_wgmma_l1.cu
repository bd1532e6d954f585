// Level 1: few tokens and a long K. Several warpgroups share a tile's K out.
//
// Idea: what a step costs is latency, of barriers and of a few dependent instructions, so
// G warpgroups have theirs at once, a round. Partial dots of different chunks are
// independent; they meet in shared memory, where the chain of each output takes them in
// the order of K.
//
// Expected: the bytes' time plus a microsecond, as launches overlap. Brought: 96 % of the
// copy bandwidth at N=36864 K=7168 M=1 (67.4 us); 4.0 us at N=1536 K=4096, whose bytes
// take 1.5: rounds that wait for one another are the rest.
//
// grid (blocks, ceil(M/T), groups), block 128*G + 32; blocks stay and take tile after
// tile. tune0: stages; tune1: 2*slots, and 1 more where the maps' third dimension is
// chunks of K and not groups. There are at least G stages, unless a block has fewer steps
// (ceil(ceil(K/128)*R/64) per tile); as many slots for tokens as stages, or, so that
// tokens stay for the next tile, at least as many as a tile has steps.
// blockK is 128, or 32, 64 or 128 where the name ends with _fine: F = 4 scale blocks in a
// chunk at most, each with dots and terms of its own. Dynamic shared memory: 1024 +
// stages*(8192 + 16) + slots*8192*T/R + 4*ceil(K/blockK)*(T + 2R) + 512*F*G*T*(R + 4)/R.
// G is 2 where F = 4, 3 for R = T = 16, else 4.
// target: compute_90a, PTX 8.4
#include "w8a8_f32scale_wgmma_decode.cuh"

// A warp that multiplies.
template <int R, int T, int G, int F> struct Multiplier : DecodeWarp<R, T, F, 128 * G> {
  using Base = DecodeWarp<R, T, F, 128 * G>;
  using Base::kWays, Base::kThreads, Base::kDots;
  static constexpr int kRound = G * kWays, kOutputs = R * T > kThreads ? R * T / kThreads : 1;
  // Terms of a scale block: [token][row], tokens 4 words further apart than they need, so
  // that a warp's stores hit different banks.
  static constexpr int kTokenWords = R + 4, kBlockWords = T * kTokenWords, kRoundWords = kRound * F * kBlockWords;

  const int g = this->lane / 4, t = this->lane % 4;
  const int mmaRow = threadIdx.x % 128 / 32 * 16 + g, way = mmaRow / R;
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);
  const int row = threadIdx.x % R; // of this thread's outputs
  int turn = 0;                    // of the two buffers of terms
  float acc[kOutputs];

  __device__ __forceinline__ Multiplier(const typename Base::D &d) : Base(d) {}

  __device__ __forceinline__ int token(int output) const { return (output * kThreads + threadIdx.x) / R; }
  __device__ __forceinline__ bool chains() const { return R * T >= kThreads || threadIdx.x < R * T; }

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
    const float *scale = this->weightScales + (this->buffer * this->blocks + round * kRound * this->perChunk + first) * R + row;
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

  __device__ __forceinline__ void multiplyTile(int tile, RingPlace place) {
#pragma unroll
    for (int i = 0; i < kOutputs; i++) acc[i] = 0.0f;
    place.advance(warpgroup, this->stages);
#pragma unroll 1
    for (int first = 0, round = 0; first < this->steps; first += G, round++) {
      if (first + warpgroup < this->steps) {
        float d[F][kDots];
        float2 scales[F][T / 8];
        this->multiply(d, place, this->slots >= this->steps ? first + warpgroup : place.stage);
        readTokenScales(scales, round);
        mmaWait<0>();
        this->giveStage(d, place.stage);
        storeTerms(d, scales);
        place.advance(G, this->stages);
      }
      if (first == 0) waitCopies<0>();
      this->sync();
      // Nobody reads the other buffer of scales any more.
      if (first == 0) this->copyWeightScales(tile + gridDim.x, this->buffer ^ 1);
      if (chains()) chainRound(round);
      turn ^= 1;
    }
  }

  __device__ __forceinline__ void run() {
    this->copyWeightScales(blockIdx.x, this->buffer);
    waitForPrerequisites();
    this->copyTokenScales();
    commitCopies();
    waitCopies<0>();
    this->sync();
    RingPlace place;
#pragma unroll 1
    for (int tile = blockIdx.x; tile < this->tiles; tile += gridDim.x) {
      multiplyTile(tile, place);
      place.advance(this->steps, this->stages);
      this->buffer ^= 1;
      if (chains()) store(tile);
    }
  }
};

template <int R, int T, int G, int F>
__device__ __forceinline__ void decode(const Problem &p, const TensorMap &mapA, const TensorMap &mapB, i64 groupA, i64 groupB, int stages, int slots, bool byChunk) {
  extern __shared__ u8 shared[];
  launchDependents();
  Decode<R, T, F, 128 * G> d(p, stages, slots, shared);
  if (threadIdx.x >= d.kThreads) d.initBarriers();
  __syncthreads();
  if (threadIdx.x < d.kThreads) Multiplier<R, T, G, F>(d).run();
  else if (threadIdx.x == d.kThreads) Copier<R, T, F, 128 * G>(d, mapA, mapB, groupA, groupB, byChunk).run();
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
KERNEL(r16t8_fine, 16, 8, 2, 4, 2)
KERNEL(r32t8_fine, 32, 8, 2, 4, 2)
KERNEL(r32t16_fine, 32, 16, 2, 4, 1)

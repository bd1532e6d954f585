// Level 3: few tokens and a short K, or more tokens than level 1 has room for. One
// warpgroup multiplies a tile and chains in registers.
//
// Idea: with 64 weight rows a step is one chunk of K, and the lanes that hold its dots are
// those that hold the chains: no terms in shared memory, no warps that wait for others.
// Two steps are at the tensor cores at once, so that the first one's dots join the chains
// while the second one's are made. With 32 rows (two ways, see w8a8_f32scale_wgmma_decode.cuh)
// the lower two warps hold the dots of the first chunk and the upper two those of the
// second, of the same outputs lane by lane: they pass their terms on.
//
// Expected: what level 1 waits for its rounds is gone, but a block walks through K alone:
// good where tiles of 64 rows are as many as multiprocessors and K is short. Brought:
// 3.3 us at N=8192 K=1024 M=16 (level 1: 4.8), 8.6 us at N=4096 K=4096 M=32 (13.1);
// at N=36864 K=7168 M=16 75.5 us (70.3), so level 1 stays.
//
// grid (blocks, ceil(M/T), groups), block 160; blocks stay and take tile after tile.
// blockK is 128; tune0 and tune1 as at level 1, but 2 stages are enough. Dynamic shared
// memory: 1024 + stages*(8192 + 16) + slots*8192*T/R + 4*ceil(K/128)*(T + 2R), and with
// R = 32 512*T more.
// target: compute_90a, PTX 8.4
#include "w8a8_f32scale_wgmma_decode.cuh"

// A warp that multiplies.
template <int R, int T> struct Multiplier : DecodeWarp<R, T, 1, 128> {
  using Base = DecodeWarp<R, T, 1, 128>;
  using Base::kWays, Base::kDots;
  static constexpr int kSums = T / 2, kPieces = kSums / 4;
  static constexpr int kTermWords = 2 * kSums * 32; // that two warps pass on

  const int t = this->lane % 4, warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
  const int way = warp / (R / 16), warpOfWay = warp % (R / 16);
  const int row = warpOfWay * 16 + this->lane / 4; // and 8 further down
  int turn = 0;                                    // of the two buffers of terms
  float acc[kSums];

  __device__ __forceinline__ Multiplier(const typename Base::D &d) : Base(d) {}

  // The terms dot*a_s of way W's chunk, from the columns that are its own.
  template <int W> __device__ __forceinline__ void makeTerms(float (&terms)[kSums], const float (&d)[kDots], int chunk) const {
#pragma unroll
    for (int i = 0; i < kPieces; i++) {
      float2 scale = *(const float2 *)(this->tokenScales + T * chunk + 8 * i + 2 * t);
#pragma unroll
      for (int j = 0; j < 4; j++) terms[4 * i + j] = __fmul_rn(d[W * kSums + 4 * i + j], j % 2 ? scale.y : scale.x);
    }
  }

  __device__ __forceinline__ void chainTerms(const float (&terms)[kSums], int chunk) {
    const float *scale = this->weightScales + (this->buffer * this->blocks + chunk) * R + row;
    float low = scale[0], high = scale[8];
#pragma unroll
    for (int i = 0; i < kSums; i++) acc[i] = __fmaf_rn(terms[i], i / 2 % 2 ? high : low, acc[i]);
  }

  // Where the second way's lanes leave terms for the first one's.
  __device__ __forceinline__ float4 *passed() const {
    return (float4 *)(this->terms + turn * kTermWords) + warpOfWay * kPieces * 32 + this->lane;
  }

  __device__ __forceinline__ void passTerms(const float (&d)[kDots], int chunk) const {
    float terms[kSums];
    makeTerms<1>(terms, d, chunk);
#pragma unroll
    for (int i = 0; i < kPieces; i++) passed()[i * 32] = make_float4(terms[4 * i], terms[4 * i + 1], terms[4 * i + 2], terms[4 * i + 3]);
  }

  __device__ __forceinline__ void takeTerms(float (&terms)[kSums]) const {
#pragma unroll
    for (int i = 0; i < kPieces; i++) {
      float4 piece = passed()[i * 32];
      terms[4 * i] = piece.x, terms[4 * i + 1] = piece.y, terms[4 * i + 2] = piece.z, terms[4 * i + 3] = piece.w;
    }
  }

  // Two warps with the same outputs meet. Each buffer of terms is written again only
  // after the meeting of the other, which its reader came to afterwards.
  __device__ __forceinline__ void meet() const { asm volatile("bar.sync %0, 64;" ::"r"(2 + warpOfWay) : "memory"); }

  // The dots of a step join the chains, in the order of K.
  __device__ __forceinline__ void join(const float (&d)[kDots], int step) {
    int chunk = step * kWays;
    bool both = kWays == 2 && chunk + 1 < this->chunks;
    float terms[kSums];
    if (kWays == 2 && way == 1) {
      if (both) passTerms(d, chunk + 1);
    } else {
      makeTerms<0>(terms, d, chunk);
      chainTerms(terms, chunk);
    }
    if constexpr (kWays == 1) return;
    meet();
    if (way == 0 && both) {
      takeTerms(terms);
      chainTerms(terms, chunk + 1);
    }
    turn ^= 1;
  }

  // Gives the MMAs of the next step to the tensor cores and returns its stage.
  __device__ __forceinline__ int begin(float (&d)[1][kDots], RingPlace &place, int step) const {
    int stage = place.stage;
    this->multiply(d, place, this->slots >= this->steps ? step : stage);
    place.next(this->stages);
    return stage;
  }

  __device__ __forceinline__ void multiplyTile(RingPlace &place) {
#pragma unroll
    for (int i = 0; i < kSums; i++) acc[i] = 0.0f;
    int step = 0;
#pragma unroll 1
    for (; step + 1 < this->steps; step += 2) {
      float first[1][kDots], second[1][kDots];
      int stages[2] = {begin(first, place, step), begin(second, place, step + 1)};
      mmaWait<1>();
      this->giveStage(first, stages[0]);
      join(first[0], step);
      mmaWait<0>();
      this->giveStage(second, stages[1]);
      join(second[0], step + 1);
    }
    if (step < this->steps) {
      float last[1][kDots];
      int stage = begin(last, place, step);
      mmaWait<0>();
      this->giveStage(last, stage);
      join(last[0], step);
    }
  }

  __device__ __forceinline__ void store(int tile) const {
    if (way > 0) return;
#pragma unroll
    for (int i = 0; i < kSums; i++) {
      int m = this->m0 + i / 4 * 8 + 2 * t + i % 2, n = tile * R + row + i / 2 % 2 * 8;
      if (m < this->p.M && n < this->p.N) storeOutput(this->p, m, n, acc[i]);
    }
  }

  __device__ __forceinline__ void run() {
    this->copyWeightScales(blockIdx.x, this->buffer);
    waitForPrerequisites();
    this->copyTokenScales();
    commitCopies();
    RingPlace place;
#pragma unroll 1
    for (int tile = blockIdx.x; tile < this->tiles; tile += gridDim.x) {
      waitCopies<0>();
      this->sync();
      // Nobody reads the other buffer of scales any more.
      this->copyWeightScales(tile + gridDim.x, this->buffer ^ 1);
      multiplyTile(place);
      this->buffer ^= 1;
      store(tile);
    }
  }
};

template <int R, int T>
__device__ __forceinline__ void decode(const Problem &p, const TensorMap &mapA, const TensorMap &mapB, i64 groupA, i64 groupB, int stages, int slots, bool byChunk) {
  extern __shared__ u8 shared[];
  launchDependents();
  Decode<R, T, 1, 128> d(p, stages, slots, shared);
  if (threadIdx.x >= d.kThreads) d.initBarriers();
  __syncthreads();
  if (threadIdx.x < d.kThreads) Multiplier<R, T>(d).run();
  else if (threadIdx.x == d.kThreads) Copier<R, T, 1, 128>(d, mapA, mapB, groupA, groupB, byChunk).run();
}

#define KERNEL(NAME, R, T)                                                                               \
  extern "C" __global__ void __launch_bounds__(160, 3) w8a8_f32scale_wgmma_l3_##NAME(                    \
      GEMM_PARAMETERS, const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB) { \
    decode<R, T>(GEMM_PROBLEM, mapA, mapB, groupA, groupB, (int)tune0, (int)tune1 >> 1, tune1 & 1);      \
  }

KERNEL(r64t8, 64, 8)
KERNEL(r64t16, 64, 16)
KERNEL(r64t32, 64, 32)
KERNEL(r64t64, 64, 64)
KERNEL(r32t32, 32, 32)

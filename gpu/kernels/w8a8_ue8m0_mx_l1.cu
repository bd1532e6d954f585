// Level 1 of the ue8m0 mx family, for few tokens: every warp is a block of its own,
// owns 16*RT weight rows and walks all of K through a ring of asynchronous copies.
//
// Idea: the weights take the MMA's 16-row side, and since K cannot be shared, rows
// must fill the device: 4096 rows are 256 blocks of one warp, several of which fit
// a multiprocessor and share no barrier. Eight stages keep 16 to 32 KB of weights in
// flight per warp. Codes reach the MMA through ldmatrix; scales are single bytes
// with the caller's strides, which no asynchronous copy takes, so a lane loads those
// of its row into registers kAhead chunks before their MMAs.
// Assembled, not yet run on hardware.
// grid (ceil(N/(16*RT)), ceil(M/(8*NT)), groups), block 32,
// dynamic shared memory 8*(2048*RT + 1024*NT).
//
// target: compute_120f, PTX 8.8
#include "w8a8_ring.cuh"
#include "w8a8_ue8m0_mx.cuh"

constexpr int kStages = 8;
constexpr int kAhead = 4;

template <int RT, int NT, int Unit> __device__ __forceinline__ void walk(const Problem &p) {
  constexpr int kTokens = 2048 * RT, kBytes = kTokens + 1024 * NT; // of a stage
  extern __shared__ __align__(128) u8 memory[];
  int lane = threadIdx.x, m0 = blockIdx.y * 8 * NT, n0 = blockIdx.x * 16 * RT;
  int chunks = ceilDiv(p.K, kChunk);
  u32 ring = sharedAddress(memory);

  RowCopier<16 * RT, false> weights;
  RowCopier<8 * NT, true> tokens;
  Fragments<RT, NT> fragments;
  weights.start(p.B, p.strideB, n0, p.N, p.K, 0, lane);
  tokens.start(p.A, p.strideA, m0, p.M, p.K, 0, lane);
  fragments.start(lane);
  auto fill = [&](int slot, int chunk) {
    if (chunk < chunks) {
      bool whole = (chunk + 1) * kChunk <= p.K;
      weights.copy(ring + slot * kBytes, 1, whole);
      tokens.copy(ring + slot * kBytes + kTokens, 1, whole);
    }
    commitCopies();
  };
#pragma unroll 1
  for (int i = 0; i < kStages; i++) {
    zeroMissingTokens<RT, NT>(ring + i * kBytes, p.M - m0, lane);
    fill(i, i);
  }

  RowScales<Unit> weightRow, tokenRow;
  int n = n0 + scaledRow(lane), m = m0 + lane % 4 * 8 + lane / 4;
  weightRow.start(weightScaleRow(p, n), p.bsCol, scaledRow(lane) < 16 * RT && n < p.N, p.K, p.blockK);
  tokenRow.start(p.As + m * p.asRow, p.asCol, lane % 4 < NT && m < p.M, p.K, p.blockK);
  ChunkScales<Unit> weightScales[kAhead], tokenScales[kAhead];
#pragma unroll
  for (int i = 0; i < kAhead; i++) weightScales[i].load(weightRow), tokenScales[i].load(tokenRow);

  float acc[RT][NT][4] = {};
  int slot = 0;
#pragma unroll 1
  for (int first = 0; first < chunks; first += kAhead) {
    // Unrolled, so that the scales that are under way stay in registers of their own.
#pragma unroll
    for (int ahead = 0; ahead < kAhead; ahead++) {
      if (first + ahead >= chunks) break;
      ChunkScales<Unit> ofWeights = weightScales[ahead], ofTokens = tokenScales[ahead];
      weightScales[ahead].load(weightRow), tokenScales[ahead].load(tokenRow);
      waitCopies<kStages - 1>();
      __syncwarp();
      u32 stage = ring + slot * kBytes, w[RT][4], x[NT][4];
      int left = p.K - (first + ahead) * kChunk;
#pragma unroll
      for (int step = 0; step < 4; step++) {
        if (step * 32 >= left) break; // an MMA of zeros makes +0 of -0
        fragments.load(w, x, stage, stage + kTokens, step);
        unrolled<RT>([&](auto i) {
          unrolled<NT>([&](auto j) {
            constexpr int I = decltype(i)::value, J = decltype(j)::value;
            mmaScaled<I, J>(acc[I][J], w[I], fragments.word(x, J, 0, step), fragments.word(x, J, 1, step), ofWeights.ofStep(step), ofTokens.ofStep(step));
          });
        });
      }
      __syncwarp();
      fill(slot, first + ahead + kStages);
      slot = slot + 1 == kStages ? 0 : slot + 1;
    }
  }
  storeTiles(p, m0, n0, acc, lane);
}

#define WALK(name, RT, NT)                                                     \
  extern "C" __global__ void __launch_bounds__(32) name(GEMM_PARAMETERS) {     \
    walk<RT, NT, 128>(GEMM_PROBLEM);                                           \
  }                                                                            \
  extern "C" __global__ void __launch_bounds__(32)                             \
      name##_fine(GEMM_PARAMETERS) {                                           \
    walk<RT, NT, 32>(GEMM_PROBLEM);                                            \
  }

WALK(w8a8_ue8m0_mx_l1_r1t1, 1, 1)
WALK(w8a8_ue8m0_mx_l1_r1t2, 1, 2)
WALK(w8a8_ue8m0_mx_l1_r2t1, 2, 1)
WALK(w8a8_ue8m0_mx_l1_r2t2, 2, 2)

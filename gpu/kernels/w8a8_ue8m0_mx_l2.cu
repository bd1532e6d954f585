// Level 2 of the ue8m0 mx family: the prefill tile, 64 tokens by 128 weight rows per
// block of 8 warps, which takes rows of any alignment.
//
// Idea: that of the f32scale family's level 6, whose copies and fragments it shares;
// the accumulators are the MMA's own, and a lane loads the scales of its row of
// tokens and its row of weights into registers kAhead chunks before their MMAs.
// Assembled, not yet run on hardware.
// grid (ceil(M/64)*ceil(N/128), 1, groups), block 256, dynamic shared memory
// 3*24576, tune0 = rows of tiles per group (8).
//
// target: compute_120f, PTX 8.8
#include "w8a8_tile.cuh"
#include "w8a8_ue8m0_mx.cuh"

constexpr int kAhead = 2;

template <int Unit> __device__ __forceinline__ void prefill(const Problem &p, int group) {
  extern __shared__ __align__(128) u8 memory[];
  int lane = threadIdx.x % 32, chunks = ceilDiv(p.K, kChunk);
  u32 base = sharedAddress(memory);
  TileWarp tile;
  tile.start(p, group, lane);
  auto fill = [&](int slot, int chunk) {
    if (chunk < chunks) tile.copy(base + slot * kTileCodes, chunk);
    commitCopies();
  };
#pragma unroll 1
  for (int i = 0; i < kTileStages - 1; i++) fill(i, i);

  RowScales<Unit> tokenRow, weightRow;
  int m = tile.m0 + tile.warpM + scaledRow(lane), n = tile.n0 + tile.warpN + lane % 4 * 8 + lane / 4;
  tokenRow.start(p.As + m * p.asRow, p.asCol, m < p.M, p.K, p.blockK);
  weightRow.start(weightScaleRow(p, n), p.bsCol, n < p.N, p.K, p.blockK);
  ChunkScales<Unit> tokenScales[kAhead], weightScales[kAhead];
#pragma unroll
  for (int i = 0; i < kAhead; i++) tokenScales[i].load(tokenRow), weightScales[i].load(weightRow);

  float acc[2][4][4] = {};
  int slot = 0;
#pragma unroll 1
  for (int first = 0; first < chunks; first += kAhead) {
    // Unrolled, so that the scales that are under way stay in registers of their own.
#pragma unroll
    for (int ahead = 0; ahead < kAhead; ahead++) {
      int chunk = first + ahead;
      if (chunk >= chunks) break;
      ChunkScales<Unit> ofTokens = tokenScales[ahead], ofWeights = weightScales[ahead];
      tokenScales[ahead].load(tokenRow), weightScales[ahead].load(weightRow);
      waitCopies<kTileStages - 2>();
      __syncthreads(); // also: everyone is done with the slot that is filled next
      fill(slot == 0 ? kTileStages - 1 : slot - 1, chunk + kTileStages - 1);
      int left = p.K - chunk * kChunk;
#pragma unroll
      for (int step = 0; step < 4; step++) {
        if (step * 32 >= left) break; // an MMA of zeros makes +0 of -0
        u32 a[2][4], b[2][4];
        tile.load(a, b, base + slot * kTileCodes, step);
        unrolled<2>([&](auto i) {
          unrolled<4>([&](auto j) {
            constexpr int I = decltype(i)::value, J = decltype(j)::value;
            mmaScaled<I, J>(acc[I][J], a[I], b[J / 2][J % 2 * 2], b[J / 2][J % 2 * 2 + 1], ofTokens.ofStep(step), ofWeights.ofStep(step));
          });
        });
      }
      slot = slot + 1 == kTileStages ? 0 : slot + 1;
    }
  }
  tile.store(p, acc, lane);
}

extern "C" __global__ void __launch_bounds__(kTileThreads, 1) w8a8_ue8m0_mx_l2(GEMM_PARAMETERS) {
  prefill<128>(GEMM_PROBLEM, (int)tune0);
}

extern "C" __global__ void __launch_bounds__(kTileThreads, 1) w8a8_ue8m0_mx_l2_fine(GEMM_PARAMETERS) {
  prefill<32>(GEMM_PROBLEM, (int)tune0);
}

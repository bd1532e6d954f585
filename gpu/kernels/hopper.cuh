// Hopper's instructions for copies that run by themselves: barriers in shared
// memory that count bytes, bulk copies of tiles through a tensor map, and launches
// that overlap with the one before.
#pragma once
#include "w8a8.cuh"

// What a bulk copy reads: cuTensorMapEncodeTiled makes it on the host.
struct alignas(64) TensorMap {
  u64 words[16];
};

// Makes a barrier whose phases end after `arrivals` arrivals and all bytes announced.
__device__ __forceinline__ void barrierInit(u32 barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Lets the copy engine see barriers that were made before it.
__device__ __forceinline__ void barrierInitFence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ __forceinline__ void barrierArrive(u32 barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives and announces bytes that copies will bring in this phase.
__device__ __forceinline__ void barrierExpect(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Reports whether the phase of the given parity has ended, after waiting a while.
__device__ __forceinline__ bool barrierTry(u32 barrier, u32 parity) {
  u32 ended;
  asm volatile("{\n.reg .pred p;\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
               "selp.u32 %0, 1, 0, p;\n}"
               : "=r"(ended)
               : "r"(barrier), "r"(parity)
               : "memory");
  return ended;
}

// Waits until the phase of the given parity has ended.
__device__ __forceinline__ void barrierWait(u32 barrier, u32 parity) {
  while (!barrierTry(barrier, parity)) {
  }
}

// How long the L2 cache should keep what a copy read: constants of createpolicy.
constexpr u64 kEvictFirst = 0x12F0000000000000, kEvictLast = 0x14F0000000000000;

// Copies the box of the map at column k, row `row` of a group to shared memory, swizzled
// by 128 bytes. Its bytes are counted by the barrier; what lies outside arrives as
// zeros and counts too.
__device__ __forceinline__ void copyBox(u32 to, const TensorMap &map, u32 barrier, int k, int row, int group, u64 policy) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
               "[%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
               "l"(&map), "r"(barrier), "r"(k), "r"(row), "r"(group), "l"(policy)
               : "memory");
}

// Programmatic dependent launch: the next kernel of the stream may start now ...
__device__ __forceinline__ void launchDependents() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

// ... and waits here until the ones before it have ended and all they wrote can be
// seen.
__device__ __forceinline__ void waitForPrerequisites() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// A stage of a ring and the parity of its phase.
struct RingPlace {
  int stage = 0, parity = 0;

  __device__ __forceinline__ void next(int stages) {
    if (++stage == stages) stage = 0, parity ^= 1;
  }

  __device__ __forceinline__ void advance(int by, int stages) {
    for (stage += by; stage >= stages; stage -= stages) parity ^= 1;
  }
};

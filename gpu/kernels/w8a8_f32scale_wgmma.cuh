// What the levels of the f32scale wgmma family share.
#pragma once
#include "w8a8_f32scale.cuh"
#include "wgmma.cuh"

// Codes of K that a stage holds of each row, and that one swizzle pattern spans.
constexpr int kChunkCodes = 128;

// The swizzle pattern repeats after this many bytes, at multiples of them.
constexpr u32 kPattern = 1024;

__device__ __forceinline__ u32 alignPattern(u32 address) { return (address + kPattern - 1) / kPattern * kPattern; }

// Level 3: K is split over the warps of a block, with the ordered chain at the
// end (see w8a8_f32scale_mma_split.cuh).
//
// Idea: level 2 spends most of its time in one warp's serial path (wait,
// ldmatrix, four dependent MMAs, scales, FMA). Partial dots do not depend on
// each other, so W warps hide each other's latency on the same rows, and short
// grids fill the machine.
// Expected: 7 to 8 us. Brought: 7.9 us from 13.0, where a kernel that only reads
// the weights takes 6.9 us.
#include "w8a8_f32scale_mma_split.cuh"

SPLIT(w8a8_f32scale_mma_l3_t1, 1, 1, 2, false, 512)
SPLIT(w8a8_f32scale_mma_l3_t2, 1, 2, 2, false, 512)
SPLIT(w8a8_f32scale_mma_l3_t1_s4, 1, 1, 4, false, 512)
SPLIT(w8a8_f32scale_mma_l3_t2_s4, 1, 2, 4, false, 512)
SPLIT(w8a8_f32scale_mma_l3_t1_fine, 1, 1, 2, true, 512)
SPLIT(w8a8_f32scale_mma_l3_t2_fine, 1, 2, 2, true, 512)

// Level 4: level 3 with two tiles of weight rows per warp, or four token tiles.
//
// Idea: a block fetches its own copy of the activations. With 16 rows per block
// and 8 tokens that is half as many bytes again as the weights themselves; with
// 32 rows it is a quarter, and every token fragment feeds two MMAs.
// Expected: better wherever there are blocks enough. Brought: N=36864 K=7168 M=8
// 67.9 us from 73.9; nothing on 4096x4096 (8.3 us from 7.9), which has too few
// tiles of 32 rows to fill the machine.
#include "w8a8_f32scale_mma_split.cuh"

SPLIT(w8a8_f32scale_mma_l4_r2t1, 2, 1, 2, false, 512)
SPLIT(w8a8_f32scale_mma_l4_r2t2, 2, 2, 2, false, 512)
SPLIT(w8a8_f32scale_mma_l4_r2t4, 2, 4, 2, false, 256)
SPLIT(w8a8_f32scale_mma_l4_r4t1, 4, 1, 2, false, 512)
SPLIT(w8a8_f32scale_mma_l4_r4t2, 4, 2, 2, false, 256)
SPLIT(w8a8_f32scale_mma_l4_r2t1_fine, 2, 1, 2, true, 512)
SPLIT(w8a8_f32scale_mma_l4_r2t2_fine, 2, 2, 2, true, 512)
SPLIT(w8a8_f32scale_mma_l4_r2t4_fine, 2, 4, 2, true, 256)

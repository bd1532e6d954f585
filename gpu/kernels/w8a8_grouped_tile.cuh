// The order of tiles that share operands.
#pragma once
#include "w8a8.cuh"

// Which tile a block works on: down a group of tile rows, then to the next
// column of tiles.
__device__ __forceinline__ void groupedTile(int id, int tilesM, int tilesN, int group, int &tileM, int &tileN) {
  int first = id / (group * tilesN) * group, rows = min(group, tilesM - first), in = id % (group * tilesN);
  tileM = first + in % rows;
  tileN = in / rows;
}

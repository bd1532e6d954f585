/* The toolkit's cuda.h, with the meaning that CUDA 12 gave to five functions.
 *
 * From version 13 on, cuda.h maps these names to functions with other
 * parameters, and gorgonia.org/cu calls them with the old ones. The driver still
 * has the old functions under their old names. Put this folder first to build
 * against a toolkit of version 13:
 *
 *     CGO_CFLAGS="-I$PWD/gpu/internal/driver/cuda/shim -I/usr/local/cuda/include" \
 *     CGO_LDFLAGS="-L/usr/local/cuda/lib64/stubs" go build -tags cuda ./...
 *
 * With older toolkits it changes nothing.
 */
#include_next <cuda.h>

#if CUDA_VERSION >= 13000 && !defined(BLOCKFP8_CUDA_SHIM)
#define BLOCKFP8_CUDA_SHIM

#undef cuCtxCreate
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddDependencies
#undef cuGraphGetEdges

#define cuCtxCreate cuCtxCreate_v2
CUresult CUDAAPI cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr start, size_t count, CUmem_advise advice, CUdevice device);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr start, size_t count, CUdevice device, CUstream stream);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
CUresult CUDAAPI cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);

#endif

//go:build cuda && cgo

#include "calls.h"

#include <string.h>

// enter makes the context current on this thread. It returns what has to be made
// current again afterwards, NULL for nothing: on a thread that had no context, and
// so nobody who relies on one, ours stays and costs nothing the next time.
static CUresult enter(CUcontext context, CUcontext *restore)
{
	CUcontext current = NULL;
	CUresult r = cuCtxGetCurrent(&current);
	*restore = NULL;
	if (r != CUDA_SUCCESS || current == context)
		return r;
	*restore = current;
	return cuCtxSetCurrent(context);
}

// IN makes the call in the context.
#define IN(context, call)                                                   \
	do {                                                                \
		CUcontext restore;                                          \
		CUresult r = enter((CUcontext)(context), &restore);         \
		if (r != CUDA_SUCCESS)                                      \
			return r;                                           \
		r = (call);                                                 \
		if (restore != NULL) {                                      \
			CUresult restored = cuCtxSetCurrent(restore);       \
			return r != CUDA_SUCCESS ? r : restored;            \
		}                                                           \
		return r;                                                   \
	} while (0)

#define MAX_PARAMS 64
#define MAP_WORDS 16
#define MAP_ALIGN 8

// launch_with_maps gives the parameters one by one, because where a kernel's block of
// parameters has tensor maps depends on the chip. A kernel that has more parameters
// than it is given finds some memory in their place.
static CUresult launch_with_maps(CUlaunchConfig *config, CUfunction f, uint64_t *params, int numbers, int count)
{
	void *each[MAX_PARAMS];
	int n = 0;
	for (int i = 0; i < numbers; i++)
		each[n++] = params + i;
	for (int i = (numbers + MAP_ALIGN - 1) / MAP_ALIGN * MAP_ALIGN; i < count; i += MAP_WORDS)
		each[n++] = params + i;
	while (n < MAX_PARAMS)
		each[n++] = params;
	return cuLaunchKernelEx(config, f, each, NULL);
}

// launch gives the parameters as one block, so that one of a wrong size is an error.
static CUresult launch(CUlaunchConfig *config, CUfunction f, void *params, int count)
{
	size_t bytes = 8 * (size_t)count;
	void *buffer[] = {
		CU_LAUNCH_PARAM_BUFFER_POINTER, params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END,
	};
	return cuLaunchKernelEx(config, f, NULL, buffer);
}

// An empty list of attributes is a plain launch.
CUresult blockfp8_launch(handle context, handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared, handle stream, int overlap, void *params, int numbers, int count)
{
	CUlaunchAttribute attribute = {
		.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
		.value = {.programmaticStreamSerializationAllowed = 1},
	};
	CUlaunchConfig config = {
		.gridDimX = gx, .gridDimY = gy, .gridDimZ = gz, .blockDimX = bx, .blockDimY = by, .blockDimZ = bz,
		.sharedMemBytes = shared, .hStream = (CUstream)stream, .attrs = &attribute, .numAttrs = overlap ? 1 : 0,
	};
	IN(context, numbers < count ? launch_with_maps(&config, (CUfunction)f, params, numbers, count)
				    : launch(&config, (CUfunction)f, params, count));
}

// The driver writes only to maps at multiples of 64 bytes.
static CUresult encode_tensor_map(void *words, uint64_t base, const cuuint64_t extents[3], const cuuint64_t strides[2],
	const cuuint32_t box[3])
{
	const cuuint32_t steps[3] = {1, 1, 1};
	_Alignas(64) CUtensorMap map;
	CUresult r = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3, (void *)(uintptr_t)base, extents,
		strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
		CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	if (r == CUDA_SUCCESS)
		memcpy(words, &map, sizeof map);
	return r;
}

CUresult blockfp8_encode_tensor_map(handle context, void *words, uint64_t base, uint64_t columns, uint64_t rows,
	uint64_t groups, uint64_t row_stride, uint64_t group_stride, uint32_t box_columns, uint32_t box_rows,
	uint32_t box_groups)
{
	const cuuint64_t extents[3] = {columns, rows, groups}, strides[2] = {row_stride, group_stride};
	const cuuint32_t box[3] = {box_columns, box_rows, box_groups};
	IN(context, encode_tensor_map(words, base, extents, strides, box));
}

static CUresult load(handle *module, void *ptx, void *log, size_t log_size)
{
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)log_size};
	CUmodule loaded = NULL;
	CUresult r = cuModuleLoadDataEx(&loaded, ptx, 2, options, values);
	*module = (handle)loaded;
	return r;
}

CUresult blockfp8_load(handle context, handle *module, void *ptx, void *log, size_t log_size)
{
	IN(context, load(module, ptx, log, log_size));
}

CUresult blockfp8_set_max_dynamic_shared(handle context, handle f, int bytes)
{
	IN(context, cuFuncSetAttribute((CUfunction)f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
}

CUresult blockfp8_alloc_host(handle context, void **p, size_t bytes)
{
	IN(context, cuMemHostAlloc(p, bytes, 0));
}

CUresult blockfp8_free_host(handle context, void *p)
{
	IN(context, cuMemFreeHost(p));
}

static CUresult create_pool(handle *pool, int device)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device},
	};
	CUmemoryPool created = NULL;
	cuuint64_t keep = UINT64_MAX;
	CUresult r = cuMemPoolCreate(&created, &props);
	*pool = 0;
	if (r != CUDA_SUCCESS)
		return r;
	r = cuMemPoolSetAttribute(created, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
	if (r != CUDA_SUCCESS) {
		cuMemPoolDestroy(created);
		return r;
	}
	*pool = (handle)created;
	return CUDA_SUCCESS;
}

CUresult blockfp8_create_pool(handle context, handle *pool, int device)
{
	IN(context, create_pool(pool, device));
}

CUresult blockfp8_destroy_pool(handle context, handle pool)
{
	IN(context, cuMemPoolDestroy((CUmemoryPool)pool));
}

static CUresult alloc_async(handle pool, CUstream stream, uint64_t *p, size_t bytes)
{
	CUdeviceptr allocated = 0;
	CUresult r = cuMemAllocFromPoolAsync(&allocated, bytes, (CUmemoryPool)pool, stream);
	*p = allocated;
	return r;
}

CUresult blockfp8_alloc_async(handle context, handle pool, handle stream, uint64_t *p, size_t bytes)
{
	IN(context, alloc_async(pool, (CUstream)stream, p, bytes));
}

CUresult blockfp8_free_async(handle context, handle stream, uint64_t p)
{
	IN(context, cuMemFreeAsync(p, (CUstream)stream));
}

static CUresult then_sync(CUresult r, handle stream, int wait)
{
	return r != CUDA_SUCCESS || !wait ? r : cuStreamSynchronize((CUstream)stream);
}

CUresult blockfp8_copy_in(handle context, handle stream, uint64_t dst, void *src, size_t bytes, int wait)
{
	IN(context, then_sync(cuMemcpyHtoDAsync(dst, src, bytes, (CUstream)stream), stream, wait));
}

CUresult blockfp8_copy_out(handle context, handle stream, void *dst, uint64_t src, size_t bytes, int wait)
{
	IN(context, then_sync(cuMemcpyDtoHAsync(dst, src, bytes, (CUstream)stream), stream, wait));
}

CUresult blockfp8_copy(handle context, handle stream, uint64_t dst, uint64_t src, size_t bytes)
{
	IN(context, cuMemcpyDtoDAsync(dst, src, bytes, (CUstream)stream));
}

CUresult blockfp8_fill(handle context, handle stream, uint64_t dst, unsigned char value, size_t bytes)
{
	IN(context, cuMemsetD8Async(dst, value, bytes, (CUstream)stream));
}

CUresult blockfp8_sync(handle context, handle stream)
{
	IN(context, cuStreamSynchronize((CUstream)stream));
}

CUresult blockfp8_record(handle context, handle event, handle stream)
{
	IN(context, cuEventRecord((CUevent)event, (CUstream)stream));
}

CUresult blockfp8_wait(handle context, handle stream, handle event)
{
	IN(context, cuStreamWaitEvent((CUstream)stream, (CUevent)event, 0));
}

CUresult blockfp8_sync_event(handle context, handle event)
{
	IN(context, cuEventSynchronize((CUevent)event));
}

// Relaxed, because begin and end may run on different threads.
CUresult blockfp8_begin_capture(handle context, handle stream)
{
	IN(context, cuStreamBeginCapture((CUstream)stream, CU_STREAM_CAPTURE_MODE_RELAXED));
}

static CUresult end_capture(CUstream stream, handle *executable)
{
	CUgraph graph = NULL;
	CUgraphExec instance = NULL;
	CUresult r = cuStreamEndCapture(stream, &graph);
	if (r != CUDA_SUCCESS)
		return r;
	r = cuGraphInstantiateWithFlags(&instance, graph, 0);
	cuGraphDestroy(graph);
	*executable = (handle)instance;
	return r;
}

CUresult blockfp8_end_capture(handle context, handle stream, handle *executable)
{
	*executable = 0;
	IN(context, end_capture((CUstream)stream, executable));
}

CUresult blockfp8_launch_graph(handle context, handle executable, handle stream)
{
	IN(context, cuGraphLaunch((CUgraphExec)executable, (CUstream)stream));
}

CUresult blockfp8_destroy_graph(handle context, handle executable)
{
	IN(context, cuGraphExecDestroy((CUgraphExec)executable));
}

const char *blockfp8_error_text(int code)
{
	const char *text = NULL;
	if (cuGetErrorString((CUresult)code, &text) != CUDA_SUCCESS || text == NULL)
		return "unknown error";
	return text;
}

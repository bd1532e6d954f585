// What gorgonia.org/cu lacks or does only on a thread whose current context is
// the right one. Handles travel as 64-bit numbers. Every function here makes the
// context current, so it may run on any thread: a goroutine cannot change threads
// inside one call. A context of somebody else that was current is so again
// afterwards.

#ifndef BLOCKFP8_CALLS_H
#define BLOCKFP8_CALLS_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t handle;

// blockfp8_launch starts f. params points to the parameters as driver.Launch has them,
// 8*count bytes: numbers of 8 bytes, and then tensor maps. With overlap the kernel may
// start before the one before it has ended.
CUresult blockfp8_launch(handle context, handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared, handle stream, int overlap, void *params, int numbers, int count);

// blockfp8_encode_tensor_map writes the map that driver.TensorMap describes to 128
// bytes.
CUresult blockfp8_encode_tensor_map(handle context, void *words, uint64_t base, uint64_t columns, uint64_t rows,
	uint64_t groups, uint64_t row_stride, uint64_t group_stride, uint32_t box_columns, uint32_t box_rows,
	uint32_t box_groups);

// blockfp8_load compiles a PTX text. log receives the compiler's messages.
CUresult blockfp8_load(handle context, handle *module, void *ptx, void *log, size_t log_size);
CUresult blockfp8_set_max_dynamic_shared(handle context, handle f, int bytes);

CUresult blockfp8_alloc_host(handle context, void **p, size_t bytes);
CUresult blockfp8_free_host(handle context, void *p);

// blockfp8_create_pool makes the pool that stream-ordered memory comes from. It keeps
// what is given back: by default a pool returns all of it to the system whenever a
// stream is waited for. The default pool of the process is left as it is.
CUresult blockfp8_create_pool(handle context, handle *pool, int device);
CUresult blockfp8_destroy_pool(handle context, handle pool);
CUresult blockfp8_alloc_async(handle context, handle pool, handle stream, uint64_t *p, size_t bytes);
CUresult blockfp8_free_async(handle context, handle stream, uint64_t p);

// The copies return at once, or with wait when the stream is done.
CUresult blockfp8_copy_in(handle context, handle stream, uint64_t dst, void *src, size_t bytes, int wait);
CUresult blockfp8_copy_out(handle context, handle stream, void *dst, uint64_t src, size_t bytes, int wait);
CUresult blockfp8_copy(handle context, handle stream, uint64_t dst, uint64_t src, size_t bytes);
CUresult blockfp8_fill(handle context, handle stream, uint64_t dst, unsigned char value, size_t bytes);

CUresult blockfp8_sync(handle context, handle stream);
CUresult blockfp8_record(handle context, handle event, handle stream);
CUresult blockfp8_wait(handle context, handle stream, handle event);
CUresult blockfp8_sync_event(handle context, handle event);

CUresult blockfp8_begin_capture(handle context, handle stream);
CUresult blockfp8_end_capture(handle context, handle stream, handle *executable);
CUresult blockfp8_launch_graph(handle context, handle executable, handle stream);
CUresult blockfp8_destroy_graph(handle context, handle executable);

const char *blockfp8_error_text(int code);

#endif

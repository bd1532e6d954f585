package interp

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"blockfp8/gpu/internal/ptx/memory"
)

// Launch is one call of a kernel.
type Launch struct {
	Grid, Block [3]uint32
	Shared      uint32   // bytes of dynamic shared memory
	Params      []uint64 // the parameters as they lie in memory, little endian
}

const maxThreads = 1024

func (l *Launch) threads() uint64 {
	return uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2])
}

func (l *Launch) blocks() uint64 {
	return uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2])
}

// Run runs all blocks of a launch, several at a time on all cores, and returns
// when all are done. The error is a *Finding: that of the first block, in the
// order of the grid, which committed a fault.
func (k *Kernel) Run(space *memory.Space, l Launch) (Counters, error) {
	params, err := k.prepare(&l)
	if err != nil {
		return Counters{}, err
	}
	r := &run{kernel: k, space: space, launch: &l, params: params, blocks: l.blocks()}
	r.stop.Store(r.blocks)
	var group sync.WaitGroup
	for range min(uint64(runtime.GOMAXPROCS(0)), r.blocks) {
		group.Go(r.work)
	}
	group.Wait()
	if r.finding != nil {
		return r.counters, r.finding
	}
	return r.counters, nil
}

// prepare returns the bytes of the parameters, or what is wrong with a launch.
func (k *Kernel) prepare(l *Launch) ([]byte, error) {
	invalid := func(format string, args ...any) ([]byte, error) {
		return nil, &Finding{Kind: InvalidLaunch, Kernel: k.name, File: k.file, Text: fmt.Sprintf(format, args...)}
	}
	const maxX, maxYZ, maxZ = 1<<31 - 1, 65535, 64
	most := maxThreads
	if k.maxThreads > 0 {
		most = min(most, k.maxThreads)
	}
	switch n := l.threads(); {
	case l.blocks() == 0 || n == 0:
		return invalid("grid %v of blocks %v is empty", l.Grid, l.Block)
	case l.Grid[0] > maxX || l.Grid[1] > maxYZ || l.Grid[2] > maxYZ:
		return invalid("grid %v; at most [%d %d %d]", l.Grid, maxX, maxYZ, maxYZ)
	case l.Block[0] > maxThreads || l.Block[1] > maxThreads || l.Block[2] > maxZ || n > uint64(most):
		return invalid("block %v; at most %d threads", l.Block, most)
	case k.static+int(l.Shared) > k.chip.SharedPerBlock:
		return invalid("%d bytes of shared memory; a block on %s has at most %d", k.static+int(l.Shared), k.chip.Name, k.chip.SharedPerBlock)
	case len(l.Params) != k.ParamWords():
		return invalid("%d words of parameters; the kernel takes %d", len(l.Params), k.ParamWords())
	}
	var params []byte
	for _, word := range l.Params {
		params = binary.LittleEndian.AppendUint64(params, word)
	}
	return params[:k.paramBytes], nil
}

// run is a launch on its way.
type run struct {
	kernel *Kernel
	space  *memory.Space
	launch *Launch
	params []byte
	blocks uint64

	taken atomic.Uint64
	stop  atomic.Uint64 // the first block that need not run

	mu       sync.Mutex
	counters Counters
	finding  *Finding
}

// work runs blocks until none is left.
func (r *run) work() {
	b := newBlock(r.kernel, r.space, r.launch, r.params)
	for {
		number := r.taken.Add(1) - 1
		if number >= r.stop.Load() {
			break
		}
		if f := b.run(number); f != nil {
			r.fault(number, f)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counters.Add(b.counters)
}

// fault keeps the finding of the lowest block.
func (r *run) fault(number uint64, f *Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number < r.stop.Load() {
		r.stop.Store(number)
		r.finding = f
	}
}

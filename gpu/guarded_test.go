//go:build cuda

package gpu

import (
	"bytes"
	"sync"
	"testing"

	"blockfp8/gpu/internal/driver"
)

// guarded puts poison around and into every allocation of a device. The poison is
// NaN as a code, as an E8M0 scale and as a number, and its loss is an error.
type guarded struct {
	driver.Device
	t     testing.TB
	mu    sync.Mutex
	sizes map[driver.Ptr]int64
}

const (
	guardBytes = 512
	poison     = 0xFF
)

func (g *guarded) Alloc(n int64) (driver.Ptr, error) {
	p, err := g.Device.Alloc(n + 2*guardBytes)
	if err != nil {
		return 0, err
	}
	if err := g.Fill(0, p, poison, n+2*guardBytes); err != nil {
		return 0, err
	}
	if err := g.Sync(0); err != nil {
		return 0, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sizes == nil {
		g.sizes = map[driver.Ptr]int64{}
	}
	g.sizes[p+guardBytes] = n
	return p + guardBytes, nil
}

func (g *guarded) Free(p driver.Ptr) error {
	g.mu.Lock()
	n := g.sizes[p]
	delete(g.sizes, p)
	g.mu.Unlock()
	guard := make([]byte, guardBytes)
	for _, at := range []driver.Ptr{p - guardBytes, p + driver.Ptr(n)} {
		if err := g.CopyOut(0, guard, at); err != nil {
			return err
		}
		if bytes.Count(guard, []byte{poison}) != guardBytes {
			g.t.Errorf("memory beside an allocation of %d bytes was written", n)
		}
	}
	return g.Device.Free(p - guardBytes)
}

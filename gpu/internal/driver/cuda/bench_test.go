//go:build cuda && cgo

package cuda

import (
	"testing"
	"time"

	"blockfp8/gpu/internal/driver"
)

// BenchmarkLaunch is the host's time for one launch of an almost empty kernel:
// what the driver itself takes.
func BenchmarkLaunch(b *testing.B) {
	d, err := Open(0)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	m, err := d.LoadModule("add.ptx", addKernel)
	if err != nil {
		b.Fatal(err)
	}
	f, err := d.Function(m, "add")
	if err != nil {
		b.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		b.Fatal(err)
	}
	l := driver.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Stream: s, Count: 3}
	b.ReportAllocs()
	var host time.Duration
	n := 0
	for b.Loop() {
		start := time.Now()
		err := d.Launch(l)
		host += time.Since(start)
		if err != nil {
			b.Fatal(err)
		}
		if n++; n%256 == 0 {
			if err := d.Sync(s); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(host.Nanoseconds())/float64(n), "host-ns/launch")
}

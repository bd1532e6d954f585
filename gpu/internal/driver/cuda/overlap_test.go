//go:build cuda && cgo

package cuda

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"blockfp8/gpu/internal/driver"
)

// orderedKernel is addKernel with an order of its own: the next may start at once,
// and this one touches memory when those before it have ended.
var orderedKernel = strings.NewReplacer(
	".target sm_80", ".target sm_90",
	"\tld.param.u64 %a1, [p];", "\tgriddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;\n\tld.param.u64 %a1, [p];",
).Replace(addKernel)

// Launches that overlap give what launches in a row give, in a stream and in a
// graph: 3 + 7*(100 + 2*100) = 2103, of which a byte keeps 55.
func TestOverlap(t *testing.T) {
	d := openDevice(t)
	if d.Arch().Major < 9 {
		t.Skipf("%v starts no kernel before the one before it has ended", d.Arch())
	}
	m, err := d.LoadModule("ordered.ptx", orderedKernel)
	check0(t, err)
	f, err := d.Function(m, "add")
	check0(t, err)
	s, err := d.NewStream()
	check0(t, err)
	const n = 256
	p, err := d.Alloc(n)
	check0(t, err, d.Fill(s, p, 3, n))
	chain := func() (err error) {
		l := driver.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{n, 1, 1}, Stream: s}
		l.Push(uint64(p))
		l.Push(n)
		l.Push(7)
		for i := range 100 {
			l.Overlap = i > 0
			err = errors.Join(err, d.Launch(l))
		}
		return err
	}
	check0(t, chain(), d.BeginCapture(s), chain())
	g, err := d.EndCapture(s)
	got := make([]byte, n)
	check0(t, err, d.LaunchGraph(g, s), d.LaunchGraph(g, s), d.CopyOut(s, got, p))
	if want := bytes.Repeat([]byte{55}, n); !bytes.Equal(got, want) {
		t.Errorf("got %v, want 55 everywhere", got)
	}
	check0(t, d.DestroyGraph(g), d.Free(p), d.DestroyStream(s), d.UnloadModule(m))
}

// The driver takes every map that passes its Check, and nothing is allocated.
func TestEncodeTensorMap(t *testing.T) {
	d := openDevice(t)
	good := driver.TensorMap{Base: 4096, Columns: 100, Rows: 3, Groups: 2, RowStride: 112, GroupStride: 16, BoxRows: 64, BoxGroups: 1}
	first, err := d.EncodeTensorMap(good)
	if d.Arch().Major < 9 {
		if !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%v: %v", d.Arch(), err)
		}
		return
	}
	check0(t, err)
	large := driver.TensorMap{Base: 16, Columns: 1 << 32, Rows: 1 << 32, Groups: 1 << 32, RowStride: 1<<40 - 16, GroupStride: 1<<40 - 16, BoxRows: 256, BoxGroups: 4}
	second, err := d.EncodeTensorMap(large)
	check0(t, err)
	if first == second || first == [driver.TensorMapWords]uint64{} {
		t.Errorf("encoded %x and %x", first, second)
	}
	if _, err := d.EncodeTensorMap(driver.TensorMap{}); !errors.Is(err, driver.ErrTensorMap) {
		t.Errorf("the zero map: %v", err)
	}
	if n := testing.AllocsPerRun(100, func() { _, err = d.EncodeTensorMap(good) }); n != 0 || err != nil {
		t.Errorf("%g allocations, %v", n, err)
	}
}

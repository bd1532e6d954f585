package gpu

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// openFake opens a fake device whose work stays in its streams until it is waited
// for.
func openFake(t testing.TB) (*Device, *fakeDriver) {
	t.Helper()
	drv := newFake(Arch{Major: 12, Minor: 0})
	d := newDevice(drv)
	t.Cleanup(func() { closeTest(t, d) })
	return d, drv
}

// Work that is in a stream when the weight changes keeps the old bits, and its
// memory is not freed under it.
func TestWorkInFlightKeepsItsBits(t *testing.T) {
	for _, arch := range []Arch{sm(12, 0), h200.Arch} {
		workInFlightKeepsItsBits(t, arch)
	}
}

func workInFlightKeepsItsBits(t *testing.T, arch Arch) {
	t.Helper()
	for name, change := range map[string]func(w *Weight, b ref.Operand) error{
		"update": func(w *Weight, b ref.Operand) error { return w.Update(b) },
		"drop":   func(w *Weight, _ ref.Operand) error { return w.Drop() },
		"close":  func(w *Weight, _ ref.Operand) error { return w.Close() },
	} {
		d := openLazy(t, arch)
		s := must(d.NewStream())(t)
		w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
		o := place(t, d, s, onesActivations(t, 2), 3, scale.Float32, nil)
		o.reserve(t, d, w)
		for range 2 { // the second may start before the first has ended
			noError(t, w.MatMul(s, o.call))
		}
		if n := multiplications(d); n != 0 {
			t.Fatalf("%v: the device did %d multiplications before anybody waited", arch, n)
		}
		noError(t, change(w, onesWeight(t, 3, 0x80)))
		if c := o.read(t, s); c.Row(1)[1] != 128 {
			t.Errorf("%v, %s: work in flight gave %g, want 128", arch, name, c.Row(1)[1])
		}
	}
}

// A buffer is not freed under work that is in a stream.
func TestBufferCloseWaits(t *testing.T) {
	d := openLazy(t, h200.Arch)
	s := must(d.NewStream())(t)
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	o := place(t, d, s, onesActivations(t, 2), 3, scale.Float32, nil)
	o.reserve(t, d, w)
	noError(t, w.MatMul(s, o.call))
	if n := multiplications(d); n != 0 {
		t.Fatalf("the device did %d multiplications before anybody waited", n)
	}
	noError(t, o.call.A.Data.Buffer.Close())
	if c := o.read(t, s); c.Row(1)[1] != 128 {
		t.Errorf("work in flight gave %g, want 128", c.Row(1)[1])
	}
}

// What is launched is what the plan says.
func TestLaunches(t *testing.T) {
	d, drv := openFake(t)
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(41, 42))
	for _, uncached := range []bool{false, true} {
		for _, e8m0 := range []bool{false, true} {
			b := makeOperand(t, r, operandShape{rows: 200, cols: 384, blockRows: 128, blockCols: 128, e8m0: e8m0}, ordinary)
			w := must(NewWeight(d, b, WeightOptions{UncachedUpcast: uncached}))(t)
			for _, input := range []Input{CodesInput, E8M0Input, Float32Input, BFloat16Input, Float16Input} {
				c := zeroCall(t, d, s, w, 3, input)
				drv.launches()
				noError(t, w.MatMul(s, c))
				got := slices.DeleteFunc(drv.launches(), func(name string) bool { return name == "alloc" })
				plan := must(w.Plan(3, input, scale.BFloat16))(t)
				if !slices.Equal(got, plan.Launches) {
					t.Errorf("uncached %v, E8M0 %v, input %d: launched %v, planned %v", uncached, e8m0, input, got, plan.Launches)
				}
				want := 1 + btoi(input != CodesInput) + 2*btoi(uncached && e8m0)
				if len(got) != want {
					t.Errorf("uncached %v, E8M0 %v, input %d: %d launches, want %d", uncached, e8m0, input, len(got), want)
				}
			}
			noError(t, w.Close())
		}
	}
}

// PTX that the driver refuses is an error with all that one needs to know, and
// nothing is left behind.
func TestJITFailure(t *testing.T) {
	d, drv := openFake(t)
	drv.failJIT = true
	_, err := NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{})
	var jit *JITError
	if !errors.As(err, &jit) || !errors.Is(err, ErrJIT) {
		t.Fatalf("got %v", err)
	}
	if jit.Target != "sm_89" || jit.Arch != (Arch{Major: 12, Minor: 0}) || !strings.Contains(err.Error(), "line 1: fault") {
		t.Errorf("the error says %v", err)
	}
	if bytes, _ := d.Allocated(); bytes != 0 {
		t.Errorf("%d bytes are left", bytes)
	}
}

// Closing a device frees all that belongs to it and makes its handles errors.
func TestDeviceClose(t *testing.T) {
	drv := newFake(Arch{Major: 12, Minor: 0})
	d := newDevice(drv)
	s := must(d.NewStream())(t)
	e := must(d.NewEvent())(t)
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	o := place(t, d, s, onesActivations(t, 2), 3, scale.Float32, nil)
	o.reserve(t, d, w)
	g := must(s.Capture(func() error { return w.MatMul(s, o.call) }))(t)
	noError(t, w.MatMul(s, o.call))
	noError(t, d.Close())
	if !drv.closed || len(drv.memory) != 0 || len(drv.graphs) != 0 {
		t.Errorf("left: %d allocations, %d graphs", len(drv.memory), len(drv.graphs))
	}
	for name, f := range map[string]func() error{
		"device":     d.Close,
		"weight":     func() error { return w.MatMul(s, o.call) },
		"host":       func() error { _, err := multiplyOnes(t, w); return err },
		"update":     func() error { return w.Update(onesWeight(t, 3, 0x7F)) },
		"stream":     s.Sync,
		"new stream": func() error { _, err := d.NewStream(); return err },
		"buffer":     func() error { return o.result.Read(s, make([]byte, 1), 0) },
		"new buffer": func() error { _, err := d.NewBuffer(1); return err },
		"event":      func() error { return e.Record(s) },
		"graph":      func() error { return g.Launch(s) },
		"memory":     func() error { _, _, err := d.MemoryInfo(); return err },
		"new weight": func() error { _, err := NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}); return err },
	} {
		if err := f(); !errors.Is(err, ErrClosed) {
			t.Errorf("%s of a closed device: %v", name, err)
		}
	}
}

// A failed update leaves the old bits in place.
func TestFailedUpdateKeepsBits(t *testing.T) {
	d, _ := openFake(t)
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	if err := w.Update(onesWeight(t, 4, 0x80)); !errors.Is(err, scale.ErrShape) {
		t.Errorf("an update of another shape: %v", err)
	}
	if err := w.Update(ref.Operand{}); !errors.Is(err, scale.ErrUnsetScale) {
		t.Errorf("an update without scales: %v", err)
	}
	if v, err := multiplyOnes(t, w); v != 128 || err != nil || w.Generation() != 1 {
		t.Errorf("got %g, %v in generation %d", v, err, w.Generation())
	}
}

// An enormous M goes in several launches, because a grid has no more than 65535
// blocks along y.
func TestEnormousM(t *testing.T) {
	if testing.Short() {
		t.Skip("a long product")
	}
	d, drv := openFake(t)
	s := must(d.NewStream())(t)
	l1 := "w8a8_f32scale_mma_l1"
	b := makeOperand(t, rand.New(rand.NewPCG(43, 44)), operandShape{rows: 4, cols: 32, blockRows: 128, blockCols: 32, e8m0: true}, ordinary)
	w := must(NewWeight(d, b, WeightOptions{Kernel: l1}))(t)
	const m = 65535*8 + 5
	a := must(scale.NewFP32Grid(scale.RowMajor(m, 32, 1, 32), slices.Repeat([]float32{1}, m)))(t)
	codes := make([]scale.E4M3, m*32)
	for i := range codes {
		codes[i] = scale.E4M3(i*7) & 0x77
	}
	operand := must(ref.NewOperand(codes, 32, a))(t)
	o := place(t, d, s, operand, 4, scale.BFloat16, nil)
	drv.launches()
	noError(t, w.MatMul(s, o.call))
	if got := drv.launches(); !slices.Equal(got, []string{l1, l1}) {
		t.Fatalf("launched %v", got)
	}
	sameBits(t, o.read(t, s), oracle(t, w, operand, b, scale.BFloat16, nil), scale.BFloat16, "enormous M")
}

func TestForeignHandles(t *testing.T) {
	d, _ := openFake(t)
	other, _ := openFake(t)
	s, otherStream := must(d.NewStream())(t), must(other.NewStream())(t)
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	o := place(t, d, s, onesActivations(t, 2), 3, scale.Float32, nil)
	o.reserve(t, d, w)
	if err := w.MatMul(nil, o.call); !errors.Is(err, ErrClosed) {
		t.Errorf("no stream: %v", err)
	}
	if err := w.MatMul(otherStream, o.call); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a stream of another device: %v", err)
	}
	o.call.C.Data.Buffer = must(other.NewBuffer(1 << 12))(t)
	if err := w.MatMul(s, o.call); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a buffer of another device: %v", err)
	}
	if err := o.result.Write(otherStream, 0, []byte{1}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a copy in a stream of another device: %v", err)
	}
	if _, err := d.WrapBuffer(0, 8); !errors.Is(err, scale.ErrShape) {
		t.Errorf("a buffer at no address: %v", err)
	}
}

package gpu

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// The same bits, a hundred times.
func TestRepeats(t *testing.T) { onDevices(t, checkRepeats) }

func checkRepeats(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(21, 22))
	b := makeOperand(t, r, operandShape{rows: 257, cols: 1100, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
	for _, m := range []int{1, 13, 70} {
		a := makeOperand(t, r, operandShape{rows: m, cols: 1100, blockRows: 1, blockCols: 128}, ordinary)
		w := must(NewWeight(d, b, WeightOptions{}))(t)
		o := place(t, d, s, a, 257, scale.BFloat16, nil)
		o.reserve(t, d, w)
		repeats := 100
		if !onHardware {
			repeats = 3
		}
		var first []byte
		raw := make([]byte, len(o.before))
		for range repeats {
			noError(t, o.result.Write(s, 0, o.before))
			noError(t, w.MatMul(s, o.call))
			noError(t, o.result.Read(s, raw, 0))
			if first == nil {
				first = bytes.Clone(raw)
			}
			if !bytes.Equal(first, raw) {
				t.Fatalf("M = %d gave other bits", m)
			}
		}
		o.close(t)
		noError(t, w.Close())
	}
}

// Row m of C is the same in every batch, with every kernel that the plan chooses
// for its size.
func TestBatchInvariance(t *testing.T) { onDevices(t, checkBatchInvariance) }

func checkBatchInvariance(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(23, 24))
	for _, e8m0 := range []bool{true, false} {
		for _, block := range []int{128, 32} {
			b := makeOperand(t, r, operandShape{rows: 130, cols: 700, blockRows: block, blockCols: block, e8m0: e8m0}, ordinary)
			a := makeOperand(t, r, operandShape{rows: 64, cols: 700, blockRows: 1, blockCols: block}, ordinary)
			w := must(NewWeight(d, b, WeightOptions{}))(t)
			whole := run(t, d, s, w, a, scale.Float32)
			for _, m := range []int{1, 2, 8, 9, 16, 17, 32, 33} {
				part := must(a.SliceRows(64-m, 64))(t)
				got := run(t, d, s, w, part, scale.Float32)
				for i := range m {
					if !bytes.Equal(bytesOf(got.Row(i)), bytesOf(whole.Row(64-m+i))) {
						t.Fatalf("row %d of 64 has other bits among %d rows", 64-m+i, m)
					}
				}
			}
			noError(t, w.Close())
		}
	}
}

func run(t testing.TB, d *Device, s *Stream, w *Weight, a ref.Operand, f scale.Format) ref.Matrix {
	t.Helper()
	o := place(t, d, s, a, w.N(), f, nil)
	o.reserve(t, d, w)
	noError(t, w.MatMul(s, o.call))
	c := o.read(t, s)
	o.close(t)
	return c
}

// Any number of goroutines, host and device calls mixed, with updates of the same
// bits beside them: never a wrong context, never another bit.
func TestGoroutines(t *testing.T) { onDevices(t, checkGoroutines) }

func checkGoroutines(t *testing.T, d *Device) {
	r := rand.New(rand.NewPCG(25, 26))
	goroutines, calls := 64, 100
	if !onHardware {
		goroutines, calls = 16, 4
	}
	b := makeOperand(t, r, operandShape{rows: 200, cols: 384, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
	a := makeOperand(t, r, operandShape{rows: 5, cols: 384, blockRows: 1, blockCols: 128}, ordinary)
	w := must(NewWeight(d, b, WeightOptions{}))(t)
	want := oracle(t, w, a, b, scale.Float32, nil)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			if g%2 == 0 {
				hostCalls(t, w, a, want, calls)
			} else {
				deviceCalls(t, d, w, a, want, calls)
			}
		})
	}
	all.Go(func() {
		for range 5 {
			if err := w.Update(b); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
}

func hostCalls(t *testing.T, w *Weight, a ref.Operand, want ref.Matrix, calls int) {
	got := make([]float32, 5*200)
	for range calls {
		if err := MatMulCodes(Matrix[float32]{5, 200, 200, got}, a, w, nil); err != nil {
			t.Error(err)
			return
		}
		if !bytes.Equal(bytesOf(got), bytesOf(want.Data)) {
			t.Error("a host call gave other bits")
			return
		}
	}
}

func deviceCalls(t *testing.T, d *Device, w *Weight, a ref.Operand, want ref.Matrix, calls int) {
	s, err := d.NewStream()
	if err != nil {
		t.Error(err)
		return
	}
	codes, _ := a.Codes()
	data, err1 := d.NewBuffer(int64(len(codes)))
	scales, err2 := d.NewBuffer(int64(4 * len(a.Grid().Values())))
	out, err3 := d.NewBuffer(4 * 5 * 200)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Error(err)
		return
	}
	if err := errors.Join(data.Write(s, 0, bytesOf(codes)), scales.Write(s, 0, bytesOf(a.Grid().Values()))); err != nil {
		t.Error(err)
		return
	}
	call := Call{M: 5, A: Activations{Data: Region{Buffer: data}, Stride: 384, Scales: Region{Buffer: scales}, ScaleRow: 3, ScaleCol: 1}, C: Result{Data: Region{Buffer: out}, Stride: 200}}
	got := make([]byte, 4*5*200)
	for range calls {
		if err := errors.Join(w.MatMul(s, call), out.Read(s, got, 0)); err != nil {
			t.Error(err)
			return
		}
		if !bytes.Equal(got, bytesOf(want.Data)) {
			t.Error("a device call gave other bits")
			return
		}
	}
	if err := errors.Join(data.Close(), scales.Close(), out.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}

// A graph gives the bits of the call that it captured, refuses to serve a weight
// that changed, and can be captured again.
func TestGraph(t *testing.T) { onDevices(t, checkGraph) }

func checkGraph(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	other := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(27, 28))
	for _, uncached := range []bool{false, true} {
		b := makeOperand(t, r, operandShape{rows: 300, cols: 512, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
		a := makeOperand(t, r, operandShape{rows: 6, cols: 512, blockRows: 1, blockCols: 128, e8m0: true}, ordinary)
		w := must(NewWeight(d, b, WeightOptions{UncachedUpcast: uncached}))(t)
		o := place(t, d, s, a, 300, scale.BFloat16, nil)
		o.reserve(t, d, w)
		want := oracle(t, w, a, b, scale.BFloat16, nil)
		noError(t, w.Prepare(6, E8M0Input))
		g := must(s.Capture(func() error {
			for range 3 {
				if err := w.MatMul(s, o.call); err != nil {
					return err
				}
			}
			return nil
		}))(t)
		noError(t, s.Sync())
		if c := o.read(t, s); c.Data[0] == want.Data[0] && c.Data[1] == want.Data[1] && c.Data[2] == want.Data[2] {
			t.Error("capturing did the work")
		}
		for _, on := range []*Stream{s, other, s} {
			noError(t, o.result.Write(on, 0, o.before))
			noError(t, g.Launch(on))
			sameBits(t, o.read(t, on), want, scale.BFloat16, "replay")
		}
		noError(t, w.Update(b))
		if err := g.Launch(s); !errors.Is(err, ErrStale) {
			t.Errorf("a graph of an updated weight: %v", err)
		}
		noError(t, g.Close())
		g = must(s.Capture(func() error { return w.MatMul(s, o.call) }))(t)
		noError(t, g.Launch(s))
		sameBits(t, o.read(t, s), want, scale.BFloat16, "second capture")
		noError(t, w.Close())
		if err := g.Launch(s); !errors.Is(err, ErrClosed) {
			t.Errorf("a graph of a closed weight: %v", err)
		}
		noError(t, g.Close())
		if err := g.Launch(s); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed graph: %v", err)
		}
		o.close(t)
	}
}

func TestFailedCapture(t *testing.T) { onDevices(t, checkFailedCapture) }

func checkFailedCapture(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	o := place(t, d, s, onesActivations(t, 2), 3, scale.Float32, nil)
	o.reserve(t, d, w)
	mine := errors.New("mine")
	if _, err := s.Capture(func() error { return mine }); !errors.Is(err, mine) {
		t.Errorf("the error of a capture's function: %v", err)
	}
	_, err := s.Capture(func() error { return o.result.Read(s, make([]byte, 4), 0) })
	if !errors.Is(err, ErrCapture) {
		t.Errorf("a read during capture: %v", err)
	}
	_, err = s.Capture(func() error {
		_, err := s.Capture(func() error { return nil })
		return err
	})
	if !errors.Is(err, ErrCapture) {
		t.Errorf("a capture during capture: %v", err)
	}
	noError(t, w.MatMul(s, o.call))
	if c := o.read(t, s); c.Row(1)[2] != 128 {
		t.Errorf("the stream gives %g after failed captures", c.Row(1)[2])
	}
	noError(t, w.Close())
}

// A device call allocates nothing: not on the host's heap, not on the device.
func TestNoAllocation(t *testing.T) {
	d := openTest(t)
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(29, 30))
	b := makeOperand(t, r, operandShape{rows: 64, cols: 256, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
	w := must(NewWeight(d, b, WeightOptions{}))(t)
	for _, input := range []Input{CodesInput, E8M0Input, Float32Input, BFloat16Input} {
		allocatesNothing(t, d, s, w, input)
	}
	noError(t, w.Close())
}

// allocatesNothing counts the allocations of calls.
func allocatesNothing(t *testing.T, d *Device, s *Stream, w *Weight, input Input) {
	t.Helper()
	for _, m := range []int{1, 100} {
		c := zeroCall(t, d, s, w, m, input)
		noError(t, w.MatMul(s, c))
		_, before := d.Allocated()
		fake, _ := d.drv.(*fakeDriver)
		if fake != nil {
			d.drv = silent{fake}
		}
		allocs := testing.AllocsPerRun(200, func() {
			if err := w.MatMul(s, c); err != nil {
				t.Error(err)
			}
		})
		if fake != nil {
			d.drv = fake
		}
		noError(t, s.Sync())
		if _, after := d.Allocated(); allocs != 0 || after != before {
			t.Errorf("input %d, M = %d: %v allocations on the host, %d on the device per call", input, m, allocs, after-before)
		}
	}
}

// zeroCall is a call on activations and scales of zeros.
func zeroCall(t testing.TB, d *Device, s *Stream, w *Weight, m int, input Input) Call {
	t.Helper()
	p := must(w.Plan(m, input, scale.BFloat16))(t)
	blocks := ceilDiv(w.K(), 128)
	return Call{
		M: m,
		A: Activations{
			Input: input, Data: Region{Buffer: d.testBuffer(t, s, make([]byte, m*w.K()*input.elementBytes()))}, Stride: w.K(),
			Scales: Region{Buffer: d.testBuffer(t, s, make([]byte, 4*m*blocks))}, ScaleRow: blocks, ScaleCol: 1, Style: scale.StyleDeepSeek,
		},
		C:         Result{Format: scale.BFloat16, Data: Region{Buffer: must(d.NewBuffer(int64(2 * m * w.N())))(t)}, Stride: w.N()},
		Workspace: Region{Buffer: must(d.NewBuffer(p.Workspace))(t)},
	}
}

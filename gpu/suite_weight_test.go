package gpu

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// onesWeight is a weight of ones with one E8M0 scale, so that a row of ones gives
// 128 times that scale.
func onesWeight(t testing.TB, n int, code scale.E8M0) ref.Operand {
	t.Helper()
	codes := bytes.Repeat([]byte{0x38}, n*128)
	l := scale.RowMajor(n, 128, 128, 128)
	grid := must(scale.NewE8M0Grid(l, bytesAsE8M0(code, l.Len())))(t)
	return must(ref.NewOperand(scale.E4M3s(codes), 128, grid))(t)
}

func bytesAsE8M0(code scale.E8M0, n int) []scale.E8M0 {
	return scale.E8M0s(bytes.Repeat([]byte{byte(code)}, n))
}

func onesActivations(t testing.TB, m int) ref.Operand {
	t.Helper()
	codes := bytes.Repeat([]byte{0x38}, m*128)
	l := scale.RowMajor(m, 128, 1, 128)
	grid := must(scale.NewE8M0Grid(l, bytesAsE8M0(0x7F, l.Len())))(t)
	return must(ref.NewOperand(scale.E4M3s(codes), 128, grid))(t)
}

func multiplyOnes(t testing.TB, w *Weight) (float32, error) {
	t.Helper()
	dst := Matrix[float32]{Rows: 2, Cols: w.N(), Data: make([]float32, 2*w.N()), Stride: w.N()}
	err := MatMulCodes(dst, onesActivations(t, 2), w, nil)
	for _, v := range dst.Data {
		if v != dst.Data[0] {
			t.Fatalf("outputs of ones differ: %g and %g", v, dst.Data[0])
		}
	}
	return dst.Data[0], err
}

// A weight never serves yesterday's scales: 128 ones with scale 1, then 2.
func TestUpdateServesNewScales(t *testing.T) { onDevices(t, checkUpdateServesNewScales) }

func checkUpdateServesNewScales(t *testing.T, d *Device) {
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	if v, err := multiplyOnes(t, w); err != nil || v != 128 {
		t.Fatalf("got %g, %v, want 128", v, err)
	}
	if w.Generation() != 1 || w.Check(1) != nil {
		t.Fatalf("a new weight has generation %d", w.Generation())
	}
	original := onesWeight(t, 3, 0x80)
	noError(t, w.Update(original))
	if v, err := multiplyOnes(t, w); err != nil || v != 256 {
		t.Fatalf("got %g, %v after the update, want 256", v, err)
	}
	if w.Generation() != 2 || !errors.Is(w.Check(1), ErrStale) || w.Check(2) != nil {
		t.Fatalf("generation %d, check of 1: %v", w.Generation(), w.Check(1))
	}
	if got := original.Grid().Codes()[0]; got != 0x80 {
		t.Fatalf("the caller's scale became %#x", got)
	}
}

// The original scales stay readable, on the host and on the device.
func TestOriginalScalesStay(t *testing.T) { onDevices(t, checkOriginalScalesStay) }

func checkOriginalScalesStay(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(5, 6))
	b := makeOperand(t, r, operandShape{rows: 300, cols: 500, blockRows: 128, blockCols: 128, rowOffset: 70, padding: 3, e8m0: true}, extremeScale)
	w := must(NewWeight(d, b, WeightOptions{}))(t)
	e := must(w.E8M0())(t)
	if !bytes.Equal(bytesOf(e.Codes), bytesOf(b.Grid().Codes())) || e.Layout.RowOffset != 70 || e.Groups != 1 {
		t.Fatalf("the scales came back as %v", e)
	}
	onDevice := must(d.WrapBuffer(e.Address, int64(len(e.Codes))))(t)
	got := make([]byte, len(e.Codes))
	noError(t, onDevice.Read(s, got, 0))
	if !bytes.Equal(got, bytesOf(b.Grid().Codes())) {
		t.Fatal("the scales on the device differ")
	}
	if w.CacheBytes() != int64(4*len(e.Codes)) {
		t.Fatalf("the cache has %d bytes for %d scales", w.CacheBytes(), len(e.Codes))
	}
	e.Codes[0] ^= 1
	if again := must(w.E8M0())(t); again.Codes[0] == e.Codes[0] {
		t.Fatal("a caller can change the weight's copy of the scales")
	}
	codes := must(w.Codes())(t)
	row := make([]byte, 500)
	rows := must(d.WrapBuffer(codes.Address, int64(codes.Rows*codes.Stride)))(t)
	noError(t, rows.Read(s, row, int64(299*codes.Stride)))
	if !bytes.Equal(row, bytesOf(b.Row(299))) {
		t.Fatal("the codes on the device differ")
	}
}

// A weight with float32 scales has no cache and no E8M0.
func TestFloat32ScalesAreNoCache(t *testing.T) { onDevices(t, checkFloat32ScalesAreNoCache) }

func checkFloat32ScalesAreNoCache(t *testing.T, d *Device) {
	b := makeOperand(t, rand.New(rand.NewPCG(7, 8)), operandShape{rows: 10, cols: 200, blockRows: 128, blockCols: 128}, ordinary)
	w := must(NewWeight(d, b, WeightOptions{}))(t)
	if w.CacheBytes() != 0 {
		t.Errorf("a cache of %d bytes", w.CacheBytes())
	}
	if _, err := w.E8M0(); !errors.Is(err, scale.ErrInexact) {
		t.Errorf("E8M0 of float32 scales: %v", err)
	}
}

// Dropped memory is an error until Update brings the very same bits back.
func TestDropAndReload(t *testing.T) { onDevices(t, checkDropAndReload) }

func checkDropAndReload(t *testing.T, d *Device) {
	r := rand.New(rand.NewPCG(9, 10))
	a := makeOperand(t, r, operandShape{rows: 4, cols: 300, blockRows: 1, blockCols: 128}, ordinary)
	b := makeOperand(t, r, operandShape{rows: 40, cols: 300, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
	w := must(NewWeight(d, b, WeightOptions{}))(t)
	before, _ := d.Allocated()
	first := make([]float32, 160)
	noError(t, MatMulCodes(Matrix[float32]{4, 40, 40, first}, a, w, nil))
	withLane, _ := d.Allocated()
	noError(t, w.Drop())
	if now, _ := d.Allocated(); now >= withLane || before <= 0 {
		t.Errorf("%d bytes allocated before the drop, %d after", withLane, now)
	}
	second := make([]float32, 160)
	if err := MatMulCodes(Matrix[float32]{4, 40, 40, second}, a, w, nil); !errors.Is(err, ErrStale) {
		t.Fatalf("a dropped weight multiplies: %v", err)
	}
	if _, err := w.E8M0(); !errors.Is(err, ErrStale) {
		t.Fatalf("a dropped weight has scales: %v", err)
	}
	noError(t, w.Update(b))
	noError(t, MatMulCodes(Matrix[float32]{4, 40, 40, second}, a, w, nil))
	if !bytes.Equal(bytesOf(first), bytesOf(second)) {
		t.Fatal("the reloaded weight gives other bits")
	}
}

func TestClosedIsAnError(t *testing.T) { onDevices(t, checkClosedIsAnError) }

func checkClosedIsAnError(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	o := place(t, d, s, onesActivations(t, 2), 3, scale.Float32, nil)
	o.reserve(t, d, w)
	noError(t, w.Close())
	for name, f := range map[string]func() error{
		"MatMul":  func() error { return w.MatMul(s, o.call) },
		"host":    func() error { _, err := multiplyOnes(t, w); return err },
		"Update":  func() error { return w.Update(onesWeight(t, 3, 0x7F)) },
		"Drop":    w.Drop,
		"Close":   w.Close,
		"Check":   func() error { return w.Check(1) },
		"E8M0":    func() error { _, err := w.E8M0(); return err },
		"M=0":     func() error { o := o.call; o.M = 0; return w.MatMul(s, o) },
		"Codes":   func() error { _, err := w.Codes(); return err },
		"Forward": func() error { return (&Linear{weight: w, style: scale.StyleVLLM}).Forward(nil, 3, nil, 128, 0) },
	} {
		if err := f(); !errors.Is(err, ErrClosed) {
			t.Errorf("%s of a closed weight: %v", name, err)
		}
	}
	if w.CacheBytes() != 0 {
		t.Error("a closed weight has a cache")
	}
	live := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	noError(t, o.result.Close())
	if err := live.MatMul(s, o.call); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed buffer takes a result: %v", err)
	}
	noError(t, s.Close())
	if err := live.MatMul(s, o.call); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed stream takes work: %v", err)
	}
}

// The cache is for kernels that prefer float32; without it every call has two
// launches and an allocation more, and the same bits.
func TestUncachedUpcast(t *testing.T) { onDevices(t, checkUncachedUpcast) }

func checkUncachedUpcast(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(11, 12))
	for _, mode := range []scale.UpcastMode{scale.OCP, scale.Shift} {
		b := makeOperand(t, r, operandShape{rows: 200, cols: 400, blockRows: 128, blockCols: 128, e8m0: true}, extremeScale)
		a := makeOperand(t, r, operandShape{rows: 5, cols: 400, blockRows: 1, blockCols: 128}, ordinary)
		upcast := must(b.Grid().ToFP32(mode))(t)
		codes, stride := b.Codes()
		b32 := must(ref.NewOperand(codes, stride, upcast))(t)
		for _, uncached := range []bool{false, true} {
			w := must(NewWeight(d, b, WeightOptions{Upcast: mode, UncachedUpcast: uncached}))(t)
			o := place(t, d, s, a, 200, scale.BFloat16, nil)
			o.reserve(t, d, w)
			noError(t, w.MatMul(s, o.call))
			sameBits(t, o.read(t, s), oracle(t, w, a, b32, scale.BFloat16, nil), scale.BFloat16, mode.String())
			p := must(w.Plan(5, CodesInput, scale.BFloat16))(t)
			if want := 1 + 2*btoi(uncached); len(p.Launches) != want {
				t.Errorf("uncached %v: %d launches planned, want %d", uncached, len(p.Launches), want)
			}
			if (w.CacheBytes() == 0) != uncached {
				t.Errorf("uncached %v: a cache of %d bytes", uncached, w.CacheBytes())
			}
			o.close(t)
			noError(t, w.Close())
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Shards that start inside a block give the bits of the whole.
func TestShards(t *testing.T) { onDevices(t, checkShards) }

func checkShards(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(13, 14))
	b := makeOperand(t, r, operandShape{rows: 576, cols: 256, blockRows: 128, blockCols: 128, e8m0: true}, distinct)
	a := makeOperand(t, r, operandShape{rows: 6, cols: 256, blockRows: 1, blockCols: 128}, ordinary)
	for _, parts := range []int{1, 2, 3, 6, 9} {
		rows := 576 / parts
		for i := range parts {
			shard := must(b.SliceRows(i*rows, (i+1)*rows))(t)
			w := must(NewWeight(d, shard, WeightOptions{}))(t)
			o := place(t, d, s, a, rows, scale.Float32, nil)
			o.reserve(t, d, w)
			noError(t, w.MatMul(s, o.call))
			sameBits(t, o.read(t, s), oracle(t, w, a, shard, scale.Float32, nil), scale.Float32, "shard")
			o.close(t)
			noError(t, w.Close())
		}
	}
}

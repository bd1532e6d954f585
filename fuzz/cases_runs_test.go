package fuzz_test

import (
	"bytes"
	"errors"
	"math"
	"sync"
	"testing"

	"blockfp8/fuzz"
	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/safetensors"
	"blockfp8/scale"
)

// Case 20, vllm-project/vllm #42240: the same call gave other bits. A hundred calls
// are compared, with one row and with 64; emulated chips make three.
func TestCase20_EveryRunTheSameBits(t *testing.T) {
	code := func(row, k int) byte { return byte(row*37+k*11) & 0xF7 }
	a, b := sideOf(64, 150, 1, 128, code, repeated(64, 0x7C, 0x80)...), sideOf(9, 150, 128, 128, code, fuzz.Hex{0x7F, 0x7D})
	row := a
	row.Rows, row.Codes, row.E8M0 = 1, a.Codes[37:38], a.E8M0[37:38]
	x, one, y := operand(t, a), operand(t, row), operand(t, b)
	for _, k := range allKernels(t) {
		repeats := 100 / every(1, 20)
		if k.isDevice() {
			repeats = 3
		}
		first := multiplied(t, k, x, y)
		for range repeats {
			if again := multiplied(t, k, x, y); !sameBits(again.Data, first.Data) {
				t.Fatalf("%s: the same call gave other bits", k.name)
			}
			if alone := multiplied(t, k, one, y); !sameBits(alone.Data, first.Row(37)) {
				t.Fatalf("%s: row 37 alone has other bits than among 64", k.name)
			}
		}
	}
}

func multiplied(t *testing.T, k kernel, x, y ref.Operand) ref.Matrix {
	t.Helper()
	c := ref.NewMatrix(x.Rows(), y.Rows())
	if err := k.impl.Multiply(c, x, y, scale.BFloat16); err != nil {
		t.Fatalf("%s: %v", k.name, err)
	}
	return c
}

func sameBits(x, y []float32) bool {
	for i, v := range x {
		if math.Float32bits(v) != math.Float32bits(y[i]) {
			return false
		}
	}
	return len(x) == len(y)
}

// The same report: splits are opt-in and their order is fixed. 2^24, 1, 1, -2^24 in
// four partials: one by one the ones are lost, in pairs they are not.
func TestCase20_SplitsChangeBitsAsTheySay(t *testing.T) {
	hot := func(_, k int) byte {
		if k%32 > 0 {
			return 0
		}
		return one | byte(k/32/3)<<7
	}
	x := operand(t, sideOf(1, 128, 1, 32, hot, fuzz.Hex{127 + 24, 0x7F, 0x7F, 127 + 24}))
	y := operand(t, everywhere(one, 1, 128, 1, 32, fuzz.Hex{0x7F, 0x7F, 0x7F, 0x7F}))
	for splits, want := range []float32{0: 0, 1: 0, 2: 1, 3: 1, 4: 0, 5: 0} {
		r := ref.Recipe{Datapath: ref.SM120, KPerPartial: 32, Splits: splits}
		if got, err := ref.Element(x, y, r, 0, 0); err != nil || got != want {
			t.Errorf("%d splits: %g, want %g (%v)", splits, got, want, err)
		}
	}
}

// Case 21, vllm-project/vllm #42173: offsets of elements past 2^31 wrapped around.
func TestCase21_ElementsPast2To31(t *testing.T) {
	const m, n = 524416, 4096 // m*n-1 is 2,148,007,935
	codes := make([]scale.E4M3, m)
	for i := range codes {
		codes[i] = one + scale.E4M3(i%2)*8 // 1 and 2
	}
	column := func(rows int) ref.Operand {
		g := must(scale.NewE8M0Grid(scale.RowMajor(rows, 1, 1<<30, 128), []scale.E8M0{0x7F}))
		return must(ref.NewOperand(codes, 1, g))
	}
	a, b := column(m), column(n)
	for _, r := range []ref.Recipe{ref.Exact(scale.Float32), ref.UE8M0MX(scale.Float32), ref.F32ScaleMMA(ref.SM120, 128, scale.Float32)} {
		for _, at := range [][2]int{{m - 1, n - 1}, {m - 1, 0}, {m - 2, n - 1}, {0, n - 1}} {
			got, err := ref.Element(a, b, r, at[0], at[1])
			if want := float32((1 + at[0]%2) * (1 + at[1]%2)); err != nil || got != want {
				t.Errorf("%v: C[%d,%d] is %g, want %g (%v)", r, at[0], at[1], got, want, err)
			}
		}
		for _, at := range [][2]int{{m, 0}, {0, n}, {-1, 0}, {0, -1}, {math.MaxInt, math.MaxInt}} {
			_, err := ref.Element(a, b, r, at[0], at[1])
			wantMismatch(t, err, scale.ErrShape)
		}
	}
	// No destination of that size is there: an error, not a wrapped offset.
	for _, stride := range []int{n, math.MaxInt32, math.MaxInt} {
		c := ref.Matrix{Rows: m, Cols: n, Stride: stride, Data: make([]float32, n+7)}
		wantMismatch(t, ref.MatMul(c, a, b, ref.Exact(scale.Float32)), scale.ErrShape)
	}
}

// Case 23, vllm-project/vllm #47818: a checkpoint with E8M0 scales crashed on a chip
// whose kernel wanted float32. Both kinds are taken everywhere, give the same bits,
// and the original bytes stay readable.
func TestCase23_BothKindsOfScalesOnEveryChip(t *testing.T) {
	a := everywhere(one, 2, 256, 1, 128, repeated(2, 0x7F, 0x80)...)
	b := everywhere(one, 130, 256, 128, 128, fuzz.Hex{0x80, 0x7E}, fuzz.Hex{0x83, 0x7F})
	want := func(_ ref.Recipe, _, n int) uint32 { return [2]uint32{0x43C00000, 0x45100000}[n/128] } // 256+128, 2048+256
	for _, arch := range chips {
		dev := emulate(t, arch)
		k := kernel{arch.String(), device{dev: dev}}
		for _, side := range []fuzz.Side{b, asFP32(b)} {
			if !holdOne(t, k, problem(a, side), want) {
				t.Errorf("%s does not take %v", k.name, side)
			}
		}
		w := must(gpu.NewWeight(dev, operand(t, b), gpu.WeightOptions{}))
		if e, err := w.E8M0(); err != nil || !bytes.Equal(bytesOf(e.Codes), []byte{0x80, 0x7E, 0x83, 0x7F}) {
			t.Errorf("%s: the scales came back as %v, %v", k.name, e.Codes, err)
		}
	}
}

func bytesOf(codes []scale.E8M0) (b []byte) {
	for _, c := range codes {
		b = append(b, byte(c))
	}
	return b
}

// Case 24, vllm-project/vllm #54125: a kernel was chosen for a family of chips, and a
// member faulted. Chips are listed one by one, with a reason for the others.
func TestCase24_ChipsAreListedOneByOne(t *testing.T) {
	for arch, want := range map[gpu.Arch]bool{
		{Major: 8, Minor: 9}: true, {Major: 9, Minor: 0}: true, {Major: 10, Minor: 0}: true, {Major: 12, Minor: 0}: true, {Major: 12, Minor: 1}: true,
		{Major: 7, Minor: 5}: false, {Major: 8, Minor: 6}: false, {Major: 10, Minor: 3}: false, {Major: 11, Minor: 0}: false, {Major: 12, Minor: 2}: false, {}: false,
	} {
		target := gpu.Target{Arch: arch, Multiprocessors: 100}
		ok, reason := gpu.Supported(target)
		if ok != want || reason == "" {
			t.Errorf("%v: supported %v (%s), want %v", arch, ok, reason, want)
		}
		_, err := gpu.NewPlan(target, gpu.Problem{M: 1, N: 128, K: 128, BlockN: 128, BlockK: 128, E8M0: true})
		if (err == nil) != want || err != nil && !errors.Is(err, gpu.ErrUnsupported) {
			t.Errorf("%v: a plan: %v", arch, err)
		}
	}
}

// Case 25, safetensors/safetensors #839: E8M0 tensors were written and could not be
// read back from bytes.
func TestCase25_E8M0TensorsRoundTrip(t *testing.T) {
	header := `{"s":{"dtype":"F8_E8M0","shape":[3],"data_offsets":[0,3]}}`
	file := append([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}, header+"\x7E\x7F\x80"...)
	f := must(safetensors.NewReader(bytes.NewReader(file), int64(len(file))))
	codes := must(f.E8M0("s"))
	if got := []float32{codes[0].Float32(), codes[1].Float32(), codes[2].Float32()}; !sameBits(got, []float32{0.5, 1, 2}) {
		t.Errorf("0x7E, 0x7F, 0x80 are %v", got)
	}
	if !bytes.Equal(bytesOf(codes), []byte{0x7E, 0x7F, 0x80}) {
		t.Errorf("the bytes came back as %#x", codes)
	}
}

// Case 27, sgl-project/sglang #28676: yesterday's scales were served after an update.
func TestCase27_UpdatesAreServed(t *testing.T) {
	for _, arch := range chips {
		for name, options := range map[string]gpu.WeightOptions{"cached": {}, "uncached": {UncachedUpcast: true}} {
			w := onesWeight(t, emulate(t, arch), options)
			wantOnes(t, name, w, 128)
			update := operand(t, everywhere(one, 1, 128, 128, 128, fuzz.Hex{0x80}))
			if err := w.Update(update); err != nil {
				t.Fatal(err)
			}
			wantOnes(t, name, w, 256)
			if got := update.Grid().Codes()[0]; got != 0x80 {
				t.Errorf("the caller's scale became %#x", got)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := timesOnes(t, w); !errors.Is(err, gpu.ErrClosed) {
				t.Errorf("%v, %s: a closed weight: %v", arch, name, err)
			}
		}
	}
}

// onesWeight is 128 ones with scale 1 on a device.
func onesWeight(t *testing.T, dev *gpu.Device, o gpu.WeightOptions) *gpu.Weight {
	t.Helper()
	return must(gpu.NewWeight(dev, operand(t, everywhere(one, 1, 128, 128, 128, fuzz.Hex{0x7F})), o))
}

func timesOnes(t *testing.T, w *gpu.Weight) (float32, error) {
	t.Helper()
	c := []float32{0}
	err := gpu.MatMulCodes(gpu.Matrix[float32]{Rows: 1, Cols: 1, Stride: 1, Data: c}, operand(t, everywhere(one, 1, 128, 1, 128, fuzz.Hex{0x7F})), w, nil)
	return c[0], err
}

func wantOnes(t *testing.T, what string, w *gpu.Weight, want float32) {
	t.Helper()
	if got, err := timesOnes(t, w); err != nil || got != want {
		t.Errorf("%v, %s: %g, want %g (%v)", w.Device().Arch(), what, got, want, err)
	}
}

// Case 28, vllm-project/vllm #28783: scales that had lost their memory were used.
func TestCase28_DroppedMemoryIsAnError(t *testing.T) {
	for _, arch := range chips {
		w := onesWeight(t, emulate(t, arch), gpu.WeightOptions{})
		if err := w.Drop(); err != nil {
			t.Fatal(err)
		}
		if c, err := timesOnes(t, w); !errors.Is(err, gpu.ErrStale) || c != 0 {
			t.Errorf("%v: a dropped weight gives %g, %v", arch, c, err)
		}
		if err := w.Update(operand(t, everywhere(one, 1, 128, 128, 128, fuzz.Hex{0x7F}))); err != nil {
			t.Fatal(err)
		}
		wantOnes(t, "reloaded", w, 128)
	}
}

// Case 29, gorgonia/gorgonia #297: goroutines that move between threads gave
// inconsistent results.
func TestCase29_Goroutines(t *testing.T) {
	w := onesWeight(t, emulate(t, gpu.Arch{Major: 12, Minor: 0}), gpu.WeightOptions{})
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for range 3 {
				if got, err := timesOnes(t, w); err != nil || got != 128 {
					t.Errorf("%g, %v", got, err)
				}
			}
		})
	}
	all.Wait()
}

// Case 30, microsoft/onnxruntime #31155 and its kind: tests that cannot fail. Their
// measures pass what a comparison of bits sees: small outputs under an absolute
// tolerance, a lost factor under a cosine, one wrong element under a mean. Whole
// kernels that are wrong are in TestMutantsAreCaught.
func TestCase30_WrongResultsAreSeen(t *testing.T) {
	right := ref.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float32{0.03125, -0.0078125, 0.0390625, 0.015625}}
	for what, wrong := range map[string][]float32{
		"zeros":               {0, 0, 0, 0},
		"negated":             {-0.03125, 0.0078125, -0.0390625, -0.015625},
		"a lost factor":       {0.0625, -0.015625, 0.078125, 0.03125},
		"one in the last bit": {0.03125, -0.0078125, 0.0390625, 0.0157470703125},
		"transposed":          {0.03125, 0.0390625, -0.0078125, 0.015625},
	} {
		got := ref.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: wrong}
		if report, err := ref.Compare(got, right, scale.BFloat16); err != nil || report.Equal() || report.MaxULP == 0 || len(report.First) == 0 {
			t.Errorf("%s: %v, %v", what, report, err)
		}
	}
	if report, err := ref.Compare(right, right, scale.BFloat16); err != nil || !report.Equal() {
		t.Errorf("the right one: %v, %v", report, err)
	}
}

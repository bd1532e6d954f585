package gpu

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"blockfp8/gpu/internal/driver/emulated"
	"blockfp8/scale"
)

// openLazy opens an emulated device whose work stays in its streams until somebody
// waits for it.
func openLazy(t testing.TB, arch Arch) *Device {
	t.Helper()
	drv, err := emulated.Open(arch, emulated.Options{Check: true, Lazy: true})
	noError(t, err)
	d := newDevice(drv)
	t.Cleanup(func() { closeTest(t, d) })
	return d
}

// multiplications returns how many GEMM kernels an emulated device has run.
func multiplications(d *Device) (n uint64) {
	for _, c := range d.Counters() {
		if strings.HasPrefix(c.Kernel, "w8a8_") {
			n += c.Launches
		}
	}
	return n
}

func TestEmulateUnknownChip(t *testing.T) {
	_, err := Emulate(sm(7, 5))
	if want := "sm_75: unsupported: the emulated chips are [sm_89 sm_90 sm_120 sm_121]"; !errors.Is(err, ErrUnsupported) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// What an emulated chip says of itself, and what its kernels did: one tile of 3 by 2 outputs, four MMAs along K.
func TestEmulatedCounters(t *testing.T) {
	d := must(Emulate(sm(12, 1)))(t)
	if d.Name() != "emulated sm_121" || d.Arch() != sm(12, 1) || d.Multiprocessors() != 48 {
		t.Errorf("%s, %v, %d multiprocessors", d.Name(), d.Arch(), d.Multiprocessors())
	}
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{Kernel: "w8a8_f32scale_mma_l0"}))(t)
	if v := must(multiplyOnes(t, w))(t); v != 128 {
		t.Errorf("got %g, want 128", v)
	}
	var got []string
	for _, c := range d.Counters() {
		got = append(got, fmt.Sprintf("%s: %d launches, %d blocks, %d MMAs", c.Kernel, c.Launches, c.Blocks, c.MMAs))
	}
	want := "[upcast_e8m0: 1 launches, 1 blocks, 0 MMAs w8a8_f32scale_mma_l0: 1 launches, 1 blocks, 4 MMAs]"
	if fmt.Sprint(got) != want {
		t.Errorf("counted %v, want %v", got, want)
	}
	noError(t, d.Close())
	fake, _ := openFake(t)
	if c := fake.Counters(); c != nil {
		t.Errorf("a device that is not emulated counted %v", c)
	}
}

// A kernel that leaves its memory is an error with the line of its CUDA source, at
// the next call that waits and at every one after it.
func TestEmulatedFault(t *testing.T) {
	d := must(Emulate(sm(12, 0)))(t)
	s := must(d.NewStream())(t)
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{Kernel: "w8a8_f32scale_mma_l0"}))(t)
	o := place(t, d, s, onesActivations(t, 2), 3, scale.Float32, nil)
	o.reserve(t, d, w)
	small := must(d.NewBuffer(20))(t) // of the 24 bytes that it is said to have
	o.call.C = Result{Data: Region{Buffer: must(d.WrapBuffer(small.Address(), 24))(t)}, Stride: 3}
	noError(t, w.MatMul(s, o.call))
	fault := s.Sync()
	says := regexp.MustCompile(`^launch w8a8_f32scale_mma_l0: device fault: w8a8_f32scale_mma_l0\.ptx:\d+ \(w8a8\w*\.cuh?:\d+\): out of bounds: ` +
		`kernel w8a8_f32scale_mma_l0, block \[0 0 0\], thread \[\d+ 0 0\]: .*byte 20 of an allocation of 20`)
	if !errors.Is(fault, ErrFault) || !says.MatchString(fault.Error()) {
		t.Errorf("got %v, want what matches %v", fault, says)
	}
	_, multiplyErr := multiplyOnes(t, w)
	for i, err := range []error{multiplyErr, s.Sync(), small.Read(s, make([]byte, 4), 0), w.MatMul(s, o.call), w.Update(onesWeight(t, 3, 0x7F)), d.Close()} {
		if !errors.Is(err, ErrFault) {
			t.Errorf("call %d after a fault: %v", i, err)
		}
	}
	if err := d.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("closing twice: %v", err)
	}
}

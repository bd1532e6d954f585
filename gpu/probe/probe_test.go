package probe

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"testing"

	"blockfp8/gpu"
)

// The emulated chips do what their datapaths and the oracle say, and every form of
// the kernels is among what was compared.
func TestEmulatedChips(t *testing.T) {
	for arch, run := range map[gpu.Arch][]gpu.Instruction{
		{Major: 8, Minor: 9}:  {gpu.MMA},
		{Major: 9, Minor: 0}:  {gpu.MMA, gpu.WGMMA},
		{Major: 12, Minor: 0}: {gpu.MMA, gpu.MMAScaled},
		{Major: 12, Minor: 1}: {gpu.MMA, gpu.MMAScaled},
	} {
		if testing.Short() && arch.Minor != 1 {
			continue
		}
		dev, err := gpu.Emulate(arch)
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		o := Options{Outputs: 10_000, Problems: 1, Seed: 1, Progress: func(string) { steps++ }}
		r, err := Run(dev, o)
		if err := errors.Join(err, dev.Close()); err != nil {
			t.Fatal(err)
		}
		if r.Different() != 0 || len(r.Failures()) != 0 || steps != o.Steps() {
			t.Errorf("%v: %d different, failures %q, %d steps", arch, r.Different(), r.Failures(), steps)
		}
		for _, i := range run {
			if got := r.Instructions[i]; got.Outputs < 10_000 || len(got.Categories) != len(categories) || got.Datapath == "" || got.Fits != nil {
				t.Errorf("%v: %+v", arch, got)
			}
		}
		major := map[string]int{"ue8m0 mx": 12, "f32scale wgmma": 9} // of the chips of families that are not for all
		for n, f := range r.Kernels.Forms {
			only, some := major[gpu.Forms()[n].Family]
			if exists := !some || only == arch.Major; exists != (f.Outputs > 0) {
				t.Errorf("%v: %d outputs of %s", arch, f.Outputs, f.Form)
			}
		}
	}
}

func TestStop(t *testing.T) {
	dev, err := gpu.Emulate(gpu.Arch{Major: 12, Minor: 0})
	if err != nil {
		t.Fatal(err)
	}
	want := errors.New("enough")
	if _, err := Run(dev, Options{Outputs: 1, Problems: 1, Stop: func() error { return want }}); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// A seed gives the same tiles on every machine, so that a published mismatch can be
// drawn again.
func TestTilesStayTheSame(t *testing.T) {
	tiles := drawTiles(gpu.MMAScaled, 10, 1)
	h := sha256.New()
	for _, part := range []any{tiles.A, tiles.B, tiles.SA, tiles.SB, tiles.C} {
		if err := binary.Write(h, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	const want = "2bd4232e85585a661137a9e7554feccf97cea4f0b6a176d09a7952dc3ef13385"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("sha256 of the tiles is %s, want %s", got, want)
	}
}

package interp

import (
	"os"
	"path/filepath"
	"testing"

	"blockfp8/gpu/internal/ptx"
	"blockfp8/ref"
)

var chipSM90 = Chip{Name: "sm_90", Target: 90, MMA: ref.SM90MMA, WGMMA: ref.SM90WGMMA, SharedPerBlock: 227 << 10, Multiprocessors: 132}

var chipSM120 = Chip{Name: "sm_120", Target: 120, MMA: ref.SM120, MMAScaled: ref.SM120MX, SharedPerBlock: 99 << 10, Multiprocessors: 188}

// All PTX that is shipped compiles.
func TestShippedKernelsCompile(t *testing.T) {
	files, err := filepath.Glob("../../../kernels/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ptx.Parse(filepath.Base(name), string(text))
		if err != nil {
			t.Error(err)
			continue
		}
		chip := chipSM120
		if m.Target == "sm_90a" {
			chip = chipSM90
		}
		p, err := Compile(m, chip, Options{Check: true})
		if err != nil {
			t.Error(err)
			continue
		}
		if len(p.kernels) == 0 {
			t.Errorf("%s holds no kernels", name)
		}
	}
}

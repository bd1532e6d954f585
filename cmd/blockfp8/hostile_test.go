package main

import (
	"path/filepath"
	"testing"

	"blockfp8/safetensors"
)

// Extents that a file without data can claim must end quickly, and never in a panic.
func TestExtremeExtents(t *testing.T) {
	const huge = 1 << 61
	dir := t.TempDir()
	empty := save(t, filepath.Join(dir, "empty.safetensors"), nil, f8("a.weight", nil, 0, huge), e8m0("a.scale", nil, 0, huge/128))
	flat := save(t, filepath.Join(dir, "flat.safetensors"), nil, f8("a.weight", nil, huge, 0), e8m0("a.scale", nil, huge/128, 0))
	none := save(t, filepath.Join(dir, "none.safetensors"), nil, f8("a.weight", nil, 0, 0), e8m0("a.scale", nil, 0, 0))
	one := save(t, filepath.Join(dir, "one.safetensors"), nil, f8("a.weight", []byte{0x38}, 1, 1), e8m0("a.scale", []byte{0x7F}, 1, 1))
	source := save(t, filepath.Join(dir, "source.safetensors"), nil,
		stored{safetensors.Tensor{Name: "a.weight", DType: safetensors.F32, Shape: []int64{huge, 0}}, nil},
		stored{safetensors.Tensor{Name: "b.weight", DType: safetensors.F32, Shape: []int64{0, huge}}, nil},
		f32("c.weight", []float32{1}, 1, 1))
	for _, args := range [][]string{
		{"inspect", empty},
		{"inspect", flat},
		{"inspect", none},
		{"inspect", one, "--block", "9223372036854775807x9223372036854775807"},
		{"run", empty},
		{"run", flat},
		{"run", none},
		{"run", one, "--m", "4611686018427387904"},
		{"run", one, "--block", "9223372036854775807x9223372036854775807"},
		{"run", "--scale-down", "9223372036854775807"},
		{"quantize", source, filepath.Join(dir, "out.safetensors"), "--block", "1x9223372036854775807"},
		{"quantize", one, filepath.Join(dir, "out2.safetensors")},
		append(sm120("c", "--recipe", "auto"), "--block", "9223372036854775807x9223372036854775807"),
	} {
		if o := command(t, args...); o.code == exitDifferent {
			t.Errorf("%q: exit %d, %s%s", args, o.code, o.out, o.err)
		}
	}
}

package emulated

import (
	"fmt"
	"testing"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/ptx"
)

func TestChips(t *testing.T) {
	if got, want := fmt.Sprint(Archs()), "[sm_89 sm_90 sm_120 sm_121]"; got != want {
		t.Fatalf("the chips are %s, want %s", got, want)
	}
	for i, want := range []string{
		"emulated sm_89: 128 multiprocessors, 101376 bytes, sm89, ",
		"emulated sm_90: 132 multiprocessors, 232448 bytes, sm90mma, ",
		"emulated sm_120: 188 multiprocessors, 101376 bytes, sm120, sm120mx",
		"emulated sm_121: 48 multiprocessors, 101376 bytes, sm120, sm120mx",
	} {
		arch := Archs()[i]
		d, err := Open(arch, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := d.chip.interp()
		got := fmt.Sprintf("%s: %d multiprocessors, %d bytes, %s, %s", d.Name(), d.Multiprocessors(), c.SharedPerBlock, c.MMA.Name, c.MMAScaled.Name)
		if got != want || d.Arch() != arch || c.Name != arch.String() || c.Target != 10*arch.Major+arch.Minor || d.Version() != 0 {
			t.Errorf("%s, %+v; want %s", got, c, want)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTargets(t *testing.T) {
	for target, want := range map[string]string{
		"sm_50":    "[true true true true]",
		"sm_89":    "[true true true true]",
		"sm_90":    "[false true true true]",
		"sm_120":   "[false false true true]",
		"sm_121":   "[false false false true]",
		"sm_122":   "[false false false false]",
		"sm_90a":   "[false true false false]",
		"sm_120a":  "[false false true false]",
		"sm_121a":  "[false false false true]",
		"sm_100f":  "[false false false false]",
		"sm_120f":  "[false false true true]",
		"sm_121f":  "[false false false true]",
		"sm_120x":  "[false false false false]",
		"sm_120af": "[false false false false]",
		"sm_":      "[false false false false]",
		"sm_-1":    "[false false false false]",
		"89":       "[false false false false]",
		"":         "[false false false false]",
	} {
		var got []bool
		for _, arch := range Archs() {
			got = append(got, runs(target, arch))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q runs on %v, want %s", target, got, want)
		}
	}
}

// What a kernel declares counts against what a launch may add.
func TestSharedMemory(t *testing.T) {
	variables := []ptx.Variable{
		{Space: ptx.Shared, Align: 1, Size: 3},
		{Space: ptx.Shared, Align: 16, Size: 32},
		{Space: ptx.Shared, Align: 128, Extern: true},
		{Space: ptx.Local, Align: 8, Size: 1000},
	}
	if got := staticShared(variables); got != 48 {
		t.Errorf("%d bytes declared, want 48", got)
	}
	const text = `.version 8.4
.target sm_89
.address_size 64
.shared .align 16 .b8 here[40000];
.visible .entry k() .maxntid 64, 1, 1 {
	ret;
}
`
	d, err := Open(driver.Arch{Major: 8, Minor: 9}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Device: d, t: t}
	m := b.load(text)
	launch := func(shared, threads uint32) error {
		return d.Launch(driver.Launch{Function: b.kernel, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{threads, 1, 1}, Shared: shared})
	}
	b.ok(launch(9152, 64))
	b.refused(launch(9153, 64), driver.ErrLaunch, "9153 bytes of dynamic shared memory; at most 9152")
	b.refused(launch(0, 65), driver.ErrLaunch, "at most 64 in all")
	b.refused(d.SetMaxDynamicShared(b.kernel, 61377), driver.ErrLaunch, "a block on sm_89 has 101376, of which the kernel declares 40000")
	b.refused(d.SetMaxDynamicShared(b.kernel, -1), driver.ErrLaunch, "-1 bytes")
	b.ok(d.SetMaxDynamicShared(b.kernel, 61376))
	b.ok(launch(61376, 64))
	b.ok(d.Sync(0))

	b.refused(d.SetMaxDynamicShared(99, 0), driver.ErrFailed, "there is no function 99")
	_, err = d.Function(m, "none")
	b.refused(err, driver.ErrFailed, "none of that name")
	b.ok(d.UnloadModule(m))
	b.refused(launch(0, 1), driver.ErrFailed, "there is no function")
	b.refused(d.UnloadModule(m), driver.ErrFailed, "there is no module")
	b.ok(d.Close())
}

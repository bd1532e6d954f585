package predict

import (
	"math"
	"testing"

	"blockfp8/gpu/kernels"
)

// round is a chip of round numbers.
var round = Chip{
	Multiprocessors: 2, ClockGHz: 1, MemoryGBs: 100, CopyShare: 0.5, L2GBs: 200, MMACycles: 4, IntegerLanes: 64,
	WarpGap: 2, LoadNs: 100, StartUs: 0.25, RampUs: 1, SharedBytes: 100 << 10, Warps: 48, Blocks: 24,
}

// threeBlocks is a launch of three blocks, so that one of two multiprocessors has
// two of them.
func threeBlocks() Work {
	return Work{
		Blocks: 3, Warps: 4, Shared: 49 << 10, MMAs: 1200, OtherPTX: 6000, SharedPasses: 1800, Conflicts: 600, SectorBytes: 300_000, Streams: true,
		LeastBytes: 100_000, LeastMMAs: 1000,
		Resources: kernels.Resources{
			Registers: 63, // 64 for each of 32 threads: 2048 for a warp
			// 26 instructions for 20 of PTX: 6000 become 7800, and 1200 MMAs come to them.
			Loop:    kernels.Loop{MMAs: 4, Instructions: 30, OfMMAs: 4, Pipes: map[string]int{"integer": 9, "convert": 3}},
			PTXLoop: kernels.Loop{MMAs: 4, Instructions: 24, Chains: 2},
		},
	}
}

func TestParts(t *testing.T) {
	p := round.Predict(threeBlocks())
	want := map[string]float64{
		"memory":                 2,     // 100 KB at half of 100 GB/s
		"L2 cache":               3.125, // 200 KB through a port of 64 bytes; 300 KB at 200 GB/s take 1.5
		"issue":                  1.5,   // two thirds of 9000, four in a cycle
		"integer and conversion": 1.2,   // of which 12 in 30, two cycles each
		"shared memory":          1.2,   // two thirds of 1800
		"MMA":                    3.2,   // two thirds of 1200, four cycles each
		"latency":                2.9,   // of a warp 650 instructions of 2 cycles and 100 MMAs of 16, both blocks at once
	}
	if len(p.Parts) != len(want) {
		t.Fatalf("%d parts, want %d", len(p.Parts), len(want))
	}
	for _, part := range p.Parts {
		if w := want[part.Name]; math.Abs(part.Microseconds-w) > 1e-9 {
			t.Errorf("%s: %g us, want %g", part.Name, part.Microseconds, w)
		}
	}
	if p.Bound != "MMA" || math.Abs(p.Microseconds-4.2) > 1e-9 {
		t.Errorf("%g us, bound by %s; want 1 of ramp and 3.2, MMA", p.Microseconds, p.Bound)
	}
	// 1000 MMAs are 2 us of two multiprocessors, 100 KB are 1 us of the memory.
	for name, pair := range map[string][2]float64{
		"slots": {p.SlotsPerMMA, 7.5}, "shared bytes": {p.SharedBytesPerMMA, 192}, "conflicts": {p.ConflictsPerMMA, 0.5},
		"memory": {p.MemoryShare, 1 / 4.2}, "MMA": {p.MMAShare, 2 / 4.2},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, pair[0], pair[1])
		}
	}
}

// Each of the four limits in turn.
func TestOccupancy(t *testing.T) {
	for _, c := range []struct {
		warps, registers, shared int
		want                     Occupancy
	}{
		{4, 63, 49 << 10, Occupancy{2, 8, "shared memory"}},   // 100 KB for 50 each
		{8, 168, 0, Occupancy{1, 8, "registers"}},             // 65536 for 43008 each
		{16, 32, 0, Occupancy{3, 48, "warps"}},                // 48
		{1, 32, 0, Occupancy{24, 24, "blocks"}},               // 24
		{8, 255, 98 << 10, Occupancy{1, 8, "registers"}},      // 65536 for 65536
		{8, 256, 120 << 10, Occupancy{1, 8, "shared memory"}}, // at least one
	} {
		w := Work{Warps: c.warps, Shared: c.shared, Resources: kernels.Resources{Registers: c.registers}}
		if got := round.occupancy(&w); got != c.want {
			t.Errorf("%d warps, %d registers, %d bytes: %+v, want %+v", c.warps, c.registers, c.shared, got, c.want)
		}
	}
}

func TestLatency(t *testing.T) {
	w := threeBlocks()
	check := func(c Chip, want float64, why string) {
		t.Helper()
		if got := c.latency(&w, c.occupancy(&w), 2); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g us, want %g: %s", got, want, why)
		}
	}
	w.Streams = false
	check(round, 12.9, "each of a warp's 100 MMAs waits 0.1 for its loads")
	w.Streams, w.Shared = true, 80<<10
	check(round, 6.05, "two blocks of 2.9 one after the other, and a start of 0.25")
	w.Shared = 0
	c := round
	c.MMALatency = 40
	check(c, 3.3, "1.3, and 100 MMAs of 40 cycles in two chains")
	c.MMACycles = 8
	check(c, 4.5, "1.3, and 100 MMAs in 32 cycles of a quarter each")
	c.EmulatedMMA = true
	check(c, 5.3, "1.3, and 100 MMAs one after the other")
}

// An emulated MMA is many instructions.
func TestSlotsOfEmulatedMMA(t *testing.T) {
	w := threeBlocks()
	w.Resources.Loop = kernels.Loop{MMAs: 4, Instructions: 100, OfMMAs: 80}
	// 20 for 20 of PTX, and 20 for each MMA.
	if got := w.slots(); got != 6000+1200*20 {
		t.Errorf("%g slots, want 30000", got)
	}
}

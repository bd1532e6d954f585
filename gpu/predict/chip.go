package predict

import "blockfp8/gpu"

// Chip is a product as the model sees it. Rates without a unit are for each
// multiprocessor and cycle.
type Chip struct {
	Product         string   `json:"product"`
	Arch            gpu.Arch `json:"-"`
	Multiprocessors int      `json:"multiprocessors"`
	ClockGHz        float64  `json:"clockGHz"`

	MemoryGBs float64 `json:"memoryGBs"` // as the vendor says
	CopyShare float64 `json:"copyShare"` // what copies reach of it
	L2GBs     float64 `json:"l2GBs"`

	MMACycles float64 `json:"mmaCycles"` // from one MMA of 16x8x32 to the next
	// MMALatency is the cycles from an MMA to the next that adds to its result.
	MMALatency float64 `json:"mmaLatency"`
	// EmulatedMMA says that an MMA is a sequence of other instructions, which a warp
	// ends before it begins the next, whether that adds to its result or not.
	EmulatedMMA  bool    `json:"emulatedMMA"`
	IntegerLanes float64 `json:"integerLanes"` // threads' integer instructions and conversions
	// WarpGap is the cycles from one instruction of a warp to its next, MMAs left out
	// and nothing else in its way.
	WarpGap float64 `json:"warpGap"`
	LoadNs  float64 `json:"loadNs"` // from a load to its use where nothing hides it
	RampUs  float64 `json:"rampUs"` // of a launch, until all bytes flow, and its end
	// StartUs is the same of a block that follows another in its place.
	StartUs float64 `json:"startUs"`

	SharedBytes int `json:"sharedBytes"` // of a multiprocessor
	Warps       int `json:"warps"`       // that it holds at most
	Blocks      int `json:"blocks"`      // likewise
}

// What all chips have in common.
const (
	issueSlots    = 4   // of a multiprocessor and cycle: one for each quarter
	sharedRow     = 128 // bytes of shared memory in a cycle
	l2PortBytes   = 64  // from the L2 cache to a multiprocessor in a cycle
	registerFile  = 64 << 10
	registerUnit  = 256  // registers are given to warps in such pieces
	sharedReserve = 1024 // bytes of shared memory that the system takes for each block
	sectorBytes   = 32
	mmaProducts   = 16 * 8 * 32
)

// Chips are the products that the model knows.
//
// Of the H200 the share of copies is measured, and L2GBs, MMALatency, WarpGap, LoadNs,
// RampUs and StartUs are fitted to this module's own times. Of the others all below
// MemoryGBs is assumed: the share of copies, the gap, loads, ramp and start are the
// H200's; the L2 cache's rate is a published measurement of the RTX PRO 6000, a quarter
// of it for GB10 and a guess for the RTX 4090; an MMA's rate is what vendors' numbers say
// with float32 sums at full rate, as for workstations (GeForce cards are measured at half
// of it, for MMAs without scales only); 35 cycles of latency are published of another
// chip of the family.
var Chips = []Chip{
	{
		Product: "H200", Arch: gpu.Arch{Major: 9, Minor: 0}, Multiprocessors: 132, ClockGHz: 1.98,
		MemoryGBs: 4800, CopyShare: 0.88, L2GBs: 5500,
		MMACycles: 3.2, MMALatency: 67, EmulatedMMA: true, IntegerLanes: 64, WarpGap: 2.1, LoadNs: 400, RampUs: 2.9, StartUs: 2,
		SharedBytes: 228 << 10, Warps: 64, Blocks: 32,
	},
	{
		Product: "GeForce RTX 4090", Arch: gpu.Arch{Major: 8, Minor: 9}, Multiprocessors: 128, ClockGHz: 2.52,
		MemoryGBs: 1008, CopyShare: 0.88, L2GBs: 5000,
		MMACycles: 8, MMALatency: 35, IntegerLanes: 64, WarpGap: 2.1, LoadNs: 400, RampUs: 2.9, StartUs: 2,
		SharedBytes: 100 << 10, Warps: 48, Blocks: 24,
	},
	{
		Product: "RTX PRO 6000 Blackwell", Arch: gpu.Arch{Major: 12, Minor: 0}, Multiprocessors: 188, ClockGHz: 2.6,
		MemoryGBs: 1792, CopyShare: 0.88, L2GBs: 8700,
		MMACycles: 4, MMALatency: 35, IntegerLanes: 128, WarpGap: 2.1, LoadNs: 400, RampUs: 2.9, StartUs: 2,
		SharedBytes: 100 << 10, Warps: 48, Blocks: 24,
	},
	{
		Product: "GB10", Arch: gpu.Arch{Major: 12, Minor: 1}, Multiprocessors: 48, ClockGHz: 2.5,
		MemoryGBs: 273, CopyShare: 0.88, L2GBs: 2175,
		MMACycles: 4, MMALatency: 35, IntegerLanes: 128, WarpGap: 2.1, LoadNs: 400, RampUs: 2.9, StartUs: 2,
		SharedBytes: 100 << 10, Warps: 48, Blocks: 24,
	},
}

// ChipOf returns the product with a compute capability that the model knows.
func ChipOf(arch gpu.Arch) (Chip, bool) {
	for _, c := range Chips {
		if c.Arch == arch {
			return c, true
		}
	}
	return Chip{}, false
}

// Target is what a plan needs to know of the chip.
func (c Chip) Target() gpu.Target {
	return gpu.Target{Arch: c.Arch, Multiprocessors: c.Multiprocessors}
}

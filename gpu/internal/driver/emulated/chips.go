package emulated

import (
	"slices"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/ref"
)

// chip is a device that can be emulated.
type chip struct {
	arch            driver.Arch
	multiprocessors int
	sharedPerBlock  int // bytes, at most
	mma             ref.Datapath
	mmaScaled       ref.Datapath // no name where the chip has no block-scaled MMA
	wgmma           ref.Datapath // no name where the chip has none
}

// memoryBytes is the memory of every chip. It is the host's, of which a small
// machine has no more.
const memoryBytes = 4 << 30

// chips are those whose FP8 arithmetic package ref knows, as the products that
// this module is for have them: RTX 4090, H200, RTX PRO 6000 Blackwell, GB10.
var chips = [...]chip{
	{arch: driver.Arch{Major: 8, Minor: 9}, multiprocessors: 128, sharedPerBlock: 99 << 10, mma: ref.SM89},
	{arch: driver.Arch{Major: 9, Minor: 0}, multiprocessors: 132, sharedPerBlock: 227 << 10, mma: ref.SM90MMA, wgmma: ref.SM90WGMMA},
	{arch: driver.Arch{Major: 12, Minor: 0}, multiprocessors: 188, sharedPerBlock: 99 << 10, mma: ref.SM120, mmaScaled: ref.SM120MX},
	{arch: driver.Arch{Major: 12, Minor: 1}, multiprocessors: 48, sharedPerBlock: 99 << 10, mma: ref.SM120, mmaScaled: ref.SM120MX},
}

// Archs returns the compute capabilities that can be emulated, in ascending order.
func Archs() []driver.Arch {
	archs := make([]driver.Arch, len(chips))
	for i := range chips {
		archs[i] = chips[i].arch
	}
	return archs
}

func chipOf(a driver.Arch) (chip, bool) {
	i := slices.IndexFunc(chips[:], func(c chip) bool { return c.arch == a })
	if i < 0 {
		return chip{}, false
	}
	return chips[i], true
}

// interp is the chip as the interpreter sees it.
func (c *chip) interp() interp.Chip {
	return interp.Chip{
		Name: c.arch.String(), Target: 10*c.arch.Major + c.arch.Minor, MMA: c.mma, MMAScaled: c.mmaScaled, WGMMA: c.wgmma,
		SharedPerBlock: c.sharedPerBlock, Multiprocessors: c.multiprocessors,
	}
}

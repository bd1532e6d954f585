package gpu

import (
	"blockfp8/ref"
	"blockfp8/scale"
)

// family is the kernels that share their operands' types, the kind of their
// scales and their MMA, and so the bits of their results.
type family uint8

const (
	f32scaleMMA   family = iota // float32 scales beside an MMA that knows none
	ue8m0MX                     // E8M0 scales of both operands, inside the MMA
	f32scaleWGMMA               // as f32scaleMMA, with the MMA of Hopper's warpgroups
)

// families says of each what does not follow from a chip or a shape.
var families = [...]struct {
	name       string // what its kernels' names begin with
	words      string // the same without the operands' types
	scaleBytes int
	shared     int // bytes of shared memory that a block has on the smallest of its chips
	order      ordering
	status     string // what is to be known before its results are trusted
}{
	f32scaleMMA:   {name: "w8a8_f32scale_mma", words: "f32scale mma", scaleBytes: 4, shared: 99 << 10, order: writesResults},
	ue8m0MX:       {name: "w8a8_ue8m0_mx", words: "ue8m0 mx", scaleBytes: 1, shared: 99 << 10, order: writesResults, status: "assembled, not yet run on hardware"},
	f32scaleWGMMA: {name: "w8a8_f32scale_wgmma", words: "f32scale wgmma", scaleBytes: 4, shared: 227 << 10, order: waitsInside},
}

// String names the family without its operands' types, such as f32scale mma.
func (f family) String() string { return families[f].words }

// scaleBytes is the size of a scale of the operands that the family's kernels take.
func (f family) scaleBytes() int { return families[f].scaleBytes }

// prefersFP32Scale reports whether E8M0 scales have to be upcast for the kernels.
func (f family) prefersFP32Scale() bool { return f != ue8m0MX }

// status is empty for a family that has run on hardware.
func (f family) status() string { return families[f].status }

// recipe returns what the kernels compute with a datapath.
func (f family) recipe(d ref.Datapath, blockK int, output scale.Format) ref.Recipe {
	if f == ue8m0MX {
		return ref.UE8M0MX(output)
	}
	return ref.F32ScaleMMA(d, blockK, output)
}

// datapath returns the arithmetic of the family's MMA on a device.
func (f family) datapath(t Target) (ref.Datapath, error) {
	switch f {
	case ue8m0MX:
		return mxDatapath(t)
	case f32scaleWGMMA:
		return WGMMA.Datapath(t)
	}
	return mmaDatapath(t)
}

// family returns the family that multiplies a problem on a device. It follows from
// the device, the weight and what its activations were declared to be; never from
// M, nor from the activations of one call.
func (p Problem) family(t Target) family {
	switch {
	case hasMX(t.Arch) && p.E8M0 && p.E8M0Activations:
		return ue8m0MX
	case WGMMA.ExistsOn(t.Arch) == nil:
		return f32scaleWGMMA
	}
	return f32scaleMMA
}

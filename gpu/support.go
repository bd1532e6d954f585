package gpu

import "blockfp8/ref"

// emulationCompiler is the first compiler whose emulation of FP8 MMAs on sm_90 is
// the one that ref.SM90MMA describes. Older ones add in another order.
const emulationCompiler = 13000

// mmaDatapath returns the arithmetic of mma.sync m16n8k32 e4m3 on a device.
//
// It lists exact compute capabilities: a chip whose bits nobody has modelled is
// unsupported and not guessed from its family.
func mmaDatapath(t Target) (ref.Datapath, error) {
	switch t.Arch {
	case Arch{Major: 8, Minor: 9}:
		return ref.SM89, nil
	case Arch{Major: 9, Minor: 0}:
		if t.Compiler != 0 && t.Compiler < emulationCompiler {
			return ref.Datapath{}, unsupported(t.Arch, "its driver emulates FP8 in a way that has not been modelled; those with CUDA 13.0 or later do not")
		}
		return ref.SM90MMA, nil
	case Arch{Major: 10, Minor: 0}:
		return ref.SM100MMA, nil
	case Arch{Major: 12, Minor: 0}, Arch{Major: 12, Minor: 1}:
		return ref.SM120, nil
	}
	if t.Arch.Major < 8 || t.Arch.Major == 8 && t.Arch.Minor < 9 {
		return ref.Datapath{}, unsupported(t.Arch, "FP8 tensor cores begin with sm_89")
	}
	return ref.Datapath{}, unsupported(t.Arch, "its arithmetic has not been modelled")
}

func unsupported(a Arch, why string) error {
	return &handleError{what: a.String(), kind: ErrUnsupported, why: why}
}

// Supported reports whether a device runs this module's kernels, and on which
// datapath, or the reason why not.
func Supported(t Target) (bool, string) {
	d, err := mmaDatapath(t)
	if err != nil {
		return false, err.Error()
	}
	return true, "f32scale mma on datapath " + d.Name
}

// FormInfo describes one form of the kernel ladder.
type FormInfo struct {
	Name       string // for WeightOptions.Kernel
	Level      int
	BlockSizes string // the blocks along K that it takes
}

// Forms returns the kernel ladder, lowest level first. All forms give the same
// bits.
func Forms() []FormInfo {
	infos := make([]FormInfo, len(forms))
	for i := range forms {
		infos[i] = FormInfo{Name: forms[i].name, Level: forms[i].level, BlockSizes: forms[i].blockSizes()}
	}
	return infos
}

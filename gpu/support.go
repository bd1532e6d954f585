package gpu

import (
	"fmt"

	"blockfp8/ref"
)

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

// mxDatapath returns the arithmetic of the MMA that takes E8M0 scales on a device.
func mxDatapath(t Target) (ref.Datapath, error) {
	if !hasMX(t.Arch) {
		return ref.Datapath{}, unsupported(t.Arch, "an MMA with E8M0 scales has not been modelled of it, only of sm_120 and sm_121")
	}
	return ref.SM120MX, nil
}

func hasMX(a Arch) bool { return a == Arch{Major: 12, Minor: 0} || a == Arch{Major: 12, Minor: 1} }

func unsupported(a Arch, why string) error {
	return &handleError{what: a.String(), kind: ErrUnsupported, why: why}
}

// Supported reports whether a device runs this module's kernels, and on which
// datapaths, or the reason why not.
func Supported(t Target) (bool, string) {
	chosen := Problem{}.family(t)
	d, err := chosen.datapath(t)
	if err != nil {
		return false, err.Error()
	}
	text := chosen.String() + " on datapath " + d.Name
	if chosen != f32scaleMMA {
		if d, err = mmaDatapath(t); err == nil {
			text += fmt.Sprintf("; by name %v on datapath %s", f32scaleMMA, d.Name)
		}
	}
	if hasMX(t.Arch) {
		text += fmt.Sprintf("; %v on datapath %s (%s)", ue8m0MX, ref.SM120MX.Name, ue8m0MX.status())
	}
	return true, text
}

// FormInfo describes one form of a kernel.
type FormInfo struct {
	Name string // for WeightOptions.Kernel
	// Family names the forms that give the same bits, such as f32scale mma.
	Family     string
	Level      int    // of its family's ladder
	BlockSizes string // the blocks along K that it takes
	// E8M0Activations says that it takes only weights with E8M0 scales and
	// WeightOptions.E8M0Activations.
	E8M0Activations bool
	// Status is empty for a form that has run on hardware.
	Status string
}

// Forms returns the ladder of each family, lowest level first.
func Forms() []FormInfo {
	infos := make([]FormInfo, len(forms))
	for i := range forms {
		f := &forms[i]
		infos[i] = FormInfo{
			Name: f.name, Family: f.family.String(), Level: f.level, BlockSizes: f.blockSizes(), E8M0Activations: !f.family.prefersFP32Scale(), Status: f.family.status(),
		}
	}
	return infos
}

package scale

import (
	"fmt"
	"math"
)

// UpcastMode names one of the two readings of an E8M0 code as float32 that are
// in use. The zero value is OCP.
type UpcastMode uint8

const (
	// OCP is the value that the MX specification gives: 0x00 is 2^-127, 0xFF
	// is NaN. CUDA, PyTorch and CUTLASS agree.
	OCP UpcastMode = iota
	// Shift places the code in float32's exponent field (uint32(c) << 23). It
	// differs from OCP in exactly two codes: 0x00 becomes 0, so its whole
	// block is muted, and 0xFF becomes +Inf. vLLM's _upcast_e8m0_to_fp32 and
	// DeepGEMM's unpack_ue8m0_from_int do this. Use it only to reproduce the
	// bits of such kernels.
	Shift
)

func (m UpcastMode) String() string {
	switch m {
	case OCP:
		return "OCP"
	case Shift:
		return "Shift"
	}
	return fmt.Sprintf("UpcastMode(%d)", uint8(m))
}

// Upcast writes the float32 value of every code of src to dst in the given
// mode. The lengths must be equal. On an error dst is untouched.
func Upcast(dst []float32, src []E8M0, mode UpcastMode) error {
	if len(dst) != len(src) {
		return &Mismatch{Kind: ErrShape, What: "upcast destination", Want: fmt.Sprintf("%d values", len(src)), Got: fmt.Sprint(len(dst))}
	}
	switch mode {
	case OCP:
		for i, s := range src {
			dst[i] = s.Float32()
		}
	case Shift:
		for i, s := range src {
			dst[i] = math.Float32frombits(uint32(s) << 23)
		}
	default:
		return &Mismatch{Kind: ErrOption, What: "upcast mode", Want: "OCP or Shift", Got: mode.String()}
	}
	return nil
}

package safetensors

// DType is an element type, spelled as in a header.
type DType string

// The dtypes of the format.
const (
	BOOL        DType = "BOOL"
	F4          DType = "F4"
	F6_E2M3     DType = "F6_E2M3"
	F6_E3M2     DType = "F6_E3M2"
	U8          DType = "U8"
	I8          DType = "I8"
	F8_E5M2     DType = "F8_E5M2"
	F8_E4M3     DType = "F8_E4M3"
	F8_E8M0     DType = "F8_E8M0"
	F8_E4M3FNUZ DType = "F8_E4M3FNUZ"
	F8_E5M2FNUZ DType = "F8_E5M2FNUZ"
	I16         DType = "I16"
	U16         DType = "U16"
	F16         DType = "F16"
	BF16        DType = "BF16"
	I32         DType = "I32"
	U32         DType = "U32"
	F32         DType = "F32"
	C64         DType = "C64"
	F64         DType = "F64"
	I64         DType = "I64"
	U64         DType = "U64"
)

// Bits returns the size of one element, and 0 for a dtype that the format does
// not have.
func (d DType) Bits() int {
	switch d {
	case F4:
		return 4
	case F6_E2M3, F6_E3M2:
		return 6
	case BOOL, U8, I8, F8_E5M2, F8_E4M3, F8_E8M0, F8_E4M3FNUZ, F8_E5M2FNUZ:
		return 8
	case I16, U16, F16, BF16:
		return 16
	case I32, U32, F32:
		return 32
	case C64, F64, I64, U64:
		return 64
	}
	return 0
}

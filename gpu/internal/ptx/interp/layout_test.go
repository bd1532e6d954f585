package interp

import "testing"

// mode is one dimension of a layout in the notation of CUTLASS's CuTe: coordinates
// count up along the first of the extents, each a step of its stride.
type mode struct{ extents, strides []int }

func (m mode) at(coordinate int) (offset int) {
	for i, n := range m.extents {
		if i < len(m.extents)-1 {
			offset += coordinate % n * m.strides[i]
			coordinate /= n
		} else {
			offset += coordinate * m.strides[i]
		}
	}
	return offset
}

// swizzled is CuTe's Swizzle<bits, base, shift>.
func swizzled(offset, bits, base, shift int) int {
	mask := (1<<bits - 1) << (base + shift)
	return offset ^ offset&mask>>shift
}

// The canonical layouts of operands that are stored along K, with T = 16 codes
// (CUTLASS, mma_sm90_desc.hpp): without a swizzle ((8,n),(T,2)):((1T,SBO),(1,LBO)),
// with the 128-byte swizzle Swizzle<3,4,3> o ((8,n),(T,2)):((8T,SBO),(1,T)).
func TestDescriptorIsCanonicalLayout(t *testing.T) {
	for _, start := range []int{0, 1024, 3072, 3072 + 32, 0x20000 + 96} {
		for _, stride := range []int{1024, 2048, 0x3000} {
			for _, leading := range []int{128, 256, 0x2000} {
				encoded := uint64(start>>4 | leading>>4<<16 | stride>>4<<32)
				plain, err := decodeDescriptor(encoded)
				if err != nil {
					t.Fatal(err)
				}
				tile, err := decodeDescriptor(encoded | 1<<62)
				if err != nil {
					t.Fatal(err)
				}
				rows := mode{[]int{8, 32}, []int{16, stride}}
				columns := mode{[]int{16, 2}, []int{1, leading}}
				tileRows := mode{[]int{8, 32}, []int{128, stride}}
				tileColumns := mode{[]int{16, 2}, []int{1, 16}}
				for row := range wgmmaMaxColumns {
					for k := range mmaK {
						if got, want := plain.at(row, k/16)+k%16, start+rows.at(row)+columns.at(k); got != want {
							t.Fatalf("start %d, strides %d and %d: code (%d, %d) at %d, want %d", start, leading, stride, row, k, got, want)
						}
						if got, want := tile.at(row, k/16)+k%16, swizzled(start+tileRows.at(row)+tileColumns.at(k), 3, 4, 3); got != want {
							t.Fatalf("start %d, stride %d, swizzled: code (%d, %d) at %d, want %d", start, stride, row, k, got, want)
						}
					}
				}
			}
		}
	}
}

package scale

import "fmt"

// packedAlign is the number of rows that a column of packed words is padded
// to: 4 words of 4 bytes are the 16 bytes that a GPU's bulk copy wants.
const packedAlign = 4

// PackedShape returns the shape of a grid in packed UE8M0 form: words of four
// codes along K, column-major, each column of words padded to a multiple of 4
// rows. Word (row, w) is at index w*stride+row.
func (l Layout) PackedShape() (words, stride int) {
	return ceilDiv(l.GridCols(), 4), ceilDiv(l.GridRows(), packedAlign) * packedAlign
}

// PackUE8M0 packs an E8M0 grid into int32 words, the form that DeepGEMM reads:
// code (row, 4w+i) is byte i, counted from the least significant, of word
// (row, w); see PackedShape for the order of words. Bytes of padding are 0. A
// float32 grid is an error: convert it with ToE8M0 first.
func PackUE8M0(g Grid) ([]int32, error) {
	if err := g.checkSet(); err != nil {
		return nil, err
	}
	if !g.IsE8M0() {
		return nil, &Mismatch{Kind: ErrOption, What: "packed UE8M0", Want: "an E8M0 grid", Got: "float32 scales"}
	}
	l := g.layout
	words, stride := l.PackedShape()
	packed := make([]int32, words*stride)
	for row := range l.GridRows() {
		for col := range l.GridCols() {
			code := uint32(g.e8m0[l.Index(row, col)])
			packed[col/4*stride+row] |= int32(code << (8 * (col % 4)))
		}
	}
	return packed, nil
}

// UnpackUE8M0 is the inverse of PackUE8M0: it returns a dense row-major grid of
// the extents, blocks and offset of l, whose strides are ignored. The number of
// words must be exactly what PackedShape says. Padding is never looked at.
func UnpackUE8M0(packed []int32, l Layout) (Grid, error) {
	l = l.dense()
	if err := l.Validate(); err != nil {
		return Grid{}, err
	}
	words, stride := l.PackedShape()
	if len(packed) != words*stride {
		return Grid{}, l.mismatch(ErrShape, fmt.Sprintf("%d packed words (%d columns of %d)", words*stride, words, stride), fmt.Sprint(len(packed)))
	}
	codes := make([]E8M0, l.Len())
	for row := range l.GridRows() {
		for col := range l.GridCols() {
			word := uint32(packed[col/4*stride+row])
			codes[l.Index(row, col)] = E8M0(word >> (8 * (col % 4)))
		}
	}
	return NewE8M0Grid(l, codes)
}

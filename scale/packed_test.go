package scale_test

import (
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

// A grid of 5 by 6: code 0x(row+1)(col), but row 4 has the top bit set.
var packedLayout = scale.RowMajor(10, 18, 2, 3)

var packedCodes = []scale.E8M0{
	0x10, 0x11, 0x12, 0x13, 0x14, 0x15,
	0x20, 0x21, 0x22, 0x23, 0x24, 0x25,
	0x30, 0x31, 0x32, 0x33, 0x34, 0x35,
	0x40, 0x41, 0x42, 0x43, 0x44, 0x45,
	0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xFF,
}

// Two columns of words, each of 5 rows and 3 of padding.
var packedWords = []uint32{
	0x13121110, 0x23222120, 0x33323130, 0x43424140, 0xF3F2F1F0, 0, 0, 0,
	0x00001514, 0x00002524, 0x00003534, 0x00004544, 0x0000FFF4, 0, 0, 0,
}

func TestPackLiteral(t *testing.T) {
	if words, stride := packedLayout.PackedShape(); words != 2 || stride != 8 {
		t.Fatalf("PackedShape: got %d, %d, want 2, 8", words, stride)
	}
	packed, err := scale.PackUE8M0(must(scale.NewE8M0Grid(packedLayout, packedCodes)))
	if err != nil || len(packed) != len(packedWords) {
		t.Fatalf("got %d words, %v", len(packed), err)
	}
	for i, want := range packedWords {
		if got := uint32(packed[i]); got != want {
			t.Errorf("word %d: got %#08x, want %#08x", i, got, want)
		}
	}
}

// The same codes stored in columns of 5 and 3 of poison give the same words.
func TestPackReadsAnyStorage(t *testing.T) {
	l := scale.ColMajor(10, 18, 2, 3, 8)
	codes := make([]scale.E8M0, 48)
	for i := range codes {
		codes[i] = 0xEE
	}
	for row := range 5 {
		for col := range 6 {
			codes[col*8+row] = packedCodes[row*6+col]
		}
	}
	packed, err := scale.PackUE8M0(must(scale.NewE8M0Grid(l, codes)))
	if err != nil || len(packed) != len(packedWords) {
		t.Fatalf("got %d words, %v", len(packed), err)
	}
	for i, want := range packedWords {
		if got := uint32(packed[i]); got != want {
			t.Errorf("word %d: got %#08x, want %#08x", i, got, want)
		}
	}
}

// Every byte of padding is 0xAA and none arrives.
func TestUnpackIgnoresPadding(t *testing.T) {
	packed := make([]int32, len(packedWords))
	for i, word := range packedWords {
		if i >= 8 {
			word |= 0xAAAA0000
		}
		if i%8 >= 5 {
			word = 0xAAAAAAAA
		}
		packed[i] = int32(word)
	}
	g := must(scale.UnpackUE8M0(packed, packedLayout))
	wantCodes(t, "unpacked", g.Codes(), packedCodes)
}

func TestPackedShape(t *testing.T) {
	for _, c := range []struct {
		layout        scale.Layout
		words, stride int
	}{
		{scale.RowMajor(1, 1, 128, 128), 1, 4},
		{scale.RowMajor(512, 512, 128, 128), 1, 4},
		{scale.RowMajor(513, 513, 128, 128), 2, 8},
		{scale.RowMajor(3, 1280, 1, 128), 3, 4},
		{scale.ColMajor(3, 1280, 1, 128, 4), 3, 4},
		{scale.RowMajor(0, 512, 128, 128), 0, 0},
		{scale.RowMajor(512, 0, 128, 128), 0, 0},
	} {
		if words, stride := c.layout.PackedShape(); words != c.words || stride != c.stride {
			t.Errorf("%v: got %d, %d, want %d, %d", c.layout, words, stride, c.words, c.stride)
		}
	}
}

func TestPackRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		codes := make([]scale.E8M0, l.Len())
		for i := range codes {
			codes[i] = scale.E8M0(rapid.Byte().Draw(t, "code"))
		}
		g := must(scale.NewE8M0Grid(l, codes))
		packed := must(scale.PackUE8M0(g))
		back := must(scale.UnpackUE8M0(packed, l))
		checkDense(t, "UnpackUE8M0", back, l)
		for i := range l.GridRows() {
			for j := range l.GridCols() {
				if got, want := back.Codes()[i*l.GridCols()+j], codes[i*l.RowStride+j*l.ColStride]; got != want {
					t.Fatalf("%v: block (%d, %d): got %#02x, want %#02x", l, i, j, uint8(got), uint8(want))
				}
			}
		}
	})
}

func TestPackErrors(t *testing.T) {
	_, err := scale.PackUE8M0(oneScale(1))
	wantMismatch(t, err, scale.ErrOption)
	for _, n := range []int{0, 15, 17} {
		_, err := scale.UnpackUE8M0(make([]int32, n), packedLayout)
		wantMismatch(t, err, scale.ErrShape)
	}
	_, err = scale.UnpackUE8M0(make([]int32, 4), scale.Layout{})
	wantMismatch(t, err, scale.ErrBlock)
	_, err = scale.UnpackUE8M0(make([]int32, 1), scale.RowMajor(0, 5, 1, 1))
	wantMismatch(t, err, scale.ErrShape)
	_, err = scale.UnpackUE8M0(nil, scale.RowMajor(1<<40, 1<<20, 1, 1))
	wantMismatch(t, err, scale.ErrShape)
	offset := packedLayout
	offset.RowOffset = 2
	_, err = scale.UnpackUE8M0(make([]int32, 16), offset)
	wantMismatch(t, err, scale.ErrOffset)
}

func TestUnpackIgnoresStrides(t *testing.T) {
	l := packedLayout
	l.RowStride, l.ColStride = 0, -3
	packed := must(scale.PackUE8M0(must(scale.NewE8M0Grid(packedLayout, packedCodes))))
	g := must(scale.UnpackUE8M0(packed, l))
	wantCodes(t, "unpacked", g.Codes(), packedCodes)
}

package scale_test

import (
	"math"
	"testing"

	"blockfp8/scale"
)

func FuzzE8M0Encode(f *testing.F) {
	for _, bits := range weird32 {
		f.Add(math.Float64bits(float64(f32(bits))))
	}
	for _, x := range []float64{1.5, 3, 0x1.8p-128, 0x1p-128, 0x1.8p127, 1 + 0x1p-40, 3 + 0x1p-40, 0x1p-1074, math.MaxFloat64} {
		f.Add(math.Float64bits(x))
	}
	f.Fuzz(func(t *testing.T, bits uint64) { checkE8M0(t, math.Float64frombits(bits)) })
}

func FuzzE4M3Encode(f *testing.F) {
	for _, bits := range weird32 {
		f.Add(math.Float64bits(float64(f32(bits))))
	}
	for _, mid := range []float64{0x1p-10, 15 * 0x1p-10, 17, 19, 432, 464} {
		f.Add(math.Float64bits(mid))
		f.Add(math.Float64bits(above64(mid)))
		f.Add(math.Float64bits(mid + 0x1p-40))
	}
	f.Fuzz(func(t *testing.T, bits uint64) { checkE4M3(t, math.Float64frombits(bits)) })
}

// FuzzGridIndex takes any layout at all. A valid one keeps its promises; an
// invalid one is refused with a reason, and small ones are refused rightly.
func FuzzGridIndex(f *testing.F) {
	f.Add(256, 512, 128, 128, 0, 4, 1)
	f.Add(96, 128, 128, 128, 96, 1, 1)
	f.Add(9, 5, 4, 2, 3, 1, 4)
	f.Add(6, 6, 2, 2, 0, 2, 3)
	f.Add(0, 512, 128, 128, 0, 1, 1)
	f.Add(3, 3, 1, 1, 0, 1, 1)
	f.Add(math.MaxInt, 1, 2, 1, 1, 1, 1)
	f.Add(math.MaxInt, math.MaxInt, 1, 1, 0, math.MaxInt, math.MaxInt)
	f.Add(math.MinInt, -1, 0, math.MinInt, -1, 0, -1)
	f.Fuzz(func(t *testing.T, rows, cols, blockRows, blockCols, offset, rowStride, colStride int) {
		l := scale.Layout{Rows: rows, Cols: cols, BlockRows: blockRows, BlockCols: blockCols, RowOffset: offset, RowStride: rowStride, ColStride: colStride}
		if err := l.Validate(); err != nil {
			checkRefusal(t, l, err)
			return
		}
		if l.Len() < 0 || l.GridRows() < 0 || l.GridCols() < 0 {
			t.Fatalf("%v: a count below 0: %d scales", l, l.Len())
		}
		if rows > 200 || cols > 200 || offset > 200 || rows*cols > 4096 {
			return
		}
		checkLayout(t, l)
		cut := rows / 3
		part, first, err := l.SliceRows(cut, rows)
		if err != nil {
			t.Fatal(err)
		}
		checkLayout(t, part)
		for row := range part.Rows {
			for col := range part.Cols {
				if first+part.IndexOf(row, col) != l.IndexOf(cut+row, col) {
					t.Fatalf("%v from row %d: element (%d, %d) is elsewhere", l, cut, row, col)
				}
			}
		}
	})
}

// checkRefusal looks whether the reason given is true.
func checkRefusal(t *testing.T, l scale.Layout, err error) {
	kind := scale.ErrStride
	switch {
	case l.Rows < 0 || l.Cols < 0:
		kind = scale.ErrShape
	case l.BlockRows < 1 || l.BlockCols < 1:
		kind = scale.ErrBlock
	case l.RowOffset < 0 || l.RowOffset >= l.BlockRows:
		kind = scale.ErrOffset
	case l.RowOffset+l.Rows < 0: // wrapped
		kind = scale.ErrShape
	}
	wantMismatch(t, err, kind)
	if kind != scale.ErrStride || l.RowStride < 1 || l.ColStride < 1 {
		return
	}
	rows, cols := l.GridRows(), l.GridCols()
	small := rows < 1<<20 && cols < 1<<20 && l.RowStride < 1<<20 && l.ColStride < 1<<20
	if small && ((cols-1)*l.ColStride < l.RowStride || (rows-1)*l.RowStride < l.ColStride) {
		t.Errorf("%v: one stride steps over the other, and yet %v", l, err)
	}
	if small && (rows <= 1 || cols <= 1) {
		t.Errorf("%v: one line has nothing to overlap, and yet %v", l, err)
	}
}

// FuzzE8M0Upcast takes any slice of codes: each becomes 2^(code-127), in both modes
// but for the two codes that a shift gets wrong, and whatever its neighbours are.
func FuzzE8M0Upcast(f *testing.F) {
	f.Add([]byte{0x00, 0x01, 0x7F, 0xFE, 0xFF}, uint8(0))
	f.Add([]byte{0xFF, 0x00, 0x00, 0xFF, 0x00, 0xFF, 0x80}, uint8(3))
	f.Add([]byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, bytes []byte, first uint8) {
		codes := scale.E8M0s(bytes)[min(int(first), len(bytes)):]
		ocp, shift := make([]float32, len(codes)+1), make([]float32, len(codes)+1)
		ocp[len(codes)], shift[len(codes)] = 7, 7 // beside the results
		for mode, dst := range map[scale.UpcastMode][]float32{scale.OCP: ocp, scale.Shift: shift} {
			if err := scale.Upcast(dst[:len(codes)], codes, mode); err != nil {
				t.Fatal(err)
			}
		}
		for i, c := range codes {
			want := math.Float32bits(float32(math.Ldexp(1, int(c)-127)))
			wantShift := want
			switch c {
			case 0x00:
				wantShift = 0
			case 0xFF:
				want, wantShift = 0x7FC00000, 0x7F800000
			}
			wantBits32(t, "OCP", ocp[i], want)
			wantBits32(t, "Shift", shift[i], wantShift)
		}
		if ocp[len(codes)] != 7 || shift[len(codes)] != 7 {
			t.Error("Upcast wrote past its destination")
		}
	})
}

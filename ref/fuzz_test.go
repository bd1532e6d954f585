package ref_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// cycled reads a byte string round and round; an empty one is zeros.
func cycled(b []byte, i int) byte {
	if len(b) == 0 {
		return 0
	}
	return b[i%len(b)]
}

// fuzzOperand makes an operand of cycled bytes. An E8M0 scale is a byte, a float32
// scale four.
func fuzzOperand(rows, k, br, bk, off int, e8 bool, codes, scales []byte) plain {
	p := plain{rows: rows, k: k, br: br, bk: bk, off: off, e8: e8}
	at := 0
	for range rows {
		row := make([]byte, k)
		for i := range row {
			row[i] = cycled(codes, at)
			at++
		}
		p.codes = append(p.codes, row)
	}
	at = 0
	for range (off + rows + br - 1) / br {
		row := make([]uint32, (k+bk-1)/bk)
		for i := range row {
			row[i] = uint32(cycled(scales, at))
			at++
			for range 3 {
				if !e8 {
					row[i] = row[i]<<8 | uint32(cycled(scales, at))
					at++
				}
			}
			if !e8 && row[i] == 0xFF7FFFFF {
				row[i] = 0 // the mark of a scale that was never set
			}
		}
		p.scales = append(p.scales, row)
	}
	return p
}

// FuzzMatMul holds the fast multiplication to Element, for any bytes, shapes and
// recipes, also those that no chip has and those that Check rejects.
func FuzzMatMul(f *testing.F) {
	ones := []byte{one}
	mixed := []byte{0x38, 0xB8, 0x7E, 0x01, 0x80, 0x08, 0xFE, 0x45, 0x2F}
	type seed struct {
		codesA, codesB, scalesA, scalesB []byte
		m, n                             uint8
		k                                uint16
		datapath, scaling, output        uint8
		partial, blockA, blockB          uint16
		splits, rowsB, offset            uint8
		e8A, e8B                         bool
		fraction, result                 uint8
	}
	for _, s := range []seed{
		{ones, ones, []byte{0x7F}, []byte{0x80, 0x7E}, 1, 1, 192, 6, 0, 1, 128, 128, 128, 0, 128, 0, true, true, 0, 0},                        // a dropped tail scale
		{ones, ones, []byte{0x34}, []byte{0x34}, 2, 3, 128, 3, 2, 0, 128, 128, 128, 0, 1, 0, true, true, 0, 0},                                // a product of scales that underflows
		{mixed, mixed[1:], []byte{0x00, 0xFE}, []byte{0x01, 0xFF}, 5, 4, 130, 7, 4, 0, 0, 32, 64, 0, 3, 1, true, true, 0, 0},                  // scales in the MMA
		{mixed, mixed[2:], []byte{0x3F, 0x80, 0x00, 0x01}, []byte{0x7F, 0x80, 0, 0}, 3, 3, 65, 0, 5, 2, 0, 7, 9, 0, 2, 1, false, false, 0, 0}, // exact, infinite scale
		{mixed, mixed[3:], []byte{0x7E}, []byte{0x81}, 4, 9, 257, 1, 1, 0, 32, 32, 96, 3, 5, 4, true, false, 0, 0},                            // splits
		{mixed, []byte{0x7F}, []byte{0x7F}, []byte{0x7F}, 4, 9, 33, 2, 3, 0, 32, 64, 32, 2, 5, 4, true, true, 0, 0},                           // NaN codes
		{nil, nil, nil, nil, 0, 3, 0, 0, 5, 0, 0, 1, 1, 0, 1, 0, true, true, 0, 0},                                                            // nothing
		{mixed, mixed, []byte{0x70}, []byte{0x90}, 2, 2, 300, 8, 0, 0, 96, 96, 192, 0, 1, 0, true, true, 12, 23},                              // no chip's datapath
	} {
		f.Add(s.codesA, s.codesB, s.scalesA, s.scalesB, s.m, s.n, s.k, s.datapath, s.scaling, s.output, s.partial, s.blockA, s.blockB,
			s.splits, s.rowsB, s.offset, s.e8A, s.e8B, s.fraction, s.result)
	}
	f.Fuzz(func(t *testing.T, codesA, codesB, scalesA, scalesB []byte, m, n uint8, k uint16, datapath, scaling, output uint8,
		partial, blockA, blockB uint16, splits, rowsB, offset uint8, e8A, e8B bool, fraction, result uint8,
	) {
		all := ref.Datapaths()
		r := ref.Recipe{KPerPartial: int(partial), Scaling: ref.Scaling(scaling % 7), Splits: int(splits), Output: scale.Format(output % 4)}
		if i := int(datapath) % (len(all) + 1); i < len(all) {
			r.Datapath = all[i]
		} else {
			r.Datapath = ref.Datapath{
				Name: "fuzzed", Grouping: ref.Grouping(fraction >> 6), FractionBits: int(fraction & 31), ResultBits: int(result & 31),
				ZeroExponent: -100 - int(result>>5)*8, AddsCLast: fraction&32 != 0, NormalizesSubnormals: result&32 != 0,
				TakesScales: r.Scaling == ref.InMMA, Exact: result == 255,
			}
		}
		br := max(1, int(rowsB))
		p := problem{
			a:      fuzzOperand(int(m%12), int(k%600), 1, max(1, int(blockA)%1024), 0, e8A, codesA, scalesA),
			b:      fuzzOperand(int(n%12), int(k%600), br, max(1, int(blockB)%1024), int(offset)%br, e8B, codesB, scalesB),
			recipe: r,
		}
		rng := rand.New(rand.NewPCG(uint64(k), uint64(splits)))
		p.x, p.y = p.a.operand(t, rng), p.b.operand(t, rng)
		if err := r.Check(p.x, p.y); err != nil {
			var mismatch *scale.Mismatch
			if !errors.As(err, &mismatch) {
				t.Fatalf("an error of another type: %v", err)
			}
			c := newGuarded(rng, p.a.rows, p.b.rows)
			if again := ref.MatMul(c.Matrix, p.x, p.y, r); again == nil || again.Error() != err.Error() {
				t.Fatalf("Check says %v, MatMul %v", err, again)
			}
			return
		}
		checkFast(t, rng, p, 144)
	})
}

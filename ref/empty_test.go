package ref_test

import (
	"fmt"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// bareOperand is an operand with the least storage that its extents need, none
// where there are no elements.
func bareOperand(t *testing.T, rows, k, stride int) ref.Operand {
	t.Helper()
	l := scale.RowMajor(rows, k, 1, 128)
	scales := make([]scale.E8M0, l.Len())
	for i := range scales {
		scales[i] = 0x7F
	}
	g, err := scale.NewE8M0Grid(l, scales)
	if err != nil {
		t.Fatal(err)
	}
	var codes []scale.E4M3
	if rows > 0 && k > 0 {
		codes = make([]scale.E4M3, (rows-1)*stride+k)
	}
	o, err := ref.NewOperand(codes, stride, g)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func allRecipes() []ref.Recipe {
	var all []ref.Recipe
	for _, d := range ref.Datapaths() {
		if d.TakesScales {
			all = append(all, ref.UE8M0MX(scale.Float32))
			continue
		}
		if d.Exact {
			all = append(all, ref.Exact(scale.Float32))
		}
		for _, s := range []ref.Scaling{ref.ActThenWeight, ref.ActThenWeightUnfused, ref.ProductFirst, ref.ProductFirstUnfused} {
			all = append(all, ref.Recipe{Datapath: d, KPerPartial: 128, Scaling: s})
		}
	}
	return all
}

// Nothing to multiply is normal: no error, no panic; K = 0 makes +0 everywhere.
func TestNothingToMultiply(t *testing.T) {
	for _, size := range [][3]int{{0, 5, 128}, {5, 0, 128}, {0, 0, 0}, {5, 3, 0}, {0, 3, 0}, {1, 1, 0}, {300, 200, 0}} {
		for _, wide := range []int{0, 1, 200} {
			for _, r := range allRecipes() {
				m, n, k := size[0], size[1], size[2]
				t.Run(fmt.Sprint(size, wide, r), func(t *testing.T) {
					x, y := bareOperand(t, m, k, k+wide), bareOperand(t, n, k, k+wide)
					c := ref.NewMatrix(m, n)
					for i := range c.Data {
						c.Data[i] = bitsFloat(guard)
					}
					if err := ref.MatMul(c, x, y, r); err != nil {
						t.Fatal(err)
					}
					for i, v := range c.Data {
						if floatBits(v) != 0 {
							t.Fatalf("element %d is %08x, want +0", i, floatBits(v))
						}
					}
					if m > 0 && n > 0 {
						if v, err := ref.Element(x, y, r, m-1, n-1); err != nil || floatBits(v) != 0 {
							t.Fatal(v, err)
						}
					}
				})
			}
		}
	}
}

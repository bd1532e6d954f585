package gpu

import (
	"fmt"

	"blockfp8/ref"
	"blockfp8/scale"
)

// rowAlignment is what rows of codes are aligned to in device memory: the longest
// copy of the kernels.
const rowAlignment = 16

// shapeOf checks that the groups of a weight are alike and returns what they have
// in common.
func shapeOf(groups []ref.Operand) (weightShape, error) {
	if len(groups) == 0 {
		return weightShape{}, &scale.Mismatch{Kind: scale.ErrShape, What: "grouped weight", Want: "at least 1 group", Got: "none"}
	}
	first := shapeOfGroup(groups[0])
	for i, g := range groups {
		if !g.Grid().IsSet() {
			return weightShape{}, &scale.Mismatch{Kind: scale.ErrUnsetScale, What: fmt.Sprintf("group %d of a weight", i), Want: "a grid of scales", Got: "the zero Operand"}
		}
		if s := shapeOfGroup(g); s != first {
			return weightShape{}, &scale.Mismatch{Kind: scale.ErrShape, What: fmt.Sprintf("group %d of a weight", i), Want: first.String() + " from row " + fmt.Sprint(first.rowOffset), Got: s.String() + " from row " + fmt.Sprint(s.rowOffset)}
		}
	}
	first.groups = len(groups)
	return first, nil
}

func shapeOfGroup(o ref.Operand) weightShape {
	l := o.Grid().Layout()
	return weightShape{
		groups: 1, n: l.Rows, k: l.Cols, blockN: l.BlockRows, blockK: l.BlockCols, rowOffset: l.RowOffset,
		gridRows: l.GridRows(), gridCols: l.GridCols(), e8m0: o.Grid().IsE8M0(), pitch: align(l.Cols, rowAlignment),
	}
}

// align rounds n up to a multiple of to.
func align(n, to int) int { return (n + to - 1) / to * to }

package scale_test

import (
	"errors"
	"fmt"

	"blockfp8/scale"
)

// An operand is codes and a grid of scales: element (row, col) means its code
// times the scale of its block.
func Example() {
	codes := scale.E4M3s([]byte{
		0x38, 0x40, 0x38, 0x40, // 1 2 1 2
		0xB8, 0x48, 0x7E, 0x00, // -1 4 448 0
	})
	layout := scale.RowMajor(2, 4, 2, 2) // 2x4 elements in blocks of 2x2
	grid, err := scale.NewE8M0Grid(layout, scale.E8M0s([]byte{0x7F, 0x7E}))
	if err != nil {
		fmt.Println(err)
		return
	}
	scales, err := grid.ToFP32(scale.OCP)
	if err != nil {
		fmt.Println(err)
		return
	}
	for row := range 2 {
		var meaning [4]float32
		for col := range meaning {
			meaning[col] = codes[row*4+col].Float32() * scales.Values()[scales.Layout().IndexOf(row, col)]
		}
		fmt.Println(meaning)
	}
	// Output:
	// [1 2 0.5 1]
	// [-1 4 224 0]
}

func ExampleE8M0_Float32() {
	for _, code := range []scale.E8M0{0x00, 0x7E, 0x7F, 0x80, 0xFE, 0xFF} {
		fmt.Printf("%#02x %g\n", uint8(code), code.Float32())
	}
	// Output:
	// 0x00 5.877472e-39
	// 0x7e 0.5
	// 0x7f 1
	// 0x80 2
	// 0xfe 1.7014118e+38
	// 0xff NaN
}

func ExampleEncodeE8M0() {
	for _, r := range []scale.Rounding{scale.RoundUp, scale.RoundFloor, scale.RoundNearestEven, scale.RoundNearestAway} {
		fmt.Println(scale.EncodeE8M0(3, r, scale.Saturate).Float32())
	}
	// Output:
	// 4
	// 2
	// 2
	// 4
}

// 192 rows over two ranks: the second starts inside the first block and still
// uses its scale for 32 rows.
func ExampleGrid_SliceRows() {
	weights, err := scale.NewFP32Grid(scale.RowMajor(192, 128, 128, 128), []float32{1, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	rank1, err := weights.SliceRows(96, 192)
	if err != nil {
		fmt.Println(err)
		return
	}
	layout := rank1.Layout()
	for _, row := range []int{0, 31, 32, 95} {
		fmt.Println(row, rank1.Values()[layout.IndexOf(row, 0)])
	}
	// Output:
	// 0 1
	// 31 1
	// 32 4
	// 95 4
}

func ExampleQuantizeWeights() {
	w := []float32{
		672, 3, 0, 0,
		-96, 6, 0, 0,
	}
	codes, grid, err := scale.QuantizeWeights(w, 2, 4, 4, 2, 2, scale.WeightE8M0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("scales % x\n", grid.Codes())
	for row := range 2 {
		fmt.Printf("codes  % x\n", codes[row*4:row*4+4])
	}
	// Output:
	// scales 80 7f
	// codes  7a 3c 00 00
	// codes  e4 44 00 00
}

func ExampleGrid_ToE8M0() {
	grid, err := scale.NewFP32Grid(scale.RowMajor(128, 128, 128, 128), []float32{1.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = grid.ToE8M0()
	fmt.Println(errors.Is(err, scale.ErrInexact))
	// Output:
	// true
}

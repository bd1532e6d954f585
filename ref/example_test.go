package ref_test

import (
	"fmt"
	"log"

	"blockfp8/ref"
	"blockfp8/scale"
)

// filled is an operand full of one code in blocks of 128x128, with E8M0 scales.
func filled(code scale.E4M3, rows, k int, scales ...scale.E8M0) ref.Operand {
	codes := make([]scale.E4M3, rows*k)
	for i := range codes {
		codes[i] = code
	}
	grid, err := scale.NewE8M0Grid(scale.RowMajor(rows, k, 128, 128), scales)
	if err != nil {
		log.Fatal(err)
	}
	o, err := ref.NewOperand(codes, k, grid)
	if err != nil {
		log.Fatal(err)
	}
	return o
}

// A multiplication as Triton's kernel does it on an RTX PRO 6000.
func Example() {
	a := filled(0x38, 2, 192, 0x7F, 0x7F) // ones, scales 1
	b := filled(0x38, 3, 192, 0x80, 0x7E) // ones, scales 2 and 1/2
	c := ref.NewMatrix(2, 3)
	if err := ref.MatMul(c, a, b, ref.Triton(ref.SM120, 128, scale.BFloat16)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Row(0), c.Row(1))
	// Output: [288 288 288] [288 288 288]
}

// One element of a result with more than 2^31 elements, which is never made.
func ExampleElement() {
	codes := make([]scale.E4M3, 1<<20)
	codes[1<<20-1] = 0x40 // 2
	grid, err := scale.NewE8M0Grid(scale.RowMajor(1<<20, 1, 1<<20, 128), []scale.E8M0{0x7F})
	if err != nil {
		log.Fatal(err)
	}
	a, err := ref.NewOperand(codes, 1, grid)
	if err != nil {
		log.Fatal(err)
	}
	last := a.Rows() - 1
	v, err := ref.Element(a, a, ref.Exact(scale.Float32), last, last)
	fmt.Println(v, err)
	// Output: 4 <nil>
}

// What a chip's arithmetic costs: 2^16 and fifteen times 7.5, of which Hopper's
// 13 bits keep nothing.
func ExampleExact() {
	row := make([]scale.E4M3, 16)
	for i := range row {
		row[i] = 0x4F // 7.5
	}
	row[0] = 0x78 // 256
	column := make([]scale.E4M3, 16)
	for i := range column {
		column[i] = 0x38 // 1
	}
	column[0] = 0x78
	grid, err := scale.NewE8M0Grid(scale.RowMajor(1, 16, 128, 128), []scale.E8M0{0x7F})
	if err != nil {
		log.Fatal(err)
	}
	a, err := ref.NewOperand(row, 16, grid)
	if err != nil {
		log.Fatal(err)
	}
	b, err := ref.NewOperand(column, 16, grid)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range []ref.Recipe{ref.Exact(scale.Float32), ref.F32ScaleMMA(ref.SM120, 128, scale.Float32), ref.F32ScaleWGMMA(128, scale.Float32)} {
		v, err := ref.Element(a, b, r, 0, 0)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r, v)
	}
	// Output:
	// exact/unrounded/float32 65648.5
	// sm120/act-then-weight/k128/float32 65648.5
	// sm90wgmma/act-then-weight/k128/float32 65536
}

// A kernel that forgets the scale of the last block.
func ExampleReport_Explain() {
	a := filled(0x38, 1, 192, 0x7F, 0x7F)
	b := filled(0x38, 2, 192, 0x80, 0x7D)
	r := ref.F32ScaleMMA(ref.SM120, 128, scale.BFloat16)
	want := ref.NewMatrix(1, 2)
	if err := ref.MatMul(want, a, b, r); err != nil {
		log.Fatal(err)
	}
	got := ref.Matrix{Rows: 1, Cols: 2, Stride: 2, Data: []float32{272, 320}}
	report, err := ref.Compare(got, want, r.Output)
	if err != nil {
		log.Fatal(err)
	}
	if err := report.Explain(a, b, r); err != nil {
		log.Fatal(err)
	}
	fmt.Print(report)
	// Output:
	// 1 of 2 elements differ (bf16), worst by 24 ULP
	//   C[0,1]: got 320 (0x43A0), want 272 (0x4388), 24 ULP
	//     K block 1 (k 128..191): scale of B not applied
}

// Bound says how far from the exact result a recipe may be.
func ExampleBound() {
	a, b := filled(0x38, 1, 128, 0x7F), filled(0x38, 1, 128, 0x7F)
	bound, err := ref.Bound(a, b, ref.Exact(scale.BFloat16), 0, 0)
	fmt.Printf("128 within %.3f %v\n", bound, err)
	// Output: 128 within 0.500 <nil>
}

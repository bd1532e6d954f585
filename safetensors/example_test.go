package safetensors_test

import (
	"fmt"
	"os"
	"path/filepath"

	"blockfp8/safetensors"
)

// Write one FP8 layer, then find it and read its codes back.
func Example() {
	dir, err := os.MkdirTemp("", "safetensors")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := writeLayer(path); err != nil {
		fmt.Println(err)
		return
	}
	c, err := safetensors.OpenCheckpoint(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	pairs, unpaired, err := c.Pairs()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range pairs {
		codes, err := c.E4M3(p.Weight.Name)
		if err != nil {
			fmt.Println(err)
			return
		}
		scales, err := c.E8M0(p.Scale.Name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.Layer, p.Weight.Shape, codes[0].Float32(), codes[1].Float32(), "times", scales[0].Float32())
	}
	fmt.Println("without a scale:", len(unpaired))
	_, err = c.F32("wo_b.scale")
	fmt.Println(err)
	// Output:
	// wo_b [1 2] 1 448 times 0.5
	// without a scale: 0
	// tensor "wo_b.scale": wrong dtype: want F32, got F8_E8M0
}

func writeLayer(path string) error {
	w, err := safetensors.Create(path, []safetensors.Tensor{
		{Name: "wo_b.weight", DType: safetensors.F8_E4M3, Shape: []int64{1, 2}},
		{Name: "wo_b.scale", DType: safetensors.F8_E8M0, Shape: []int64{1, 1}},
	}, nil)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Write("wo_b.weight", []byte{0x38, 0x7E}); err != nil {
		return err
	}
	if err := w.Write("wo_b.scale", []byte{0x7E}); err != nil {
		return err
	}
	return w.Close()
}

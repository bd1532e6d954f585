package main

import (
	"errors"
	"fmt"

	"blockfp8/gpu"
)

// benchCommand measures the kernels on a GPU.
type benchCommand struct {
	Decode benchDecodeCommand `cmd:"" help:"Replay the FP8 linears of one decode step, with cached scales and with an upcast at each call."`
	Gemm   benchGemmCommand   `cmd:"" help:"Time multiplications by shape, rows and kernel."`
}

// withDevice opens a device for use and closes it with all that belongs to it.
func withDevice(ordinal int, use func(*gpu.Device) error) (err error) {
	dev, err := gpu.Open(ordinal)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	return use(dev)
}

// benchDevice names the device of a measurement.
type benchDevice struct {
	Name            string `json:"name"`
	Arch            string `json:"arch"`
	Multiprocessors int    `json:"multiprocessors"`
}

func describeDevice(dev *gpu.Device) benchDevice {
	return benchDevice{Name: dev.Name(), Arch: dev.Arch().String(), Multiprocessors: dev.Multiprocessors()}
}

func (d benchDevice) String() string {
	return fmt.Sprintf("%s, %s, %d multiprocessors", d.Name, d.Arch, d.Multiprocessors)
}

// checkRows refuses numbers of rows that are no benchmark.
func checkRows(rows []int) error {
	if len(rows) == 0 {
		return errors.New("--m: want at least one number of rows")
	}
	for _, m := range rows {
		if m < 1 {
			return fmt.Errorf("--m: want at least 1, got %d", m)
		}
	}
	return nil
}

// checkAtLeastOne refuses a count below 1.
func checkAtLeastOne(flag string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s: want at least 1, got %d", flag, n)
	}
	return nil
}

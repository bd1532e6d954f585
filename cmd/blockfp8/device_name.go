package main

import (
	"errors"
	"strconv"

	"blockfp8/gpu"
	"blockfp8/scale"
)

// deviceName says in flags what multiplies: the number of a CUDA device, an
// emulated chip such as sm_120, or one of these.
type deviceName string

const (
	autoDevice   deviceName = "auto"   // CUDA device 0, or the emulated sm_120 where there is none
	oracleDevice deviceName = "oracle" // no device
)

// defaultChip is what is emulated unless another chip is asked for.
var defaultChip = gpu.Arch{Major: 12, Minor: 0}

// UnmarshalText reads a name.
func (n *deviceName) UnmarshalText(text []byte) error {
	*n = deviceName(text)
	if *n == autoDevice || *n == oracleDevice {
		return nil
	}
	if number, err := strconv.Atoi(string(text)); err == nil && number >= 0 {
		return nil
	}
	if new(chipName).UnmarshalText(text) == nil {
		return nil
	}
	return &scale.Mismatch{Kind: scale.ErrOption, What: "device", Want: "auto, oracle, the number of a CUDA device, or a chip to emulate such as sm_120", Got: strconv.Quote(string(text))}
}

// open opens what the name says, nil for the oracle. where describes it, and why
// it is not a CUDA device where one was looked for.
func (n deviceName) open() (dev *gpu.Device, where string, err error) {
	var chip chipName
	switch {
	case n == oracleDevice:
		return nil, "the oracle", nil
	case n == autoDevice:
		return openAny()
	case chip.UnmarshalText([]byte(n)) == nil:
		dev, err = gpu.Emulate(gpu.Arch(chip))
	default:
		number, _ := strconv.Atoi(string(n)) // UnmarshalText has seen it
		dev, err = gpu.Open(number)
	}
	if err != nil {
		return nil, "", err
	}
	return dev, dev.Name(), nil
}

// openAny opens CUDA device 0 if this module runs on it, and else emulates one.
func openAny() (*gpu.Device, string, error) {
	dev, err := gpu.Open(0)
	if err == nil {
		ok, why := gpu.Supported(dev.Target())
		if ok {
			return dev, dev.Name(), nil
		}
		err = errors.Join(errors.New(why), dev.Close())
	}
	emulated, emulateErr := gpu.Emulate(defaultChip)
	if emulateErr != nil {
		return nil, "", emulateErr
	}
	return emulated, emulated.Name() + ", because: " + err.Error(), nil
}

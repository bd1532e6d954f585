package main

import (
	"errors"
	"fmt"

	"blockfp8/ref"
)

// kernelCheck is the result compared with that of this module's own kernel, on a
// device whose recipe is the one that was checked.
type kernelCheck struct {
	Device    string `json:"device"`
	Different int    `json:"different"`
	NotRun    string `json:"notRun,omitempty"` // why not
}

// compareKernel multiplies on the device. What the device cannot multiply is no
// fault of the result: it is noted and no error.
func (p product) compareKernel(con *console, name deviceName, recipe ref.Recipe) (check *kernelCheck, err error) {
	dev, where, err := name.open()
	if err != nil || dev == nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	k := &kernelCheck{Device: where}
	err = con.wait(func() error {
		c, _, err := onDevice(dev, p.a, p.b, &recipe, recipe.Output)
		if err != nil {
			k.NotRun = err.Error()
			return nil
		}
		report, err := ref.Compare(p.got, c, recipe.Output)
		k.Different = report.Different
		return err
	})
	return k, err
}

func (k *kernelCheck) String() string {
	switch {
	case k.NotRun != "":
		return fmt.Sprintf("blockfp8's kernel was not run on %s: %s", k.Device, k.NotRun)
	case k.Different > 0:
		return fmt.Sprintf("blockfp8's kernel gives %d other elements on %s", k.Different, k.Device)
	}
	return "blockfp8's kernel gives the same bits on " + k.Device
}

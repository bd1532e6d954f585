package main

import (
	"errors"
	"time"

	"blockfp8/gpu"
	"blockfp8/gpu/probe"
)

// probeCommand compares a card with what this module says of it and prints a report
// to publish.
type probeCommand struct {
	Device   int      `default:"0" help:"Number of the device (${default})."`
	Emulated chipName `placeholder:"sm_120" help:"Probe an emulated chip instead, which says nothing about hardware."`
	Outputs  int      `default:"1000000" help:"Outputs of each matrix instruction, at least (${default})."`
	Problems int      `default:"35" help:"Multiplications that every kernel does (${default})."`
	Seed     uint64   `default:"1" help:"Seed of everything random."`
	JSON     bool     `help:"Write JSON."`
}

// Run probes and prints.
func (c *probeCommand) Run(con *console) error {
	if err := errors.Join(checkAtLeastOne("--outputs", c.Outputs), checkAtLeastOne("--problems", c.Problems)); err != nil {
		return err
	}
	dev, err := c.open()
	if err != nil {
		return err
	}
	document := newProbeDocument(dev, c.Seed, time.Now())
	document.Report, err = c.probe(con, dev)
	// What a device says when it is closed after a fault is in the report already.
	if closeErr := dev.Close(); err == nil && len(document.Failures()) == 0 {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return document.print(con, c.JSON)
}

func (c *probeCommand) open() (*gpu.Device, error) {
	if c.Emulated != (chipName{}) {
		return gpu.Emulate(gpu.Arch(c.Emulated))
	}
	return gpu.Open(c.Device)
}

func (c *probeCommand) probe(con *console, dev *gpu.Device) (probe.Report, error) {
	o := probe.Options{Outputs: c.Outputs, Problems: c.Problems, Seed: c.Seed, Stop: con.ctx.Err}
	bar := newProgress(con.status, int64(o.Steps()), "probing")
	defer bar.Clear()
	o.Progress = func(step string) {
		bar.Describe(step)
		bar.Add(1)
	}
	return probe.Run(dev, o)
}

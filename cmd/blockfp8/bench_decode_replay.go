package main

import (
	"errors"
	"fmt"

	"blockfp8/gpu"
	"blockfp8/scale"
)

// decodeReplay is one arm's calls for a decode step, and the graph of them.
type decodeReplay struct {
	arm         decodeArm
	calls       []gpu.Call
	results     *gpu.Buffer // of all calls, one after the other
	workspace   *gpu.Buffer
	graph       *gpu.Graph
	launches    int   // per step
	allocations int64 // of device memory, per step
}

// newDecodeReplay prepares the calls, does the step once and captures it.
func newDecodeReplay(dev *gpu.Device, s *gpu.Stream, arm decodeArm, o stepOperands) (r *decodeReplay, err error) {
	r = &decodeReplay{arm: arm}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	if err := r.prepare(dev, o); err != nil {
		return r, err
	}
	// Once to compile, once to count.
	if err := r.submit(s); err != nil {
		return r, err
	}
	_, before := dev.Allocated()
	if err := r.submit(s); err != nil {
		return r, err
	}
	_, after := dev.Allocated()
	r.allocations = after - before
	r.graph, err = s.Capture(func() error { return r.submit(s) })
	return r, err
}

func (r *decodeReplay) prepare(dev *gpu.Device, o stepOperands) (err error) {
	m := o.activations.rows
	offsets, bytes := resultOffsets(o.step, m)
	if r.results, err = dev.NewBuffer(bytes); err != nil {
		return err
	}
	workspace := int64(0)
	for _, w := range r.arm.weights {
		plan, err := w.Plan(m, o.activations.input, benchOutput)
		if err != nil {
			return err
		}
		r.launches += len(plan.Launches)
		workspace = max(workspace, plan.Workspace)
	}
	if r.workspace, err = dev.NewBuffer(workspace); err != nil {
		return err
	}
	for i, l := range o.step {
		r.calls = append(r.calls, gpu.Call{
			M: m, A: o.activations.of(l.width()), Workspace: gpu.Region{Buffer: r.workspace},
			C: gpu.Result{Format: benchOutput, Data: gpu.Region{Buffer: r.results, Offset: offsets[i]}, Stride: l.outputs()},
		})
	}
	return nil
}

// benchOutput is the format of all results, outputBytes the size of one.
const (
	benchOutput = scale.BFloat16
	outputBytes = 2
)

// resultOffsets says where the dense results of every multiplication lie, and how
// many bytes they take together.
func resultOffsets(step []stepLinear, m int) (offsets []int64, bytes int64) {
	for _, l := range step {
		offsets = append(offsets, bytes)
		bytes += int64(m) * int64(l.outputs()) * outputBytes
	}
	return offsets, bytes
}

// submit gives the step to a stream, call by call.
func (r *decodeReplay) submit(s *gpu.Stream) error {
	for i, w := range r.arm.weights {
		if err := w.MatMul(s, r.calls[i]); err != nil {
			return fmt.Errorf("%s, call %d of the step: %w", r.arm.name, i+1, err)
		}
	}
	return nil
}

func (r *decodeReplay) close() error {
	var err error
	if r.graph != nil {
		err = r.graph.Close()
	}
	return errors.Join(err, closeBuffers(r.results, r.workspace))
}

// decodeWay is a replay and how it is given to the stream: call by call, or as a
// graph.
type decodeWay struct {
	*decodeReplay
	name string
	give func(*gpu.Stream) error
}

func waysOf(replays []*decodeReplay) (ways []decodeWay) {
	for _, r := range replays {
		ways = append(ways, decodeWay{r, "calls", r.submit})
	}
	for _, r := range replays {
		ways = append(ways, decodeWay{r, "graph", r.graph.Launch})
	}
	return ways
}

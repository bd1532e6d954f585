package main

import (
	"errors"

	"blockfp8/gpu"
)

// measureRows times a multiplication of m random rows by weights that take turns.
func (b *gemmBench) measureRows(weights []*gpu.Weight, m int) (r gemmResult, err error) {
	n, k := weights[0].N(), weights[0].K()
	a := randomActivations(b.rng, gpu.CodesInput, m, k)
	if err := a.upload(b.dev, b.watch.stream); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	results, err := b.dev.NewBuffer(int64(m) * int64(n) * outputBytes)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, results.Close()) }()

	plan, err := weights[0].Plan(m, gpu.CodesInput, benchOutput)
	if err != nil {
		return r, err
	}
	call := gpu.Call{M: m, A: a.of(k), C: gpu.Result{Format: benchOutput, Data: gpu.Region{Buffer: results}, Stride: n}}
	r = gemmResult{N: n, K: k, M: m, Kernel: plan.Kernel, Level: plan.Level, Copies: len(weights), Launches: launchesOf(len(weights))}
	times, err := timeGraph(b.watch, weights, call, r.Launches)
	if err != nil {
		return r, err
	}
	r.Replays = len(times)
	r.Microseconds = 1e3 * median(times) / float64(r.Launches)
	return r, nil
}

// timeGraph captures launches of the call, one weight after the other, and returns
// the milliseconds of the graph's replays.
func timeGraph(watch stopwatch, weights []*gpu.Weight, call gpu.Call, launches int) (times []float64, err error) {
	give := func() error {
		for i := range launches {
			if err := weights[i%len(weights)].MatMul(watch.stream, call); err != nil {
				return err
			}
		}
		return nil
	}
	// What is captured must be compiled already.
	if err := weights[0].Prepare(call.M, call.A.Input); err != nil {
		return nil, err
	}
	graph, err := watch.stream.Capture(give)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, graph.Close()) }()
	if _, err := watch.time(graph.Launch); err != nil { // the first is slower
		return nil, err
	}
	warm, err := watch.time(graph.Launch)
	if err != nil {
		return nil, err
	}
	for range replaysFor(warm.gpuMilliseconds) {
		t, err := watch.time(graph.Launch)
		if err != nil {
			return nil, err
		}
		times = append(times, t.gpuMilliseconds)
	}
	return times, nil
}

package main

import (
	"runtime"
	"time"

	"blockfp8/gpu"
)

// stopwatch times work in a stream.
type stopwatch struct {
	stream     *gpu.Stream
	start, end *gpu.Event
}

func newStopwatch(dev *gpu.Device) (w stopwatch, err error) {
	if w.stream, err = dev.NewStream(); err != nil {
		return w, err
	}
	if w.start, err = dev.NewEvent(); err != nil {
		return w, err
	}
	w.end, err = dev.NewEvent()
	return w, err
}

// timing is what it took to give work to a stream and to do it.
type timing struct {
	gpuMilliseconds  float64 // between two events around the work
	hostMicroseconds float64 // until the last call returned
	heapAllocations  float64 // of the Go heap, of all goroutines
}

// time runs give, which gives work to the stream, and waits for that work. The
// stream has nothing else to do.
func (w stopwatch) time(give func(*gpu.Stream) error) (timing, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := w.start.Record(w.stream); err != nil {
		return timing{}, err
	}
	began := time.Now()
	if err := give(w.stream); err != nil {
		return timing{}, err
	}
	host := time.Since(began)
	if err := w.end.Record(w.stream); err != nil {
		return timing{}, err
	}
	runtime.ReadMemStats(&after)
	ms, err := w.end.Since(w.start)
	return timing{ms, float64(host.Nanoseconds()) / 1e3, float64(after.Mallocs - before.Mallocs)}, err
}

// mean times the work several times.
func (w stopwatch) mean(times int, give func(*gpu.Stream) error) (mean timing, err error) {
	for range times {
		t, err := w.time(give)
		if err != nil {
			return mean, err
		}
		mean.gpuMilliseconds += t.gpuMilliseconds / float64(times)
		mean.hostMicroseconds += t.hostMicroseconds / float64(times)
		mean.heapAllocations += t.heapAllocations / float64(times)
	}
	return mean, nil
}

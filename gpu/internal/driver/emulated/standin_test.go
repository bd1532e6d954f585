package emulated

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/gpu/internal/ptx/memory"
)

// standIn is a kernel in Go, so that a test can say when it begins and ends.
type standIn func(params []uint64) error

func (k standIn) Run(_ *memory.Space, l interp.Launch) (interp.Counters, error) {
	return interp.Counters{Blocks: 1}, k(l.Params)
}

// bench is a device whose only kernel is a stand-in with one parameter.
type bench struct {
	*Device
	t      *testing.T
	kernel driver.Function
}

func newBench(t *testing.T, o Options, k standIn) *bench {
	t.Helper()
	c, _ := chipOf(driver.Arch{Major: 12})
	compile := func(string, string, chip, Options) (module, error) {
		return module{"k": {name: "k", kernel: k, params: 1, dynamic: defaultShared}}, nil
	}
	b := &bench{Device: newDevice(c, o, compile), t: t}
	b.load("")
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// load loads a module and finds its kernel k.
func (b *bench) load(text string) driver.Module {
	b.t.Helper()
	m, err := b.LoadModule("k.ptx", text)
	b.ok(err)
	b.kernel, err = b.Function(m, "k")
	b.ok(err)
	return m
}

func (b *bench) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// refused checks that a call failed with that kind and words.
func (b *bench) refused(err error, kind error, words string) {
	b.t.Helper()
	refusal, ok := err.(*driver.Error)
	if !ok || refusal.Kind != kind || !strings.Contains(refusal.Text, words) {
		b.t.Errorf("got %v, want %v: %s", err, kind, words)
	}
}

func (b *bench) launch(s driver.Stream, param uint64) {
	b.t.Helper()
	l := driver.Launch{Function: b.kernel, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Stream: s}
	l.Push(param)
	b.ok(b.Launch(l))
}

func (b *bench) stream() driver.Stream {
	b.t.Helper()
	s, err := b.NewStream()
	b.ok(err)
	return s
}

func (b *bench) event() driver.Event {
	b.t.Helper()
	e, err := b.NewEvent()
	b.ok(err)
	return e
}

func (b *bench) memory(n int64) driver.Ptr {
	b.t.Helper()
	p, err := b.Alloc(n)
	b.ok(err)
	return p
}

func (b *bench) bytes(s driver.Stream, p driver.Ptr, n int) string {
	b.t.Helper()
	got := make([]byte, n)
	b.ok(b.CopyOut(s, got, p))
	return fmt.Sprintf("% x", got)
}

// soon fails a test that waits for what never comes.
func soon(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: not after ten seconds", what)
	}
}

package gpu

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"blockfp8/gpu/internal/driver"
	"blockfp8/ref"
	"blockfp8/scale"
)

// orderRig is a fake sm_90 with a weight, a call of it and a stream.
type orderRig struct {
	*Device
	t      *testing.T
	drv    *fakeDriver
	stream *Stream
	weight *Weight
	on     *onDevice
}

func newOrderRig(t *testing.T) *orderRig {
	t.Helper()
	drv := newFake(h200.Arch)
	r := &orderRig{Device: newDevice(drv), t: t, drv: drv}
	t.Cleanup(func() { closeTest(t, r.Device) })
	r.stream = must(r.NewStream())(t)
	r.weight = must(NewWeight(r.Device, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	ones := onesActivations(t, 2)
	codes, stride := ones.Codes()
	a := must(ref.NewOperand(codes, stride, must(ones.Grid().ToFP32(scale.OCP))(t)))(t)
	r.on = place(t, r.Device, r.stream, a, 3, scale.Float32, nil)
	r.on.reserve(t, r.Device, r.weight)
	return r
}

// multiply gives the multiplication to a stream and returns its launches, early ones
// with a plus.
func (r *orderRig) multiply(s *Stream, w *Weight, c Call) string {
	r.t.Helper()
	r.drv.starts()
	noError(r.t, w.MatMul(s, c))
	return r.started()
}

func (r *orderRig) started() string {
	var words []string
	for _, l := range r.drv.starts() {
		word := shortName.ReplaceAllString(l.name, "$1$2")
		if l.early {
			word = "+" + word
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

var shortName = regexp.MustCompile(`^(?:w8a8_f32scale_(w?gmma|mma)_\w+|(quantize|upcast|widen|shift|alloc)\w*)$`)

func (r *orderRig) want(what, got, want string) {
	r.t.Helper()
	if got != want {
		r.t.Errorf("%s: launched %q, want %q", what, got, want)
	}
}

// A multiplication starts early after another one, and after nothing else.
func TestLaunchesOverlap(t *testing.T) {
	r := newOrderRig(t)
	buffer := must(r.NewBuffer(64))(t)
	event := must(r.NewEvent())(t)
	uncached := must(NewWeight(r.Device, onesWeight(t, 3, 0x7F), WeightOptions{UncachedUpcast: true}))(t)
	graph := must(r.stream.Capture(func() error { return r.weight.MatMul(r.stream, r.on.call) }))(t)
	for _, c := range []struct {
		name  string
		other func() error
	}{
		{"a write", func() error { return buffer.Write(r.stream, 0, []byte{1}) }},
		{"a read", func() error { return buffer.Read(r.stream, make([]byte, 1), 0) }},
		{"a copy", func() error { return buffer.Copy(r.stream, 0, buffer, 32, 8) }},
		{"an event", func() error { return event.Record(r.stream) }},
		{"a graph", func() error { return graph.Launch(r.stream) }},
		{"an upcast at each call", func() error { return uncached.MatMul(r.stream, r.on.call) }},
		{"an update", func() error { return uncached.Update(onesWeight(t, 3, 0x80)) }}, // marks the stream
		{"a buffer that is closed", func() error { return must(r.NewBuffer(8))(t).Close() }},
		{"a capture", func() error {
			_, err := r.stream.Capture(func() error { return nil })
			return err
		}},
	} {
		noError(t, c.other())
		r.want("after "+c.name, r.multiply(r.stream, r.weight, r.on.call), "wgmma")
		for range 3 {
			r.want("and then", r.multiply(r.stream, r.weight, r.on.call), "+wgmma")
		}
	}
	noError(t, r.stream.Sync())
	r.want("after a wait of the host", r.multiply(r.stream, r.weight, r.on.call), "+wgmma")
	other := must(r.NewStream())(t)
	noError(t, buffer.Write(other, 0, []byte{1}))
	r.want("after a write in another stream", r.multiply(r.stream, r.weight, r.on.call), "+wgmma")
	r.want("in another stream", r.multiply(other, r.weight, r.on.call), "wgmma")
	r.want("upcast at each call", r.multiply(r.stream, uncached, r.on.call), "alloc widen shift wgmma")
}

// The quantiser is one after which a multiplication may start early; it does not
// start early itself. An upcast is neither.
func TestLaunchesOverlapWithHelpers(t *testing.T) {
	r := newOrderRig(t)
	quantised := zeroCall(t, r.Device, r.stream, r.weight, 2, Float32Input)
	r.want("numbers", r.multiply(r.stream, r.weight, quantised), "quantize +wgmma")
	r.want("numbers again", r.multiply(r.stream, r.weight, quantised), "quantize +wgmma")
	e8m0 := zeroCall(t, r.Device, r.stream, r.weight, 2, E8M0Input)
	r.want("E8M0 scales", r.multiply(r.stream, r.weight, e8m0), "upcast wgmma")
	r.want("codes", r.multiply(r.stream, r.weight, r.on.call), "+wgmma")
}

// Forms of the other family never start early; one that does may follow them.
func TestLaunchesOverlapWithMMAForms(t *testing.T) {
	r := newOrderRig(t)
	mma := must(NewWeight(r.Device, onesWeight(t, 3, 0x7F), WeightOptions{Kernel: "w8a8_f32scale_mma_l1"}))(t)
	r.want("mma", r.multiply(r.stream, mma, r.on.call), "mma")
	r.want("mma again", r.multiply(r.stream, mma, r.on.call), "mma")
	r.want("wgmma", r.multiply(r.stream, r.weight, r.on.call), "+wgmma")
	r.want("mma after it", r.multiply(r.stream, mma, r.on.call), "mma")
}

// Nothing starts early in a stream of another library, which gives it work of its own.
func TestForeignStreamsDoNotOverlap(t *testing.T) {
	r := newOrderRig(t)
	wrapped := must(r.WrapStream(must(r.NewStream())(t).Handle()))(t)
	for range 3 {
		r.want("wrapped", r.multiply(wrapped, r.weight, r.on.call), "wgmma")
	}
	noError(t, wrapped.Close())
}

// In a graph the first launch is an ordinary one and the others start early; none
// of that reaches into the stream, nor from it.
func TestLaunchesOverlapInGraphs(t *testing.T) {
	r := newOrderRig(t)
	r.want("before", r.multiply(r.stream, r.weight, r.on.call), "wgmma")
	g := must(r.stream.Capture(func() error {
		r.want("first", r.multiply(r.stream, r.weight, r.on.call), "wgmma")
		r.want("second", r.multiply(r.stream, r.weight, r.on.call), "+wgmma")
		return nil
	}))(t)
	r.want("after", r.multiply(r.stream, r.weight, r.on.call), "wgmma")
	noError(t, g.Launch(r.stream))
	r.want("after the graph", r.multiply(r.stream, r.weight, r.on.call), "wgmma")
	if c := r.on.read(t, r.stream); c.Row(1)[2] != 128 {
		t.Errorf("got %g, want 128", c.Row(1)[2])
	}
}

// What a run of overlapping launches multiplies by is what the weight was when they were
// given, whatever happens to it afterwards, also though later launches read their weights
// before earlier ones have ended.
func TestOverlappingLaunchesKeepTheirBits(t *testing.T) {
	for name, change := range map[string]func(w *Weight) error{
		"update": func(w *Weight) error { return w.Update(onesWeight(t, 3, 0x80)) },
		"drop":   (*Weight).Drop,
		"close":  (*Weight).Close,
	} {
		r := newOrderRig(t)
		second := place(t, r.Device, r.stream, onesActivations(t, 2), 3, scale.Float32, nil)
		second.call.A, second.call.Workspace = r.on.call.A, r.on.call.Workspace
		uncached := must(NewWeight(r.Device, onesWeight(t, 3, 0x81), WeightOptions{UncachedUpcast: true}))(t)
		third := place(t, r.Device, r.stream, onesActivations(t, 2), 3, scale.Float32, nil)
		third.call.A, third.call.Workspace = r.on.call.A, r.on.call.Workspace
		r.want(name, r.multiply(r.stream, r.weight, r.on.call), "wgmma")
		r.want(name, r.multiply(r.stream, r.weight, second.call), "+wgmma")
		r.want(name, r.multiply(r.stream, uncached, third.call), "alloc widen shift wgmma")
		noError(t, change(r.weight))
		for i, o := range []*onDevice{r.on, second, third} {
			if c, want := o.read(t, r.stream), [...]float32{128, 128, 512}[i]; c.Row(1)[2] != want {
				t.Errorf("%s: launch %d gave %g, want %g", name, i, c.Row(1)[2], want)
			}
		}
		if name == "update" {
			noError(t, r.weight.MatMul(r.stream, r.on.call))
			if c := r.on.read(t, r.stream); c.Row(1)[2] != 256 {
				t.Errorf("after the update: %g, want 256", c.Row(1)[2])
			}
		}
	}
}

// What the fake device makes of a launch that starts early after a change of its weights,
// if it were let: it has the old ones.
func TestLaunchTooEarlyIsSeen(t *testing.T) {
	weights, taken := 1, 0
	work := []fakeWork{
		{do: func() error { weights = 2; return nil }},
		{begin: func() { taken = weights }, do: func() error { return nil }},
	}
	for i := range work {
		noError(t, perform(work, i))
	}
	if weights != 2 || taken != 1 {
		t.Errorf("a launch that begins with a change from 1 to 2 took %d", taken)
	}
}

// A launch that failed is none to start early after.
func TestLaunchesDoNotOverlapWithFailures(t *testing.T) {
	r := newOrderRig(t)
	r.want("first", r.multiply(r.stream, r.weight, r.on.call), "wgmma")
	l := driver.Launch{Function: 1}
	if err := r.stream.launch(l, waitsInside); err == nil {
		t.Fatal("an empty grid was launched")
	}
	r.want("after a failure", r.multiply(r.stream, r.weight, r.on.call), "wgmma")
}

// Whatever several goroutines give one stream, no launch starts early after anything
// but a launch: the fake device refuses that.
func TestLaunchesOverlapInGoroutines(t *testing.T) {
	r := newOrderRig(t)
	buffer := must(r.NewBuffer(64))(t)
	event := must(r.NewEvent())(t)
	var all sync.WaitGroup
	for _, f := range []func() error{
		func() error { return r.weight.MatMul(r.stream, r.on.call) },
		func() error { return r.weight.MatMul(r.stream, r.on.call) },
		func() error { return buffer.Copy(r.stream, 0, buffer, 32, 8) },
		func() error { return event.Record(r.stream) },
		func() error { return r.weight.Update(onesWeight(t, 3, 0x7F)) },
	} {
		all.Go(func() {
			for range 200 {
				if err := f(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	early, plain := 0, 0
	for _, l := range r.drv.starts() {
		if l.early {
			early++
		} else {
			plain++
		}
	}
	t.Logf("%d launches started early, %d did not", early, plain)
}

// What a kernel does about the order of a stream is what this package says of it: those
// that start early wait, and none waits without a reason.
func TestKernelsWaitInside(t *testing.T) {
	for i := range forms {
		f := &forms[i]
		if waits, want := waitsInPTX(t, f.file(), f.name), families[f.family].order == waitsInside; waits != want {
			t.Errorf("%s waits for earlier launches: %v, want %v", f.name, waits, want)
		}
	}
	for h := upcastHelper; int(h) < len(helpers); h++ {
		if waits, want := waitsInPTX(t, h.file(), helpers[h].name), helpers[h].order == waitsInside; waits != want {
			t.Errorf("%s waits for earlier launches: %v, want %v", helpers[h].name, waits, want)
		}
	}
}

func waitsInPTX(t *testing.T, file, name string) bool {
	t.Helper()
	text, err := ptx.ReadFile(fmt.Sprintf("kernels/%s.ptx", file))
	noError(t, err)
	return strings.Contains(onlyKernel(string(text), name), "griddepcontrol.wait;")
}

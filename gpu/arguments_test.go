package gpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// Wrong arguments are errors that name what was expected and what came, and
// launch nothing.
func TestCallArguments(t *testing.T) {
	d, drv := openFake(t)
	s := must(d.NewStream())(t)
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	o := place(t, d, s, onesActivations(t, 2), 3, scale.Float32, nil)
	o.reserve(t, d, w)
	small, large := must(d.NewBuffer(4))(t), must(d.NewBuffer(1<<20))(t)
	drv.launches()
	for name, c := range map[string]struct {
		change func(c *Call)
		want   error
		says   string
	}{
		"no activations":   {func(c *Call) { c.A.Data = Region{} }, scale.ErrShape, "no memory"},
		"few activations":  {func(c *Call) { c.A.Data.Buffer = small }, scale.ErrShape, "256 bytes"},
		"offset":           {func(c *Call) { c.A.Data.Offset = 1 }, scale.ErrShape, "from byte 1"},
		"negative offset":  {func(c *Call) { c.A.Data.Offset = -1 }, scale.ErrShape, "from byte -1"},
		"stride":           {func(c *Call) { c.A.Stride = 127 }, scale.ErrStride, "at least 128"},
		"no scales":        {func(c *Call) { c.A.Scales = Region{} }, scale.ErrShape, "no memory"},
		"scale stride":     {func(c *Call) { c.A.ScaleRow = 0 }, scale.ErrStride, "[0 1]"},
		"far scales":       {func(c *Call) { c.A.ScaleRow = 100 }, scale.ErrShape, "101 bytes"},
		"no result":        {func(c *Call) { c.C.Data = Region{} }, scale.ErrShape, "no memory"},
		"small result":     {func(c *Call) { c.C.Data = Region{Buffer: small} }, scale.ErrShape, "result"},
		"unaligned result": {func(c *Call) { c.C.Data.Offset = 2 }, scale.ErrStride, "multiple of 4"},
		"result stride":    {func(c *Call) { c.C.Stride = 2 }, scale.ErrStride, "at least 3"},
		"format":           {func(c *Call) { c.C.Format = 7 }, scale.ErrOption, "output"},
		"bias":             {func(c *Call) { c.Bias.Buffer = small }, scale.ErrShape, "bias"},
		"no workspace":     {func(c *Call) { c.Workspace = Region{} }, scale.ErrShape, "workspace"},
		"unnamed style":    {func(c *Call) { c.A.Input = BFloat16Input; c.A.Data.Buffer = large }, scale.ErrOption, "StyleVLLM"},
		"negative rows":    {func(c *Call) { c.M = -1 }, scale.ErrShape, "M=-1"},
		"unaligned workarea": {func(c *Call) {
			c.Workspace.Offset = 0
			c.Workspace.Buffer = must(d.WrapBuffer(uint64(small.ptr)+1, 1<<20))(t)
		}, scale.ErrStride, "multiple of 16"},
	} {
		call := o.call
		c.change(&call)
		err := w.MatMul(s, call)
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := drv.launches(); len(got) != 0 {
		t.Errorf("launched %v", got)
	}
}

// Rows at odd addresses go to a kernel that takes them; one that was asked for by
// name and does not is an error.
func TestUnalignedRows(t *testing.T) {
	d, drv := openFake(t)
	s := must(d.NewStream())(t)
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	o := place(t, d, s, onesActivations(t, 2), 3, scale.Float32, nil)
	o.reserve(t, d, w)
	o.call.A.Data = Region{Buffer: d.testBuffer(t, s, make([]byte, 300)), Offset: 1}
	drv.launches()
	noError(t, w.MatMul(s, o.call))
	launched := drv.launches()
	f := &forms[formNamed(launched[len(launched)-1])]
	if !f.takesRows(true) {
		t.Errorf("unaligned rows went to %s", f.name)
	}
	w.options.Kernel = "w8a8_f32scale_mma_l3_t1"
	if err := w.MatMul(s, o.call); !errors.Is(err, scale.ErrStride) {
		t.Errorf("unaligned rows for a kernel that does not take them: %v", err)
	}
}

func TestHostArguments(t *testing.T) {
	d, drv := openFake(t)
	w := must(NewWeight(d, onesWeight(t, 3, 0x7F), WeightOptions{}))(t)
	drv.launches()
	matrix := func(rows, cols, stride, n int) Matrix[float32] {
		return Matrix[float32]{rows, cols, stride, make([]float32, n)}
	}
	vllm := HostOptions{Style: scale.StyleVLLM}
	for name, c := range map[string]struct {
		dst, x Matrix[float32]
		o      HostOptions
		want   error
	}{
		"style":          {matrix(2, 3, 3, 6), matrix(2, 128, 128, 256), HostOptions{}, scale.ErrOption},
		"rows":           {matrix(1, 3, 3, 6), matrix(2, 128, 128, 256), vllm, scale.ErrShape},
		"columns":        {matrix(2, 4, 4, 8), matrix(2, 128, 128, 256), vllm, scale.ErrShape},
		"inner":          {matrix(2, 3, 3, 6), matrix(2, 127, 128, 256), vllm, scale.ErrShape},
		"short x":        {matrix(2, 3, 3, 6), matrix(2, 128, 128, 255), vllm, scale.ErrShape},
		"short dst":      {matrix(2, 3, 3, 5), matrix(2, 128, 128, 256), vllm, scale.ErrShape},
		"x stride":       {matrix(2, 3, 3, 6), matrix(2, 128, 127, 256), vllm, scale.ErrStride},
		"dst stride":     {matrix(2, 3, 2, 6), matrix(2, 128, 128, 256), vllm, scale.ErrStride},
		"bias":           {matrix(2, 3, 3, 6), matrix(2, 128, 128, 256), HostOptions{Style: scale.StyleVLLM, Bias: make([]float32, 2)}, scale.ErrShape},
		"negative":       {matrix(-1, 3, 3, 6), matrix(-1, 128, 128, 256), vllm, scale.ErrShape},
		"checked at M=0": {matrix(0, 3, 3, 0), matrix(0, 127, 127, 0), vllm, scale.ErrShape},
		"enormous":       {matrix(1<<40, 3, 1<<40, 6), matrix(1<<40, 128, 1<<40, 256), vllm, scale.ErrShape},
	} {
		if err := MatMul(c.dst, c.x, w, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := onesActivations(t, 2)
	if err := MatMulCodes(matrix(2, 3, 3, 6), ref.Operand{}, w, nil); !errors.Is(err, scale.ErrUnsetScale) {
		t.Errorf("activations without scales: %v", err)
	}
	half := must(scale.NewE8M0Grid(scale.RowMajor(2, 128, 1, 64), make([]scale.E8M0, 4)))(t)
	codes, _ := a.Codes()
	if err := MatMulCodes(matrix(2, 3, 3, 6), must(ref.NewOperand(codes, 128, half))(t), w, nil); !errors.Is(err, scale.ErrBlock) {
		t.Errorf("activations in smaller blocks: %v", err)
	}
	if _, err := NewLinear(w, make([]float32, 2), scale.StyleVLLM); !errors.Is(err, scale.ErrShape) {
		t.Errorf("a layer with a short bias: %v", err)
	}
	if _, err := NewLinear(w, nil, 0); !errors.Is(err, scale.ErrOption) {
		t.Errorf("a layer without a style: %v", err)
	}
	if got := drv.launches(); len(got) != 0 {
		t.Errorf("launched %v", got)
	}
}

func TestWeightArguments(t *testing.T) {
	d, drv := openFake(t)
	old := newDevice(newFake(Arch{Major: 8, Minor: 0}))
	b := onesWeight(t, 3, 0x7F)
	small := must(scale.NewE8M0Grid(scale.RowMajor(3, 128, 128, 16), make([]scale.E8M0, 8)))(t)
	codes, _ := b.Codes()
	for name, c := range map[string]struct {
		f    func() (*Weight, error)
		want error
	}{
		"no scales": {func() (*Weight, error) { return NewWeight(d, ref.Operand{}, WeightOptions{}) }, scale.ErrUnsetScale},
		"no groups": {func() (*Weight, error) { return NewGroupedWeight(d, nil, WeightOptions{}) }, scale.ErrShape},
		"old chip":  {func() (*Weight, error) { return NewWeight(old, b, WeightOptions{}) }, ErrUnsupported},
		"upcast":    {func() (*Weight, error) { return NewWeight(d, b, WeightOptions{Upcast: 9}) }, scale.ErrOption},
		"kernel":    {func() (*Weight, error) { return NewWeight(d, b, WeightOptions{Kernel: "x"}) }, scale.ErrOption},
		"small block": {func() (*Weight, error) {
			return NewWeight(d, must(ref.NewOperand(codes, 128, small))(t), WeightOptions{})
		}, scale.ErrBlock},
		"unlike groups": {func() (*Weight, error) {
			return NewGroupedWeight(d, []ref.Operand{b, onesWeight(t, 4, 0x7F)}, WeightOptions{})
		}, scale.ErrShape},
	} {
		if _, err := c.f(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(drv.memory) != 0 {
		t.Errorf("%d allocations are left", len(drv.memory))
	}
}

package interp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx"
	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/gpu/internal/ptx/memory"
)

// trial is a kernel of statements and one launch of it.
//
// The statements have these registers: %in, %out and %gone are the addresses of 64
// words of global memory each, numbers from 0, undefined, and freed; %t, %l and %w
// the thread's number in the block, its lane and its warp; %i, %o and %s the
// addresses of the thread's own word of in, of out and of the shared array cell;
// %p0 to %p7, %r0 to %r15, %f0 to %f7 and %d0 to %d7 are free. cell has 256 words,
// mine 16 bytes of local memory, dyn is the dynamic shared memory.
//
// Each statement stands on a line, which is its line in the CUDA source k.cu,
// counted from 1.
type trial struct {
	body    string
	threads uint32 // of a block; 64 if 0
	blocks  uint32 // 1 if 0
	shared  uint32
	options *interp.Options // if nil, Check
	// tensor, with its base counted from in, is what the parameter pmap then holds.
	tensor *interp.TensorMap
}

const head = `.version 8.4
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 dyn[];
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u64 pgone)
{
	.reg .pred %p<8>;
	.reg .b16 %h<8>;
	.reg .b32 %r<16>, %t, %l, %w, %s, %by;
	.reg .f32 %f<8>;
	.reg .b64 %d<8>, %in, %out, %gone, %i, %o;
	.shared .align 16 .b8 cell[1024];
	.local .align 16 .b8 mine[16];
	ld.param.u64 %in, [pin];
	ld.param.u64 %out, [pout];
	ld.param.u64 %gone, [pgone];
	mov.u32 %t, %tid.x;
	mov.u32 %l, %laneid;
	shr.u32 %w, %t, 5;
	mul.wide.u32 %i, %t, 4;
	add.u64 %o, %out, %i;
	add.u64 %i, %in, %i;
	mov.u32 %s, cell;
	mad.lo.u32 %s, %t, 4, %s;
`

const tail = `	ret;
}
.file 1 "k.cu"
`

// text returns the PTX, and the line in it of every line of the body.
func (r *trial) text() (string, []int) {
	var b strings.Builder
	if r.tensor == nil {
		b.WriteString(head)
	} else {
		b.WriteString(strings.Replace(head, "pgone)", "pgone, .param .align 64 .b8 pmap[128])", 1))
	}
	at := strings.Count(head, "\n")
	var lines []int
	for i, line := range strings.Split(r.body, "\n") {
		fmt.Fprintf(&b, "\t.loc 1 %d 0\n%s\n", i+1, line)
		lines = append(lines, at+2)
		at += 2
	}
	b.WriteString(tail)
	return b.String(), lines
}

// compile returns the kernel.
func (r *trial) compile(t testing.TB) *interp.Kernel {
	t.Helper()
	text, _ := r.text()
	options := interp.Options{Check: true}
	if r.options != nil {
		options = *r.options
	}
	return compileText(t, text, options)
}

func compileText(t testing.TB, text string, options interp.Options) *interp.Kernel {
	t.Helper()
	m, err := ptx.Parse("k.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := interp.Compile(m, sm90, options)
	if err != nil {
		t.Fatal(err)
	}
	return p.Kernel("k")
}

func (r *trial) launch(params ...uint64) interp.Launch {
	return interp.Launch{
		Grid: [3]uint32{max(r.blocks, 1), 1, 1}, Block: [3]uint32{max(r.threads, 64*bit(r.threads == 0)), 1, 1},
		Shared: r.shared, Params: params,
	}
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

const bufferBytes = 256

// buffers returns memory with the three buffers, and their addresses.
func buffers(t testing.TB) (*memory.Space, []uint64) {
	t.Helper()
	s := memory.NewSpace(1<<20, true)
	var at []uint64
	for range 3 {
		p, err := s.Alloc(bufferBytes)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, p)
	}
	in := make([]byte, 0, bufferBytes)
	for i := range uint32(bufferBytes / 4) {
		in = binary.LittleEndian.AppendUint32(in, i)
	}
	if err := errors.Join(s.Write(at[0], in), s.Free(at[2])); err != nil {
		t.Fatal(err)
	}
	return s, at
}

// run returns the words of out.
func (r *trial) run(t testing.TB) ([]uint32, interp.Counters, error) {
	t.Helper()
	space, at := buffers(t)
	params := slices.Clone(at)
	if r.tensor != nil {
		m := *r.tensor
		m.Base += at[0]
		encoded := m.Encode()
		params = append(append(params, make([]uint64, 5)...), encoded[:]...)
	}
	counters, err := r.compile(t).Run(space, r.launch(params...))
	raw := make([]byte, bufferBytes)
	if err := space.Read(raw, at[1]); err != nil {
		t.Fatal(err)
	}
	var out []uint32
	for word := range slices.Chunk(raw, 4) {
		out = append(out, binary.LittleEndian.Uint32(word))
	}
	return out, counters, err
}

// fault is a trial that commits a fault: in the line of its body that ends in the
// comment "// fault".
type fault struct {
	name string
	trial
	kind          interp.FindingKind
	block, thread uint32
	says          string
	fixed         []string // what to replace, and by what, for a kernel without a fault; of the first, all
}

// finding returns what has to be found.
func (f *fault) finding(t *testing.T) interp.Finding {
	t.Helper()
	_, lines := f.text()
	for i, line := range strings.Split(f.body, "\n") {
		if strings.HasSuffix(line, "// fault") {
			return interp.Finding{
				Kind: f.kind, Kernel: "k", File: "k.ptx", Line: lines[i], Source: ptx.Source{File: "k.cu", Line: i + 1},
				Block: [3]uint32{f.block}, Thread: [3]uint32{f.thread},
			}
		}
	}
	t.Fatalf("%s: no line with a fault", f.name)
	return interp.Finding{}
}

// checkFaults runs kernels with a fault, and without it.
func checkFaults(t *testing.T, faults []fault) {
	t.Helper()
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			want := f.finding(t)
			_, _, err := f.run(t)
			var got *interp.Finding
			if !errors.As(err, &got) {
				t.Fatalf("%v, want a finding %q", err, f.kind)
			}
			want.Text = got.Text
			if *got != want || !strings.Contains(got.Text, f.says) {
				t.Errorf("found\n%+v, want\n%+v that says %q", *got, want, f.says)
			}
			f.checkFixed(t)
		})
	}
}

func (f *fault) checkFixed(t *testing.T) {
	t.Helper()
	repaired := f.trial
	for pair := range slices.Chunk(f.fixed, 2) {
		if !strings.Contains(repaired.body, pair[0]) {
			t.Errorf("there is no %q to repair", pair[0])
		}
		repaired.body = strings.ReplaceAll(repaired.body, pair[0], pair[1])
	}
	if len(f.fixed) == 0 {
		return
	}
	if _, _, err := repaired.run(t); err != nil {
		t.Errorf("repaired: %v", err)
	}
}

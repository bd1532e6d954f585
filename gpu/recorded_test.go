package gpu

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"blockfp8/scale"
)

//go:embed testdata
var testdata embed.FS

// What testdata/recorded_h200.bin.gz holds at least.
const (
	recordedFile    = "testdata/recorded_h200.bin.gz"
	recordedEntries = 3_572
	recordedOutputs = 7_405_906
	recordedForms   = 48

	howToRecord = "on an H200, run the tests that were built with -tags cuda with BLOCKFP8_RECORD=recorded_h200.bin.gz -test.run '^TestRecordOutputs$' and put the file into gpu/testdata"
)

var drawnRecorded []*recordedProblem

// drawAllRecorded returns all problems. They, and what the oracle says of them,
// are made once for all tests.
func drawAllRecorded(t testing.TB) []*recordedProblem {
	t.Helper()
	for i := len(drawnRecorded); i < recordedProblems; i++ {
		drawnRecorded = append(drawnRecorded, drawRecorded(t, i))
	}
	return drawnRecorded
}

func inputsDigest(problems []*recordedProblem) string {
	d := uint64(0)
	for _, p := range problems {
		d = d*1099511628211 ^ p.digest()
	}
	return fmt.Sprintf("%016x", d)
}

// newRecord asks results for the outputs of every problem on every form that
// takes it, and on the plan's own choice.
func newRecord(t testing.TB, problems []*recordedProblem, target Target, results func(i int, p *recordedProblem, kernel string) []byte) *record {
	t.Helper()
	r := &record{recordHeader: recordHeader{
		Format: recordFormat, Arch: target.Arch.String(), Multiprocessors: target.Multiprocessors, CUDA: target.Compiler,
		Problems: len(problems), Inputs: inputsDigest(problems),
	}}
	kernels := []string{""}
	for _, f := range Forms() {
		kernels = append(kernels, f.Name)
	}
	for i, p := range problems {
		for _, kernel := range kernels {
			plan, err := NewPlan(target, p.problem(kernel))
			if errors.Is(err, ErrUnsupported) || errors.Is(err, scale.ErrBlock) || errors.Is(err, scale.ErrStride) {
				continue // a form that does not take the shape
			}
			noError(t, err)
			raw := results(i, p, plan.Kernel)
			r.entries = append(r.entries, recordEntry{Problem: i, Asked: kernel, Kernel: plan.Kernel, Recipe: plan.Recipe.String(), Bytes: len(raw), raw: raw})
			r.Outputs += p.outputs()
		}
	}
	r.Entries = len(r.entries)
	return r
}

// runRecorded multiplies on a device.
func runRecorded(t testing.TB, d *Device, s *Stream, p *recordedProblem, kernel string) []byte {
	t.Helper()
	w := must(NewGroupedWeight(d, p.weights, WeightOptions{Kernel: kernel}))(t)
	data, _ := p.elements()
	width := p.groups * p.n
	raw := bytes.Repeat([]byte{0xA5}, p.outputs()*p.output.Width()/8)
	c := Call{
		M: p.m,
		A: Activations{Input: p.input, Data: Region{Buffer: d.testBuffer(t, s, data)}, Stride: p.strideA, Style: p.style},
		C: Result{Format: p.output, Data: Region{Buffer: d.testBuffer(t, s, raw)}, Stride: width},
	}
	if !p.input.quantizes() {
		c.A.Scales.Buffer = d.testBuffer(t, s, p.scaleBytes())
		c.A.ScaleRow, c.A.ScaleCol = p.groups*p.blocks(), 1
	}
	if p.bias != nil {
		c.Bias.Buffer = d.testBuffer(t, s, bytesOf(p.bias))
	}
	plan := must(NewPlan(d.Target(), p.problem(kernel)))(t)
	c.Workspace.Buffer = must(d.NewBuffer(plan.Workspace))(t)
	noError(t, w.MatMul(s, c))
	noError(t, c.C.Data.Buffer.Read(s, raw, 0))
	for _, r := range c.regions() {
		if r.Buffer != nil {
			noError(t, r.Buffer.Close())
		}
	}
	noError(t, w.Close())
	return raw
}

// familyOf returns the family of a form.
func familyOf(t testing.TB, kernel string) family {
	t.Helper()
	i := formNamed(kernel)
	if i < 0 {
		t.Fatalf("there is no form %q", kernel)
	}
	return forms[i].family
}

// replayed is what a comparison of a record with the oracle found.
type replayed struct {
	entries, outputs int
	different        int // outputs
	problems         []string
	forms            map[string]int
}

// replay compares every output of a record of all problems, or of the first ones, with
// the oracle.
func replay(t testing.TB, r *record, problems []*recordedProblem) replayed {
	t.Helper()
	found := replayed{forms: map[string]int{}}
	if known := min(r.Problems, len(problems)); r.Problems > known || r.Inputs != inputsDigest(problems[:known]) || r.Arch != h200.Arch.String() {
		found.problems = append(found.problems, fmt.Sprintf("a record of %d problems with the inputs %s on %s, want at most %d, %s, %v", r.Problems, r.Inputs, r.Arch, len(problems), inputsDigest(problems[:known]), h200.Arch))
		return found
	}
	for _, e := range r.entries {
		p, of := problems[e.Problem], familyOf(t, e.Kernel)
		want := p.oracle(t, of)
		if recipe := p.recipe(of, p.output).String(); e.Recipe != recipe || len(e.raw) != len(want) {
			found.problems = append(found.problems, fmt.Sprintf("problem %d, %q: %d bytes of the recipe %s, want %d of %s", e.Problem, e.Kernel, len(e.raw), e.Recipe, len(want), recipe))
			continue
		}
		if n, first := p.differences(e.raw, want); n > 0 {
			size := p.output.Width() / 8
			found.different += n
			found.problems = append(found.problems, fmt.Sprintf("problem %d, %+v, on %s: %d of %d outputs differ, the first is output %d: %#x, want %#x (little-endian)",
				e.Problem, p.problem(e.Asked), e.Kernel, n, p.outputs(), first, e.raw[first*size:(first+1)*size], want[first*size:(first+1)*size]))
		}
		found.entries++
		found.outputs += p.outputs()
		found.forms[e.Kernel] += p.outputs()
	}
	return found
}

// report fails the test for what a replay found.
func (f replayed) report(t testing.TB) {
	t.Helper()
	for _, p := range f.problems[:min(len(f.problems), 10)] {
		t.Error(p)
	}
	if len(f.problems) > 10 {
		t.Errorf("and %d more", len(f.problems)-10)
	}
}

// The outputs that an H200 gave are those of the oracle, on every form of the
// ladder.
func TestRecordedH200(t *testing.T) {
	packed, err := testdata.ReadFile(recordedFile)
	if err != nil {
		t.Fatalf("%v: %s", err, howToRecord)
	}
	r := must(readRecord(bytes.NewReader(packed)))(t)
	found := replay(t, r, drawAllRecorded(t))
	found.report(t)
	t.Logf("%s, %s, %d processors, driver %s with CUDA %d, %s: %d outputs in %d multiplications with %d forms compared, %d differ",
		r.Device, r.Arch, r.Multiprocessors, r.Driver, r.CUDA, r.Date, found.outputs, found.entries, len(found.forms), found.different)
	if found.entries < recordedEntries || found.outputs < recordedOutputs || len(found.forms) < recordedForms {
		t.Errorf("want at least %d outputs in %d multiplications with %d forms", recordedOutputs, recordedEntries, recordedForms)
	}
	for _, f := range Forms() {
		if found.forms[f.Name] == 0 {
			t.Logf("%s is not in the record", f.Name)
		}
	}
}

// A record of the oracle's own outputs, in the place of a device's: its size, what
// it covers, and that a replay of the file finds every bit again.
func TestRecordOfTheOracle(t *testing.T) {
	problems := drawAllRecorded(t)
	wants := make([][]byte, len(problems))
	distinct := 0
	for i, p := range problems {
		wants[i] = p.oracle(t, f32scaleWGMMA)
		distinct += p.outputs()
	}
	r := newRecord(t, problems, h200, func(_ int, p *recordedProblem, kernel string) []byte { return p.oracle(t, familyOf(t, kernel)) })
	path := filepath.Join(t.TempDir(), "record")
	noError(t, r.save(path))
	if left := must(filepath.Glob(filepath.Join(filepath.Dir(path), ".*")))(t); len(left) > 0 {
		t.Errorf("%v is left beside the record", left)
	}
	var file bytes.Buffer
	noError(t, r.write(&file))
	again := must(readRecord(&file))(t)
	if again.recordHeader != r.recordHeader || !slices.EqualFunc(again.entries, r.entries, sameEntry) {
		t.Fatal("the record reads otherwise than it was written")
	}
	found := replay(t, again, problems)
	found.report(t)
	size := must(fileSize(path))(t)
	t.Logf("%d problems of %d outputs; %d outputs in %d multiplications with %d forms; %d bytes; %v", len(problems), distinct, found.outputs, found.entries, len(found.forms), size, coverage(problems, wants))
	if size > 1_000_000 {
		t.Errorf("a file of %d bytes", size)
	}
	onH200 := len(formsOf(f32scaleMMA)) + len(formsOf(f32scaleWGMMA))
	if found.entries != r.Entries || found.outputs != r.Outputs || len(found.forms) != onH200 {
		t.Errorf("a replay compares %d outputs in %d multiplications with %d forms, the record has %d in %d, the ladders %d", found.outputs, found.entries, len(found.forms), r.Outputs, r.Entries, onH200)
	}
}

func sameEntry(a, b recordEntry) bool {
	return a.Problem == b.Problem && a.Asked == b.Asked && a.Kernel == b.Kernel && a.Recipe == b.Recipe && a.Bytes == b.Bytes && bytes.Equal(a.raw, b.raw)
}

// coverage counts what the problems have.
func coverage(problems []*recordedProblem, results [][]byte) map[string]int {
	c := map[string]int{}
	for i, p := range problems {
		c[fmt.Sprint("block ", p.blockK)]++
		c[fmt.Sprint("groups ", p.groups)]++
		c[fmt.Sprint("output ", p.output)]++
		c[fmt.Sprint("input ", p.input)]++
		if p.bias != nil {
			c["bias"]++
		}
		if p.weights[0].Grid().IsE8M0() {
			c["E8M0 weights"]++
		}
		size := p.output.Width() / 8
		for at := 0; at < len(results[i]); at += size {
			switch v := number(results[i][at:at+size], p.output); {
			case v != v:
				c["NaN outputs"]++
			case v-v != 0:
				c["infinite outputs"]++
			case v == 0:
				c["zero outputs"]++
			}
		}
	}
	return c
}

// fakeRecord is a record of the fake device, of the first problems.
func fakeRecord(t testing.TB, n int) (*record, []*recordedProblem) {
	t.Helper()
	d := newDevice(newFake(h200.Arch))
	t.Cleanup(func() { closeTest(t, d) })
	s := must(d.NewStream())(t)
	problems := drawAllRecorded(t)[:n]
	type product struct {
		problem int
		of      family
	}
	ran := map[product][]byte{}
	return newRecord(t, problems, d.Target(), func(i int, p *recordedProblem, kernel string) []byte {
		key := product{i, familyOf(t, kernel)}
		if ran[key] == nil { // the fake device runs all forms of a family alike
			ran[key] = runRecorded(t, d, s, p, kernel)
		}
		return bytes.Clone(ran[key])
	}), problems
}

// The recorder drives a device the way the replay expects: operands of every
// input, groups, strides, bias.
func TestRecordOfAFakeDevice(t *testing.T) {
	r, problems := fakeRecord(t, 24)
	found := replay(t, r, problems)
	found.report(t)
	t.Logf("%d outputs in %d multiplications compared", found.outputs, found.entries)

	// One bit of one output is seen, wherever it is; a NaN's payload is not one.
	for i := 0; i < len(r.entries); i += 37 {
		e := &r.entries[i]
		at := i * 7919 % len(e.raw)
		e.raw[at] ^= 1
		p := problems[e.Problem]
		if n, _ := p.differences(e.raw, p.oracle(t, familyOf(t, e.Kernel))); n > 1 || n == 0 && !isNaNAt(e.raw, at, p.output) {
			t.Errorf("a flipped bit in byte %d of entry %d is %d differences", at, i, n)
		}
		e.raw[at] ^= 1
	}
	for what, spoil := range map[string]func(*record){
		"another architecture": func(r *record) { r.Arch = "sm_89" },
		"other inputs":         func(r *record) { r.Inputs = "0" },
		"another recipe":       func(r *record) { r.entries[3].Recipe = "none" },
		"a missing output":     func(r *record) { r.entries[3].raw = r.entries[3].raw[1:] },
	} {
		spoilt := &record{recordHeader: r.recordHeader, entries: slices.Clone(r.entries[:5])}
		spoil(spoilt)
		if found := replay(t, spoilt, problems); len(found.problems) != 1 {
			t.Errorf("%s: %v", what, found.problems)
		}
	}
}

func isNaNAt(raw []byte, at int, f scale.Format) bool {
	size := f.Width() / 8
	at -= at % size
	v := number(raw[at:at+size], f)
	return v != v
}

// A damaged file is an error and never a panic or another record.
func TestDamagedRecord(t *testing.T) {
	r, _ := fakeRecord(t, 1)
	r.entries = r.entries[:3]
	r.Entries = len(r.entries)
	for i := range r.entries {
		e := &r.entries[i]
		e.Bytes = 100
		e.raw = e.raw[:e.Bytes]
	}
	var file bytes.Buffer
	noError(t, r.write(&file))
	whole := file.Bytes()
	must(readRecord(bytes.NewReader(whole)))(t)
	for n := range whole {
		if _, err := readRecord(bytes.NewReader(whole[:n])); !errors.Is(err, errRecord) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(whole), err)
		}
	}
	const gzipHeader = 10 // its time and system may be any
	for at := gzipHeader; at < len(whole); at++ {
		damaged := bytes.Clone(whole)
		damaged[at] ^= byte(1 << (at % 8))
		// Some bits fill bytes up and mean nothing.
		got, err := readRecord(bytes.NewReader(damaged))
		if !errors.Is(err, errRecord) && !(err == nil && got.recordHeader == r.recordHeader && slices.EqualFunc(got.entries, r.entries, sameEntry)) {
			t.Fatalf("a flipped bit in byte %d of %d: %v", at, len(whole), err)
		}
	}
	// Well-compressed nonsense.
	for what, spoil := range map[string]func(*record){
		"another format":      func(r *record) { r.Format = "blockfp8 gpu record 0" },
		"too few entries":     func(r *record) { r.Entries++ },
		"too many entries":    func(r *record) { r.Entries-- },
		"negative entries":    func(r *record) { r.Entries = -1 },
		"countless entries":   func(r *record) { r.Entries = 1 << 40 },
		"an unknown problem":  func(r *record) { r.entries[0].Problem = r.Problems },
		"a negative problem":  func(r *record) { r.entries[0].Problem = -1 },
		"countless bytes":     func(r *record) { r.entries[0].Bytes = 1 << 40 },
		"negative bytes":      func(r *record) { r.entries[0].Bytes = -1 },
		"a few bytes too few": func(r *record) { r.entries[0].raw = r.entries[0].raw[3:] },
		"an endless line":     func(r *record) { r.Device = string(bytes.Repeat([]byte{'x'}, maxRecordLine)) },
	} {
		spoilt := &record{recordHeader: r.recordHeader, entries: slices.Clone(r.entries)}
		spoil(spoilt)
		var file bytes.Buffer
		noError(t, spoilt.write(&file))
		if _, err := readRecord(&file); !errors.Is(err, errRecord) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blockfp8/safetensors"
)

// The cases in testdata were made outside this module, see make_check_case.py.

func TestCheckCasesAreReproducible(t *testing.T) {
	if os.Getenv("BLOCKFP8_EVIDENCE") == "" {
		t.Skip("BLOCKFP8_EVIDENCE does not name the folder of the model")
	}
	dir := t.TempDir()
	script := exec.Command("python3", "-B", filepath.Join("testdata", "make_check_case.py"), dir)
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range listing(t, dir) {
		if strings.HasSuffix(name, ".npy") && !bytes.Equal(read(t, filepath.Join(dir, name)), read(t, filepath.Join("testdata", name))) {
			t.Errorf("%s differs from what the script makes", name)
		}
	}
}

// sm120 is bf16 under sm120/act-then-weight/k128, with E8M0 weight scales.
func sm120(result string, more ...string) []string {
	return append(caseArgs("sm120", result), append([]string{"--bs-type", "e8m0"}, more...)...)
}

// deepGEMMSM90 is float32 under sm90wgmma/product-first/k128, with fp32 scales.
func deepGEMMSM90(result string, more ...string) []string {
	return append(caseArgs("deepgemm-sm90", result), append([]string{"--output", "float32"}, more...)...)
}

func caseArgs(name, result string) []string {
	file := func(f string) string { return filepath.Join("testdata", name, f+".npy") }
	return []string{"check", "--a", file("a"), "--as", file("as"), "--b", file("b"), "--bs", file("bs"), "--c", file(result), "--block", "4x128"}
}

func TestCheckRightResults(t *testing.T) {
	for _, args := range [][]string{
		sm120("c", "--recipe", "sm120"),
		sm120("c", "--recipe", "triton-sm120"),
		sm120("c", "--recipe", "sm120/act-then-weight/k128/bf16"),
		deepGEMMSM90("c", "--recipe", "deepgemm-sm90"),
	} {
		if out := succeed(t, args...); !strings.Contains(out, "all 15 elements equal in every bit") {
			t.Errorf("%q: %s", args, out)
		}
	}
	d := parseJSON[checkDocument](t, succeed(t, sm120("c", "--recipe", "sm120", "--json")...))
	if !d.Equal || d.Total != 15 || d.Recipe != "sm120/act-then-weight/k128/bf16" || len(d.First) != 0 {
		t.Errorf("%+v", d)
	}
}

// found is the part of the JSON report that numbers do not hide.
type found struct {
	Equal     bool
	Different int
	First     []struct {
		M, N              int
		GotBits, WantBits string
		ULP               int
		Suspects          []suspectBlock
	}
	Fits  [][]string
	Tried []triedRecipe
}

func TestCheckDroppedScale(t *testing.T) {
	o := command(t, sm120("wrong", "--recipe", "sm120", "--first", "2")...)
	if o.code != exitDifferent || o.err != "" {
		t.Errorf("exit %d, stderr %q", o.code, o.err)
	}
	for _, want := range []string{"15 of 15 elements differ", "C[0,0]: got 47 (0x423C), want 7.21875 (0x40E7)", "K block 2 (k 256..287)", "and 13 more"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("%q is missing in\n%s", want, o.out)
		}
	}
	o = command(t, sm120("wrong", "--recipe", "sm120", "--first", "15", "--json")...)
	d := parseJSON[found](t, o.out)
	if o.code != exitDifferent || d.Equal || d.Different != 15 || len(d.First) != 15 {
		t.Fatalf("exit %d, %+v", o.code, d)
	}
	named := 0
	for _, x := range d.First {
		if slices.ContainsFunc(x.Suspects, func(s suspectBlock) bool { return s.Block == 2 && s.FromK == 256 && s.ToK == 288 }) {
			named++
		} else if len(x.Suspects) > 0 {
			t.Errorf("C[%d,%d]: suspects %+v lack K block 2", x.M, x.N, x.Suspects)
		}
	}
	if named < 14 { // bf16 rounding of the wrong value can hide the cause
		t.Errorf("K block 2 is named for %d of 15 elements, want 14", named)
	}
	if o := command(t, deepGEMMSM90("wrong", "--recipe", "deepgemm-sm90")...); o.code != exitDifferent || !strings.Contains(o.out, "15 of 15 elements differ") {
		t.Errorf("exit %d: %s", o.code, o.out)
	}
}

// result returns the stored bits of the right result of the sm120 case.
func result(t *testing.T) []byte {
	file := read(t, filepath.Join("testdata", "sm120", "c.npy"))
	return file[len(file)-2*15:]
}

func TestCheckOneBit(t *testing.T) {
	c := slices.Clone(result(t))
	c[2*(1*5+3)] ^= 1 // the last bit of [1,3]
	path := saveNPY(t, filepath.Join(t.TempDir(), "c.npy"), "<u2", "(3, 5)", c)
	args := sm120("c", "--recipe", "sm120", "--json")
	args[slices.Index(args, "--c")+1] = path
	o := command(t, args...)
	d := parseJSON[found](t, o.out)
	if o.code != exitDifferent || d.Different != 1 || d.First[0].M != 1 || d.First[0].N != 3 || d.First[0].ULP != 1 {
		t.Errorf("exit %d, %+v", o.code, d)
	}
}

func TestCheckSafetensors(t *testing.T) {
	dir := t.TempDir()
	body := func(name string, bytes int) []byte {
		file := read(t, filepath.Join("testdata", "sm120", name+".npy"))
		return file[len(file)-bytes:]
	}
	f32Result := make([]byte, 0, 60)
	for i := range 15 {
		f32Result = binary.LittleEndian.AppendUint32(f32Result, uint32(binary.LittleEndian.Uint16(result(t)[2*i:]))<<16)
	}
	all := save(t, filepath.Join(dir, "all.safetensors"), nil,
		f8("a", body("a", 3*288), 3, 288), stored{safetensors.Tensor{Name: "as", DType: safetensors.F32, Shape: []int64{3, 3}}, body("as", 36)},
		f8("b", body("b", 5*288), 5, 288), e8m0("bs", body("bs", 6), 2, 3),
		halfs("c", safetensors.BF16, result(t), 3, 5), halfs("u16", safetensors.U16, result(t), 3, 5), stored{safetensors.Tensor{Name: "f32", DType: safetensors.F32, Shape: []int64{3, 5}}, f32Result})
	alone := save(t, filepath.Join(dir, "c.safetensors"), nil, halfs("result", safetensors.BF16, result(t), 3, 5))
	for _, c := range []string{all + ":c", all + ":u16", all + ":f32", alone, alone + ":result"} {
		succeed(t, "check", "--a", all+":a", "--as", all+":as", "--b", all+":b", "--bs", all+":bs", "--c", c, "--recipe", "sm120", "--block", "4x128")
	}
	args := sm120("c", "--recipe", "sm120")
	for name, words := range map[string][]string{all: {"one tensor", "7"}, all + ":none": {"none"}, dir: {"FILE.npy"}} {
		args[slices.Index(args, "--c")+1] = name
		refuse(t, append(words, "result C"), args...)
	}
}

// transposed returns a rows x cols matrix of width-byte elements in column order,
// each column padded to stride with 0xFF.
func transposed(data []byte, rows, cols, width, stride int) []byte {
	out := slices.Repeat([]byte{0xFF}, cols*stride*width)
	for r := range rows {
		for c := range cols {
			copy(out[(c*stride+r)*width:], data[(r*cols+c)*width:(r*cols+c+1)*width])
		}
	}
	return out
}

func TestCheckScaleOrder(t *testing.T) {
	dir := t.TempDir()
	as := read(t, filepath.Join("testdata", "sm120", "as.npy"))
	bs := read(t, filepath.Join("testdata", "sm120", "bs.npy"))
	as, bs = as[len(as)-36:], bs[len(bs)-6:]
	args := sm120("c", "--recipe", "sm120")
	with := func(asPath, bsPath string, more ...string) []string {
		a := slices.Clone(args)
		a[slices.Index(a, "--as")+1], a[slices.Index(a, "--bs")+1] = asPath, bsPath
		return append(a, more...)
	}
	dense := saveNPY(t, filepath.Join(dir, "as.npy"), "<f4", "(3, 3)", transposed(as, 3, 3, 4, 3))
	padded := saveNPY(t, filepath.Join(dir, "as4.npy"), "<f4", "(3, 4)", transposed(as, 3, 3, 4, 4))
	weights := saveNPY(t, filepath.Join(dir, "bs.npy"), "|u1", "(3, 2)", transposed(bs, 2, 3, 1, 2))
	rowWeights := args[slices.Index(args, "--bs")+1]
	succeed(t, with(dense, weights, "--scale-order", "col")...)
	succeed(t, with(padded, weights, "--scale-order", "col")...)
	succeed(t, with(padded, rowWeights, "--as-order", "col")...)
	succeed(t, with(padded, rowWeights, "--scale-order", "col", "--bs-order", "row")...)
	// A square grid fits both ways: only the flag tells, and it is believed.
	if o := command(t, with(dense, rowWeights)...); o.code != exitDifferent {
		t.Errorf("transposed scales taken as rows: exit %d, %s%s", o.code, o.out, o.err)
	}
	refuse(t, []string{"operand B", "[2 3]", "[3 2]", "[5 288]", "4x128"}, with(dense, weights)...)
	refuse(t, []string{"operand A", "[3 3]", "[3 4]"}, with(padded, rowWeights)...)
}

func TestCheckRefuses(t *testing.T) {
	dir := t.TempDir()
	args := sm120("c", "--recipe", "sm120")
	without := args[:len(args)-4] // no --bs-type, no --recipe
	with := func(flag, value string) []string {
		a := slices.Clone(args)
		a[slices.Index(a, flag)+1] = value
		return a
	}
	npy := func(name, descr, shape string, bytes int) string {
		return saveNPY(t, filepath.Join(dir, name), descr, shape, make([]byte, bytes))
	}
	refuse(t, []string{"operand B", "bs.npy", "a uint8 tensor without a declared format is an error"}, append(slices.Clone(without), "--recipe", "sm120")...)
	refuse(t, []string{"fp32 as declared", "U8"}, with("--bs-type", "fp32")...)
	refuse(t, []string{"e8m0 as declared", "F32"}, append(slices.Clone(args), "--as-type", "e8m0")...)
	refuse(t, []string{"operand A", "no such file"}, with("--a", filepath.Join(dir, "none.npy"))...)
	refuse(t, []string{"e4m3 codes", "F32"}, with("--a", npy("f.npy", "<f4", "(3, 288)", 3*288*4))...)
	refuse(t, []string{"2 dimensions", "[864]"}, with("--a", npy("flat.npy", "|u1", "(864,)", 864))...)
	refuse(t, []string{"operand A", "[4 3]", "[3 3]"}, with("--a", npy("m4.npy", "|u1", "(4, 288)", 4*288))...)
	refuse(t, []string{"scales of F8_E8M0", "U16"}, with("--as", npy("as.npy", "<u2", "(3, 3)", 18))...)
	refuse(t, []string{"result C", "[3 5]", "[5 3]"}, with("--c", npy("c.npy", "<u2", "(5, 3)", 30))...)
	refuse(t, []string{"bf16 values", "F16"}, with("--c", npy("f2.npy", "<f2", "(3, 5)", 30))...)
	refuse(t, []string{"2 dimensions"}, with("--c", npy("c1.npy", "<u2", "(15,)", 30))...)
	refuse(t, []string{"K"}, with("--b", npy("b.npy", "|u1", "(5, 287)", 5*287))...)
	refuse(t, []string{"[0,0]", "bf16"}, with("--c", saveNPY(t, filepath.Join(dir, "inexact.npy"), "<f4", "(3, 5)", floatBytes(slices.Repeat([]float32{1.001}, 15))))...)
	refuse(t, []string{"--recipe", "sm999"}, with("--recipe", "sm999")...)
	refuse(t, []string{"E8M0 scales for operand A"}, with("--recipe", "sm120mx")...)
	refuse(t, []string{"--first"}, append(slices.Clone(args), "--first=-1")...)
}

func TestCheckAuto(t *testing.T) {
	out := succeed(t, deepGEMMSM90("c", "--recipe", "auto")...)
	for _, want := range []string{"One recipe fits:\nsm90wgmma/product-first/k128/float32\n", "sm90wgmma/product-first-unfused/k128/float32", "sm120mx/in-mma/float32: wants E8M0 scales"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if out := succeed(t, sm120("c", "--recipe", "auto")...); !strings.Contains(out, "recipes fit, these operands do not tell them apart") || !strings.Contains(out, "sm100/act-then-weight/k128/bf16 = sm120/act-then-weight/k128/bf16") {
		t.Error(out)
	}
	o := command(t, deepGEMMSM90("wrong", "--recipe", "auto")...)
	if o.code != exitDifferent || !strings.Contains(o.out, "No recipe fits. The nearest:\nrecipe ") {
		t.Errorf("exit %d: %s", o.code, o.out)
	}
	d := parseJSON[found](t, succeed(t, deepGEMMSM90("c", "--recipe", "auto", "--json")...))
	if len(d.Fits) != 1 || d.Fits[0][0] != "sm90wgmma/product-first/k128/float32" || len(d.Tried) != 41 || d.Tried[1].Different != 1 {
		t.Errorf("%+v", d)
	}
}

// The module's own kernel, on a chip of that recipe, is a second witness.
func TestCheckKernel(t *testing.T) {
	for _, c := range []struct {
		args   []string
		want   kernelCheck
		notRun string
		text   string
	}{
		{sm120("c", "--recipe", "sm120"), kernelCheck{Device: "emulated sm_120"}, "", "gives the same bits on emulated sm_120"},
		{sm120("wrong", "--recipe", "sm120"), kernelCheck{Device: "emulated sm_120", Different: 15}, "", "gives 15 other elements on emulated sm_120"},
		{deepGEMMSM90("c", "--recipe", "deepgemm-sm90"), kernelCheck{Device: "emulated sm_120"}, "product-first", "was not run on emulated sm_120: want the recipe"},
	} {
		args := append(slices.Clone(c.args), "--device", "sm_120")
		d := parseJSON[struct{ Kernel kernelCheck }](t, command(t, append(args, "--json")...).out)
		if !strings.Contains(d.Kernel.NotRun, c.notRun) || (d.Kernel.NotRun == "") != (c.notRun == "") {
			t.Errorf("%q: not run because %q, want %q", args, d.Kernel.NotRun, c.notRun)
		}
		if d.Kernel.NotRun = ""; d.Kernel != c.want {
			t.Errorf("%q: %+v, want %+v", args, d.Kernel, c.want)
		}
		if out := command(t, args...).out; !strings.Contains(out, c.text) {
			t.Errorf("%q is missing in\n%s", c.text, out)
		}
	}
	if out := succeed(t, sm120("c", "--recipe", "sm120", "--device", "oracle")...); strings.Contains(out, "kernel") {
		t.Errorf("a kernel was run:\n%s", out)
	}
}

package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/driver/emulated"
	"blockfp8/ref"
	"blockfp8/scale"
)

// rewriting is a driver that loads another text in the place of one PTX file.
type rewriting struct {
	driver.Device
	file, text string
}

func (d rewriting) LoadModule(name, text string) (driver.Module, error) {
	if name == d.file {
		text = d.text
	}
	return d.Device.LoadModule(name, text)
}

// Multiprocessors returns few, so that blocks which stay have more than one tile.
func (d rewriting) Multiprocessors() int { return 2 }

// mutant is a kernel's PTX in which what comes from one source line is wrong.
type mutant struct {
	source string // the source line, as it is written there
	was    string // the first line of PTX that is changed
	text   string
}

// onlyKernel returns a PTX text without the kernels of other names.
func onlyKernel(text, name string) string {
	var kept []string
	skip, depth := false, 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, ".visible .entry ") {
			skip = !strings.HasPrefix(line, ".visible .entry "+name+"(")
		}
		if !skip {
			kept = append(kept, line)
		}
		opened := depth > 0
		depth += strings.Count(line, "{") - strings.Count(line, "}")
		if opened && depth == 0 {
			skip = false
		}
	}
	return strings.Join(kept, "")
}

// fault is one way in which a kernel can be wrong.
type fault struct {
	name     string
	pattern  *regexp.Regexp // of lines of PTX
	together bool           // all lines that come from one source line change at once
	change   func(line string) string
}

var faults = []fault{
	{"dropped barrier", regexp.MustCompile(`^\s*bar\.(warp\.)?sync\s`), false, dropped},
	{"no barrier between lanes", regexp.MustCompile(`^\s*bar\.warp\.sync\s`), true, dropped},
	{"missing wait", regexp.MustCompile(`^\s*cp\.async\.wait_group\s`), false, dropped},
	{"wait for one group too few", regexp.MustCompile(`^\s*cp\.async\.wait_group\s`), false, oneMoreGroup},
	{"off by one", regexp.MustCompile(`^\s*setp\.(lt|le|gt|ge)\.[su](32|64)\s`), true, offByOne},
}

// orderFaults are those of barriers and waits.
var orderFaults = faults[:len(faults)-1]

// warpgroupFaults are those of kernels with wgmma, of which one thread copies.
var warpgroupFaults = append(slices.Clone(orderFaults),
	fault{"missing fence", regexp.MustCompile(`^\s*(fence\.|wgmma\.fence)`), false, dropped},
	fault{"missing wait for wgmma", regexp.MustCompile(`^\s*wgmma\.wait_group\.`), false, dropped},
	fault{"missing commit", regexp.MustCompile(`^\s*wgmma\.commit_group\.`), false, dropped},
	fault{"missing arrival", regexp.MustCompile(`^\s*mbarrier\.arrive\.`), false, dropped},
)

func dropped(string) string { return "\n" }

// oneMoreGroup lets a wait leave one more group of copies on its way.
func oneMoreGroup(line string) string {
	i := strings.LastIndexByte(line, ' ')
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(line[i:]), ";"))
	if err != nil {
		panic("not a wait: " + line)
	}
	return fmt.Sprintf("%s %d;\n", line[:i], n+1)
}

var neighbours = strings.NewReplacer("setp.lt.", "setp.le.", "setp.le.", "setp.lt.", "setp.gt.", "setp.ge.", "setp.ge.", "setp.gt.")

func offByOne(line string) string { return neighbours.Replace(line) }

// mutantsOf returns the mutants of a kernel that have one fault: in all that one
// source line, or one barrier of it, was compiled to.
func mutantsOf(text string, f fault) []mutant {
	lines := strings.SplitAfter(text, "\n")
	places, sourceOf := map[string][]int{}, map[string]string{}
	source, files := "", sourceFiles(lines)
	for i, line := range lines {
		if words := strings.Fields(line); len(words) > 2 && words[0] == ".loc" {
			source = sourceLine(files[words[1]], words[2])
		}
		if f.pattern.MatchString(line) {
			key := source
			if !f.together {
				key = fmt.Sprintf("%06d %s", i, source)
			}
			places[key] = append(places[key], i)
			sourceOf[key] = source
		}
	}
	var all []mutant
	for _, key := range slices.Sorted(maps.Keys(places)) {
		changed := slices.Clone(lines)
		for _, i := range places[key] {
			changed[i] = f.change(lines[i])
		}
		all = append(all, mutant{sourceOf[key], strings.TrimSpace(lines[places[key][0]]), strings.Join(changed, "")})
	}
	return all
}

// sourceFiles returns the names of the files that .loc numbers.
func sourceFiles(lines []string) map[string]string {
	files := map[string]string{}
	for _, line := range lines {
		if words := strings.Fields(line); len(words) == 3 && words[0] == ".file" {
			files[words[1]] = strings.Trim(words[2], `"`)
		}
	}
	return files
}

// sourceLine returns a line of a kernel's source, or the file's name if that is not
// one of ours.
func sourceLine(file, number string) string {
	text, err := os.ReadFile("kernels/" + file)
	n, convErr := strconv.Atoi(number)
	lines := strings.Split(string(text), "\n")
	if err != nil || convErr != nil || n < 1 || n > len(lines) {
		return file
	}
	return strings.TrimSpace(lines[n-1])
}

// mutationProblem is a product with what the oracle says of it.
type mutationProblem struct {
	a, b ref.Operand
	want ref.Matrix
}

// mutantChips and mutantRecipes are where mutants of a family run, and what they should
// give there.
var (
	mutantChips   = map[family]Arch{f32scaleMMA: sm(12, 0), f32scaleWGMMA: h200.Arch}
	mutantRecipes = map[family]ref.Recipe{
		f32scaleMMA: ref.F32ScaleMMA(ref.SM120, 128, scale.Float32), f32scaleWGMMA: ref.F32ScaleWGMMA(128, scale.Float32),
	}
)

// mutationProblems reach tails in every extent, rings that go around and blocks
// that have nothing to do. A shape is M, N, K and the bytes after each row of
// activations, which are NaN.
func mutationProblems(t *testing.T, of family, shapes [][4]int) []mutationProblem {
	t.Helper()
	r := rand.New(rand.NewPCG(71, 72))
	var problems []mutationProblem
	for _, s := range shapes {
		// The weight ends where a block of scales ends, so that one row too many has no
		// scale.
		blockRows, offset := 16, (16-s[1]%16)%16
		if of == f32scaleWGMMA {
			blockRows, offset = 128, 0 // where its scales may change
		}
		a := makeOperand(t, r, operandShape{rows: s[0], cols: s[2], blockRows: 1, blockCols: 128, padding: s[3]}, ordinary)
		b := makeOperand(t, r, operandShape{rows: s[1], cols: s[2], blockRows: blockRows, blockCols: 128, e8m0: true, rowOffset: offset}, ordinary)
		want := ref.NewMatrix(s[0], s[1])
		noError(t, ref.MatMul(want, a, b, mutantRecipes[of]))
		problems = append(problems, mutationProblem{a, b, want})
	}
	return problems
}

// caught returns why a kernel's text is seen to be wrong, or "" if nothing is.
func caught(t *testing.T, file, text, kernel string, problems []mutationProblem) string {
	t.Helper()
	for _, p := range problems {
		if why := caughtOn(t, file, text, kernel, p); why != "" {
			return why
		}
	}
	return ""
}

func caughtOn(t *testing.T, file, text, kernel string, p mutationProblem) string {
	t.Helper()
	drv, err := emulated.Open(mutantChips[familyOf(t, kernel)], emulated.Options{Check: true, Limit: 1 << 20})
	noError(t, err)
	d := newDevice(rewriting{drv, file, text})
	defer d.Close() // an error after a fault
	w, err := NewWeight(d, p.b, WeightOptions{Kernel: kernel})
	noError(t, err)
	s := must(d.NewStream())(t)
	o := place(t, d, s, p.a, p.want.Cols, scale.Float32, nil)
	o.reserve(t, d, w)
	raw := make([]byte, len(o.before))
	if err := errors.Join(w.MatMul(s, o.call), o.result.Read(s, raw, 0)); err != nil {
		return err.Error()
	}
	if !bytes.Equal(raw, o.with(p.want)) {
		return "wrong bits"
	}
	return ""
}

// with returns what is in the place of a result, and around it, after a right one was
// written there.
func (o *onDevice) with(c ref.Matrix) []byte {
	b := bytes.Clone(o.before)
	for m := range c.Rows {
		copy(b[4*(guardElements+m*o.call.C.Stride):], bytesOf(c.Row(m)))
	}
	return b
}

// harmless are the source lines that may be off by one without a wrong result, and
// why.
var harmless = map[string]string{
	"if (aligned && k + 4 <= K) return *(const u32 *)(row + k);":             "at the end the bytes are read one by one instead",
	"bool whole = (chunk + 1) * kChunk <= p.K;":                              "a whole chunk is copied in the way of a short one",
	"if (alignment == 16 && (chunk + 1) * kChunk <= K) {":                    "a whole chunk is copied in the way of a short one",
	"for (int k = from; k < to; k += 32) {":                                  "no range is empty, so only the turned loop's entry asks",
	"for (int first = 0; first < chunks; first += phaseChunks) {":            "there is a chunk, so only the turned loop's entry asks",
	"int end = min(chunks, first + phaseChunks);":                            "the lesser of two equal numbers",
	"if (n0 >= p.N) return;":                                                 "a warp works on rows that it does not store",
	"if (word / 32 >= tokens) storeShared(stage + 2048 * RT + 4 * word, 0);": "what the row of one more token holds is not stored",
	"if (chunk < chunks) {":                                                  "one more copy, of no bytes",
	"if (scale && chunk * perChunk + j < blocks)":                            "the chunk before it has been asked about",
}

// spare is what may be dropped one at a time, by its number among the mutants of a
// kernel that have a fault.
var spare = map[string]map[string][]int{
	// Either of two orders what a warp has read before what it copies next.
	"w8a8_f32scale_mma_l3_t1":   {"dropped barrier": {1, 2}},
	"w8a8_f32scale_mma_l4_r2t1": {"dropped barrier": {1, 2}},
	// The fence of the first of two chunks is one for the accumulators of both.
	"w8a8_f32scale_wgmma_l2_c64":    {"missing fence": {2}},
	"w8a8_f32scale_wgmma_l3_r32t32": {"missing fence": {2}},
}

// mutated are kernels of all structures, with the shapes that reach their code.
var mutated = []struct {
	file, kernel string
	shapes       [][4]int
	faults       []fault
}{
	{"w8a8_f32scale_mma_l0", "w8a8_f32scale_mma_l0", [][4]int{{17, 9, 300, 4}, {16, 8, 128, 0}, {3, 5, 33, 3}, {3, 5, 70, 1}}, faults},
	{"w8a8_f32scale_mma_l2", "w8a8_f32scale_mma_l2_r1t1", [][4]int{{8, 64, 1100, 4}, {9, 17, 300, 4}, {3, 5, 16, 0}}, faults},
	{"w8a8_f32scale_mma_l3", "w8a8_f32scale_mma_l3_t1", [][4]int{{8, 16, 4096, 0}, {9, 17, 300, 4}, {3, 5, 16, 0}}, faults},
	{"w8a8_f32scale_mma_l6", "w8a8_f32scale_mma_l6", [][4]int{{64, 112, 1024, 0}, {65, 129, 300, 4}, {3, 5, 17, 15}, {3, 5, 141, 1}}, faults},
	{"w8a8_f32scale_mma_l4", "w8a8_f32scale_mma_l4_r2t1", [][4]int{{8, 32, 4096, 0}, {8, 32, 1024, 0}, {7, 33, 300, 4}, {3, 5, 16, 0}}, faults},
	{"w8a8_f32scale_mma_l5", "w8a8_f32scale_mma_l5_r1t1", [][4]int{{8, 128, 1024, 0}, {9, 49, 300, 4}, {3, 5, 16, 0}}, orderFaults},
	{"w8a8_f32scale_mma_l7", "w8a8_f32scale_mma_l7_r1t1", [][4]int{{8, 32, 2048, 0}, {9, 17, 300, 4}, {3, 5, 16, 0}}, orderFaults},
	{"w8a8_f32scale_wgmma_l0", "w8a8_f32scale_wgmma_l0", [][4]int{{17, 65, 300, 4}, {3, 5, 33, 3}}, warpgroupFaults},
	{"w8a8_f32scale_wgmma_l1", "w8a8_f32scale_wgmma_l1_r32t8", [][4]int{{8, 64, 4096, 0}, {9, 130, 300, 4}, {3, 5, 16, 0}}, warpgroupFaults},
	{"w8a8_f32scale_wgmma_l2", "w8a8_f32scale_wgmma_l2_c64", [][4]int{{129, 65, 2048, 0}, {3, 700, 304, 0}, {3, 300, 128, 0}}, warpgroupFaults},
	{"w8a8_f32scale_wgmma_l3", "w8a8_f32scale_wgmma_l3_r32t32", [][4]int{{33, 64, 2048, 0}, {3, 130, 304, 0}, {3, 200, 768, 0}, {3, 40, 128, 0}}, warpgroupFaults},
}

// Kernels with one fault give findings or wrong bits; as they are shipped they give
// neither.
func TestMutants(t *testing.T) {
	excused, ran := map[string]bool{}, 0
	for i, c := range mutated {
		if testing.Short() && i >= 3 {
			break
		}
		t.Run(c.kernel, func(t *testing.T) {
			text := onlyKernel(string(must(ptx.ReadFile("kernels/"+c.file+".ptx"))(t)), c.kernel)
			problems := mutationProblems(t, familyOf(t, c.kernel), c.shapes)
			if why := caught(t, c.file+".ptx", text, c.kernel, problems); why != "" {
				t.Fatalf("as shipped: %s", why)
			}
			for _, f := range c.faults {
				all := mutantsOf(text, f)
				dead := 0
				for i, m := range all {
					switch why := caught(t, c.file+".ptx", m.text, c.kernel, problems); {
					case why != "":
						dead++
					case slices.Contains(spare[c.kernel][f.name], i):
					case harmless[m.source] != "":
						excused[m.source] = true
					default:
						t.Errorf("%s survives: %q, of the source line %q", f.name, m.was, m.source)
					}
				}
				t.Logf("%s: %d of %d caught", f.name, dead, len(all))
			}
			ran++
		})
	}
	for source := range harmless {
		if !excused[source] && ran == len(mutated) {
			t.Errorf("needs no excuse any more: %q", source)
		}
	}
}

//go:build cuda

package gpu

import (
	"flag"
	"fmt"
	"sort"
	"strings"
	"testing"

	"blockfp8/gpu/internal/driver"
	"blockfp8/scale"
)

var tune = flag.Bool("tune", false, "time every form on the shapes of a decode step")

// TestTune times the forms of the family that the device has, with the geometries that
// they allow, on the dense layers of a decode step: in a graph, with weights that do not stay in the cache.
// It reports the best of each shape and what the plan would take.
func TestTune(t *testing.T) {
	if !*tune {
		t.Skip("asked for by -tune")
	}
	d := openTest(t)
	s := must(d.NewStream())(t)
	const most = 300 << 20
	memory := must(d.NewBuffer(most))(t)
	noError(t, d.drv.Fill(s.handle, memory.ptr, 0x38, most))
	small := must(d.NewBuffer(64 << 20))(t)
	noError(t, d.drv.Fill(s.handle, small.ptr, 0x3C, 64<<20))
	for _, shape := range [][2]int{{1536, 4096}, {16384, 1024}, {4096, 4096}, {32768, 1024}, {4096, 8192}, {8192, 1024}, {36864, 7168}} {
		for _, m := range []int{1, 8, 16, 32, 64} {
			tuneShape(t, d, s, memory.ptr, small.ptr, m, shape[0], shape[1])
		}
	}
}

type variant struct {
	form     int
	geometry geometry
	us       float64
}

func (v variant) String() string {
	return fmt.Sprintf("%s w%d q%d x%d %.2f", strings.TrimPrefix(forms[v.form].name, "w8a8_f32scale_"), v.geometry.block[0]/32, v.geometry.tune[0], v.geometry.grid[0], v.us)
}

func tuneShape(t *testing.T, d *Device, s *Stream, weights, small driver.Ptr, m, n, k int) {
	t.Helper()
	var tried []variant
	p := Problem{M: m, N: n, K: k, BlockN: 128, BlockK: 128}
	planned := must(choose(d.Target(), p))(t)
	for i := range forms {
		f := &forms[i]
		if f.family != p.family(d.Target()) || f.fine || f.plain() || m > 16 && f.kind == ringForm {
			continue
		}
		for _, g := range variants(f, d.Target(), m, n, k) {
			tried = append(tried, variant{i, g, timeForm(t, d, s, weights, small, i, g, m, n, k)})
		}
	}
	plan := timeForm(t, d, s, weights, small, planned.form, planned.geometry, m, n, k)
	sort.Slice(tried, func(i, j int) bool { return tried[i].us < tried[j].us })
	t.Logf("%d,%d M=%d: plan %v; best %v", n, k, m, variant{planned.form, planned.geometry, plan}, tried[:min(5, len(tried))])
}

func variants(f *form, target Target, m, n, k int) (all []geometry) {
	if f.kind == splitForm {
		for _, warps := range []int{4, 8, 12, 16} {
			if warps > 8 && f.rows*f.tokens >= 8 {
				continue
			}
			for _, q := range []int{1, 2, 4} {
				if g := f.splitOf(m, n, 1, warps, q); f.fits(g) && q <= max(1, ceilDiv(ceilDiv(k, 128), warps)) {
					all = append(all, g)
				}
			}
		}
		return all
	}
	if g, ok := f.geometry(target, m, n, k, 1); ok {
		all = append(all, g)
		if f.kind == oneShotForm {
			if wide := f.oneShotOf(m, n, k, 1, splitWarps); f.fits(wide) {
				all = append(all, wide)
			}
		}
		if f.kind == residentForm {
			g.grid[0] = min(2*g.grid[0], uint32(ceilDiv(n, 128)))
			all = append(all, g)
		}
	}
	return all
}

// timeForm returns the microseconds of a launch.
func timeForm(t *testing.T, d *Device, s *Stream, weights, small driver.Ptr, form int, shape geometry, m, n, k int) float64 {
	t.Helper()
	f := must(d.formFunction(form))(t)
	copies := max(1, 280<<20/(n*k))
	g := must(s.Capture(func() error {
		for i := range copies {
			err := d.launchPart(s, f, &forms[form], gemm{
				c: small + 32<<20, a: small, b: weights + driver.Ptr(i*n*k), as: small + 8<<20, bs: small + 16<<20,
				m: m, n: n, k: k, groups: 1, strideA: k, strideB: k, strideC: n, asRow: k / 128, asCol: 1, bsRow: k / 128,
				blockK: 128, blockN: 128, output: scale.BFloat16,
			}, shape)
			if err != nil {
				return err
			}
		}
		return nil
	}))(t)
	from, to := must(d.NewEvent())(t), must(d.NewEvent())(t)
	best := 0.0
	for i := range 3 {
		noError(t, from.Record(s))
		noError(t, g.Launch(s))
		noError(t, to.Record(s))
		ms := must(to.Since(from))(t)
		if us := ms * 1000 / float64(copies); i > 0 && (best == 0 || us < best) {
			best = us
		}
	}
	noError(t, g.Close())
	noError(t, from.Close())
	noError(t, to.Close())
	return best
}

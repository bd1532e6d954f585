package gpu

import "testing"

// On a device of two processors blocks stay for many tiles, and a ring of stages goes
// around several times: the forms that stay give the oracle's bits there too, and no
// finding. The shapes have tails in every extent, steps odd and even in number, and fewer
// steps than warpgroups.
func TestTilesByTurns(t *testing.T) {
	shapes := [][4]int{{65, 390, 768, 0}, {9, 700, 1100, 4}, {3, 600, 128, 0}}
	if testing.Short() {
		shapes = shapes[:1]
	}
	problems := mutationProblems(t, f32scaleWGMMA, shapes)
	ran := 0
	for i := range forms {
		f := &forms[i]
		if !f.takesMaps() {
			continue
		}
		file := f.file() + ".ptx"
		text := string(must(ptx.ReadFile("kernels/" + file))(t))
		if why := caught(t, file, onlyKernel(text, f.name), f.name, problems); why != "" {
			t.Errorf("%s: %s", f.name, why)
		}
		ran++
	}
	if ran != 15 {
		t.Errorf("%d forms, want 15", ran)
	}
}

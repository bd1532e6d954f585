//go:build !amd64 || purego

package avx2

// Available reports whether this processor has the instructions.
func Available() bool { return false }

// Nothing calls these here: they let callers compile.

func Dot(sums *[8]float64, a [][Rows]float64, b [][Columns]float64) {}

func Fuse(c *[8]float64, a [][Rows]float64, b [][Columns]float64, w *Window) (missed uint32) {
	return 0
}

func Truncate(c *[8]float64, a []LaneA, b []LaneB, d *Datapath) (missed uint32) { return 0 }

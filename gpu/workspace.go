package gpu

// workspace is where a call keeps the activations that it makes itself: codes
// [M, G, pitch] and the scales that the kernel takes [M, G, blocks].
type workspace struct {
	pitch  int   // bytes of one group's codes in a row
	blocks int   // scales of one group in a row
	scales int64 // offset of the scales
	bytes  int64
}

const workspaceAlignment = 256

// newWorkspace lays the workspace of a problem for a family out. Groups lie one after the
// other without gaps if they are quantised in one launch.
func newWorkspace(p Problem, f family) workspace {
	if p.M == 0 || p.N == 0 || p.K == 0 || p.Input.helper(f) == noHelper {
		return workspace{}
	}
	w := workspace{pitch: align(p.K, rowAlignment), blocks: ceilDiv(p.K, p.BlockK)}
	perRow := int64(p.groups())
	if p.Input.quantizes() {
		if p.quantiserLaunches() == 1 && p.groups() > 1 {
			w.pitch = p.K
		}
		w.scales = alignBytes(int64(p.M)*perRow*int64(w.pitch), workspaceAlignment)
	}
	w.bytes = w.scales + int64(f.scaleBytes())*int64(p.M)*perRow*int64(w.blocks)
	return w
}

func alignBytes(n, to int64) int64 { return (n + to - 1) / to * to }

// quantiserLaunches is 1 if blocks along K do not cross from one group into the
// next, so that the groups of a row are one longer row.
func (p Problem) quantiserLaunches() int {
	if p.Input.quantizes() && p.K%p.BlockK != 0 {
		return p.groups()
	}
	return 1
}

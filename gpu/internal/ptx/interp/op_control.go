package interp

import "blockfp8/gpu/internal/ptx"

func buildBra(c *call) step {
	c.take("uni")
	o := c.operand(0)
	target, ok := c.function.Labels[o.Name]
	if o.Kind != ptx.SymbolOperand || !ok {
		c.fail("%s is no label", o.Name)
	}
	c.to.control, c.to.target = branches, int32(target)
	return nil
}

func buildExit(c *call) step {
	c.take("uni")
	c.to.control = exits
	return nil
}

// Trapped is a trap that was reached: the kernel itself found a fault.
const Trapped FindingKind = "trap"

// buildTrap is trap and brkpt. Without a debugger both end the kernel.
func buildTrap(c *call) step {
	opcode := c.in.Opcode
	return func(w *warp, on uint32) { w.fail(Trapped, first(on), "%s", opcode) }
}

// nothing is a step for what has no effect on results.
func nothing(*warp, uint32) {}

// buildNanosleep takes no time here.
func buildNanosleep(c *call) step {
	c.need("u32")
	c.src(0, u32)
	return nothing
}

// buildGriddepcontrol lets launches overlap. Here a launch begins when the one
// before it is done.
func buildGriddepcontrol(c *call) step {
	c.need("launch_dependents", "wait")
	return nothing
}

// buildPrefetch fills caches, of which there are none here.
func buildPrefetch(c *call) step {
	if c.take("global", "local") == "" || c.take("L2::evict_last", "L2::evict_normal") == "" {
		c.need("L1", "L2")
	}
	c.addressOf(0)
	return nothing
}

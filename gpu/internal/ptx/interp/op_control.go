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

// buildGriddepcontrol lets launches overlap. Here a launch begins when the one before
// it is done, which is the latest that a chip may choose.
func buildGriddepcontrol(c *call) step {
	c.need("launch_dependents", "wait")
	return nothing
}

// buildSetmaxnreg moves registers between the warps of a multiprocessor. How many
// there are is not modelled.
func buildSetmaxnreg(c *call) step {
	c.targetIs("sm_90a")
	c.need("inc", "dec")
	for _, m := range []string{"sync", "aligned", "u32"} {
		c.need(m)
	}
	if n := c.integer(0); n < 24 || n > 256 || n%8 != 0 {
		c.fail("%d registers; a multiple of 8 from 24 to 256 is possible", n)
	}
	return func(w *warp, on uint32) { w.together(on, "setmaxnreg") }
}

// buildPrefetch fills caches, of which there are none here.
func buildPrefetch(c *call) step {
	if c.take("global", "local") == "" || c.take("L2::evict_last", "L2::evict_normal") == "" {
		c.need("L1", "L2")
	}
	c.addressOf(0)
	return nothing
}

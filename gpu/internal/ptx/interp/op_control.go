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

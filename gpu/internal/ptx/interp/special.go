package interp

// specialValues are the special registers, by name.
var specialValues = map[string]func(w *warp, lane int) uint64{
	"%tid.x":             func(w *warp, lane int) uint64 { return uint64(w.thread(lane)[0]) },
	"%tid.y":             func(w *warp, lane int) uint64 { return uint64(w.thread(lane)[1]) },
	"%tid.z":             func(w *warp, lane int) uint64 { return uint64(w.thread(lane)[2]) },
	"%ntid.x":            func(w *warp, _ int) uint64 { return uint64(w.block.size[0]) },
	"%ntid.y":            func(w *warp, _ int) uint64 { return uint64(w.block.size[1]) },
	"%ntid.z":            func(w *warp, _ int) uint64 { return uint64(w.block.size[2]) },
	"%ctaid.x":           func(w *warp, _ int) uint64 { return uint64(w.block.index[0]) },
	"%ctaid.y":           func(w *warp, _ int) uint64 { return uint64(w.block.index[1]) },
	"%ctaid.z":           func(w *warp, _ int) uint64 { return uint64(w.block.index[2]) },
	"%nctaid.x":          func(w *warp, _ int) uint64 { return uint64(w.block.launch.Grid[0]) },
	"%nctaid.y":          func(w *warp, _ int) uint64 { return uint64(w.block.launch.Grid[1]) },
	"%nctaid.z":          func(w *warp, _ int) uint64 { return uint64(w.block.launch.Grid[2]) },
	"%laneid":            func(_ *warp, lane int) uint64 { return uint64(lane) },
	"%warpid":            func(w *warp, _ int) uint64 { return uint64(w.index) },
	"%nwarpid":           func(w *warp, _ int) uint64 { return uint64(len(w.block.warps)) },
	"%lanemask_eq":       func(_ *warp, lane int) uint64 { return 1 << lane },
	"%lanemask_lt":       func(_ *warp, lane int) uint64 { return 1<<lane - 1 },
	"%lanemask_le":       func(_ *warp, lane int) uint64 { return 2<<lane - 1 },
	"%lanemask_gt":       func(_ *warp, lane int) uint64 { return 0xFFFFFFFF &^ (2<<lane - 1) },
	"%lanemask_ge":       func(_ *warp, lane int) uint64 { return 0xFFFFFFFF &^ (1<<lane - 1) },
	"%dynamic_smem_size": func(w *warp, _ int) uint64 { return uint64(w.block.launch.Shared) },
}

// special returns the slot of a special register.
func (c *call) special(name string) int {
	if slot, ok := c.specials[name]; ok {
		return slot
	}
	value, ok := specialValues[name]
	if !ok {
		c.fail("special register %s is not supported", name)
		return 0
	}
	slot := c.slot()
	c.specials[name] = slot
	c.kernel.specials = append(c.kernel.specials, special{slot, value})
	return slot
}

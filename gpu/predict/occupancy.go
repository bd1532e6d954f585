package predict

// Occupancy is how many blocks of a launch live on a multiprocessor, and why no more.
type Occupancy struct {
	Blocks int    `json:"blocks"`
	Warps  int    `json:"warps"`
	Limit  string `json:"limit"`
}

func (c Chip) occupancy(w *Work) Occupancy {
	perWarp := (32*w.Resources.Registers + registerUnit - 1) / registerUnit * registerUnit
	limits := []Occupancy{
		{Blocks: c.Blocks, Limit: "blocks"},
		{Blocks: c.Warps / max(1, w.Warps), Limit: "warps"},
		{Blocks: registerFile / max(1, perWarp*w.Warps), Limit: "registers"},
		{Blocks: c.SharedBytes / (w.Shared + sharedReserve), Limit: "shared memory"},
	}
	least := limits[0]
	for _, l := range limits[1:] {
		if l.Blocks < least.Blocks {
			least = l
		}
	}
	least.Blocks = max(1, least.Blocks)
	least.Warps = least.Blocks * w.Warps
	return least
}

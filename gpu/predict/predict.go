package predict

// Part is what one resource would need alone for all that a launch asks of it.
type Part struct {
	Name         string  `json:"name"`
	Microseconds float64 `json:"microseconds"`
}

// Prediction is what the model says of a launch. Nothing in it was measured.
type Prediction struct {
	Kernel       string    `json:"kernel"`
	Microseconds float64   `json:"microseconds"`
	Bound        string    `json:"bound"` // the name of the longest part
	Parts        []Part    `json:"parts"`
	Occupancy    Occupancy `json:"occupancy"`
	Registers    int       `json:"registers"`

	SlotsPerMMA       float64 `json:"slotsPerMMA"` // instructions of a warp
	SharedBytesPerMMA float64 `json:"sharedBytesPerMMA"`
	ConflictsPerMMA   float64 `json:"conflictsPerMMA"`
	// MemoryShare is the least bytes over what the memory could move meanwhile, as its
	// vendor says. MMAShare is the same of the products that were asked for.
	MemoryShare float64 `json:"memoryShare"`
	MMAShare    float64 `json:"mmaShare"`
}

// Predict returns what a launch takes: its ramp, and the longest of its parts. That the
// others hide behind it is the model's boldest assumption.
func (c Chip) Predict(w Work) Prediction {
	o := c.occupancy(&w)
	p := Prediction{Kernel: w.Kernel, Parts: c.parts(&w, o), Occupancy: o, Registers: w.Resources.Registers}
	longest := Part{}
	for _, part := range p.Parts {
		if part.Microseconds > longest.Microseconds {
			longest = part
		}
	}
	p.Bound, p.Microseconds = longest.Name, c.RampUs+longest.Microseconds
	mmas := max(1, w.MMAs)
	p.SlotsPerMMA, p.SharedBytesPerMMA, p.ConflictsPerMMA = w.slots()/mmas, sharedRow*w.SharedPasses/mmas, w.Conflicts/mmas
	p.MemoryShare = w.LeastBytes / (1e3 * c.MemoryGBs) / p.Microseconds
	p.MMAShare = c.micros(w.LeastMMAs*c.MMACycles/float64(c.Multiprocessors)) / p.Microseconds
	return p
}

// parts are the times of what may bound a launch, in microseconds.
func (c Chip) parts(w *Work, o Occupancy) []Part {
	// The busiest multiprocessor has this share of everything.
	most := (w.Blocks + c.Multiprocessors - 1) / c.Multiprocessors
	share := float64(most) / float64(w.Blocks)
	return []Part{
		{"memory", w.LeastBytes / (1e3 * c.MemoryGBs * c.CopyShare)},
		{"L2 cache", max(w.SectorBytes/(1e3*c.L2GBs), c.micros(share*w.SectorBytes/l2PortBytes))},
		{"issue", c.micros(share * w.slots() / issueSlots)},
		{"integer and conversion", c.micros(share * w.slots() * w.integerShare() * 32 / c.IntegerLanes)},
		{"shared memory", c.micros(share * w.SharedPasses)},
		{"MMA", c.micros(share * w.MMAs * c.MMACycles)},
		{"latency", c.latency(w, o, most)},
	}
}

// latency is the time of the blocks one after the other that a multiprocessor cannot
// hold at once, their warps each as if it were alone.
func (c Chip) latency(w *Work, o Occupancy, most int) float64 {
	rounds := (most + o.Blocks - 1) / o.Blocks
	warps := float64(w.Blocks * w.Warps)
	mmas := w.MMAs / warps
	us := c.micros(w.OtherPTX*w.ratio()/warps*c.WarpGap + mmas*c.mmaOfWarp(w))
	if !w.Streams {
		us += mmas * c.LoadNs / 1e3
	}
	return float64(rounds)*us + float64(rounds-1)*c.StartUs
}

// mmaOfWarp is the cycles from one MMA of a warp to its next. A quarter of a
// multiprocessor starts them at a quarter of the rate.
func (c Chip) mmaOfWarp(w *Work) float64 {
	if c.EmulatedMMA {
		return c.MMALatency
	}
	return max(c.MMALatency/w.chains(), 4*c.MMACycles)
}

func (c Chip) micros(cycles float64) float64 { return cycles / (1e3 * c.ClockGHz) }

package main

import (
	"fmt"
	"io"

	"blockfp8/gpu/predict"
)

// writePrediction writes what bounds one launch, and by how much.
func writePrediction(w io.Writer, p predict.Prediction) error {
	fmt.Fprintf(w, "\npredicted, not run on hardware: %.1f us, bound by %s\n", p.Microseconds, p.Bound)
	for _, part := range p.Parts {
		fmt.Fprintf(w, "  %-22s  %8.2f us\n", part.Name, part.Microseconds)
	}
	fmt.Fprintf(w, "  occupancy       %d blocks, %d warps: %s; %d registers for each thread\n", p.Occupancy.Blocks, p.Occupancy.Warps, p.Occupancy.Limit, p.Registers)
	fmt.Fprintf(w, "  for each MMA    %.1f issue slots, %.0f bytes through shared memory, %.2f conflicts\n", p.SlotsPerMMA, p.SharedBytesPerMMA, p.ConflictsPerMMA)
	_, err := fmt.Fprintf(w, "  share           %.0f %% of the memory's rate, %.0f %% of the MMA's\n", 100*p.MemoryShare, 100*p.MMAShare)
	return err
}

func (d *tilesDocument) write(w io.Writer) error {
	fmt.Fprintf(w, "C [%d,%d] = A [%d,%d] * B [%d,%d]^T on %s, %s: predicted, not run on hardware\n\n", d.M, d.N, d.M, d.K, d.N, d.K, d.Chip.Product, d.Arch)
	fmt.Fprintf(w, "%-26s %9s  %-22s %7s %6s %9s %8s %9s %9s\n", "form", "us", "bound", "memory", "MMA", "slots/MMA", "blocks", "warps", "registers")
	for _, p := range d.Forms {
		mark := ""
		if p.Kernel == d.Planned {
			mark = "  planned"
		}
		_, err := fmt.Fprintf(w, "%-26s %9.2f  %-22s %5.0f %% %4.0f %% %9.1f %8d %9d %9d%s\n",
			p.Kernel, p.Microseconds, p.Bound, 100*p.MemoryShare, 100*p.MMAShare, p.SlotsPerMMA, p.Occupancy.Blocks, p.Occupancy.Warps, p.Registers, mark)
		if err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

func (d *explainDocument) write(w io.Writer) error {
	p := d.Plan
	fmt.Fprintf(w, "C [%d,%d] = A [%d,%d] * B [%d,%d]^T on %s: counted, not timed\n\n", d.M, d.N, d.M, d.K, d.N, d.K, d.Chip)
	fmt.Fprintf(w, "plan      %s, level %d: %s\n", p.Kernel, p.Level, p.Reason)
	fmt.Fprintf(w, "recipe    %v\n", p.Recipe)
	fmt.Fprintf(w, "launches  %s\n", strings.Join(p.Launches, ", "))
	fmt.Fprintf(w, "launch    grid %v, blocks of %d threads, %d bytes of shared memory\n\n", p.Grid, p.Block[0]*p.Block[1]*p.Block[2], p.Shared)
	fmt.Fprintf(w, "memory    at least %s%s\n", bytesText(float64(d.LeastBytes)), d.limit())
	if d.MMAs > 0 {
		fmt.Fprintf(w, "MMAs      %d of 16x8x32, %.0f %% of their products are asked for; %.1f for each KB that has to be moved\n",
			d.MMAs, 100*float64(d.LeastMMAs)/float64(d.MMAs), float64(d.MMAs)/(float64(d.LeastBytes)/1024))
	}
	for _, k := range d.Kernels {
		fmt.Fprintln(w)
		if err := k.write(w, d); err != nil {
			return err
		}
	}
	if d.Predicted != nil {
		return writePrediction(w, *d.Predicted)
	}
	return nil
}

func (d *explainDocument) limit() string {
	if d.Memory == "" {
		return ""
	}
	return fmt.Sprintf(", %.1f us at the %.0f GB/s of the %s", d.LeastUs, d.MemoryGBs, d.Memory)
}

func (k explainKernel) write(w io.Writer, d *explainDocument) error {
	when := ""
	if k.AtLoad {
		when = ", once, when the weight is loaded"
	}
	fmt.Fprintf(w, "%s: %d launches of %d blocks in all%s\n", k.Kernel, k.Launches, k.Blocks, when)
	moved := float64(k.GlobalSectors) * sectorBytes
	fmt.Fprintf(w, "  global memory  %s read, %s written in %d requests of warps; %s in sectors of %d bytes", bytesText(float64(k.GlobalRead)), bytesText(float64(k.GlobalWritten)), k.GlobalRequests, bytesText(moved), sectorBytes)
	if !k.AtLoad && k.MMAs > 0 {
		fmt.Fprintf(w, ", %.2f times the least", moved/float64(d.LeastBytes))
	}
	fmt.Fprintf(w, "\n  shared memory  %s read, %s written in %d requests; %.3f bank conflicts for each\n",
		bytesText(float64(k.SharedRead)), bytesText(float64(k.SharedWritten)), k.SharedRequests, perEach(k.BankConflicts, k.SharedRequests))
	fmt.Fprintf(w, "  barriers       %.1f for each block\n", perEach(k.Barriers, k.Blocks))
	if k.MMAs > 0 {
		fmt.Fprintf(w, "  for each MMA   %.1f instructions of a warp, %.0f bytes read from shared memory, %.0f bytes from global memory\n",
			perEach(k.WarpInstructions(), k.MMAs), perEach(k.SharedRead, k.MMAs), perEach(k.GlobalRead, k.MMAs))
	}
	_, err := fmt.Fprintf(w, "  instructions   %s\n", k.classes())
	return err
}

// sectorBytes is the size of a sector of global memory.
const sectorBytes = 32

func perEach(n, of uint64) float64 { return float64(n) / float64(max(of, 1)) }

// classes lists instructions by class, the most frequent first.
func (k explainKernel) classes() string {
	var total uint64
	names := make([]string, 0, len(k.InstructionsByClass))
	for name, n := range k.InstructionsByClass {
		total += n
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(k.InstructionsByClass[b], k.InstructionsByClass[a]), cmp.Compare(a, b))
	})
	parts := []string{fmt.Sprintf("%d of threads", total)}
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s %.1f %%", name, 100*float64(k.InstructionsByClass[name])/float64(max(total, 1))))
	}
	return strings.Join(parts, ", ")
}

// bytesText writes a number of bytes with three digits.
func bytesText(n float64) string {
	for _, unit := range []string{"B", "KB", "MB"} {
		if n < 1000 {
			return fmt.Sprintf("%.3g %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.3g GB", n)
}

package gpu

import (
	"fmt"
	"sync/atomic"

	"blockfp8/gpu/internal/driver"
	"blockfp8/scale"
)

// Tiles are the operands of instructions, one after another: for each, Rows rows of
// 32 codes of A, 8 columns of 32 codes of B, and Rows rows of 8 accumulators. SA
// and SB, one scale for each row of A and column of B, are for instructions that
// take scales; others ignore them.
type Tiles struct {
	A, B   [][instructionDepth]scale.E4M3
	SA, SB []scale.E8M0
	C      []uint32 // the bits of the accumulators
}

// Count returns the number of tiles.
func (t *Tiles) Count() int { return len(t.B) / instructionColumns }

// check tells whether the operands have the extents of whole tiles.
func (t *Tiles) check(i Instruction) error {
	n, rows := t.Count(), i.Rows()
	fits := len(t.A) == n*rows && len(t.B) == n*instructionColumns && len(t.C) == n*rows*instructionColumns
	if i.TakesScales() {
		fits = fits && len(t.SA) == len(t.A) && len(t.SB) == len(t.B)
	}
	if fits && n <= maxExtent {
		return nil
	}
	return &scale.Mismatch{
		Kind: scale.ErrShape, What: "tiles of " + i.String(), Want: fmt.Sprintf("%d rows, 8 columns, and a scale for each where they are taken", rows),
		Got: fmt.Sprintf("%d rows, %d columns, %d accumulators, %d and %d scales", len(t.A), len(t.B), len(t.C), len(t.SA), len(t.SB)),
	}
}

// RunInstruction runs one instruction for each tile and returns the bits of the
// accumulators after it: what a chip does, with no other arithmetic before or
// after. It waits for the result. It works also where no model of the chip is
// known, and no weight can be made.
//
// Errors: ErrUnsupported if the device does not have the instruction, ErrJIT if its
// driver does not take the kernel, scale.ErrShape for tiles that are not whole.
func (d *Device) RunInstruction(i Instruction, t Tiles) ([]uint32, error) {
	if err := i.ExistsOn(d.Arch()); err != nil {
		return nil, err
	}
	if err := t.check(i); err != nil {
		return nil, err
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	// It is found anew each time: nobody waits for a probe.
	var function atomic.Uint64
	f, err := d.compile(&function, instructions[i].file, instructions[i].file, 0)
	if err != nil || t.Count() == 0 {
		return nil, err
	}
	l, err := d.lanes.take()
	if err != nil {
		return nil, err
	}
	defer d.lanes.put(l)
	return l.runInstruction(f, i, t)
}

// unwritten is what the place of a result holds before: a kernel that does nothing
// shows.
const unwritten = 0xEEEEEEEE

// runInstruction copies the operands in, behind the place of the result, and the
// result out. A warp does 16 rows.
func (l *lane) runInstruction(f driver.Function, i Instruction, t Tiles) ([]uint32, error) {
	result := make([]uint32, len(t.C))
	for j := range result {
		result[j] = unwritten
	}
	parts := [][]byte{bytesOf(result), bytesOf(t.A), bytesOf(t.B), bytesOf(t.C)}
	if i.TakesScales() {
		parts = append(parts, bytesOf(t.SA), bytesOf(t.SB))
	}
	size := int64(0)
	for _, p := range parts {
		size += alignBytes(int64(len(p)), workspaceAlignment)
	}
	if err := l.reserve(0, size); err != nil {
		return nil, err
	}
	launch := driver.Launch{
		Function: f, Grid: [3]uint32{uint32(t.Count()), 1, 1}, Block: [3]uint32{uint32(i.Rows() / 16 * 32), 1, 1},
	}
	at := l.device
	for _, p := range parts {
		if err := l.stream.copyIn(at, p); err != nil {
			return nil, err
		}
		launch.Push(uint64(at))
		at += driver.Ptr(alignBytes(int64(len(p)), workspaceAlignment))
	}
	if err := l.stream.launch(launch, writesResults); err != nil {
		return nil, err
	}
	return result, l.stream.copyOut(parts[0], l.device)
}

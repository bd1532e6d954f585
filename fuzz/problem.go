package fuzz

import (
	"fmt"

	"blockfp8/ref"
	"blockfp8/scale"
)

// Problem is one multiplication, as bits.
type Problem struct {
	A, B   Side
	Output scale.Format
	Choice uint64 // decides what a property picks: rows, cuts, orders
}

// Operands lays the problem out in fresh memory.
func (p Problem) Operands() (a, b ref.Operand, err error) {
	x, y, err := p.place()
	if err != nil {
		return ref.Operand{}, ref.Operand{}, err
	}
	return x.operand, y.operand, nil
}

func (p Problem) place() (a, b *storage, err error) {
	if a, err = p.A.place(); err != nil {
		return nil, nil, fmt.Errorf("operand A: %w", err)
	}
	if b, err = p.B.place(); err != nil {
		return nil, nil, fmt.Errorf("operand B: %w", err)
	}
	return a, b, nil
}

// String names the operands and the output.
func (p Problem) String() string { return fmt.Sprintf("A %v, B %v, to %v", p.A, p.B, p.Output) }

func (p Problem) clone() Problem {
	p.A, p.B = p.A.clone(), p.B.clone()
	return p
}

func (p Problem) check() error {
	if err := p.A.check(); err != nil {
		return fmt.Errorf("operand A: %w", err)
	}
	if err := p.B.check(); err != nil {
		return fmt.Errorf("operand B: %w", err)
	}
	if !p.Output.Valid() {
		return fmt.Errorf("output %v", p.Output)
	}
	return nil
}

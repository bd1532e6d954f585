package scale

import (
	"errors"
	"fmt"
)

// Sentinels for errors.Is. Every error of this module about an operand wraps
// one of them in a [Mismatch], which says what was expected and what came.
var (
	ErrShape      = errors.New("wrong shape")
	ErrStride     = errors.New("wrong stride")
	ErrBlock      = errors.New("wrong block size")
	ErrOffset     = errors.New("wrong offset")
	ErrUnsetScale = errors.New("scale not set")
	ErrInexact    = errors.New("scale is not a power of two that E8M0 holds")
	ErrOption     = errors.New("undefined option")
)

// Mismatch is the typed error of bad input: what was looked at, what was
// expected and what came.
type Mismatch struct {
	Kind error  // one of the sentinels
	What string // the thing that is wrong, e.g. "scale grid"
	Want string // e.g. "shape [2 4] for a 256x512 operand in 128x128 blocks"
	Got  string // e.g. "7 scales"
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("%s: %v: want %s, got %s", m.What, m.Kind, m.Want, m.Got)
}

func (m *Mismatch) Unwrap() error { return m.Kind }

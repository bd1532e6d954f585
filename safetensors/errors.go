package safetensors

import (
	"errors"
	"fmt"
)

// Sentinels for errors.Is. Each comes wrapped in an [Error]. Failures of the
// file system are not among them: they keep their own identity, as
// fs.ErrNotExist or, after Close, os.ErrClosed.
var (
	ErrTruncated  = errors.New("truncated file")
	ErrHeaderSize = errors.New("header too large")
	ErrHeader     = errors.New("malformed header")
	ErrDuplicate  = errors.New("duplicate name")
	ErrDType      = errors.New("wrong dtype")
	ErrShape      = errors.New("wrong shape")
	ErrOffsets    = errors.New("wrong data offsets")
	ErrSize       = errors.New("wrong number of bytes")
	ErrNotFound   = errors.New("tensor not found")
	ErrIndex      = errors.New("wrong checkpoint index")
	ErrAmbiguous  = errors.New("more than one scale for a weight")
)

// Error is the typed error of this package: which tensor, what was expected
// and what came.
type Error struct {
	Kind   error  // one of the sentinels
	Tensor string // the tensor's name; empty when the whole file is wrong
	Want   string // e.g. "F8_E8M0"
	Got    string // e.g. "U8"
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%v: want %s, got %s", e.Kind, e.Want, e.Got)
	if e.Tensor == "" {
		return text
	}
	return fmt.Sprintf("tensor %q: %s", e.Tensor, text)
}

func (e *Error) Unwrap() error { return e.Kind }

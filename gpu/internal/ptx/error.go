package ptx

import "fmt"

// SyntaxError is a text that is not PTX, or PTX that this module cannot take.
type SyntaxError struct {
	File string
	Line int
	Text string // what was expected and what came
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

package fuzz

import (
	"fmt"

	"blockfp8/ref"
)

// violation is a property that does not hold for a problem.
type violation struct {
	problem Problem
	recipe  ref.Recipe // the zero value where it was not reached
	reason  string     // what does not hold
	report  ref.Report // elements that differ, if that is it
}

func (v *violation) Error() string {
	if v.report.Total > 0 {
		return v.reason + ": " + v.report.String()
	}
	return v.reason
}

func violated(p Problem, format string, args ...any) error {
	return &violation{problem: p, reason: fmt.Sprintf(format, args...)}
}

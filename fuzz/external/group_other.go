//go:build !unix

package external

import "os/exec"

// ownGroup does nothing: there are no groups of processes to end.
func ownGroup(*exec.Cmd) {}

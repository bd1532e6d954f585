//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the command the first of a group of processes that ends with it: a
// shell's children would go on otherwise, and keep its pipes open.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// newProgress returns a bar for a task of total steps. It shows on a terminal and
// writes nothing to anything else. End it with Clear.
func newProgress(w io.Writer, total int64, task string, options ...progressbar.Option) *progressbar.ProgressBar {
	if !isTerminal(w) {
		w = io.Discard
	}
	return progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(task),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionClearOnFinish(),
	}, options...)...)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

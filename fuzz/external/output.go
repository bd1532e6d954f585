package external

import (
	"bytes"
	"strings"
	"sync"
)

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
	cut  bool
}

const tailBytes = 3000

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if more := len(t.kept) - tailBytes; more > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[more:]...), true
	}
	return len(p), nil
}

// String is whole lines of printable text.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.kept
	if at := bytes.IndexByte(text, '\n'); t.cut && at >= 0 {
		text = text[at+1:]
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == '\uFFFD' {
			return '?'
		}
		return r
	}, string(text)))
}

// answers is a command's standard output: lines that say that a folder is done, and
// others.
type answers struct {
	done    chan<- string
	stopped <-chan struct{}
	others  *tail
	line    []byte // that has not ended yet
}

const donePrefix = "done "

// maxLine is longer than any path: what is longer is no answer.
const maxLine = 1 << 16

func (a *answers) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		if len(a.line)+len(line) <= maxLine {
			a.line = append(a.line, line...)
		}
		if ended {
			a.take(strings.TrimSuffix(string(a.line), "\r"))
			a.line = a.line[:0]
		}
	}
	return len(p), nil
}

func (a *answers) take(line string) {
	folder, ok := strings.CutPrefix(line, donePrefix)
	if !ok {
		_, _ = a.others.Write([]byte(line + "\n"))
		return
	}
	select {
	case a.done <- folder:
	case <-a.stopped:
	}
}

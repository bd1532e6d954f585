package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// placeholder stands for the folder in the arguments of a command that is run once
// for each problem.
const placeholder = "{}"

// grace is how long a command may take to end when its input has ended, and its
// pipes to close when it has.
const grace = 2 * time.Second

// process is a command, running or not.
type process struct {
	command  []string
	once     bool // it is run for each problem
	running  *running
	messages *tail // of the latest run
}

// running is a command that was started.
type running struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser // nil if it takes none
	done   chan string    // folders that it says are done
	exited chan struct{}  // closed when it has ended, and err is known
	err    error
	kill   context.CancelFunc
}

func newProcess(command []string) (process, error) {
	if len(command) == 0 {
		return process{}, errors.New("want a command, got none")
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return process{}, err
	}
	return process{command: command, once: slices.Contains(command, placeholder), messages: new(tail)}, nil
}

// answer has the command work on a folder and returns when it says that it is done.
func (p *process) answer(ctx context.Context, folder string, timeout time.Duration) error {
	if err := p.start(folder); err != nil {
		return err
	}
	r := p.running
	if r.stdin != nil {
		// A command that has ended cannot be written to: its end is what is reported.
		_, _ = fmt.Fprintln(r.stdin, folder)
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		select {
		case done := <-r.done:
			if done == folder && !p.once {
				return nil
			}
		case <-r.exited:
			return p.ended(folder)
		case <-timer.C:
			p.stop()
			return p.fault(fmt.Sprintf("no answer within %v (%s)", timeout, p.wanted()))
		case <-ctx.Done():
			p.stop()
			return ctx.Err()
		}
	}
}

// wanted is how a command says that it is done.
func (p *process) wanted() string {
	if p.once {
		return "the command is to end when c.npy is written"
	}
	return `the command is to write c.npy, then the line "done PATH" to its standard output, flushed`
}

// ended judges a command that has ended. It may have answered just before, and with
// status 0 it need not say so.
func (p *process) ended(folder string) error {
	r := p.running
	p.running = nil
	select {
	case done := <-r.done:
		if done == folder {
			return nil
		}
	default:
	}
	if r.err != nil {
		return p.fault("the command failed: " + r.err.Error())
	}
	return nil
}

// start starts the command if none is running.
func (p *process) start(folder string) error {
	if p.running != nil {
		select {
		case <-p.running.exited: // after its last answer
		default:
			return nil
		}
	}
	ctx, kill := context.WithCancel(context.Background())
	r := &running{done: make(chan string, 1), exited: make(chan struct{}), kill: kill}
	*p.messages = tail{}
	r.cmd = exec.CommandContext(ctx, p.command[0], p.arguments(folder)...)
	r.cmd.WaitDelay = grace
	ownGroup(r.cmd)
	r.cmd.Stderr = p.messages
	r.cmd.Stdout = &answers{done: r.done, stopped: ctx.Done(), others: p.messages}
	if !p.once {
		var err error
		if r.stdin, err = r.cmd.StdinPipe(); err != nil {
			kill()
			return err
		}
	}
	if err := r.cmd.Start(); err != nil {
		kill()
		return err
	}
	go func() {
		r.err = r.cmd.Wait()
		close(r.exited)
		kill()
	}()
	p.running = r
	return nil
}

func (p *process) arguments(folder string) []string {
	list := slices.Clone(p.command[1:])
	for i, a := range list {
		if a == placeholder {
			list[i] = folder
		}
	}
	return list
}

// stop ends the command at once.
func (p *process) stop() {
	p.running.kill()
	<-p.running.exited
	p.running = nil
}

// close ends the input and lets the command end by itself.
func (p *process) close() {
	if p.running == nil {
		return
	}
	if p.running.stdin != nil {
		_ = p.running.stdin.Close() // it may have ended already
	}
	select {
	case <-p.running.exited:
	case <-p.running.done: // a late answer, which would keep it from ending
	case <-time.After(grace):
	}
	p.stop()
}

// fault is what went wrong, with the end of what the command wrote.
func (p *process) fault(what string) error {
	if said := p.messages.String(); said != "" {
		return fmt.Errorf("%s; it wrote\n%s", what, indent(said))
	}
	return errors.New(what)
}

func indent(text string) string {
	return "  | " + strings.ReplaceAll(text, "\n", "\n  | ")
}

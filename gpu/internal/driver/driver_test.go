package driver

import (
	"errors"
	"strings"
	"testing"
)

func TestTarget(t *testing.T) {
	for text, want := range map[string]string{
		"// .target sm_1\n.version 8.4\n.target sm_120f, debug\n": "sm_120f",
		".version 8.4\n  .target\tsm_90a\r\n":                     "sm_90a",
		".target":                                                 "",
		"":                                                        "",
	} {
		if got := Target(text); got != want {
			t.Errorf("Target(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPushAndCheck(t *testing.T) {
	good := Launch{Function: 1, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}}
	for i := range MaxParams {
		good.Push(uint64(i) * 3)
	}
	if err := good.Check(); err != nil || good.Params[MaxParams-1] != 3*(MaxParams-1) {
		t.Fatalf("%v, last parameter %d", err, good.Params[MaxParams-1])
	}
	for name, change := range map[string]func(l *Launch){
		"parameters": func(l *Launch) { l.Push(1) },
		"function":   func(l *Launch) { l.Function = 0 },
		"grid":       func(l *Launch) { l.Grid[2] = 0 },
		"block":      func(l *Launch) { l.Block[1] = 0 },
	} {
		l := good
		change(&l)
		if err := l.Check(); !errors.Is(err, ErrLaunch) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	cause := &Error{Op: "load module", Kind: ErrFailed, Code: 218, Text: "a PTX JIT compilation failed"}
	err := error(&JITError{File: "text.ptx", Device: "card", Arch: Arch{12, 0}, Target: "sm_120f", Log: "line 3\n", Cause: cause})
	var inner *Error
	if !errors.Is(err, ErrJIT) || !errors.Is(err, ErrFailed) || !errors.As(err, &inner) || inner.Code != 218 {
		t.Errorf("%v does not unwrap", err)
	}
	for _, part := range []string{"text.ptx", "card", "sm_120f", "sm_120", "line 3", "218"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
}

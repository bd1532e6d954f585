//go:build cuda && cgo

package opcheck

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/driver/cuda"
)

var recordTo = flag.String("record", "", "a folder to record what the device answers in")

// Records what device 0 answers to all forms: h200.gob.gz for testdata, and long.gob.gz
// with the results of all threads, to find where they differ.
func TestRecord(t *testing.T) {
	if *recordTo == "" {
		t.Skip("nothing to do without -record")
	}
	d, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Arch() != (driver.Arch{Major: 9}) {
		t.Fatalf("%s is %v; the forms are for sm_90", d.Name(), d.Arch())
	}
	r := runner{d: d}
	short, long, err := Answers(d.Name(), r.run)
	if err != nil {
		t.Fatal(err)
	}
	for name, record := range map[string]Record{"h200.gob.gz": short, "long.gob.gz": long} {
		if err := writeFile(filepath.Join(*recordTo, name), record); err != nil {
			t.Error(err)
		}
	}
}

func writeFile(name string, r Record) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.Write(f)
}

// runner runs the kernels of one module.
type runner struct {
	d      driver.Device
	module driver.Module
}

func (r *runner) run(module, kernel string, in []uint64, results int) (out []uint64, err error) {
	if r.module == 0 {
		if r.module, err = r.d.LoadModule("forms.ptx", module); err != nil {
			return nil, err
		}
	}
	f, err := r.d.Function(r.module, kernel)
	if err != nil {
		return nil, err
	}
	from, err := r.d.Alloc(int64(8 * max(len(in), 1)))
	if err != nil {
		return nil, err
	}
	defer r.d.Free(from)
	to, err := r.d.Alloc(int64(8 * results))
	if err != nil {
		return nil, err
	}
	defer r.d.Free(to)
	if len(in) > 0 {
		if err := r.d.CopyIn(0, from, toBytes(in)); err != nil {
			return nil, err
		}
	}
	l := driver.Launch{Function: f, Grid: [3]uint32{Threads / blockThreads, 1, 1}, Block: [3]uint32{blockThreads, 1, 1}}
	l.Push(uint64(from))
	l.Push(uint64(to))
	if err := r.d.Launch(l); err != nil {
		return nil, err
	}
	b := make([]byte, 8*results)
	if err := r.d.CopyOut(0, b, to); err != nil {
		return nil, err
	}
	return toWords(b), nil
}

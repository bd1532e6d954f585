package gpu

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// record is the outputs of a device. testdata/README.md describes the file.
type record struct {
	recordHeader
	entries []recordEntry
}

// recordHeader is the first line of a record.
type recordHeader struct {
	Format          string // recordFormat
	Device          string
	Arch            string
	Multiprocessors int
	CUDA            int    // of the driver, 1000*major + 10*minor
	Driver          string // its version, if known
	Date            string
	Problems        int
	Entries         int
	Outputs         int    // of all entries
	Inputs          string // digest of all problems
}

// recordEntry is one multiplication: a line that says what it is, then the bits.
type recordEntry struct {
	Problem int
	Asked   string // the form asked for, "" for the plan's choice
	Kernel  string // the form that ran
	Recipe  string
	Bytes   int
	raw     []byte
}

const (
	recordFormat    = "blockfp8 gpu record 1"
	maxRecordLine   = 4096
	maxRecordBytes  = 1 << 20 // of one result
	maxRecordCounts = 1 << 20 // of problems and entries
)

var errRecord = errors.New("not a record")

func (r *record) write(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(z)
	if err := lines.Encode(r.recordHeader); err != nil {
		return err
	}
	for i := range r.entries {
		if err := lines.Encode(&r.entries[i]); err != nil {
			return err
		}
		if _, err := z.Write(r.entries[i].raw); err != nil {
			return err
		}
	}
	return z.Close()
}

// readRecord reads what write wrote, to the end, and believes no number in it.
func readRecord(from io.Reader) (*record, error) {
	z, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRecord, err)
	}
	in := bufio.NewReaderSize(z, maxRecordLine)
	r := &record{}
	if err := readLine(in, &r.recordHeader); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	h := r.recordHeader
	if h.Format != recordFormat || h.Problems < 0 || h.Entries < 0 || h.Problems > maxRecordCounts || h.Entries > maxRecordCounts {
		return nil, fmt.Errorf("%w: header %+v", errRecord, h)
	}
	for i := range h.Entries {
		var e recordEntry
		if err := readLine(in, &e); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		if e.Problem < 0 || e.Problem >= h.Problems || e.Bytes < 0 || e.Bytes > maxRecordBytes {
			return nil, fmt.Errorf("%w: entry %d: %+v", errRecord, i, e)
		}
		e.raw = make([]byte, e.Bytes)
		if _, err := io.ReadFull(in, e.raw); err != nil {
			return nil, fmt.Errorf("%w: outputs of entry %d: %w", errRecord, i, err)
		}
		r.entries = append(r.entries, e)
	}
	// The end has the checksum.
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: after the last entry: %w", errRecord, errors.Join(err, errors.New("no end")))
	}
	return r, nil
}

func readLine(in *bufio.Reader, to any) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("%w: %w", errRecord, err)
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("%w: %w", errRecord, err)
	}
	return nil
}

// save writes the record to a file, which has its name only once it is whole.
func (r *record) save(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".record-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(r.write(f), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

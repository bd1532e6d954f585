package safetensors

import (
	"encoding/binary"
	"fmt"
	"io"
)

// MaxHeader is the largest header, in bytes: the limit of the reference
// implementation.
const MaxHeader = 100_000_000

const (
	prefixBytes = 8 // the header's length
	metadataKey = "__metadata__"
)

// entry is a tensor and where its bytes are: relative to the data section
// while a header is parsed, in data once it belongs to a catalog.
type entry struct {
	Tensor
	begin, end int64
	data       io.ReaderAt
}

// readHeader allocates only after the length has been checked against the
// limit and the file.
func readHeader(r io.ReaderAt, size int64) ([]byte, error) {
	if size < prefixBytes {
		return nil, &Error{Kind: ErrTruncated, Want: "8 bytes of header length", Got: fmt.Sprint(size)}
	}
	prefix := make([]byte, prefixBytes)
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, prefixBytes), prefix); err != nil {
		return nil, fmt.Errorf("header length: %w", err)
	}
	n := binary.LittleEndian.Uint64(prefix)
	if n > MaxHeader {
		return nil, &Error{Kind: ErrHeaderSize, Want: fmt.Sprintf("at most %d bytes", MaxHeader), Got: fmt.Sprint(n)}
	}
	if int64(n) > size-prefixBytes {
		return nil, &Error{Kind: ErrTruncated, Want: fmt.Sprintf("a header of %d bytes", n), Got: fmt.Sprint(size - prefixBytes)}
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(r, prefixBytes, int64(n)), header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	return header, nil
}

func parseHeader(header []byte) (entries []entry, metadata map[string]string, err error) {
	if len(header) == 0 || header[0] != '{' {
		return nil, nil, &Error{Kind: ErrHeader, Want: "{ as the first byte", Got: fmt.Sprintf("%q", header[:min(1, len(header))])}
	}
	metadata = map[string]string{}
	err = parse(header, ErrHeader, func(p *parser, key string) error {
		p.tensor = key
		defer func() { p.tensor = "" }()
		if key == metadataKey {
			return p.texts(func(k, v string) error { metadata[k] = v; return nil })
		}
		e, err := p.entry()
		entries = append(entries, e)
		return err
	})
	return entries, metadata, err
}

// entry reads one tensor's object and checks it as far as it can be checked
// without the others.
func (p *parser) entry() (entry, error) {
	e := entry{Tensor: Tensor{Name: p.tensor}}
	var offsets []int64
	err := p.object(func(key string) (err error) {
		switch key {
		case "dtype":
			var dtype string
			dtype, err = p.text("a dtype")
			e.DType = DType(dtype)
		case "shape":
			e.Shape, err = p.integers("shape", ErrShape)
		case "data_offsets":
			offsets, err = p.integers("data_offsets", ErrOffsets)
		default:
			return p.fail("dtype, shape and data_offsets", fmt.Sprintf("%q", key))
		}
		return err
	})
	if err != nil {
		return e, err
	}
	if e.DType == "" || e.Shape == nil || len(offsets) != 2 {
		return e, p.fail("dtype, shape and two data_offsets", fmt.Sprintf("dtype %q, shape %#v, data_offsets %v", e.DType, e.Shape, offsets))
	}
	e.begin, e.end = offsets[0], offsets[1]
	return e, e.check()
}

func (e entry) check() error {
	if e.begin < 0 || e.begin > e.end {
		return e.fail(ErrOffsets, "0 <= begin <= end", fmt.Sprintf("[%d %d]", e.begin, e.end))
	}
	n, err := e.bytes()
	if err != nil {
		return err
	}
	if e.end-e.begin != n {
		return e.fail(ErrSize, fmt.Sprintf("%d bytes for %s %v", n, e.DType, e.Shape), fmt.Sprintf("%d in data_offsets [%d %d]", e.end-e.begin, e.begin, e.end))
	}
	return nil
}

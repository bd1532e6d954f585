package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// place lays tensors out one after the other. Wide elements come first, else
// in the order given: so every tensor starts at a multiple of its element size.
func place(tensors []Tensor) ([]entry, error) {
	tensors = slices.Clone(tensors)
	slices.SortStableFunc(tensors, func(a, b Tensor) int { return cmp.Compare(b.DType.Bits(), a.DType.Bits()) })
	var entries []entry
	var end int64
	names := map[string]bool{metadataKey: true}
	for _, t := range tensors {
		if names[t.Name] {
			return nil, t.fail(ErrDuplicate, "a name not taken", fmt.Sprintf("%q", t.Name))
		}
		names[t.Name] = true
		n, err := t.bytes()
		if err != nil {
			return nil, err
		}
		if end+n < 0 {
			return nil, t.fail(ErrSize, "a file of fewer than 2^63 bytes", fmt.Sprintf("%d more after %d", n, end))
		}
		entries = append(entries, entry{Tensor: t, begin: end, end: end + n})
		end += n
	}
	return entries, nil
}

// encodeHeader returns the header with its length before it, in one form only:
// the same tensors and metadata are the same bytes.
func encodeHeader(entries []entry, metadata map[string]string) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, prefixBytes))
	b.WriteByte('{')
	if len(metadata) > 0 {
		if err := encodeMetadata(b, metadata); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		if err := e.encode(b); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 { // data starts at a multiple of 8
		b.WriteByte(' ')
	}
	n := b.Len() - prefixBytes
	if n > MaxHeader {
		return nil, &Error{Kind: ErrHeaderSize, Want: fmt.Sprintf("at most %d bytes", MaxHeader), Got: fmt.Sprint(n)}
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(n))
	return b.Bytes(), nil
}

func encodeMetadata(b *bytes.Buffer, metadata map[string]string) error {
	for k, v := range metadata {
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return &Error{Kind: ErrHeader, Tensor: metadataKey, Want: "UTF-8", Got: fmt.Sprintf("%q: %q", k, v)}
		}
	}
	return encodeField(b, metadataKey, metadata) // a map is encoded sorted by key
}

func (e entry) encode(b *bytes.Buffer) error {
	if !utf8.ValidString(e.Name) {
		return e.fail(ErrHeader, "a name in UTF-8", fmt.Sprintf("%q", e.Name))
	}
	return encodeField(b, e.Name, struct {
		DType   DType    `json:"dtype"`
		Shape   []int64  `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}{e.DType, append([]int64{}, e.Shape...), [2]int64{e.begin, e.end}}) // a nil shape would be null
}

func encodeField(b *bytes.Buffer, name string, value any) error {
	key, err := json.Marshal(name)
	if err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if b.Len() > prefixBytes+1 {
		b.WriteByte(',')
	}
	b.Write(key)
	b.WriteByte(':')
	b.Write(text)
	return nil
}

package safetensors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// parser walks JSON token by token: unmarshalling into a map would keep the
// last of two equal keys without a word, and reject nothing that is nested
// where the format has no nesting.
type parser struct {
	dec    *json.Decoder
	kind   error  // of every error but a duplicate
	tensor string // named in errors
}

// parse walks one document, which must be an object and nothing after it.
func parse(b []byte, kind error, field func(p *parser, key string) error) error {
	p := &parser{dec: json.NewDecoder(bytes.NewReader(b)), kind: kind}
	p.dec.UseNumber()
	if !utf8.Valid(b) { // the decoder would replace bad bytes, changing names
		return p.fail("UTF-8", "other bytes")
	}
	if err := p.object(func(key string) error { return field(p, key) }); err != nil {
		return err
	}
	p.tensor = ""
	if t, err := p.dec.Token(); err != io.EOF {
		return p.fail("only spaces after the object", found(t, err))
	}
	return nil
}

// object calls field at each value, with the value's key.
func (p *parser) object(field func(key string) error) error {
	if err := p.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.dec.More() {
		key, err := p.text("a key")
		if err != nil {
			return err
		}
		if seen[key] {
			return &Error{Kind: ErrDuplicate, Tensor: cmp.Or(p.tensor, key), Want: fmt.Sprintf("%q once", key), Got: "it twice"}
		}
		seen[key] = true
		if err := field(key); err != nil {
			return err
		}
	}
	return p.delim('}')
}

// texts reads an object whose values are all strings, in its order.
func (p *parser) texts(field func(key, value string) error) error {
	return p.object(func(key string) error {
		value, err := p.text("a string for " + key)
		if err != nil {
			return err
		}
		return field(key, value)
	})
}

// integers reads an array of integers. One beyond int64, or a fraction, is an
// error of the given kind.
func (p *parser) integers(what string, kind error) ([]int64, error) {
	if err := p.delim('['); err != nil {
		return nil, err
	}
	list := []int64{}
	for p.dec.More() {
		t, err := p.dec.Token()
		number, ok := t.(json.Number)
		if !ok {
			return nil, p.fail("integers in "+what, found(t, err))
		}
		n, err := number.Int64()
		if err != nil {
			return nil, &Error{Kind: kind, Tensor: p.tensor, Want: "integers below 2^63 in " + what, Got: number.String()}
		}
		list = append(list, n)
	}
	return list, p.delim(']')
}

func (p *parser) text(want string) (string, error) {
	t, err := p.dec.Token()
	s, ok := t.(string)
	if !ok {
		return "", p.fail(want, found(t, err))
	}
	return s, nil
}

func (p *parser) delim(want json.Delim) error {
	if t, err := p.dec.Token(); err != nil || t != want {
		return p.fail(want.String(), found(t, err))
	}
	return nil
}

// skip passes over one value of any form.
func (p *parser) skip() error {
	var value json.RawMessage
	if err := p.dec.Decode(&value); err != nil {
		return p.fail("JSON", err.Error())
	}
	return nil
}

func (p *parser) fail(want, got string) error {
	return &Error{Kind: p.kind, Tensor: p.tensor, Want: want, Got: got}
}

func found(t json.Token, err error) string {
	switch {
	case err == io.EOF:
		return "the end of the JSON"
	case err != nil:
		return err.Error()
	case t == nil:
		return "null"
	}
	return fmt.Sprint(t)
}

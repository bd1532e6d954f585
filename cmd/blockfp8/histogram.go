package main

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"

	"blockfp8/scale"
)

// histogram counts scales by their E8M0 code.
type histogram [256]int64

// MarshalJSON writes the codes that occur, as {"0x7F": 3}.
func (h histogram) MarshalJSON() ([]byte, error) {
	counts := map[string]int64{}
	for code, n := range h {
		if n > 0 {
			counts[fmt.Sprintf("0x%02X", code)] = n
		}
	}
	return json.Marshal(counts)
}

func (h *histogram) total() (sum int64) {
	for _, n := range h {
		sum += n
	}
	return sum
}

// The extent of the chart.
const (
	maxBars  = 24
	barWidth = 40
)

// write draws a bar per code. A wide range of codes shares bars, but never 0x00
// or 0xFF with others.
func (h *histogram) write(s *strings.Builder) {
	bars := h.bars()
	var most int64
	for _, b := range bars {
		most = max(most, b.count)
	}
	t := newTable("  code", "scale", "count ", "")
	for _, b := range bars {
		width := int((b.count*barWidth + most - 1) / most)
		t.add("  "+b.codes(), b.scales(), b.count, strings.Repeat("█", width))
	}
	t.write(s)
}

// bar counts the codes from first to last.
type bar struct {
	first, last int
	count       int64
}

// bars groups the codes that occur, as few as possible to a bar.
func (h *histogram) bars() []bar {
	first, last := 255, 0
	for code := 1; code < 255; code++ {
		if h[code] > 0 {
			first, last = min(first, code), max(last, code)
		}
	}
	width := 1
	if span := last - first + 1; span > maxBars {
		width = 1 << bits.Len(uint((span-1)/maxBars))
	}
	list := []bar{{0, 0, h[0]}}
	for code := first; code <= last; code += width {
		b := bar{code, min(code+width-1, last), 0}
		for c := b.first; c <= b.last; c++ {
			b.count += h[c]
		}
		list = append(list, b)
	}
	list = append(list, bar{255, 255, h[255]})
	var occurring []bar
	for _, b := range list {
		if b.count > 0 {
			occurring = append(occurring, b)
		}
	}
	return occurring
}

func (b bar) codes() string {
	if b.first == b.last {
		return fmt.Sprintf("0x%02X", b.first)
	}
	return fmt.Sprintf("0x%02X-0x%02X", b.first, b.last)
}

func (b bar) scales() string {
	switch {
	case scale.E8M0(b.first).IsNaN():
		return "NaN"
	case b.first == b.last:
		return fmt.Sprintf("2^%d", b.first-127)
	}
	return fmt.Sprintf("2^%d..2^%d", b.first-127, b.last-127)
}

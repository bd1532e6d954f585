package main

import (
	"fmt"
	"image/color"
	"math"

	"blockfp8/ref"
	"blockfp8/scale"
)

// ulpClass is a range of distances that has a colour of its own.
type ulpClass struct {
	label string
	upTo  uint64
	color color.RGBA
}

// ulpClasses get darker with the distance, so that they are told apart without
// colours too. NaN against a number is beyond all distances.
var ulpClasses = []ulpClass{
	{"equal", 0, color.RGBA{0xEE, 0xF1, 0xF4, 0xFF}},
	{"1 ULP", 1, color.RGBA{0xFF, 0xE0, 0x7A, 0xFF}},
	{"2 to 3", 3, color.RGBA{0xFD, 0xAE, 0x42, 0xFF}},
	{"4 to 15", 15, color.RGBA{0xEE, 0x70, 0x28, 0xFF}},
	{"16 to 255", 255, color.RGBA{0xC4, 0x2B, 0x1F, 0xFF}},
	{"256 and more", math.MaxUint64 - 1, color.RGBA{0x6B, 0x0A, 0x1E, 0xFF}},
	{"NaN or number", math.MaxUint64, color.RGBA{0x35, 0x2A, 0x9B, 0xFF}},
}

// ulpMap is how far every element of a result is from what it should be.
type ulpMap struct {
	rows, cols int
	class      []uint8 // of ulpClasses, by row
	counts     []int   // elements of each class
}

// newULPMap compares two results of the same extents.
func newULPMap(got, want ref.Matrix, f scale.Format) ulpMap {
	m := ulpMap{rows: want.Rows, cols: want.Cols, class: make([]uint8, 0, want.Rows*want.Cols), counts: make([]int, len(ulpClasses))}
	for i := range want.Rows {
		for j, w := range want.Row(i) {
			class := classOf(ref.ULPDistance(got.Row(i)[j], w, f))
			m.class = append(m.class, class)
			m.counts[class]++
		}
	}
	return m
}

func classOf(ulp uint64) uint8 {
	for i, c := range ulpClasses {
		if ulp <= c.upTo {
			return uint8(i)
		}
	}
	return uint8(len(ulpClasses) - 1)
}

// summary is the counts in a line.
func (m ulpMap) summary() string {
	return fmt.Sprintf("C [%d,%d]: %d of %d elements differ", m.rows, m.cols, m.rows*m.cols-m.counts[0], m.rows*m.cols)
}

// cells are the worst classes of rectangles of elements, one for each pixel or square
// of pixels of two axes.
func (m ulpMap) cells(down, across mapAxis) [][]uint8 {
	cells := make([][]uint8, down.cells())
	for i := range cells {
		cells[i] = make([]uint8, across.cells())
	}
	for i := range m.rows {
		for j := range m.cols {
			cell := &cells[i/down.perCell][j/across.perCell]
			*cell = max(*cell, m.class[i*m.cols+j])
		}
	}
	return cells
}

// mapAxis lays n elements out along one side of a map.
type mapAxis struct {
	n       int
	size    int // pixels of a cell
	perCell int // elements of a cell; more than one where there is no room for a pixel each
}

const largestCell = 24

func newMapAxis(n, room int) mapAxis {
	if n > room {
		return mapAxis{n: n, size: 1, perCell: (n + room - 1) / room}
	}
	return mapAxis{n: n, size: min(room/max(1, n), largestCell), perCell: 1}
}

func (a mapAxis) cells() int { return (a.n + a.perCell - 1) / a.perCell }

func (a mapAxis) pixels() int { return a.cells() * a.size }

// at is the first pixel of an element.
func (a mapAxis) at(i int) int { return i / a.perCell * a.size }

// tickStep is the power of two at which numbers have room for so many pixels.
func (a mapAxis) tickStep(room int) int {
	step := 1
	for step*a.size/a.perCell < room {
		step *= 2
	}
	return step
}

package main

import (
	"image"
	"image/color"
	"image/draw"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	fixedpoint "golang.org/x/image/math/fixed"
)

// The places of a map, in pixels.
const (
	mapWidth, mapHeight = 1024, 768 // most that the elements take
	mapMargin           = 12
	lineHeight          = 16
	numbersWidth        = 48 // of the numbers of rows
	legendWidth         = 230
	letterWidth         = 7
)

var ink = color.RGBA{0x20, 0x24, 0x2A, 0xFF}

// tileLine is where tiles of kernels and of hardware end.
type tileLine struct {
	every int
	alpha uint8
}

// tileLines are ordered by strength: of two in one place the first is drawn.
var tileLines = []tileLine{{128, 200}, {64, 110}, {16, 45}}

// mapCanvas is a map that is being drawn.
type mapCanvas struct {
	*image.RGBA
	m            ulpMap
	down, across mapAxis
	origin       image.Point // of element [0,0]
}

// draw draws the map under lines of text.
func (m ulpMap) draw(title []string) image.Image {
	c := mapCanvas{m: m, down: newMapAxis(m.rows, mapHeight), across: newMapAxis(m.cols, mapWidth)}
	c.origin = image.Pt(mapMargin+numbersWidth, mapMargin+(len(title)+3)*lineHeight)
	width := c.origin.X + c.across.pixels() + mapMargin + legendWidth
	for _, line := range title {
		width = max(width, 2*mapMargin+len(line)*letterWidth)
	}
	legendHeight := (len(ulpClasses) + 4) * lineHeight
	height := c.origin.Y + max(c.down.pixels(), legendHeight) + mapMargin
	c.RGBA = image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(c, c.Bounds(), image.White, image.Point{}, draw.Src)
	for i, line := range title {
		c.text(mapMargin, mapMargin+i*lineHeight, line)
	}
	c.elements()
	c.tiles()
	c.numbers()
	c.legend(image.Pt(c.origin.X+c.across.pixels()+mapMargin, c.origin.Y))
	return c
}

func (c mapCanvas) fill(r image.Rectangle, shade color.Color) {
	draw.Draw(c, r, image.NewUniform(shade), image.Point{}, draw.Over)
}

// text writes a line whose top left corner is at (x, y).
func (c mapCanvas) text(x, y int, s string) {
	d := font.Drawer{Dst: c, Src: image.NewUniform(ink), Face: basicfont.Face7x13, Dot: fixedpoint.P(x, y+basicfont.Face7x13.Ascent)}
	d.DrawString(s)
}

func (c mapCanvas) elements() {
	for i, row := range c.m.cells(c.down, c.across) {
		for j, class := range row {
			cell := image.Rect(j*c.across.size, i*c.down.size, (j+1)*c.across.size, (i+1)*c.down.size)
			c.fill(cell.Add(c.origin), ulpClasses[class].color)
		}
	}
}

// tiles draws the lines on the first pixel of the tile that they begin, and a frame.
func (c mapCanvas) tiles() {
	w, h := c.across.pixels(), c.down.pixels()
	across := func(x int) image.Rectangle { return image.Rect(x, 0, x+1, h).Add(c.origin) }
	down := func(y int) image.Rectangle { return image.Rect(0, y, w, y+1).Add(c.origin) }
	c.tilesOf(c.across, across)
	c.tilesOf(c.down, down)
	for _, edge := range []image.Rectangle{across(-1), across(w), down(-1), down(h)} {
		c.fill(edge, ink)
	}
}

func (c mapCanvas) tilesOf(a mapAxis, line func(at int) image.Rectangle) {
	for i := 1; i < a.n; i++ {
		for _, t := range tileLines {
			if t.visible(a) && i%t.every == 0 {
				c.fill(line(a.at(i)), color.NRGBA{ink.R, ink.G, ink.B, t.alpha})
				break
			}
		}
	}
}

// visible leaves lines out that would cover what is between them.
func (t tileLine) visible(a mapAxis) bool { return t.every*a.size/a.perCell >= 10 }

// numbers writes the numbers of columns above and of rows on the left.
func (c mapCanvas) numbers() {
	top := c.origin.Y - lineHeight - 2
	c.text(c.origin.X, top-lineHeight, "n, a row of B")
	c.text(mapMargin, top, "m")
	for n, step := 0, c.across.tickStep(44); n < c.m.cols; n += step {
		x := c.origin.X + c.across.at(n)
		c.fill(image.Rect(x, c.origin.Y-4, x+1, c.origin.Y), ink)
		c.text(x+2, top, strconv.Itoa(n))
	}
	for m, step := 0, c.down.tickStep(lineHeight); m < c.m.rows; m += step {
		y := c.origin.Y + c.down.at(m)
		c.fill(image.Rect(c.origin.X-4, y, c.origin.X, y+1), ink)
		label := strconv.Itoa(m)
		c.text(c.origin.X-6-len(label)*letterWidth, y, label)
	}
}

func (c mapCanvas) legend(at image.Point) {
	for i, class := range ulpClasses {
		y := at.Y + i*lineHeight
		c.fill(image.Rect(at.X, y, at.X+lineHeight-3, y+lineHeight-3), class.color)
		c.text(at.X+lineHeight+4, y, class.label+": "+strconv.Itoa(c.m.counts[i]))
	}
	y := at.Y + (len(ulpClasses)+1)*lineHeight
	c.text(at.X, y, "lines every 16, 64, 128")
	if per := max(c.down.perCell, c.across.perCell); per > 1 {
		c.text(at.X, y+lineHeight, "a pixel is the worst of")
		c.text(at.X, y+2*lineHeight, strconv.Itoa(c.down.perCell)+" x "+strconv.Itoa(c.across.perCell)+" elements")
	}
}

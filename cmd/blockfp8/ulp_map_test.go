package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// decoded is a map as it is read from its file.
func decoded(t *testing.T, m ulpMap, title ...string) image.Image {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, m.draw(title)); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func rgba(c color.Color) color.RGBA { return color.RGBAModel.Convert(c).(color.RGBA) }

// origin of a map with one line of title.
var mapOrigin = image.Pt(mapMargin+numbersWidth, mapMargin+4*lineHeight)

func TestMapShowsEveryElement(t *testing.T) {
	const rows, cols = 5, 7
	want, got := ref.NewMatrix(rows, cols), ref.NewMatrix(rows, cols)
	next := func(v float32, ulp uint32) float32 {
		return scale.BF16(scale.BFloat16.Bits(v) + ulp).Float32()
	}
	for i, ulp := range []uint32{0, 1, 2, 5, 20, 300} {
		want.Row(2)[i], got.Row(2)[i] = 1, next(1, ulp)
	}
	want.Row(2)[6] = float32(math.NaN())
	m := newULPMap(got, want, scale.BFloat16)
	img := decoded(t, m, "a title")
	for i, class := range ulpClasses {
		middle := mapOrigin.Add(image.Pt(i*largestCell+largestCell/2, 2*largestCell+largestCell/2))
		if c := rgba(img.At(middle.X, middle.Y)); c != class.color {
			t.Errorf("column %d: %v, want %v (%s)", i, c, class.color, class.label)
		}
		if swatch := rgba(img.At(mapOrigin.X+cols*largestCell+mapMargin+3, mapOrigin.Y+i*lineHeight+3)); swatch != class.color {
			t.Errorf("legend of %s: %v", class.label, swatch)
		}
	}
	if c := rgba(img.At(mapOrigin.X+5, mapOrigin.Y+5)); c != ulpClasses[0].color {
		t.Errorf("equal elements: %v", c)
	}
	if m.summary() != "C [5,7]: 6 of 35 elements differ" {
		t.Errorf("got %q", m.summary())
	}
}

// One wrong element of 10^7 is seen.
func TestMapOfManyElements(t *testing.T) {
	want, got := ref.NewMatrix(2500, 4000), ref.NewMatrix(2500, 4000)
	got.Row(1999)[3210] = 1
	m := newULPMap(got, want, scale.Float32)
	img := decoded(t, m)
	if s := img.Bounds().Size(); s.X > 1400 || s.Y > 1000 {
		t.Errorf("the map has %v pixels", s)
	}
	at := image.Pt(mapOrigin.X, mapOrigin.Y-lineHeight).Add(image.Pt(3210/4, 1999/4))
	if c := rgba(img.At(at.X, at.Y)); c != ulpClasses[5].color {
		t.Errorf("the wrong element is %v", c)
	}
	differing := 0
	for y := range img.Bounds().Max.Y {
		for x := range img.Bounds().Max.X {
			differing += oneIf(rgba(img.At(x, y)) == ulpClasses[5].color)
		}
	}
	if swatch := (lineHeight - 3) * (lineHeight - 3); differing != 1+swatch {
		t.Errorf("%d pixels differ, want 1 beside the legend's %d", differing, swatch)
	}
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestMapTileLines(t *testing.T) {
	c := ref.NewMatrix(200, 300)
	img := decoded(t, newULPMap(c, c, scale.Float32))
	origin := image.Pt(mapOrigin.X, mapOrigin.Y-lineHeight)
	size := newMapAxis(300, mapWidth).size
	lightness := func(n int) int { return int(rgba(img.At(origin.X+n*size, origin.Y+1)).R) }
	if plain, l16, l64, l128 := lightness(15), lightness(16), lightness(64), lightness(128); !(plain > l16 && l16 > l64 && l64 > l128) {
		t.Errorf("lightness %d, at 16 %d, at 64 %d, at 128 %d", plain, l16, l64, l128)
	}
}

func TestMapOfNothing(t *testing.T) {
	decoded(t, newULPMap(ref.NewMatrix(0, 5), ref.NewMatrix(0, 5), scale.Float32), "no rows")
}

package main

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// plotColours are those of the series, ours first; they differ for colour-blind
// eyes too (Okabe and Ito).
var plotColours = []color.Color{
	color.RGBA{0x00, 0x72, 0xB2, 0xFF}, color.RGBA{0xD5, 0x5E, 0x00, 0xFF}, color.RGBA{0x00, 0x9E, 0x73, 0xFF}, color.RGBA{0xCC, 0x79, 0xA7, 0xFF},
}

// plotShapes tell the series apart without colour.
var plotShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{}}

// plot draws a roofline into a PNG file: operations per byte against operations per
// second, under the line that the copy bandwidth allows. No path is no plot.
func (d *gemmDocument) plot(path string) error {
	if path == "" {
		return nil
	}
	p := plot.New()
	p.Title.Text = "Block-scaled FP8 on " + d.Device.Name
	p.X.Label.Text = "operations per byte of weights, activations and results"
	p.Y.Label.Text = "TFLOP/s"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Left, p.Legend.Top = true, true
	p.Add(plotter.NewGrid())
	series := d.series()
	for i, s := range series {
		if err := s.add(p, i); err != nil {
			return err
		}
	}
	if err := d.addRoof(p, series); err != nil {
		return err
	}
	return p.Save(22*vg.Centimeter, 15*vg.Centimeter, path)
}

// plotSeries is the points of one kind of kernel.
type plotSeries struct {
	name   string
	points plotter.XYs
}

func (d *gemmDocument) series() []plotSeries {
	ours := plotSeries{name: "blockfp8"}
	for _, r := range d.Results {
		ours.points = append(ours.points, rooflinePoint(r.M, r.N, r.K, r.Microseconds))
	}
	all := []plotSeries{ours}
	for _, name := range peerNames(d.Peers) {
		s := plotSeries{name: name}
		for _, r := range d.Peers {
			if r.Name == name {
				s.points = append(s.points, rooflinePoint(r.M, r.N, r.K, r.Microseconds))
			}
		}
		all = append(all, s)
	}
	return slices.DeleteFunc(all, func(s plotSeries) bool { return len(s.points) == 0 })
}

// rooflinePoint is a measured multiplication. Bytes are counted once, as in the
// table.
func rooflinePoint(m, n, k int, microseconds float64) plotter.XY {
	r := gemmResult{M: m, N: n, K: k, Microseconds: microseconds}.rate(1)
	return plotter.XY{X: 1e3 * r.TFLOPs / r.GBs, Y: r.TFLOPs}
}

func (s plotSeries) add(p *plot.Plot, i int) error {
	points, err := plotter.NewScatter(s.points)
	if err != nil {
		return err
	}
	points.Color, points.Shape = plotColours[i%len(plotColours)], plotShapes[i%len(plotShapes)]
	points.Radius = vg.Points(3)
	p.Add(points)
	p.Legend.Add(s.name, points)
	return nil
}

// addRoof draws what the bandwidth allows over the range of the points.
func (d *gemmDocument) addRoof(p *plot.Plot, series []plotSeries) error {
	var xs []float64
	for _, s := range series {
		for _, at := range s.points {
			xs = append(xs, at.X)
		}
	}
	if len(xs) == 0 || d.CopyGBs <= 0 {
		return nil
	}
	var roof plotter.XYs
	for _, x := range []float64{slices.Min(xs), slices.Max(xs)} {
		roof = append(roof, plotter.XY{X: x, Y: x * d.CopyGBs / 1e3})
	}
	line, err := plotter.NewLine(roof)
	if err != nil {
		return err
	}
	line.Width = vg.Points(1.5)
	p.Add(line)
	p.Legend.Add(fmt.Sprintf("%.0f GB/s", d.CopyGBs), line)
	return nil
}

package gpu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"blockfp8/gpu/internal/driver"
	"blockfp8/ref"
	"blockfp8/scale"
)

// execute runs a kernel on the fake device's memory; d.mu is held. The parameters
// are those of kernels/README.md.
func (d *fakeDriver) execute(name string, l *driver.Launch) error {
	p := l.Params[:l.Count]
	switch {
	case formNamed(name) >= 0:
		f := &forms[formNamed(name)]
		weights, err := d.weights(f, l)
		if err != nil {
			return err
		}
		return d.multiply(f.family, p, weights)
	case name == "upcast_e8m0" || name == "widen_e8m0":
		return d.upcast(name, p)
	case name == "shift_e8m0":
		return d.shift(p)
	case strings.HasPrefix(name, "quantize_activations_"):
		return d.quantize(strings.TrimPrefix(name, "quantize_activations_"), p)
	}
	return fmt.Errorf("%w: no kernel %q", errFake, name)
}

// weights reads the weights of a multiplication, of each group.
func (d *fakeDriver) weights(f *form, l *driver.Launch) ([]ref.Operand, error) {
	p, groups := l.Params[:l.Count], uint64(l.Grid[2])
	if err := checkParameters(f, p, groups); err != nil {
		return nil, err
	}
	var weights []ref.Operand
	for g := range groups {
		b, err := d.operand(f.family, p[2]+g*p[21], p[10], p[4]+uint64(f.family.scaleBytes())*g*p[24], scale.Layout{
			Rows: int(p[7]), Cols: int(p[8]), BlockRows: int(p[17]), BlockCols: int(p[16]), RowOffset: int(p[18]), RowStride: int(p[14]), ColStride: int(p[15]),
		})
		if err != nil {
			return nil, err
		}
		weights = append(weights, b)
	}
	return weights, nil
}

func (d *fakeDriver) multiply(f family, p []uint64, weights []ref.Operand) error {
	var errs []error
	for g, b := range weights {
		errs = append(errs, d.multiplyGroup(f, p, b, g))
	}
	return errors.Join(errs...)
}

func (d *fakeDriver) multiplyGroup(f family, p []uint64, b ref.Operand, g int) error {
	scaleBytes := uint64(f.scaleBytes())
	m, n, k := int(p[6]), int(p[7]), int(p[8])
	format := [...]scale.Format{scale.Float32, scale.BFloat16, scale.Float16}[p[19]]
	size := format.Width() / 8
	a, err := d.operand(f, p[1]+uint64(g)*p[20], p[9], p[3]+scaleBytes*uint64(g)*p[23], scale.Layout{
		Rows: m, Cols: k, BlockRows: 1, BlockCols: int(p[16]), RowStride: int(p[12]), ColStride: int(p[13]),
	})
	if err != nil {
		return err
	}
	datapath, err := f.datapath(Target{Arch: d.arch})
	if err != nil {
		return err
	}
	c := ref.NewMatrix(m, n)
	if err := ref.MatMul(c, a, b, f.recipe(datapath, int(p[16]), scale.Float32)); err != nil {
		return err
	}
	var bias []byte
	if p[5] != 0 {
		if bias, err = d.at(driver.Ptr(p[5]+4*uint64(g)*p[25]), int64(4*n)); err != nil {
			return err
		}
	}
	for i := range m {
		row, err := d.at(driver.Ptr(p[0]+uint64(size)*(uint64(g)*p[22]+uint64(i)*p[11])), int64(n*size))
		if err != nil {
			return err
		}
		for j, v := range c.Row(i) {
			if bias != nil {
				v += math.Float32frombits(binary.LittleEndian.Uint32(bias[4*j:]))
			}
			bits := format.Bits(format.Round(float64(v)))
			if size == 4 {
				binary.LittleEndian.PutUint32(row[4*j:], bits)
			} else {
				binary.LittleEndian.PutUint16(row[2*j:], uint16(bits))
			}
		}
	}
	return nil
}

// operand reads codes and scales out of the device's memory, and nothing that
// does not belong to them.
func (d *fakeDriver) operand(f family, codes, stride, scales uint64, l scale.Layout) (ref.Operand, error) {
	dense := make([]scale.E4M3, l.Rows*l.Cols)
	for i := range l.Rows {
		if l.Cols == 0 {
			break
		}
		row, err := d.at(driver.Ptr(codes+uint64(i)*stride), int64(l.Cols))
		if err != nil {
			return ref.Operand{}, err
		}
		copy(dense[i*l.Cols:], scale.E4M3s(row))
	}
	grid, err := d.grid(f, scales, l)
	if err != nil {
		return ref.Operand{}, err
	}
	return ref.NewOperand(dense, max(1, l.Cols), grid)
}

// grid reads the scales of a family.
func (d *fakeDriver) grid(f family, scales uint64, l scale.Layout) (scale.Grid, error) {
	n := l.Len()
	var m []byte
	if n > 0 {
		var err error
		if m, err = d.at(driver.Ptr(scales), int64(f.scaleBytes()*n)); err != nil {
			return scale.Grid{}, err
		}
	} else {
		l.RowStride, l.ColStride = 1, 1
	}
	if !f.prefersFP32Scale() {
		return scale.NewE8M0Grid(l, scale.E8M0s(bytes.Clone(m)))
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(m[4*i:]))
	}
	return scale.NewFP32Grid(l, values)
}

func (d *fakeDriver) upcast(name string, p []uint64) error {
	rows, cols := int(p[2]), int(p[3])
	to, err := d.at(driver.Ptr(p[0]), int64(4*rows*cols))
	if err != nil {
		return err
	}
	for i := range rows * cols {
		at := uint64(i/cols)*p[4] + uint64(i%cols)*p[5]
		code, err := d.at(driver.Ptr(p[1]+at), 1)
		if err != nil {
			return err
		}
		bits := uint32(code[0])
		if name == "upcast_e8m0" {
			bits = upcastBits(code[0], p[6])
		}
		binary.LittleEndian.PutUint32(to[4*i:], bits)
	}
	return nil
}

func upcastBits(code byte, mode uint64) uint32 {
	if mode == 1 {
		return uint32(code) << 23
	}
	return math.Float32bits(scale.E8M0(code).Float32())
}

func (d *fakeDriver) shift(p []uint64) error {
	m, err := d.at(driver.Ptr(p[0]), int64(4*p[1]))
	if err != nil {
		return err
	}
	for i := range int(p[1]) {
		binary.LittleEndian.PutUint32(m[4*i:], upcastBits(byte(binary.LittleEndian.Uint32(m[4*i:])), p[2]))
	}
	return nil
}

func (d *fakeDriver) quantize(kind string, p []uint64) error {
	rows, cols, group := int(p[4]), int(p[5]), int(p[6])
	style := scale.StyleVLLM
	if p[11] == 1 {
		style = scale.StyleDeepSeek
	}
	size := 2
	if kind == "f32" {
		size = 4
	}
	for i := range rows {
		in, err := d.at(driver.Ptr(p[3]+uint64(i)*p[8]*uint64(size)), int64(cols*size))
		if err != nil {
			return err
		}
		x := make([]float32, cols)
		for j := range x {
			switch kind {
			case "f32":
				x[j] = math.Float32frombits(binary.LittleEndian.Uint32(in[4*j:]))
			case "bf16":
				x[j] = scale.BF16(binary.LittleEndian.Uint16(in[2*j:])).Float32()
			default:
				x[j] = scale.FP16(binary.LittleEndian.Uint16(in[2*j:])).Float32()
			}
		}
		codes, grid, err := scale.QuantizeActivations(x, 1, cols, cols, group, style)
		if err != nil {
			return err
		}
		out, err := d.at(driver.Ptr(p[0]+uint64(i)*p[7]), int64(cols))
		if err != nil {
			return err
		}
		copy(scale.E4M3s(out), codes)
		for b := range grid.Layout().GridCols() {
			if err := d.writeScales(p, uint64(i)*p[9]+uint64(b)*p[10], grid.At(0, b)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeScales writes a scale of a quantiser's group in the forms that are asked for.
func (d *fakeDriver) writeScales(p []uint64, at uint64, s float32) error {
	if p[1] != 0 {
		m, err := d.at(driver.Ptr(p[1]+4*at), 4)
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint32(m, math.Float32bits(s))
	}
	if p[2] != 0 {
		m, err := d.at(driver.Ptr(p[2]+at), 1)
		if err != nil {
			return err
		}
		m[0] = byte(math.Float32bits(s) >> 23)
	}
	return nil
}

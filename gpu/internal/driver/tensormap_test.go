package driver

import (
	"errors"
	"strings"
	"testing"
)

func TestTensorMapCheck(t *testing.T) {
	good := TensorMap{Base: 16, Columns: 1, Rows: 1 << 32, Groups: 1, RowStride: 16, GroupStride: 1<<40 - 16, BoxRows: 256, BoxGroups: 1}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		change func(m *TensorMap)
		says   string
	}{
		{func(m *TensorMap) { m.Base = 0 }, "base 0x0"},
		{func(m *TensorMap) { m.Base = 24 }, "base 0x18, want a multiple of 16"},
		{func(m *TensorMap) { m.Columns = 0 }, "extents 0, 4294967296 and 1"},
		{func(m *TensorMap) { m.Rows++ }, "extents 1, 4294967297 and 1"},
		{func(m *TensorMap) { m.Groups = 0 }, "want each from 1 to 2^32"},
		{func(m *TensorMap) { m.RowStride = 24 }, "strides of 24 and"},
		{func(m *TensorMap) { m.RowStride = 0 }, "strides of 0 and"},
		{func(m *TensorMap) { m.GroupStride = 1 << 40 }, "below 2^40"},
		{func(m *TensorMap) { m.BoxRows = 0 }, "a box of 0 rows"},
		{func(m *TensorMap) { m.BoxRows = 257 }, "a box of 257 rows in 1 groups, want 1 to 256"},
		{func(m *TensorMap) { m.BoxGroups = 0 }, "a box of 256 rows in 0 groups"},
		{func(m *TensorMap) { m.BoxGroups = 257 }, "in 257 groups"},
	} {
		m := good
		c.change(&m)
		if err := m.Check(); !errors.Is(err, ErrTensorMap) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("change %d: %v, want %q", i, err, c.says)
		}
	}
}

// A map lies at the next multiple of 64 bytes, whatever comes before it.
func TestPushMap(t *testing.T) {
	for before, at := range []int{0, 8, 8, 8, 8, 8, 8, 8, 8, 16} {
		var l Launch
		for range before {
			l.Push(7)
		}
		var m [TensorMapWords]uint64
		for i := range m {
			m[i] = uint64(100 + i)
		}
		l.PushMap(m)
		if l.Count != at+TensorMapWords || l.Numbers != before {
			t.Fatalf("after %d parameters and a map there are %d, %d of them before the map", before, l.Count, l.Numbers)
		}
		for i, v := range l.Params[:l.Count] {
			want := uint64(0)
			switch {
			case i < before:
				want = 7
			case i >= at:
				want = uint64(100 + i - at)
			}
			if v != want {
				t.Errorf("after %d parameters, place %d holds %d, want %d", before, i, v, want)
			}
		}
	}
	// 28 parameters and two maps are the 512 bytes that a launch has room for.
	var l Launch
	for range 28 {
		l.Push(1)
	}
	l.PushMap([TensorMapWords]uint64{})
	l.PushMap([TensorMapWords]uint64{})
	if l.Count != MaxParams || l.Numbers != 28 {
		t.Errorf("28 parameters and two maps take %d places, %d of them before the maps, want %d and 28", l.Count, l.Numbers, MaxParams)
	}
}

package emulated_test

import (
	"bytes"
	"errors"
	"testing"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/driver/emulated"
)

// boxKernel gives out the first row of the box that it copies through its map: 128
// bytes, not moved by the swizzle because the row's number is 0.
const boxKernel = `.version 8.4
.target sm_90
.address_size 64
.visible .entry box(.param .u64 to, .param .u32 row, .param .align 64 .b8 map[128])
{
	.reg .pred %p;
	.reg .b32 %r<9>;
	.reg .b64 %d<9>;
	.shared .align 1024 .b8 tile[1024];
	.shared .align 8 .b8 bar[8];
	mbarrier.init.shared::cta.b64 [bar], 1;
	fence.mbarrier_init.release.cluster;
	mov.b64 %d0, map;
	cvta.param.u64 %d0, %d0;
	ld.param.u32 %r0, [row];
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024;
	cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d0, {0, %r0, 0}], [bar];
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
	@!%p bra WAIT;
	ld.param.u64 %d1, [to];
	mov.u32 %r1, 0;
COPY:
	mov.u32 %r2, tile;
	add.u32 %r2, %r2, %r1;
	ld.shared.u64 %d2, [%r2];
	cvt.u64.u32 %d3, %r1;
	add.u64 %d3, %d3, %d1;
	st.global.u64 [%d3], %d2;
	add.u32 %r1, %r1, 8;
	setp.lt.u32 %p, %r1, 128;
	@%p bra COPY;
	ret;
}
`

func TestTensorMap(t *testing.T) {
	r := newRig(t, emulated.Options{Check: true})
	m, err := r.LoadModule("box.ptx", boxKernel)
	r.ok(err)
	f, err := r.Function(m, "box")
	r.ok(err)
	rows := make([]byte, 3*144)
	for i := range rows {
		rows[i] = byte(i)
	}
	from, err := r.Alloc(int64(len(rows)))
	r.ok(err)
	r.ok(r.CopyIn(0, from, rows))
	encoded, err := r.EncodeTensorMap(driver.TensorMap{
		Base: from, Columns: 100, Rows: 3, Groups: 1, RowStride: 144, GroupStride: 144, BoxRows: 4, BoxGroups: 2,
	})
	r.ok(err)
	l := driver.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}}
	l.Push(uint64(r.words))
	l.Push(2)
	l.PushMap(encoded)
	r.ok(r.Launch(l))
	got := make([]byte, 128)
	r.ok(r.CopyOut(0, got, r.words))
	if want := append(bytes.Clone(rows[288:388]), make([]byte, 28)...); !bytes.Equal(got, want) {
		t.Errorf("row 2 is % x, want % x", got, want)
	}
	r.ok(r.Close())
}

func TestTensorMapErrors(t *testing.T) {
	good := driver.TensorMap{Base: 256, Columns: 128, Rows: 8, Groups: 1, RowStride: 128, GroupStride: 128, BoxRows: 8, BoxGroups: 1}
	for _, c := range []struct {
		arch   driver.Arch
		change func(m *driver.TensorMap)
		want   error
	}{
		{sm90, func(*driver.TensorMap) {}, nil},
		{driver.Arch{Major: 8, Minor: 9}, func(*driver.TensorMap) {}, driver.ErrUnsupported},
		{sm90, func(m *driver.TensorMap) { m.BoxRows = 257 }, driver.ErrTensorMap},
		{sm90, func(m *driver.TensorMap) { m.Base = 8 }, driver.ErrTensorMap},
	} {
		d, err := emulated.Open(c.arch, emulated.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := good
		c.change(&m)
		if _, err := d.EncodeTensorMap(m); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%+v on %v: %v, want %v", m, c.arch, err, c.want)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

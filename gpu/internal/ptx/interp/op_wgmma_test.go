package interp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/gpu/internal/ptx/memory"
	"blockfp8/ref"
	"blockfp8/scale"
)

// place says where a code of an operand lies in an image of shared memory.
type place func(row, k int) int

// plainPlace is core matrices of 8 rows by 16 bytes: the two of 32 codes lie beside each
// other, eight rows further ones behind them. tilePlace is rows of 128 bytes whose
// 16-byte pieces change places: in row r of eight, piece p lies at p XOR r.
func plainPlace(row, k int) int { return row/8*256 + k/16*128 + row%8*16 + k%16 }
func tilePlace(row, k int) int  { return row*128 + (k/16^row%8)*16 + k%16 }

// wgmmaCase is one wgmma: A at the beginning of shared memory, B behind it, columns k
// from 32*step on.
type wgmmaCase struct {
	columns   int
	tile      bool // swizzled
	step      int
	add       bool
	rows, bAt int // bytes of a row, and where B begins
	place     place
}

func newWgmmaCase(columns int, tile bool, step int, add bool) wgmmaCase {
	if tile {
		return wgmmaCase{columns, tile, step, add, 128, 64 * 128, tilePlace}
	}
	return wgmmaCase{columns, tile, 0, add, 32, 64 * 32, plainPlace}
}

func (c *wgmmaCase) String() string {
	return fmt.Sprintf("%d columns, swizzled %v, step %d, scale-d %v", c.columns, c.tile, c.step, c.add)
}

// descriptor is that of an operand at an offset.
func (c *wgmmaCase) descriptor(at int) uint64 {
	if c.tile {
		return uint64(at+32*c.step)>>4 | 1<<16 | 1024>>4<<32 | 1<<62
	}
	return uint64(at)>>4 | 128>>4<<16 | 256>>4<<32
}

// image lays the codes out.
func (c *wgmmaCase) image(a, b [][32]scale.E4M3) []byte {
	image := make([]byte, c.bAt+c.columns*c.rows)
	for base, rows := range map[int][][32]scale.E4M3{0: a, c.bAt: b} {
		for row := range rows {
			for k, code := range rows[row] {
				image[base+c.place(row, 32*c.step+k)] = byte(code)
			}
		}
	}
	return image
}

// text is a kernel of one warpgroup that loads the image and the sums, multiplies, and
// stores the sums: register i of thread t is word i*128 + t.
func (c *wgmmaCase) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 pimage, .param .u64 psums)
{
	.reg .pred %%p<2>;
	.reg .b32 %%r<8>;
	.reg .b64 %%d<8>;
	.reg .f32 %%f<%d>;
	.shared .align 1024 .b8 tiles[%d];
	ld.param.u64 %%d0, [pimage];
	ld.param.u64 %%d1, [psums];
	mov.u32 %%r0, %%tid.x;
	mul.wide.u32 %%d2, %%r0, 4;
	add.u64 %%d1, %%d1, %%d2;
	shl.b32 %%r1, %%r0, 4;
LOAD:
	cvt.u64.u32 %%d3, %%r1;
	add.u64 %%d3, %%d3, %%d0;
	ld.global.v4.u32 {%%r2, %%r3, %%r4, %%r5}, [%%d3];
	mov.u32 %%r6, tiles;
	add.u32 %%r6, %%r6, %%r1;
	st.shared.v4.u32 [%%r6], {%%r2, %%r3, %%r4, %%r5};
	add.u32 %%r1, %%r1, 2048;
	setp.lt.u32 %%p0, %%r1, %d;
	@%%p0 bra LOAD;
	fence.proxy.async.shared::cta;
	bar.sync 0;
`, c.columns/2, c.bAt+c.columns*c.rows, c.bAt+c.columns*c.rows)
	var sums []string
	for i := range c.columns / 2 {
		fmt.Fprintf(&b, "\tld.global.f32 %%f%d, [%%d1+%d];\n", i, 512*i)
		sums = append(sums, fmt.Sprintf("%%f%d", i))
	}
	fmt.Fprintf(&b, `	setp.eq.u32 %%p1, %d, 1;
	mov.u64 %%d4, %#x;
	mov.u64 %%d5, %#x;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n%dk32.f32.e4m3.e4m3 {%s}, %%d4, %%d5, %%p1, 1, 1;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
`, bit(c.add), c.descriptor(0), c.descriptor(c.bAt), c.columns, strings.Join(sums, ", "))
	for i := range c.columns / 2 {
		fmt.Fprintf(&b, "\tst.global.f32 [%%d1+%d], %%f%d;\n", 512*i, i)
	}
	return b.String() + "\tret;\n}\n"
}

// element is the row and column of register i of a thread (PTX ISA, "Register Fragments
// for wgmma.mma_async.m64nNk32", D): lane 4g+t of warp w has rows 16w+g and 16w+g+8, and
// of every eight columns 2t and 2t+1.
func element(thread, i int) (row, column int) {
	warp, lane := thread/32, thread%32
	return 16*warp + lane/4 + 8*(i>>1&1), 8*(i>>2) + 2*(lane%4) + i&1
}

// run returns the sums afterwards, by element.
func (c *wgmmaCase) run(t *testing.T, a, b [][32]scale.E4M3, before func(row, column int) float32) func(row, column int) float32 {
	t.Helper()
	k := compileText(t, c.text(), interp.Options{Check: true})
	space := memory.NewSpace(1<<20, true)
	image := c.image(a, b)
	words := make([]byte, 4*64*c.columns)
	each := func(do func(word []byte, row, column int)) {
		for thread := range 128 {
			for i := range c.columns / 2 {
				row, column := element(thread, i)
				do(words[4*(128*i+thread):], row, column)
			}
		}
	}
	each(func(word []byte, row, column int) {
		binary.LittleEndian.PutUint32(word, math.Float32bits(before(row, column)))
	})
	imageAt, err := space.Alloc(int64(len(image) + 2048)) // the last round of loads reaches over the end
	if err != nil {
		t.Fatal(err)
	}
	sumsAt, err := space.Alloc(int64(len(words)))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(space.Fill(imageAt, 0, len(image)+2048), space.Write(imageAt, image), space.Write(sumsAt, words)); err != nil {
		t.Fatal(err)
	}
	launch := interp.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Params: []uint64{imageAt, sumsAt}, Shared: 2048}
	if _, err := k.Run(space, launch); err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	if err := space.Read(words, sumsAt); err != nil {
		t.Fatal(err)
	}
	result := map[[2]int]float32{}
	each(func(word []byte, row, column int) {
		result[[2]int{row, column}] = math.Float32frombits(binary.LittleEndian.Uint32(word))
	})
	return func(row, column int) float32 { return result[[2]int{row, column}] }
}

// A(41, 18) = 2 and B(5, 18) = 3: D(41, 5) = 6 + C, all others are C.
func TestWgmmaRows(t *testing.T) {
	for _, r := range []struct {
		add         bool
		want, other float32
	}{{true, 7, 1}, {false, 6, 0}} {
		c := newWgmmaCase(8, true, 2, r.add)
		a, b := make([][32]scale.E4M3, 64), make([][32]scale.E4M3, 8)
		a[41][18], b[5][18] = 0x40, 0x44
		got := c.run(t, a, b, func(int, int) float32 { return 1 })
		for row := range 64 {
			for column := range 8 {
				want := r.other
				if row == 41 && column == 5 {
					want = r.want
				}
				if got(row, column) != want {
					t.Errorf("%v: element (%d, %d) is %v, want %v", &c, row, column, got(row, column), want)
				}
			}
		}
	}
}

// Every shape is what ref makes of its rows, in both layouts and at every step of K.
func TestWgmmaIsItsElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(90, 1))
	codes := func(rows int) [][32]scale.E4M3 {
		all := make([][32]scale.E4M3, rows)
		for i := range all {
			for k := range all[i] {
				if all[i][k] = scale.E4M3(rng.Uint32()); all[i][k].IsNaN() && i%16 != 0 {
					all[i][k] = 0
				}
			}
		}
		return all
	}
	for columns := 8; columns <= 256; columns += 8 {
		for _, tile := range []bool{false, true} {
			c := newWgmmaCase(columns, tile, columns/8%4, columns%24 != 0)
			a, b := codes(64), codes(columns)
			sums := func(row, column int) float32 { return float32(row) - float32(column)*0x1p-7 }
			got := c.run(t, a, b, sums)
			for row := range 64 {
				for column := range columns {
					before := sums(row, column)
					if !c.add {
						before = 0
					}
					want := ref.SM90WGMMA.MMA(&a[row], &b[column], before)
					if g := got(row, column); math.Float32bits(g) != math.Float32bits(want) {
						t.Fatalf("%v: element (%d, %d) is %v, want %v", &c, row, column, g, want)
					}
				}
			}
		}
	}
}

func TestWgmmaCounters(t *testing.T) {
	r := warpgroupTrial(ready, multiply, "\n", multiply, commitGroup, waitAll)
	_, c, err := r.run(t)
	// Each of the two is four products of 16 rows by 8 columns, and reads 64 and 8 rows
	// of 32 bytes. Every thread stores 16 bytes before, and 16 threads once more.
	if err != nil || c.MMAs != 8 || c.MatrixRead != 2*(2048+256) || c.SharedRead != 0 || c.SharedWritten != 2304 || c.BulkBytes != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

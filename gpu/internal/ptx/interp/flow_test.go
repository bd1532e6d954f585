package interp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Lanes that parted meet again at the first instruction that all of them reach: a
// vote there sees all, and one before does not.
func TestReconvergence(t *testing.T) {
	for _, r := range []struct {
		name, body string
		want       [4]uint32 // of lanes 0, 7, 16 and 31
	}{
		{"if and else", `setp.lt.u32 %p0, %l, 8;
@%p0 bra LOW;
activemask.b32 %r0;
bra.uni JOIN;
LOW: activemask.b32 %r0;
JOIN: vote.sync.ballot.b32 %r1, %p0, -1;
xor.b32 %r0, %r0, %r1;`, [4]uint32{0, 0, 0xFFFFFFFF, 0xFFFFFFFF}},
		{"nested", `setp.lt.u32 %p0, %l, 16;
and.b32 %r1, %l, 1;
setp.eq.u32 %p1, %r1, 0;
mov.u32 %r0, 0;
@!%p0 bra JOIN;
@%p1 bra INNER;
activemask.b32 %r0;
INNER: bar.warp.sync 0xFFFF;
activemask.b32 %r1;
add.u32 %r0, %r0, %r1;
JOIN: bar.warp.sync -1;`, [4]uint32{0xFFFF, 0xFFFF + 0xAAAA, 0, 0}},
		{"trip counts that differ", `mov.u32 %r0, 0;
mov.u32 %r2, 0;
LOOP: activemask.b32 %r1;
popc.b32 %r1, %r1;
add.u32 %r0, %r0, %r1;
add.u32 %r2, %r2, 1;
setp.le.u32 %p0, %r2, %l;
@%p0 bra LOOP;
bar.warp.sync -1;`, [4]uint32{32, 32 + 31 + 30 + 29 + 28 + 27 + 26 + 25, 408, 528}},
		{"a loop that is left early", `mov.u32 %r0, 0;
setp.ge.u32 %p1, %l, 16;
LOOP: add.u32 %r0, %r0, 1;
setp.eq.u32 %p0, %r0, 3;
@%p0 bra OUT;
@%p1 bra LOOP;
setp.lt.u32 %p2, %r0, 2;
@%p2 bra LOOP;
OUT: bar.warp.sync -1;`, [4]uint32{2, 2, 3, 3}},
		{"two loops that jump into each other", `mov.u32 %r0, 0;
mov.u32 %r1, 0;
setp.lt.u32 %p0, %l, 16;
@%p0 bra B;
A: add.u32 %r0, %r0, 1;
add.u32 %r1, %r1, 1;
setp.ge.u32 %p1, %r1, 5;
@%p1 bra OUT;
B: add.u32 %r0, %r0, 100;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 5;
@%p1 bra A;
OUT: bar.warp.sync -1;`, [4]uint32{302, 302, 203, 203}},
		{"a return inside", `setp.ne.u32 %p0, %l, 3;
@%p0 bra ON;
setp.eq.u32 %p1, %l, 3;
@%p1 ret;
ON: activemask.b32 %r0;
bar.warp.sync -1;`, [4]uint32{^uint32(8), ^uint32(8), ^uint32(8), ^uint32(8)}},
		{"only some instructions", `mov.u32 %r0, 1;
setp.lt.u32 %p0, %l, 16;
@%p0 mov.u32 %r0, 2;
@!%p0 add.u32 %r0, %r0, 5;`, [4]uint32{2, 2, 6, 6}},
		{"a loop that only a return leaves", `mov.u32 %r0, 0;
LOOP: bar.warp.sync -1;
st.global.u32 [%o], %r0;
setp.eq.u32 %p0, %r0, %l;
@%p0 ret;
add.u32 %r0, %r0, 1;
bra.uni LOOP;`, [4]uint32{0, 7, 16, 31}},
	} {
		k := trial{threads: 32, body: r.body + "\nst.global.u32 [%o], %r0;"}
		out, _, err := k.run(t)
		if got := [4]uint32{out[0], out[7], out[16], out[31]}; err != nil || got != r.want {
			t.Errorf("%s: %d, %v; want %d", r.name, got, err, r.want)
		}
	}
}

// node is a part of a random program: it mixes its number into a hash, and goes on
// to one of two nodes as a bit of the hash says. After a number of steps it returns.
type node struct{ then, otherwise int }

const walkSteps = 40

// walk is what a program gives, lane by lane.
func walk(nodes []node, lane uint32) uint32 {
	hash, at := lane, 0
	for range walkSteps {
		hash = hash*2654435761 + uint32(at)
		if hash>>16&1 == 1 {
			at = nodes[at].then
		} else {
			at = nodes[at].otherwise
		}
	}
	return hash
}

// program is a random program as statements.
func program(nodes []node) string {
	var b strings.Builder
	b.WriteString("mov.u32 %r0, %l;\nmov.u32 %r1, 0;\n")
	for i, n := range nodes {
		fmt.Fprintf(&b, `N%d: setp.ge.u32 %%p1, %%r1, %d;
@%%p1 bra OUT;
mad.lo.u32 %%r0, %%r0, 2654435761, %d;
add.u32 %%r1, %%r1, 1;
and.b32 %%r2, %%r0, 65536;
setp.ne.u32 %%p0, %%r2, 0;
@%%p0 bra N%d;
bra.uni N%d;
`, i, walkSteps, i, n.then, n.otherwise)
	}
	b.WriteString("OUT: bar.warp.sync -1;\nst.global.u32 [%o], %r0;")
	return b.String()
}

// Whatever the graph, loops that jump into each other among them, every lane goes
// its own way, and all meet in the end.
func TestRandomFlow(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 92))
	for range 200 {
		nodes := make([]node, 1+r.IntN(12))
		for i := range nodes {
			nodes[i] = node{r.IntN(len(nodes)), r.IntN(len(nodes))}
		}
		k := trial{threads: 32, body: program(nodes)}
		out, _, err := k.run(t)
		if err != nil {
			t.Fatalf("%v: %v", nodes, err)
		}
		for lane := range uint32(32) {
			if want := walk(nodes, lane); out[lane] != want {
				t.Fatalf("%v: lane %d has %#x, want %#x", nodes, lane, out[lane], want)
			}
		}
	}
}

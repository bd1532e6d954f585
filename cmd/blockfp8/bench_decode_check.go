package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"blockfp8/gpu"
	"blockfp8/ref"
)

// decodeBits is what became of comparing the results of a step, of one number of
// rows.
type decodeBits struct {
	Compared  int `json:"compared"`  // elements, with those of the first way
	Different int `json:"different"` // or not written at all
	Checked   int `json:"checked"`   // elements of the first way, with the oracle
	Wrong     int `json:"wrong"`
}

// checkReplays does the step in every way and compares all results, and some with
// the oracle's.
func checkReplays(s *gpu.Stream, replays []*decodeReplay, o stepOperands, seed uint64) (decodeBits, error) {
	var bits decodeBits
	var first []byte
	for _, way := range waysOf(replays) {
		got, err := way.outcome(s)
		if err != nil {
			return bits, err
		}
		if first == nil {
			first = got
		}
		bits.Compared += len(got) / outputBytes
		bits.Different += differingElements(got, first)
	}
	recipe, err := replays[0].arm.weights[0].Recipe(benchOutput)
	if err != nil {
		return bits, err
	}
	err = bits.checkSpots(first, o, recipe, rand.New(rand.NewPCG(seed, 1)))
	return bits, err
}

// unwritten fills the results before a step: a NaN that none of the activations
// and weights gives.
const unwritten = 0xFF

// outcome does the step once and returns the results.
func (w decodeWay) outcome(s *gpu.Stream) ([]byte, error) {
	b := bytes.Repeat([]byte{unwritten}, int(w.results.Bytes()))
	if err := w.results.Write(s, 0, b); err != nil {
		return nil, err
	}
	if err := w.give(s); err != nil {
		return nil, err
	}
	return b, w.results.Read(s, b, 0)
}

// differingElements counts the elements of got that are not those of want, or were
// never written.
func differingElements(got, want []byte) (different int) {
	nothing := [outputBytes]byte{unwritten, unwritten}
	for i := 0; i < len(got); i += outputBytes {
		e := got[i : i+outputBytes]
		if !bytes.Equal(e, want[i:i+outputBytes]) || bytes.Equal(e, nothing[:]) {
			different++
		}
	}
	return different
}

// checkSpots compares random elements of results with the literal oracle.
func (b *decodeBits) checkSpots(results []byte, o stepOperands, recipe ref.Recipe, rng *rand.Rand) error {
	offsets, _ := resultOffsets(o.step, o.activations.rows)
	for range spots {
		i := rng.IntN(len(o.step))
		l := o.step[i]
		m, g, n := rng.IntN(o.activations.rows), rng.IntN(l.Groups), rng.IntN(l.N)
		want, err := o.element(i, g, m, n, recipe)
		if err != nil {
			return err
		}
		at := offsets[i] + int64(m*l.outputs()+g*l.N+n)*outputBytes
		b.Checked++
		if uint32(binary.LittleEndian.Uint16(results[at:])) != recipe.Output.Bits(want) {
			b.Wrong++
		}
	}
	return nil
}

// element is what the oracle says of element (m, n) of group g of multiplication i.
func (o stepOperands) element(i, g, m, n int, recipe ref.Recipe) (float32, error) {
	a, err := o.activations.operand(o.step[i].width())
	if err != nil {
		return 0, err
	}
	k := o.step[i].K
	if a, err = a.SliceK(g*k, (g+1)*k); err != nil {
		return 0, err
	}
	return ref.Element(a, o.weights[i][g], recipe, m, n)
}

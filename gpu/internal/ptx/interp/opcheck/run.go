package opcheck

import (
	"encoding/binary"
	"fmt"

	"blockfp8/gpu/internal/ptx"
	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/gpu/internal/ptx/memory"
)

// Run runs forms in the interpreter, each for a number of threads with the inputs
// that in has for it, and returns the results of each.
func Run(chip interp.Chip, forms []Form, threads int, in func(i int) []uint64) ([][]uint64, error) {
	m, err := ptx.Parse("forms.ptx", Module("sm_90", forms, threads))
	if err != nil {
		return nil, err
	}
	p, err := interp.Compile(m, chip, interp.Options{Check: true})
	if err != nil {
		return nil, err
	}
	all := make([][]uint64, len(forms))
	for i := range forms {
		if all[i], err = forms[i].run(p.Kernel(name(i)), threads, in(i)); err != nil {
			return nil, fmt.Errorf("%s: %w", forms[i].Text, err)
		}
	}
	return all, nil
}

func (f *Form) run(k *interp.Kernel, threads int, in []uint64) ([]uint64, error) {
	_, results := f.Counts()
	space := memory.NewSpace(1<<30, true)
	var at [2]uint64
	for i, words := range [2]int{len(in), results * threads} {
		var err error
		if at[i], err = space.Alloc(int64(8 * max(words, 1))); err != nil {
			return nil, err
		}
	}
	if err := space.Write(at[0], toBytes(in)); err != nil {
		return nil, err
	}
	block := min(threads, blockThreads)
	launch := interp.Launch{
		Grid: [3]uint32{uint32(threads / block), 1, 1}, Block: [3]uint32{uint32(block), 1, 1},
		Params: at[:],
	}
	if _, err := k.Run(space, launch); err != nil {
		return nil, err
	}
	out := make([]byte, 8*results*threads)
	if err := space.Read(out, at[1]); err != nil {
		return nil, err
	}
	return toWords(out), nil
}

func toBytes(words []uint64) []byte {
	b := make([]byte, 0, 8*len(words))
	for _, v := range words {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func toWords(b []byte) []uint64 {
	words := make([]uint64, len(b)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words
}

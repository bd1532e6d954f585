package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// words are the constants in memory.
var words = map[uint32]operand.Mem{}

// constant returns a register of eight equal 32-bit words.
func constant(v uint32) reg.VecVirtual {
	data, ok := words[v]
	if !ok {
		data = GLOBL(fmt.Sprintf("word%08x", v), RODATA|NOPTR)
		DATA(0, operand.U32(v))
		words[v] = data
	}
	y := YMM()
	VPBROADCASTD(data, y)
	return y
}

// power is 2^e as a float32.
func power(e int) uint32 { return uint32(127+e) << 23 }

// magnitudes is the bits of a float64 without the sign, four times in memory.
func magnitudes() operand.Mem {
	data := GLOBL("magnitudes", RODATA|NOPTR)
	for i := range half {
		DATA(8*i, operand.U64(1<<63-1))
	}
	return data
}

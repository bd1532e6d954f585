package ptx

// budget is what declarations may still ask for in all. A text of a few bytes can
// declare any number of registers or bytes; what is kept for it has to stay in
// proportion to its length.
type budget struct {
	registers int // of all functions
	declared  int // bytes of all variables, of which nothing is kept but the number
	initial   int // bytes of all initial values
}

const (
	freeRegisters = 1 << 16 // a register that is used takes text, so only unused ones need these
	maxDeclared   = 1 << 28
	freeInitial   = 1 << 20
	perByte       = 4 // initial bytes for a byte of text: "0," is an element of up to 8 bytes
)

func newBudget(text string) budget {
	return budget{freeRegisters + len(text), maxDeclared, freeInitial + perByte*len(text)}
}

// spend takes n from what is left, or fails at the line.
func (p *parser) spend(left *int, n, line int, what string) {
	if n > *left {
		p.fail(line, "too many %s: %d more, %d are left", what, n, *left)
		return
	}
	*left -= n
}

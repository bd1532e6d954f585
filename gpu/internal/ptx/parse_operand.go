package ptx

// operand takes one operand. A name in it is a SymbolOperand until resolve finds
// out what it stands for.
func (p *parser) operand() Operand {
	switch {
	case p.accept("{"):
		return p.vector("}")
	case p.accept("["):
		return p.address()
	}
	return p.scalar()
}

// scalar takes an operand that is not a vector nor an address.
func (p *parser) scalar() Operand {
	switch {
	case p.accept("!"):
		return Operand{Kind: RegisterOperand, Name: p.predicate(), Negated: true}
	case p.tok.kind == wordToken && !p.at("WARP_SZ"):
		return p.named()
	case p.tok.kind == numberToken, p.tok.kind == wordToken, p.at("-"), p.at("+"), p.at("~"), p.at("("):
		return p.constant(anyOperator)
	}
	p.unexpected("an operand")
	return Operand{}
}

// predicate takes the name of a predicate that is read, and so cannot be a sink.
func (p *parser) predicate() string {
	if p.at("_") {
		p.unexpected("a predicate")
	}
	return p.take(wordToken, "a predicate").text
}

// named takes an operand that starts with a name.
func (p *parser) named() Operand {
	t := p.take(wordToken, "a name")
	if _, ok := special[t.text]; ok && p.tok.kind == dotToken {
		return p.component(t)
	}
	if p.accept("|") {
		second := p.take(wordToken, "a predicate")
		return Operand{Kind: RegisterOperand, Name: t.text, Second: second.text}
	}
	if t.text == "_" {
		return Operand{Kind: SinkOperand}
	}
	return Operand{Kind: SymbolOperand, Name: t.text, Offset: p.offset()}
}

// offset takes what is added to a name.
func (p *parser) offset() int64 {
	var sum uint64
	for {
		switch {
		case p.accept("+"):
			sum += p.integerConstant(productOnly)
		case p.accept("-"):
			sum -= p.integerConstant(productOnly)
		default:
			return int64(sum)
		}
	}
}

// vector takes the elements of a vector, or of a list of a call, and what closes
// it.
func (p *parser) vector(closing string) Operand {
	o := Operand{Kind: VectorOperand}
	if p.accept(closing) {
		return o
	}
	for {
		o.Elements = append(o.Elements, p.scalar())
		if !p.more(closing) {
			return o
		}
	}
}

// address takes an address after its bracket: a name with an offset or a constant,
// and for a tensor the coordinates.
func (p *parser) address() Operand {
	o := Operand{Kind: AddressOperand}
	if p.tok.kind == wordToken && !p.at("WARP_SZ") {
		o.Name = p.take(wordToken, "").text
		o.Offset = p.offset()
	} else {
		o.Offset = int64(p.integerConstant(anyOperator))
	}
	for p.more("]") {
		if p.accept("{") {
			o.Elements = append(o.Elements, p.vector("}"))
		} else {
			o.Elements = append(o.Elements, p.scalar())
		}
	}
	return o
}

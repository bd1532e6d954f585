package opcheck

import "strings"

// Forms returns every form that is recorded.
func Forms() []Form {
	var all []Form
	for _, list := range [][]Form{
		integerForms(), carryForms(), logicForms(), shiftForms(), compareForms(),
		floatForms(), halfForms(), convertForms(), packedForms(), warpForms(), memoryForms(), matrixForms(),
	} {
		all = append(all, list...)
	}
	return all
}

// forms collects forms. A text may hold alternatives, "<a,b>" or "<,b>", and stands
// for all their combinations.
type forms []Form

func (f *forms) add(draw string, texts ...string) {
	for _, text := range texts {
		for _, one := range expand(text) {
			*f = append(*f, Form{one, draw})
		}
	}
}

// expand puts each of its values in place of the first alternative, and then goes
// on with the next.
func expand(text string) []string {
	from := strings.IndexByte(text, '<')
	if from < 0 {
		return []string{text}
	}
	to := from + strings.IndexByte(text[from:], '>')
	var all []string
	for choice := range strings.SplitSeq(text[from+1:to], ",") {
		all = append(all, expand(text[:from]+choice+text[to+1:])...)
	}
	return all
}

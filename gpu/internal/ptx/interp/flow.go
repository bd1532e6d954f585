package interp

import (
	"slices"

	"blockfp8/gpu/internal/ptx"
)

// meetingPoints returns, for every instruction of a function, where the lanes that
// part there meet again: the immediate post-dominator, the first instruction that
// every path to the end goes through. It is len(body) where that is only the end.
// Lanes that return early are not met by anybody, so paths that do are left out.
//
// The algorithm is that of Cooper, Harvey and Kennedy ("A simple, fast dominance
// algorithm") on the reversed graph of instructions.
func meetingPoints(f *ptx.Function) []int {
	n := len(f.Body)
	successors, order := withoutEarlyReturns(f)
	meet := make([]int, n+1)
	for i := range meet {
		meet[i] = -1
	}
	meet[n] = n
	position := make([]int, n+1)
	for i, node := range order {
		position[node] = i
	}
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- {
			node := order[i]
			best := -1
			for _, s := range successors[node] {
				if meet[s] < 0 {
					continue
				}
				if best < 0 {
					best = s
				} else {
					best = common(meet, position, best, s)
				}
			}
			if best >= 0 && meet[node] != best {
				meet[node], changed = best, true
			}
		}
	}
	for i := range meet {
		if meet[i] < 0 {
			meet[i] = n // an endless loop
		}
	}
	return meet[:n]
}

func common(meet, position []int, a, b int) int {
	for a != b {
		for position[a] < position[b] {
			a = meet[a]
		}
		for position[b] < position[a] {
			b = meet[b]
		}
	}
	return a
}

// withoutEarlyReturns returns the successors of all instructions, and the
// instructions in postorder. It leaves out that one may return where it may go on
// instead, unless the end is reached by nothing else: then the last in the text that
// may return is the end of what comes before it.
func withoutEarlyReturns(f *ptx.Function) (successors [][]int, order []int) {
	n := len(f.Body)
	successors = make([][]int, n)
	var early []int
	for i := range f.Body {
		successors[i] = following(f, i)
		if next := slices.DeleteFunc(slices.Clone(successors[i]), func(s int) bool { return s == n }); len(next) == 1 && len(successors[i]) == 2 {
			successors[i] = next
			early = append(early, i)
		}
	}
	for {
		order = postorder(n, successors)
		reached := make([]bool, n+1)
		for _, node := range order {
			reached[node] = true
		}
		last := len(early) - 1
		for last >= 0 && reached[early[last]] {
			last--
		}
		if last < 0 {
			return successors, order
		}
		successors[early[last]] = append(successors[early[last]], n)
	}
}

// following returns the instructions that may come after one; the end is
// len(body), and so is a return.
func following(f *ptx.Function, i int) []int {
	in := &f.Body[i]
	always := in.Guard.Register == ""
	switch in.Opcode {
	case "bra":
		next := []int{}
		if len(in.Operands) == 1 {
			next = append(next, pastReturn(f, f.Labels[in.Operands[0].Name]))
		}
		if !always {
			next = append(next, pastReturn(f, i+1))
		}
		return next
	case "ret", "exit":
		if always {
			return []int{len(f.Body)}
		}
		return []int{len(f.Body), pastReturn(f, i+1)}
	}
	return []int{pastReturn(f, i+1)}
}

// pastReturn returns the end for an instruction that returns.
func pastReturn(f *ptx.Function, i int) int {
	if i < len(f.Body) && f.Body[i].Guard.Register == "" && (f.Body[i].Opcode == "ret" || f.Body[i].Opcode == "exit") {
		return len(f.Body)
	}
	return i
}

// postorder lists the nodes from which the end is reached, in postorder of the
// reversed graph: the end is last.
func postorder(n int, successors [][]int) []int {
	predecessors := make([][]int, n+1)
	for i, list := range successors {
		for _, s := range list {
			predecessors[s] = append(predecessors[s], i)
		}
	}
	type frame struct{ node, next int }
	seen := make([]bool, n+1)
	seen[n] = true
	var order []int
	for stack := []frame{{node: n}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next < len(predecessors[top.node]) {
			p := predecessors[top.node][top.next]
			top.next++
			if !seen[p] {
				seen[p] = true
				stack = append(stack, frame{node: p})
			}
			continue
		}
		order = append(order, top.node)
		stack = stack[:len(stack)-1]
	}
	return order
}

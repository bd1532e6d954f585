package fuzz

import (
	"context"
	"errors"
	"fmt"

	"pgregory.net/rapid"
)

// Check holds an implementation to the suite. A property that fails is not
// checked further, the others are. The error is that of ctx, or of the folder for
// failing problems; the result then holds what was found so far.
func Check(ctx context.Context, impl Implementation, o Options) (Result, error) {
	var result Result
	s := newSuite(impl, o)
	for i := range properties {
		outcome, err := s.check(ctx, i)
		if outcome != nil {
			result.Properties = append(result.Properties, *outcome)
		}
		if err != nil {
			return result, err
		}
	}
	return result, nil
}

// suite is one run of the properties over an implementation.
type suite struct {
	x         exam
	options   Options
	generator *rapid.Generator[Problem]
}

func newSuite(impl Implementation, o Options) *suite {
	l := limitsOf(impl)
	return &suite{x: exam{impl, l}, options: o.filled(), generator: Problems(l)}
}

// check checks property i: with what failed before, then with fresh draws. It is
// nil for a property that was left out or that the implementation cannot have.
func (s *suite) check(ctx context.Context, i int) (*Outcome, error) {
	pr := properties[i]
	if s.options.skips(pr) || pr.applies != nil && !pr.applies(s.x) {
		return nil, nil
	}
	out := &Outcome{Property: pr.name}
	if err := s.replay(ctx, pr, out); err != nil || out.Failure != nil {
		return out, err
	}
	if pr.share == 0 {
		s.try(pr, out, Problem{}, 0)
		if out.Unsupported > 0 {
			out.Failure = &Failure{Property: pr.name, Reason: "a problem within the limits is not supported"}
		}
		return out, nil
	}
	wanted := max(1, s.options.Draws/pr.share)
	for out.Failure == nil && out.Draws < wanted {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if out.Unsupported > tolerated(out.Draws) {
			out.Failure = &Failure{Property: pr.name, Reason: tooFew(out)}
			return out, nil
		}
		seed := s.seed(i, out.Draws+out.Unsupported)
		s.try(pr, out, s.generator.Example(seed), seed)
	}
	return out, s.save(out)
}

// seed is that of a draw: 31 bits, to be the same int on every machine.
func (s *suite) seed(property, draw int) int {
	return int(mix(mix(s.options.Seed+uint64(property)<<32)+uint64(draw)) >> 33)
}

// tolerated is how many problems may be refused: a suite that sees only what an
// implementation likes proves little.
func tolerated(draws int) int { return 60 + 9*draws }

func tooFew(out *Outcome) string {
	return fmt.Sprintf("%d of %d problems were not supported: say in Limits what the implementation takes", out.Unsupported, out.Draws+out.Unsupported)
}

// try checks a property with one problem and notes what came out.
func (s *suite) try(pr property, out *Outcome, p Problem, seed int) {
	err := pr.holds(s.x, p)
	if errors.Is(err, ErrUnsupported) {
		out.Unsupported++
		return
	}
	out.Draws++
	out.Outputs += p.A.Rows * p.B.Rows
	if err == nil {
		return
	}
	v := asViolation(err)
	if v == nil { // the suite itself could not ask
		v = asViolation(violated(p, "%v", err))
	}
	small := v.problem
	if pr.share > 0 {
		small, v = shrink(s.x, pr, p, v, s.options.Shrink)
	}
	out.Failure = newFailure(pr, small, v)
	out.Failure.Seed, out.Failure.Draw, out.Failure.Drawn = seed, out.Draws, p.String()
}

func asViolation(err error) *violation {
	var v *violation
	errors.As(err, &v)
	return v
}

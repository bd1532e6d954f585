package fuzz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
)

// Record is a problem that failed, as it is saved: JSON with codes and scales in
// hexadecimal.
type Record struct {
	Property string
	Recipe   string // for the reader; a replay asks the implementation again
	Reason   string
	Problem  Problem
}

// Record returns what is worth keeping of a failure.
func (f *Failure) Record() Record {
	r := Record{Property: f.Property, Reason: f.Reason, Problem: f.Problem}
	if f.Recipe.KPerPartial > 0 || f.Recipe.Datapath.Name != "" {
		r.Recipe = f.Recipe.String()
	}
	return r
}

// Save writes a record into a folder, which it makes if need be, under a name that
// its contents give, and returns the path.
func (r Record) Save(dir string) (string, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	hash := fnv.New64a()
	hash.Write(text)
	path := filepath.Join(dir, fmt.Sprintf("%s-%016x.json", r.Property, hash.Sum64()))
	return path, os.WriteFile(path, append(text, '\n'), 0o666)
}

// Load reads a record. Files that hold none are an error.
func Load(path string) (Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Record{}, err
	}
	var r Record
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if err := r.Problem.check(); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Replay checks the property of a record with its problem alone. It returns nil if
// the property holds now. The error is ErrUnsupported if the implementation
// refuses the problem, or one for a property that does not exist.
func Replay(impl Implementation, r Record) (*Failure, error) {
	for _, pr := range properties {
		if pr.name == r.Property && pr.share > 0 {
			return replay(exam{impl, limitsOf(impl)}, pr, r.Problem)
		}
	}
	return nil, fmt.Errorf("no property %q", r.Property)
}

func replay(x exam, pr property, p Problem) (*Failure, error) {
	err := pr.holds(x, p)
	if v := asViolation(err); v != nil {
		return newFailure(pr, p, v), nil
	}
	return nil, err
}

// replay tries the problems that failed before.
func (s *suite) replay(ctx context.Context, pr property, out *Outcome) error {
	if s.options.Dir == "" || pr.share == 0 {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(s.options.Dir, pr.name+"-*.json"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := Load(path)
		if err != nil {
			return err
		}
		failure, err := replay(s.x, pr, r.Problem)
		if err != nil && !errors.Is(err, ErrUnsupported) {
			return fmt.Errorf("%s: %w", path, err)
		}
		out.Replayed++
		if failure != nil {
			out.Failure, failure.File = failure, path
			return nil
		}
	}
	return nil
}

// save saves a new failure, if there is one and somewhere to save it.
func (s *suite) save(out *Outcome) (err error) {
	if out.Failure != nil && s.options.Dir != "" {
		out.Failure.File, err = out.Failure.Record().Save(s.options.Dir)
	}
	return err
}

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"blockfp8/gpu"
	"blockfp8/scale"
)

// levels is a choice of kernels as written in flags: auto, all, or numbers of
// levels.
type levels struct {
	auto    bool
	numbers []int
}

// UnmarshalText reads the choice.
func (l *levels) UnmarshalText(text []byte) error {
	ladder := ladderLevels()
	switch string(text) {
	case "auto":
		*l = levels{auto: true}
		return nil
	case "all":
		*l = levels{numbers: ladder}
		return nil
	}
	*l = levels{}
	for _, word := range strings.Split(string(text), ",") {
		n, err := strconv.Atoi(word)
		if err != nil || !slices.Contains(ladder, n) {
			return &scale.Mismatch{Kind: scale.ErrOption, What: "levels", Want: fmt.Sprintf("auto, all or some of %v", ladder), Got: strconv.Quote(string(text))}
		}
		l.numbers = append(l.numbers, n)
	}
	return nil
}

// benchForms returns the forms that take the activations of a measurement, whose
// scales are float32.
func benchForms() []gpu.FormInfo {
	return slices.DeleteFunc(gpu.Forms(), func(f gpu.FormInfo) bool { return f.E8M0Activations })
}

// ladderLevels returns the numbers of all levels, ascending.
func ladderLevels() (numbers []int) {
	for _, f := range benchForms() {
		if !slices.Contains(numbers, f.Level) {
			numbers = append(numbers, f.Level)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// kernels returns the forms of the chosen levels by name; the empty name is the
// plan's choice.
func (l levels) kernels() []string {
	if l.auto {
		return []string{""}
	}
	var names []string
	for _, f := range benchForms() {
		if slices.Contains(l.numbers, f.Level) {
			names = append(names, f.Name)
		}
	}
	return names
}

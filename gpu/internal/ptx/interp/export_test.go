package interp

import (
	"maps"
	"slices"
)

// Opcodes returns the opcodes that are known.
func Opcodes() []string { return slices.Sorted(maps.Keys(opcodes)) }

// Package ptx reads the text of PTX modules, as nvcc writes it, into a tree.
//
// It knows the grammar of the PTX ISA 9.0 (NVIDIA, chapters 4 and 5): tokens,
// directives, declarations, scopes, statements and the shapes of operands. Left
// out is what nvcc does not write: vector registers and their components, byte
// selectors, texture variables, and the operators / % >> in constants. The package
// does not know what opcodes mean; package interp does.
//
// A text it does not understand is a *SyntaxError with file and line, never a
// panic, and reading takes memory in proportion to the text.
package ptx

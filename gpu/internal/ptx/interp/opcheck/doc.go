// Package opcheck compares the interpreter with a GPU, one form of an instruction
// at a time. A form becomes a kernel in which every thread loads its inputs, runs
// the form and stores what it left; a record holds what a GPU answered, and the
// tests replay it through the interpreter on any machine.
//
// To record again on a machine with a GPU, build the tests with the tag cuda and
// run TestRecord with -record.
package opcheck

// Package emulated is a driver.Device in pure Go. It runs PTX with package interp,
// on every platform and without any other software.
//
// What it has of a real device: streams whose work is done behind the caller's
// back and in order, events between them, memory in stream order, graphs, limits of
// launches, the rules which chip takes which PTX, and faults that stick to the
// device. What it does not have: time. Elapsed is what the interpreter took.
//
// A stream has a goroutine while it has work, and none otherwise. All state is
// guarded by one lock of the device; work is done outside of it.
package emulated

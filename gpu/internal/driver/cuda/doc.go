// Package cuda is a driver on CUDA, through gorgonia.org/cu and a few calls of
// its own.
//
// It is the only package that imports gorgonia.org/cu, and does so only under
// the build tag cuda: that package ends the process when it is initialised on a
// machine without a usable driver. Without the tag this package is a stub that
// says so.
//
// A CUDA context belongs to an operating system thread, and goroutines move
// between threads. So each device has one goroutine, locked to a thread on which
// the context is current, that makes and destroys objects. Calls that are made
// often or that wait (launches, copies, events) do not go through it: each is
// one call into C that makes the context current and acts; if another context was
// current it is so again afterwards. The context is the device's primary one, shared with other libraries
// of the process.
package cuda

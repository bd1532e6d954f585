// Package probe compares what a card does with what package ref says of it: first
// single matrix instructions on inputs that hurt, then the kernels of package gpu.
//
// Its purpose is a report that whoever has a card can publish. Where bits differ it
// says which changed assumption about the chip's arithmetic would explain them; on
// a chip that nobody has modelled, which published model fits.
package probe

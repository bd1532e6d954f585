// Package interp runs PTX in pure Go, bit for bit, and looks over its shoulder.
//
// A module is compiled once for one chip: every instruction becomes a closure over
// the registers of a warp, and one that is not known is an error then, with its
// line, and not when it is reached. A launch runs its blocks in parallel. Inside a
// block warps take turns; the 32 lanes of a warp go in lockstep, part at branches
// and meet again at the branch's immediate post-dominator. The arithmetic of
// matrix instructions is that of package ref's datapaths.
//
// What a chip leaves undefined is a [Finding] here: accesses outside of
// allocations, misaligned ones, reads of what nobody wrote, races in shared memory,
// copies that nobody waited for, barriers that not all threads reach. A finding
// ends the launch. Register pressure, caches and time are not modelled.
//
// The shared-memory rules are those of the PTX memory model cut down to what the
// kernels use: an access of one thread is ordered after that of another only by a
// barrier of their block, or by bar.warp.sync inside one warp, for the lanes that
// take part. Lockstep execution orders nothing, nor do shuffles, fences and
// bar.arrive for the one that arrives. Lanes that store to the same byte in one
// instruction have to store the same value there. Lanes that have exited may be named
// by masks, and are not waited for.
package interp

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
// copies and wgmma that nobody waited for, barriers that not all threads reach,
// mbarriers that are misused or never end a phase. A finding ends the launch. Register
// pressure, caches and time are not modelled.
//
// The shared-memory rules are those of the PTX memory model cut down to what the
// kernels use: an access of one thread is ordered after that of another only by a
// barrier of their block, by bar.warp.sync inside one warp, for the lanes that take
// part, or by an arrival at an mbarrier and a wait for its phase that succeeded.
// Lockstep execution orders nothing, nor do shuffles, fences and bar.arrive for the one
// that arrives. Lanes that store to the same byte in one instruction have to store the
// same value there. Lanes that have exited may be named by masks, and are not waited
// for.
//
// Bulk copies and wgmma run by themselves, in the asynchronous proxy. The bytes of a
// copy appear no sooner than something waits for its mbarrier, and are ordered before
// those whose wait succeeded. A wgmma reads from where it stands to the
// wgmma.wait_group that ends its group; until then its registers are nobody's, and what
// it reads has to stay. What other instructions wrote, a copy that overwrites it and a
// wgmma that reads it see only if fence.proxy.async lies on the way; what they read may
// be overwritten without. An mbarrier has to be known to a copy by such a fence or by
// fence.mbarrier_init. Not modelled: clusters of more than one block, the order of
// copies' reads after writes of the same launch to global memory, and lanes that part
// and wait for each other at mbarriers, which lockstep makes a deadlock.
package interp

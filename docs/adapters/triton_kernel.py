"""Triton's usual block-scaled kernel behind `blockfp8 conform`. Run it on a Hopper with

    blockfp8 conform --recipe triton-sm90 -- python3 triton_kernel.py

and put your own kernel in the place of block_scaled.
"""

import numpy as np
import torch
import triton
import triton.language as tl

from blockfp8 import problems


# Extents are not specialised on: the suite draws hundreds of shapes, and each
# compilation takes a second.
@triton.jit(do_not_specialize=["m_size", "n_size", "k_size", "k_blocks"])
def block_scaled(a_ptr, b_ptr, c_ptr, as_ptr, bs_ptr, m_size, n_size, k_size, k_blocks,
                 BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for block in range(0, k_blocks):
        ks = block * BK + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * k_size + ks[None, :],
                    mask=(rows[:, None] < m_size) & (ks[None, :] < k_size), other=0.0)
        b = tl.load(b_ptr + cols[None, :] * k_size + ks[:, None],
                    mask=(cols[None, :] < n_size) & (ks[:, None] < k_size), other=0.0)
        a_scale = tl.load(as_ptr + rows * k_blocks + block, mask=rows < m_size, other=0.0)
        b_scale = tl.load(bs_ptr + (cols // BK) * k_blocks + block, mask=cols < n_size, other=0.0)
        acc += tl.dot(a, b) * a_scale[:, None] * b_scale[None, :]
    tl.store(c_ptr + rows[:, None] * n_size + cols[None, :], acc.to(tl.bfloat16),
             mask=(rows[:, None] < m_size) & (cols[None, :] < n_size))


def multiply(p):
    assert p.output == "bf16" and p.bn == p.bk == 128, "what this kernel is made for"

    def on_gpu(x):
        return torch.from_numpy(x).cuda()

    a, b = on_gpu(p.a).view(torch.float8_e4m3fn), on_gpu(p.b).view(torch.float8_e4m3fn)
    c = torch.empty((p.m, p.n), dtype=torch.bfloat16, device="cuda")
    grid = (triton.cdiv(p.m, 64), triton.cdiv(p.n, 128))
    block_scaled[grid](a, b, c, on_gpu(p.a_scale), on_gpu(p.b_scale), p.m, p.n, p.k, triton.cdiv(p.k, p.bk),
                       BM=64, BN=128, BK=128, num_warps=4, num_stages=3)
    return c.cpu().view(torch.int16).numpy().view(np.uint16)


if __name__ == "__main__":
    for p in problems():
        p.answer(multiply(p))

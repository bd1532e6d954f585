"""Records what Triton's block-scaled FP8 GEMM returns on the GPU at hand.

    python3 make.py OUTDIR

Needs torch, triton and a GPU. The kernel is the usual one: one tile of C per
program, K walked in steps of one scale block, acc += dot(a, b) * a_s * b_s, output
bf16. Inputs are seeded: random E4M3 codes over the whole range (no NaN), fp32
activation scales per row and 128 columns, fp32 power-of-two weight scales stored
as E8M0 codes per 128x128 block. M, N and K have tails.

The recorded files in this folder are from an NVIDIA H200; see the record file.
"""

import sys

import numpy as np
import torch
import triton
import triton.language as tl

M, N, K, BLOCK = 5, 200, 544, 128


@triton.jit
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


def main(folder):
    rng = np.random.default_rng(20261201)
    finite = np.array([c for c in range(256) if c & 0x7F != 0x7F], np.uint8)
    a = finite[rng.integers(0, len(finite), (M, K))]
    b = finite[rng.integers(0, len(finite), (N, K))]
    k_blocks, n_blocks = -(-K // BLOCK), -(-N // BLOCK)
    a_scale = (rng.random((M, k_blocks)) * 0.01 + 1e-4).astype(np.float32)
    b_code = rng.integers(113, 121, (n_blocks, k_blocks)).astype(np.uint8)
    b_scale = (b_code.astype(np.uint32) << 23).view(np.float32)

    def on_gpu(x):
        return torch.from_numpy(x).cuda()

    c = torch.empty((M, N), dtype=torch.bfloat16, device="cuda")
    block_scaled[(triton.cdiv(M, 64), triton.cdiv(N, 128))](
        on_gpu(a).view(torch.float8_e4m3fn), on_gpu(b).view(torch.float8_e4m3fn), c,
        on_gpu(a_scale), on_gpu(b_scale), M, N, K, k_blocks, BM=64, BN=128, BK=BLOCK, num_warps=4, num_stages=3)
    torch.cuda.synchronize()
    bits = c.cpu().view(torch.int16).numpy().view(np.uint16)
    for name, array in (("a", a), ("as", a_scale), ("b", b), ("bs", b_code), ("c", bits)):
        np.save(f"{folder}/{name}.npy", array)
    with open(f"{folder}/record", "w") as f:
        f.write(f"device {torch.cuda.get_device_name()}, sm_{''.join(map(str, torch.cuda.get_device_capability()))}\n"
                f"torch {torch.__version__}, triton {triton.__version__}, CUDA {torch.version.cuda}\n")


if __name__ == "__main__":
    main(sys.argv[1])

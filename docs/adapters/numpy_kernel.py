"""A kernel in NumPy, to see `blockfp8 conform` at work without a GPU. Run it with

    blockfp8 conform --recipe exact/act-then-weight-unfused/k128/bf16 -- python3 numpy_kernel.py
"""

import numpy as np

from blockfp8 import problems


def e4m3_values():
    codes = np.arange(256)
    exponent, fraction = codes >> 3 & 15, codes & 7
    value = np.where(exponent == 0, np.ldexp(fraction.astype(float), -9), np.ldexp(8.0 + fraction, exponent - 10))
    value[codes & 0x7F == 0x7F] = np.nan
    return np.where(codes >> 7, -value, value)


E4M3 = e4m3_values()


def multiply(p):
    assert p.output == "bf16", p.output
    a, b = E4M3[p.a], E4M3[p.b]
    block_row = np.arange(p.n) // p.bn
    acc = np.zeros((p.m, p.n), np.float32)
    for block in range(p.a_scale.shape[1]):
        ks = slice(block * p.bk, (block + 1) * p.bk)
        dot = (a[:, ks] @ b[:, ks].T + 0.0).astype(np.float32)  # float64 holds the sum exactly; +0 for -0
        acc += dot * p.a_scale[:, block, None] * p.b_scale[block_row, block]
    return acc


def to_bf16(x):
    """The bits of float32 values rounded to bf16, ties to even."""
    bits = x.view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(x), 0x7FC0, rounded).astype(np.uint16)


if __name__ == "__main__":
    with np.errstate(all="ignore"):  # NaN and infinity are ordinary inputs here
        for p in problems():
            p.answer(to_bf16(multiply(p)))

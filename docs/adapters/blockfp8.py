"""The kernel's side of `blockfp8 conform`: problems in, answers out.

    from blockfp8 import problems

    for p in problems():
        p.answer(my_kernel(p.a, p.a_scale, p.b, p.b_scale))

Copy this file beside yours. It needs NumPy and nothing else.
"""

import json
import pathlib
import sys

import numpy as np


class Problem:
    """One multiplication C[m, n] = A[m, k] * B[n, k]^T.

    a, b              uint8: E4M3 codes
    a_scale, b_scale  float32: one scale per row and bk columns of A, per bn rows
                      and bk columns of B; E8M0 scales are converted
    a_codes, b_codes  uint8: the same scales as E8M0 codes, or None if they are fp32
    output            "bf16", "fp16" or "float32"
    """

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        d = json.loads((self.folder / "problem.json").read_text())
        self.m, self.n, self.k, self.output, self.recipe = d["m"], d["n"], d["k"], d["output"], d.get("recipe")
        self.bn, self.bk = d["b_block"]
        self.a, self.b = self._load("a"), self._load("b")
        self.a_scale, self.a_codes = scales(self._load("as"))
        self.b_scale, self.b_codes = scales(self._load("bs"))

    def _load(self, name):
        return np.load(self.folder / f"{name}.npy")

    def answer(self, c):
        """c: [m, n] as uint16 (the bits of bf16 or fp16), float16 or float32."""
        np.save(self.folder / "c.npy", np.ascontiguousarray(c))
        print("done", self.folder, flush=True)


def problems():
    """The problems that conform puts, or those in folders named as arguments."""
    for line in sys.argv[1:] or sys.stdin:
        yield Problem(line.rstrip("\n"))


def scales(stored):
    """float32 scales, and their E8M0 codes if that is how they are stored."""
    if stored.dtype == np.float32:
        return stored, None
    bits = stored.astype(np.uint32) << 23
    bits[stored == 0x00] = 0x00400000  # 2^-127 is a subnormal float32
    bits[stored == 0xFF] = 0x7FC00000  # NaN
    return bits.view(np.float32), stored

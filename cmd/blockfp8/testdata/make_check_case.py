#!/usr/bin/env python3
"""Makes the operands and results that the tests of `blockfp8 check` read.

The results come from a model of the tensor cores that shares no code with this
module: model.py in the folder probe of $BLOCKFP8_EVIDENCE. Arithmetic is exact on
integers and powers of two, rounded by the model's round_rne. Standard library only.

    BLOCKFP8_EVIDENCE=... python3 make_check_case.py [FOLDER]

Each case is a folder in FOLDER, or beside this file: a, as, b, bs, c (right) and wrong (the last K
block's weight scale dropped, that is taken as 1).
"""
import os
import random
import struct
import sys

TARGET = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.environ["BLOCKFP8_EVIDENCE"], "probe"))
from model import ARCH, decode, mma_dot, round_rne  # noqa: E402

M, N, K = 3, 5, 288          # the last K block has 32 of 128 products
BLOCK_N, BLOCK_K = 4, 128    # the last N block has 1 of 4 rows
ONE = 0x3F800000


def dyadic(bits):
    """A finite float32 as (integer, exponent): integer * 2^exponent."""
    kind, sign, sig, exp, p = decode(bits, "f32")
    assert kind in (0, 1), hex(bits)
    return (-sig if sign else sig), exp - p


def multiply(x, y):
    """RN(x*y) in float32."""
    (a, p), (b, q) = dyadic(x), dyadic(y)
    assert a * b != 0, "the sign of a zero is not modelled"
    return round_rne(a * b, p + q, 8, 23)


def fma(x, y, z):
    """RN(x*y + z) in float32, rounded once."""
    (a, p), (b, q), (c, r) = dyadic(x), dyadic(y), dyadic(z)
    low = min(p + q, r)
    return round_rne((a * b << p + q - low) + (c << r - low), low, 8, 23)


def bf16(x):
    a, p = dyadic(x)
    return round_rne(a, p, 8, 7)


def e8m0(code):
    """The float32 bits of an E8M0 code that is neither 0x00 nor 0xFF."""
    assert 0 < code < 255
    return code << 23


def dot(a, b, arch):
    """A partial sum: MMAs of 32 chained from zero."""
    c = 0
    for k in range(0, len(a), 32):
        c = mma_dot(a[k:k + 32], b[k:k + 32], c, ARCH[arch])
    return c


def act_then_weight(d, sa, sb, acc):
    return fma(multiply(d, sa), sb, acc)


def product_first(d, sa, sb, acc):
    return fma(d, multiply(sa, sb), acc)


def product(a, sa, b, sb, arch, scaled, output):
    blocks = range(0, K, BLOCK_K)
    dots = [[[dot(a[m][k:k + BLOCK_K], b[n][k:k + BLOCK_K], arch) for k in blocks] for n in range(N)] for m in range(M)]
    rows = []
    for m in range(M):
        for n in range(N):
            acc = 0
            for i in range(len(blocks)):
                acc = scaled(dots[m][n][i], sa[m][i], sb[n // BLOCK_N][i], acc)
            rows.append(output(acc))
    return rows


def write_npy(path, descr, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def case(name, seed, arch, scaled, weight_scales, output, c_type):
    rng = random.Random(seed)
    finite = [c for c in range(256) if c & 0x7F != 0x7F]
    a = [[rng.choice(finite) for _ in range(K)] for _ in range(M)]
    b = [[rng.choice(finite) for _ in range(K)] for _ in range(N)]
    k_blocks, n_blocks = -(-K // BLOCK_K), -(-N // BLOCK_N)
    sa = [[rng.randrange(0x3B800000, 0x3D000000) for _ in range(k_blocks)] for _ in range(M)]  # 2^-8 to 2^-5
    codes = [[rng.randrange(0x74, 0x7B) for _ in range(k_blocks)] for _ in range(n_blocks)]     # 2^-11 to 2^-5
    values = [[e8m0(c) for c in row] for row in codes]
    if weight_scales == "fp32":
        values = [[v | rng.randrange(1 << 23) for v in row] for row in values]
    dropped = [row[:-1] + [ONE] for row in values]

    folder = os.path.join(TARGET, name)
    os.makedirs(folder, exist_ok=True)

    def write(file, descr, shape, numbers):
        code = {"|u1": "B", "<u2": "H", "<f4": "I"}[descr]  # float32 as its bits
        write_npy(os.path.join(folder, file + ".npy"), descr, shape, struct.pack("<%d%s" % (len(numbers), code), *numbers))

    write("a", "|u1", (M, K), sum(a, []))
    write("as", "<f4", (M, k_blocks), sum(sa, []))
    write("b", "|u1", (N, K), sum(b, []))
    if weight_scales == "fp32":
        write("bs", "<f4", (n_blocks, k_blocks), sum(values, []))
    else:
        write("bs", "|u1", (n_blocks, k_blocks), sum(codes, []))
    write("c", c_type, (M, N), product(a, sa, b, values, arch, scaled, output))
    write("wrong", c_type, (M, N), product(a, sa, b, dropped, arch, scaled, output))


if __name__ == "__main__":
    case("sm120", 120, "sm_120", act_then_weight, "e8m0", bf16, "<u2")
    case("deepgemm-sm90", 90, "sm_90_wgmma", product_first, "fp32", lambda acc: acc, "<f4")

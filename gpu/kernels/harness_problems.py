"""Random and adversarial problems on the GPU, and what a bit-exact model says of them."""
import math, sys
import torch
from harness_driver import Launch
from harness_plans import cd, tunes

OUT = [torch.float32, torch.bfloat16, torch.float16]


class Problem:
    """Operands on the GPU; everything outside them is poison."""

    def __init__(self, rng, M, N, K, bk=128, bn=128, offset=0, out=0, G=1, bias=False, align=16, pad=0, codes="normal", scales="normal", scale_pad=0):
        self.M, self.N, self.K, self.bk, self.bn, self.offset, self.out, self.G = M, N, K, bk, bn, offset, out, G
        gen = torch.Generator("cuda").manual_seed(rng.getrandbits(31))
        self.gen = gen
        self.A, self.sa = self.code_rows(M, K, align, pad, codes)
        self.B, self.sb = self.code_rows(N, K, align, pad, codes)
        nb, rows = cd(K, bk), cd(offset + N, bn) if N else 0
        self.As, self.asr, self.asc = self.scale_grid(M, nb, scales, scale_pad, rng.random() < 0.5)
        self.Bs, self.bsr, self.bsc = self.scale_grid(rows, nb, scales, scale_pad, rng.random() < 0.5)
        self.bias = torch.randn(G, N, generator=gen, device="cuda") if bias else None
        self.sc = N + rng.choice([0, 1, 5])
        self.guard = 64

    def code_rows(self, rows, K, align, pad, kind):
        stride = cd(K, align) * align + pad * align
        size, start = max(1, rows) * stride, (0 if align == 16 else align)
        buf = torch.full((self.G * size + start + 64,), 0x7F, dtype=torch.uint8, device="cuda")
        view = buf[start:start + self.G * size].view(self.G, -1, stride)[:, :rows, :K] if K else None
        if K and rows:
            shape = view.shape
            v = torch.randint(0, 256, shape, generator=self.gen, device="cuda", dtype=torch.uint8)
            if kind == "normal":
                v = torch.randn(shape, generator=self.gen, device="cuda").mul(100).clamp(-448, 448).to(torch.float8_e4m3fn).view(torch.uint8)
            elif kind == "finite":
                v[(v & 127) == 127] = 0x3C
            elif kind == "rare nan":
                keep = torch.rand(shape, generator=self.gen, device="cuda") < 1 / (1 + 4 * K)
                v[((v & 127) == 127) & ~keep] = 0xB1
            elif kind == "cancel":  # large terms that cancel, small ones that remain
                v[..., 1::2] = v[..., : K // 2 * 2 : 2][..., : v[..., 1::2].shape[-1]] ^ 0x80 if rows % 2 else v[..., 1::2]
                v[(v & 127) == 127] = 0x01
            elif kind == "zero rows":
                v[(v & 127) == 127] = 0x80
                v[:, ::2] &= 0x80
            view.copy_(v)
        self.keep = getattr(self, "keep", []) + [buf]
        return buf[start:], (stride, size)

    def scale_grid(self, rows, cols, kind, pad, column_major):
        n = max(1, rows) * max(1, cols)
        if kind == "normal":
            v = torch.rand(self.G * n, generator=self.gen, device="cuda") * 0.01 + 1e-4
        elif kind == "power":
            v = torch.ldexp(torch.ones(self.G * n, device="cuda", dtype=torch.float64), torch.randint(-127, 128, (self.G * n,), generator=self.gen, device="cuda")).float()
        else:
            v = torch.randint(-(2**31), 2**31, (self.G * n,), generator=self.gen, device="cuda", dtype=torch.int64).to(torch.int32).view(torch.float32)
            if kind == "bits finite":
                v = torch.where(torch.isfinite(v), v, -0.0)
        r, c = max(1, rows), max(1, cols)
        major, minor = (c, r) if column_major else (r, c)
        buf = torch.full((self.G, major, minor + pad), math.nan, device="cuda")
        buf[:, :, :minor] = v.view(self.G, major, minor)
        st = (1, minor + pad) if column_major else (minor + pad, 1)
        return buf, *st

    def new_output(self):
        words = self.guard * 2 + self.G * self.M * self.sc
        return torch.full((words,), 0x5A5A5A5A if self.out == 0 else 0x5A5A, dtype=torch.int32 if self.out == 0 else torch.int16, device="cuda")

    def args(self, C, tune=0, tune1=0):
        item = C.element_size()
        return [C.data_ptr() + self.guard * item, self.A.data_ptr(), self.B.data_ptr(), self.As.data_ptr(), self.Bs.data_ptr(),
                self.bias.data_ptr() if self.bias is not None else 0, self.M, self.N, self.K, self.sa[0], self.sb[0], self.sc, self.asr, self.asc, self.bsr, self.bsc,
                self.bk, self.bn, self.offset, self.out, self.sa[1], self.sb[1], self.M * self.sc, self.As[0].numel(), self.Bs[0].numel(), self.N, tune, tune1]

    def run(self, plan):
        l = plan.launch(self.M, self.N, self.K, self.G)
        if l is None:
            return None
        C = self.new_output()
        grid, block, shared, tune = l
        Launch(plan.file(), plan.name(), grid, block, shared, self.args(C, *tunes(plan, tune, self)), plan.maps(self), getattr(plan, "overlap", False))()
        return C

    def untouched(self, C):
        """Guards and the gaps between rows of C still hold the pattern."""
        pattern, body = (0x5A5A5A5A if self.out == 0 else 0x5A5A), C[self.guard:-self.guard].view(self.G * self.M, self.sc)
        return bool((C[: self.guard] == pattern).all() & (C[-self.guard:] == pattern).all() & (body[:, self.N:] == pattern).all())

    def values(self, C):
        return C[self.guard:-self.guard].view(self.G, self.M, self.sc)[:, :, : self.N].contiguous().view(OUT[self.out])

    def __str__(self):
        return f"M{self.M} N{self.N} K{self.K} bk{self.bk} bn{self.bn}+{self.offset} out{self.out} G{self.G} strides {self.sa[0]},{self.sb[0]},{self.sc}"


def same(x, y):
    ix, iy = (v.view(torch.int32 if v.dtype == torch.float32 else torch.int16) for v in (x, y))
    return (ix == iy) | (x.isnan() & y.isnan())


def random_problem(rng, bks):
    M = rng.choice([1, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, rng.randint(1, 130)])
    N = rng.choice([1, 7, 8, 15, 16, 17, 31, 33, 64, 127, 128, 129, 130, rng.randint(1, 300)])
    K = rng.choice([0, 1, 3, 16, 31, 32, 33, 64, 100, 127, 128, 129, 130, 255, 256, 400, 512, 1024, 1300, 4096, rng.randint(1, 2000)])
    bn = rng.choice([1, 16, 32, 100, 128, 128, 128])
    return Problem(rng, M, N, K, rng.choice(bks), bn, rng.choice([0, rng.randrange(bn)]), rng.randrange(3), rng.choice([1, 1, 1, 2, 3]), rng.random() < 0.3,
                   rng.choice([16, 16, 16, 4, 1]), rng.randrange(3), rng.choice(["normal", "normal", "finite", "all", "rare nan", "cancel", "zero rows"]),
                   rng.choice(["normal", "normal", "power", "bits", "bits finite"]), rng.randrange(3))


def model(p, folder, arch):
    """C of problem p in float32, by the published model of an MMA."""
    sys.path.insert(0, folder)
    import numpy as np
    import model_np
    from model import ARCH
    arch = ARCH[arch]
    A, B = (x[: p.G * s[1]].view(p.G, -1, s[0])[0].cpu().numpy() for x, s in ((p.A, p.sa), (p.B, p.sb)))
    As, Bs = p.As[0].cpu().numpy().ravel(), p.Bs[0].cpu().numpy().ravel()
    ii, jj = np.divmod(np.arange(p.M * p.N), p.N)
    acc = np.zeros(p.M * p.N, np.float32)
    np.seterr(all="ignore")
    for kb in range(cd(p.K, p.bk)):
        d = np.zeros(p.M * p.N, np.uint32)
        for k in range(kb * p.bk, min(p.K, (kb + 1) * p.bk), 32):
            a, b = np.zeros((p.M * p.N, 32), np.uint8), np.zeros((p.M * p.N, 32), np.uint8)
            n = min(32, p.K - k)
            a[:, :n], b[:, :n] = A[ii, k:k + n], B[jj, k:k + n]
            d = model_np.run(a, b, d, arch)
        t = d.view(np.float32) * As[ii * p.asr + kb * p.asc]
        acc = fma32(t.astype(np.float32), Bs[(p.offset + jj) // p.bn * p.bsr + kb * p.bsc], acc)
    return torch.from_numpy(acc.reshape(p.M, p.N))


def fma32(a, b, c):
    """float32 FMA from float64: the exact product, a sum rounded to odd, then one rounding."""
    import numpy as np
    x, y = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    s = x + y
    bb = s - x
    err = (x - (s - bb)) + (y - bb)
    bits = s.view(np.int64)
    odd = np.isfinite(s) & (err != 0) & (bits & 1 == 0)
    away = (err > 0) == (s > 0)
    bits = np.where(odd, np.where(away, bits + 1, bits - 1), bits)
    return bits.view(np.float64).astype(np.float32)

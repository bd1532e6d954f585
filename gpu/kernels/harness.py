#!/usr/bin/env python3
"""Runs the committed PTX on the GPU of this machine: correctness and timing.

    python3 harness.py check [--cases N] [--seed S] [--model DIR]
    python3 harness.py sanitize                   a short check, for compute-sanitizer
    python3 harness.py bench [--peer DIR] [--shapes N,K ...] [--m M ...] [--levels REGEX] [--all]

check compares level 0 with a bit-exact model (model_np.py in DIR), then every
kernel with level 0 on random and adversarial problems: all codes, extreme,
negative, infinite and NaN scales, tails in every dimension, any alignment,
strides, NaN in all padding, guard words around C, groups, bias, all outputs.
NaN equals NaN; every other bit must agree. bench times the plans of chosen_plan in
CUDA graphs over weights rotated past the L2 cache, and beside them in the same way
Triton's kernel (triton_block_scaled.py in DIR) and cuBLASLt's block-scaled FP8
through PyTorch.
"""
import argparse, ctypes, json, math, os, random, re, sys, time, types
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED_LIMIT = 99 * 1024
HOPPER_SHARED_LIMIT = 227 * 1024
cu = ctypes.CDLL("libcuda.so.1")


def ok(code, what):
    if code:
        raise RuntimeError(f"{what}: CUDA error {code}")


def cd(a, b):
    return -(-a // b)


def up128(x):
    return cd(x, 128) * 128


# ---- modules and launches ----------------------------------------------------
_modules, _functions = {}, {}


def function(file, name):
    if (file, name) not in _functions:
        if file not in _modules:
            torch.cuda.current_stream()
            with open(os.path.join(HERE, file + ".ptx"), "rb") as f:
                text = f.read() + b"\0"
            m = ctypes.c_void_p()
            start = time.time()
            ok(cu.cuModuleLoadData(ctypes.byref(m), text), "load " + file)
            print(f"# JIT {file}: {time.time() - start:.1f} s", flush=True)
            _modules[file] = m
        fn = ctypes.c_void_p()
        ok(cu.cuModuleGetFunction(ctypes.byref(fn), _modules[file], name.encode()), name)
        if not name.endswith("_l0"):
            ok(cu.cuFuncSetAttribute(fn, 8, HOPPER_SHARED_LIMIT if "_wgmma_" in name else SHARED_LIMIT), "shared memory of " + name)
        _functions[file, name] = fn
    return _functions[file, name]


class Launch:
    """A kernel with its parameters packed once, so that launching costs little. Maps follow the
    numbers, each at a multiple of 64 bytes; an overlapping launch may start before the one before it ends."""

    def __init__(self, file, name, grid, block, shared, args, maps=(), overlap=False):
        self.fn = function(file, name)
        numbers = (ctypes.c_int64 * len(args))(*args)
        self.values = [ctypes.c_int64.from_buffer(numbers, 8 * i) for i in range(len(args))] + list(maps)
        self.params = (ctypes.c_void_p * len(self.values))(*[ctypes.addressof(v) for v in self.values])
        self.attribute = LaunchAttribute(id=6, value=(ctypes.c_int * 16)(1))  # programmatic stream serialization
        self.config = LaunchConfig(*grid, block, 1, 1, shared, 0, ctypes.pointer(self.attribute), 1 if overlap else 0)

    def __call__(self):
        self.config.stream = torch.cuda.current_stream().cuda_stream
        ok(cu.cuLaunchKernelEx(ctypes.byref(self.config), self.fn, self.params, None), "launch")


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_int * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint) for n in ("gx", "gy", "gz", "bx", "by", "bz", "shared")] + [
        ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(LaunchAttribute)), ("count", ctypes.c_uint)]


def tensor_map(pointer, K, rows, groups, stride, group_stride, box, box_groups=1):
    """The map of codes [groups, rows, K] in boxes of 128 codes by `box` rows by box_groups, swizzled by 128 bytes."""
    space = (ctypes.c_uint64 * 24)()
    m = (ctypes.c_uint64 * 16).from_buffer(space, -ctypes.addressof(space) % 64)
    if K and rows and groups:
        dims, strides = (ctypes.c_uint64 * 3)(K, rows, groups), (ctypes.c_uint64 * 2)(stride, group_stride)
        boxes, ones = (ctypes.c_uint32 * 3)(128, box, box_groups), (ctypes.c_uint32 * 3)(1, 1, 1)
        ok(cu.cuTensorMapEncodeTiled(ctypes.byref(m), 0, 3, ctypes.c_void_p(pointer), dims, strides, boxes, ones, 0, 3, 3, 0), "tensor map")
    return m


# ---- plans -------------------------------------------------------------------
class Plan:
    def __init__(self, kernel, warps=8, tune=None, blocks=None):
        self.kernel, self.warps, self.tune, self.blocks = kernel, warps, tune, blocks
        self.level = int(kernel[1])
        m = re.match(r"l\d(?:_r(\d))?(?:_?t(\d))?", kernel)
        self.r, self.t = int(m[1] or 1), int(m[2] or 1)
        self.fine = "_fine" in kernel
        self.stages = int(kernel[kernel.index("_s") + 2]) if "_s" in kernel else {2: 4, 3: 2, 4: 2, 5: 4}.get(self.level, 0)

    def __str__(self):
        return f"{self.kernel}/w{self.warps}" + (f"/q{self.tune}" if self.tune else "") + (f"/b{self.blocks}" if self.blocks else "")

    def takes(self, p):
        aligned = not (p.sa[0] | p.sa[1] | p.sb[0] | p.sb[1] | p.A.data_ptr() | p.B.data_ptr()) & 15
        blocks = self.level < 2 or p.bk == 128 or (self.fine and p.bk in (32, 64))
        return blocks and (aligned or self.level in (0, 1, 6))

    def launch(self, M, N, K, G):
        """grid, block, shared, tune0, or None where the plan does not fit."""
        r, t, W, F = self.r, self.t, self.warps, 4 if self.fine else 1
        chunks = cd(K, 128)
        stage = up128(2048 * r + 1024 * t + 4 * F * (8 * t + 16 * r))
        if self.level == 0:
            return (cd(N, 8), cd(M, 16), G), 32, 0, 0
        if self.level == 1:
            return (cd(N, 64), cd(M, 8), G), 128, 0, 0
        if self.level == 2:
            g, s, tune = (cd(N, 16 * r * W), cd(M, 8 * t), G), W * self.stages * stage, 0
        elif self.level in (3, 4):
            terms = 4 * (8 * t * (16 * r + 4) + 16 * r)
            ring = W * self.stages * stage
            most = (SHARED_LIMIT - ring) // (W * F * terms)
            per = max(1, cd(chunks, W))
            tune = min(per, most, self.tune or per)
            if tune < 1:
                return None
            tune = cd(per, cd(per, tune))  # phases of equal length
            g, s = (cd(N, 16 * r), cd(M, 8 * t), G), ring + W * tune * F * terms
        elif self.level == 5:
            tokens = chunks * 1024 * t + up128(chunks * 32 * t * F)
            s, tune = tokens + W * self.stages * (2048 * r + 64 * r * F), 0
            g = (min(self.blocks or 132, max(1, cd(N, 16 * r * W))), cd(M, 8 * t), G)
        elif self.level == 7:
            per = cd(chunks, W)
            g, s, tune = (cd(N, 16 * r), cd(M, 8 * t), G), W * per * (2048 * r + 1024 * t + 4 * (8 * t + 16 * r)), 0
            if per > 4:
                return None
        else:
            return (cd(M, 64) * cd(N, 128), 1, G), 256, 3 * (24576 + 768 * F), self.tune or 8
        return (g, 32 * W, s, tune) if s <= SHARED_LIMIT else None


    def maps(self, p):
        return ()

    def file(self):
        return f"w8a8_f32scale_mma_l{self.level}"

    def name(self):
        return "w8a8_f32scale_mma_" + self.kernel


class WgmmaPlan:
    """A plan of the family of sm_90a. tune is whether tokens stay at level 1, rows of tiles that run together at level 2."""

    def __init__(self, kernel, tune=None, overlap=True, sms=132, blocks=1, stay=False):
        self.kernel, self.tune, self.overlap, self.sms, self.blocks, self.stay = kernel, tune, overlap, sms, blocks, stay
        self.level = int(kernel[1])
        sizes, self.fine = list(map(int, re.findall(r"[rtc](\d+)", kernel))), kernel.endswith("_fine")
        self.rows, self.tokens = sizes if self.level == 1 else (sizes[0], 128) if self.level == 2 else (64, 16)

    def __str__(self):
        return "wgmma_" + self.kernel + (f"/{self.tune}" if self.tune else "") + ("/stay" if self.stay else "") + (f"/b{self.blocks}" if self.blocks > 1 else "") + ("" if self.overlap else "/alone")

    def file(self):
        return f"w8a8_f32scale_wgmma_l{self.level}"

    def name(self):
        return "w8a8_f32scale_wgmma_" + self.kernel

    def by_chunk(self, p):
        return self.level == 1 and not (p.K | p.sa[1] | p.sb[1]) & 127

    def takes(self, p):
        aligned = not (p.sa[0] | p.sa[1] | p.sb[0] | p.sb[1] | p.A.data_ptr() | p.B.data_ptr()) & 15
        return self.level == 0 or (aligned and (p.bk == 128 or self.fine and p.bk in (32, 64)) and (self.level == 1 or (p.bn % 128 == 0 and p.offset % 128 == 0)))

    def launch(self, M, N, K, G):
        R, T = self.rows, self.tokens
        if self.level == 0:
            return (cd(N, 64), cd(M, 16), G), 128, 0, 0
        if self.level == 1:
            warpgroups, steps, F = 2 if T >= 32 or self.fine else 3 if R == T == 16 else 4, max(1, cd(cd(K, 128), 64 // R)), 4 if self.fine else 1
            per, more = cd(cd(N, R), self.sms * self.blocks), 1024 + 4 * cd(K, 128) * F * (T + 2 * R) + 512 * F * warpgroups * T * (R + 4) // R
            stages = min(self.tune or 8, per * steps)
            slots = steps if self.stay else stages
            shared = more + stages * (8192 + 16) + slots * (8192 * T // R)
            grid = (min(self.sms * self.blocks, cd(N, R)), cd(M, T), G)
            return (grid, 128 * warpgroups + 32, shared, (stages, 2 * slots)) if shared <= HOPPER_SHARED_LIMIT else None
        stages = {256: 4, 128: 6, 64: 8}[R]
        return (min(self.sms, cd(M, 128) * cd(N, R)), 1, G), 384, 1024 + stages * ((128 + R) * 128 + 16), self.tune or 8

    def maps(self, p):
        if self.level == 0:
            return ()
        if self.by_chunk(p):
            ways = 64 // self.rows
            count = lambda stride: (p.G - 1) * stride // 128 + p.K // 128
            return (tensor_map(p.A.data_ptr(), 128, p.M, count(p.sa[1]), p.sa[0], 128, self.tokens, ways), tensor_map(p.B.data_ptr(), 128, p.N, count(p.sb[1]), p.sb[0], 128, self.rows, ways))
        return (tensor_map(p.A.data_ptr(), p.K, p.M, p.G, *p.sa, self.tokens), tensor_map(p.B.data_ptr(), p.K, p.N, p.G, *p.sb, self.rows))


def tunes(plan, tune, p):
    """The kernel's last two parameters."""
    return (tune[0], tune[1] + plan.by_chunk(p)) if isinstance(tune, tuple) else (tune, 0)


DECODE_TILES = ((16, 8), (16, 16), (32, 8), (32, 16), (64, 8), (64, 16), (64, 32), (64, 64))
WGMMA_PLANS = [WgmmaPlan(f"l1_r{r}t{t}", stages, overlap, sms, 1, stay) for r, t in (*DECODE_TILES, (16, "8_fine"), (32, "8_fine"), (32, "16_fine")) for stages, sms, overlap, stay in ((8, 132, False, False), (3, 2, True, True))]
WGMMA_PLANS += [WgmmaPlan(f"l2_c{c}", tune, sms=sms) for c in (64, 128, 256) for tune, sms in ((8, 132), (2, 3))]
CHECK_PLANS = [
    Plan("l1"), *[Plan(f"l2_{k}", 4) for k in ("r1t1", "r1t2", "r2t1", "r2t2", "r1t1_fine", "r1t2_fine")],
    *[Plan(f"l3_{k}", w, q) for k in ("t1", "t2", "t1_s4", "t2_s4", "t1_fine", "t2_fine") for w, q in ((4, 1), (5, 2), (7, None))],
    *[Plan(f"l4_{k}", 4, q) for k in ("r2t1", "r2t2", "r2t4", "r4t1", "r4t2", "r2t1_fine", "r2t2_fine", "r2t4_fine") for q in (1, None)],
    *[Plan(f"l5_{k}", 3, None, b) for k in ("r1t1", "r1t2", "r1t1_s8", "r1t2_s8", "r1t1_fine", "r1t2_fine") for b in (1, 3)],
    *[Plan(f"l7_{k}", w) for k in ("r1t1", "r1t2", "r2t1", "r2t2") for w in (4, 7, 8)], Plan("l6", 8, 2), Plan("l6_fine", 8, 8),
]


# ---- problems ----------------------------------------------------------------
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


# ---- the model ---------------------------------------------------------------
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


# ---- commands ----------------------------------------------------------------
def check(a):
    """Each family's level 0 against the model, every other level against level 0."""
    hopper = torch.cuda.get_device_capability()[0] == 9
    bad = check_family(a, Plan("l0"), CHECK_PLANS, "sm_90_mma" if hopper else "sm_120")
    if hopper:
        bad += check_family(a, WgmmaPlan("l0"), WGMMA_PLANS, "sm_90_wgmma")
    rng = random.Random(a.seed)
    bad += check_rows(rng) + check_helpers(rng)
    print("PASS" if not bad else "FAIL", flush=True)
    return bad


def check_family(a, plain, plans, arch):
    rng, bad, outputs = random.Random(a.seed), 0, {}
    if not re.search(a.family, plain.name()):
        return 0
    if a.model:
        n = 0
        for i in range(40):
            K = rng.choice([1, 32, 33, 128, 300, 512])
            p = Problem(rng, rng.randint(1, 20), rng.randint(1, 24), K, rng.choice([32, 64, 96, 128, 256]), rng.choice([1, 7, 128]), 0, 0,
                        codes=rng.choice(["normal", "finite", "rare nan", "cancel", "all"]), scales=rng.choice(["normal", "power", "bits"]), pad=1, scale_pad=1)
            want, got = model(p, a.model, arch).cuda(), p.values(p.run(plain))[0]
            differ = int((~same(want, got)).sum())
            n += want.numel()
            if differ:
                bad += 1
                print("MODEL", p, "differ", differ, want[~same(want, got)][:4], got[~same(want, got)][:4])
        print(f"{plain.name()} against the model: {n} outputs, {bad} problems with a difference", flush=True)
    start = time.time()
    for i in range(a.cases):
        p = random_problem(rng, [32, 64, 128, 128, 128] if i % 5 else [96, 160, 256, 384])
        ref = p.run(plain)
        want = p.values(ref)
        if not p.untouched(ref):
            bad += 1
            print("GUARD l0", p)
        for plan in plans:
            if not plan.takes(p):
                continue
            C = p.run(plan)
            if C is None:
                continue
            eq = same(want, p.values(C))
            outputs[plan.kernel] = outputs.get(plan.kernel, 0) + eq.numel()
            if not bool(eq.all()) or not p.untouched(C):
                bad += 1
                if bad < 25:
                    at = (~eq).nonzero()
                    print("DIFFER", plan, p, "count", len(at), "first", at[:3].tolist(), "guards", p.untouched(C), flush=True)
        torch.cuda.synchronize()
    total = sum(outputs.values())
    print(f"levels against level 0: {a.cases} problems, {total} outputs, {bad} failures, {time.time() - start:.0f} s")
    print(" ".join(f"{k}:{v}" for k, v in sorted(outputs.items())), flush=True)
    return bad


def check_rows(rng):
    """Rows do not depend on M, and runs do not depend on each other."""
    bad = 0
    p = Problem(rng, 64, 4096, 4096)
    first = {}
    for plan in [Plan("l3_t1"), Plan("l4_r2t1"), Plan("l3_t2", 4), Plan("l4_r2t4", 4), Plan("l2_r1t1", 4), Plan("l7_r1t1", 8), Plan("l6")]:
        C = p.values(p.run(plan))
        first.setdefault("C", C)
        for i in range(100 if C is not None else 0):
            bad += not bool(same(p.values(p.run(plan)), first["C"]).all())
        for M in (1, 8, 16):
            p.M = M
            bad += not bool(same(p.values(p.run(plan)), first["C"][:, :M]).all())
            p.M = 64
    print("repeats (7 plans x 100) and M=1,8,16 against M=64:", "equal" if not bad else f"{bad} DIFFER")
    return bad


def check_helpers(rng):
    bad = 0
    codes = torch.arange(256, dtype=torch.uint8, device="cuda").repeat(4).view(32, 32).t().contiguous()  # column-major view
    for mode in (0, 1):
        want = (codes.t().contiguous().to(torch.int32) << 23).flatten()
        if mode == 0:
            want = torch.where(want == 0, 0x00400000, torch.where(want == 255 << 23, 0x7FC00000, want))
        to, to2 = torch.empty(1024, dtype=torch.int32, device="cuda"), torch.empty(1024, dtype=torch.int32, device="cuda")
        Launch("upcast_e8m0", "upcast_e8m0", (4, 1, 1), 256, 0, [to.data_ptr(), codes.data_ptr(), 32, 32, 1, 32, mode])()
        Launch("upcast_e8m0", "widen_e8m0", (4, 1, 1), 256, 0, [to2.data_ptr(), codes.data_ptr(), 32, 32, 1, 32])()
        Launch("upcast_e8m0", "shift_e8m0", (4, 1, 1), 256, 0, [to2.data_ptr(), 1024, mode])()
        bad += int((to != want).sum() + (to2 != want).sum())
    n = 0
    for dtype, name in ((torch.float32, "f32"), (torch.bfloat16, "bf16"), (torch.float16, "fp16")):
        for deepseek in (0, 1):
            for rows, cols, group in ((5, 300, 128), (64, 4096, 128), (3, 33, 32), (200, 777, 64), (1, 1, 128)):
                wide = torch.int32 if dtype == torch.float32 else torch.int16
                lim = 2 ** (31 if dtype == torch.float32 else 15)
                x = torch.randint(-lim, lim, (rows, cols), device="cuda", dtype=torch.int64).to(wide).view(dtype)
                x[: rows // 2] = torch.randn(rows // 2, cols, device="cuda").to(dtype)
                x[-1] = -0.0
                if rows > 2:
                    x[1] = 448.0001
                    x[0, : cols // 2] = 1e-7
                q = torch.full((rows, cols + 3), 0x5A, dtype=torch.uint8, device="cuda")
                g = cd(cols, group)
                s, e = torch.full((rows, g), -1.0, device="cuda"), torch.zeros(rows, g, dtype=torch.uint8, device="cuda")
                Launch("quantize_activations", f"quantize_activations_{name}", (cd(rows * g, 8), 1, 1), 256, 0,
                       [q.data_ptr(), s.data_ptr(), e.data_ptr(), x.data_ptr(), rows, cols, group, cols + 3, cols, g, 1, deepseek])()
                v = torch.nn.functional.pad(x.cpu().float(), (0, g * group - cols)).view(rows, g, group)
                finite = v.isfinite()
                amax = torch.where(finite, v.abs(), 0.0).amax(-1).clamp(min=torch.tensor(1e-4 if deepseek else 1e-10, dtype=torch.float32).item())
                ws = amax / torch.tensor(448.0)
                if deepseek:
                    b = ws.view(torch.int32)
                    ws = ((b + 0x7FFFFF) & -0x800000).view(torch.float32)
                wq = (v / ws[..., None]).clamp(-448, 448).to(torch.float8_e4m3fn).view(torch.uint8)
                sign = (v.view(torch.int32) >> 24).to(torch.uint8) & 0x80
                wq = torch.where(finite, wq, sign | 0x7F).view(rows, -1)[:, :cols]
                bad += int((s.cpu() != ws).sum() + (q.cpu()[:, :cols] != wq).sum() + (q[:, cols:] != 0x5A).sum())
                if deepseek:
                    bad += int((e.cpu().to(torch.int32) != ws.view(torch.int32) >> 23).sum())
                n += rows * cols
    print(f"helpers: 2 x 1024 upcasts, {n} quantised codes, {bad} differences", flush=True)
    return bad


def chosen_wgmma(M, N, K, sms=132):
    """The plan of ../candidates.go and ../geometry.go on sm_90 for aligned rows and blockK 128."""
    short = K <= 2048
    if M <= 32 or (M <= 64 and not short and cd(N, 64) < sms // 2):
        T = 8 if M <= 8 else 16 if M <= 16 or not short else 32
        tiles = lambda r: cd(N, r)
        R = 64 if T == 32 else next((r for r in (64, 32, 16) if tiles(r) * 10 >= 9 * sms), 16)
        if short and tiles(R) <= sms:
            return WgmmaPlan(f"l1_r{R}t{T}", 8, True, sms)
        if short and (T == 32 or T == 8 and tiles(64) > 2 * sms):
            return WgmmaPlan(f"l1_r64t{T}", 7 if T == 8 else 5, True, sms, 2)
        if short:
            return WgmmaPlan(f"l1_r32t{T}", 5, True, sms, 2)
        R = min(R, 32)
        stages = {16: 7 if T == 8 else 5, 32: 12 if K > 4096 else 8}[R]
        return WgmmaPlan(f"l1_r{R}t{T}", stages, True, sms, 1, T == 8 and R == 32 or T == 16 and K <= 4096)
    return WgmmaPlan("l2_c%d" % min((256, 128, 64), key=lambda c: cd(cd(M, 128) * cd(N, c), sms) * {256: 33, 128: 17, 64: 10}[c]))


def chosen_plan(M, N, K, sms=132):
    """The plan of the mma family, elsewhere."""
    t, wide, short = 1 if M <= 8 else 2, N >= 96 * sms, K <= 2048
    if M > 32:
        return Plan("l6")
    if M <= 8 and K <= 1024 and N <= 128 * sms:
        return Plan("l7_r1t1", 4)
    if short and (wide or M > 16):
        return Plan(f"l5_r1t{t}", 8, None, sms)
    if wide or M > 16 or (short and t == 2):
        return Plan(f"l4_r2t{t}", 4, 4 if t == 1 else 2)
    return Plan(f"l3_t{t}", 8 if cd(K, 128) > 8 else 4, 2)


def wgmma_bench_plans(M, N, K):
    if M <= 64:
        t = 8 if M <= 8 else 16
        decode = [WgmmaPlan(f"l1_r{r}t{u}", s, o, 132, b, stay) for r, u in DECODE_TILES if u == t or t < M and u > t
                  for s, b, o, stay in ((8, 1, True, False), (8, 1, False, False), (8, 1, True, True), (12, 1, True, False), (12, 1, True, True), (5, 1, True, True), (6, 1, True, True), (5, 2, True, False), (7, 2, True, False))]
        return decode + ([WgmmaPlan(f"l2_c{c}") for c in (64, 128)] if M > 16 else [])
    return [WgmmaPlan(f"l2_c{c}", g) for c in (64, 128, 256) for g in (4, 8, 16)]


def bench_plans(M, N, K):
    t = 1 if M <= 8 else 2 if M <= 16 else 4
    plans = []
    if M <= 16:
        plans += [Plan(f"l2_r{r}t{t}", 4) for r in (1, 2)]
        plans += [Plan(f"l3_t{t}", w, q) for w, q in ((4, None), (6, None), (8, None), (8, 1), (8, 2), (8, 3), (12, None))] + [Plan(f"l3_t{t}_s4", 4)]
        plans += [Plan(f"l4_r2t{t}", w, q) for w, q in ((4, None), (6, None), (8, None), (4, 2))] + [Plan(f"l4_r4t{t}", 4)]
        plans += [Plan(f"l7_r{r}t{t}", w) for r in (1, 2) for w in (4, 6, 8)]
        plans += [Plan(f"l5_r1t{t}", w, None, 132 * c) for w, c in ((8, 1), (8, 2), (4, 2))]
        if K <= 1024:
            plans = [p for p in plans if p.level != 3 or p.warps <= 8]
        if M <= 8 and N * K <= 2**24:
            plans += [Plan("l0"), Plan("l1")]
    else:
        plans += [Plan("l4_r2t4", w) for w in (4, 6)] + [Plan("l4_r4t2", 4), Plan("l6"), Plan("l4_r2t2", 8)]
    return plans


def graph_time(run, count):
    from triton.testing import do_bench
    for i in range(count):
        run(i)
    torch.cuda.synchronize()
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        for i in range(count):
            run(i)
    return do_bench(lambda: g.replay(), warmup=10, rep=40, return_mode="median") * 1e3 / count


class Timed:
    """A multiplication by weights that take turns, so that none is in the L2 cache when it is needed."""

    def __init__(self, N, K):
        self.N, self.K = N, K
        self.copies = max(1, min(64, int(200e6 // (N * K))))
        self.count = max(8, self.copies)
        self.B = [torch.randn(N, K, device="cuda").to(torch.float8_e4m3fn) for _ in range(self.copies)]
        self.Bs = torch.rand(cd(N, 128), K // 128, device="cuda") + 0.1

    def rows(self, M):
        self.M = M
        self.A = torch.randn(M, self.K, device="cuda").to(torch.float8_e4m3fn)
        self.As = torch.rand(M, self.K // 128, device="cuda") + 0.1
        self.C = torch.empty(M, self.N, device="cuda", dtype=torch.bfloat16)
        self.want = self.product(0)

    def product(self, i):
        """What the multiplication by weight i gives, in float32 throughout."""
        a = (self.A.float().view(self.M, -1, 128) * self.As[:, :, None]).view(self.M, self.K)
        b = self.B[i].float().view(self.N, -1, 128) * self.Bs.repeat_interleave(128, 0)[: self.N, :, None]
        return a @ b.view(self.N, self.K).t()

    def is_product(self, C):
        """C is the product by weight 0, give or take what FP8 datapaths and bf16 round away."""
        return bool((C.float() - self.want).abs().max() < 0.01 * self.want.abs().max())

    def with_weights(self, b):
        """What tensor maps need to know."""
        return types.SimpleNamespace(A=self.A, B=b, M=self.M, N=self.N, K=self.K, G=1, sa=(self.K, self.K), sb=(self.K, self.K))

    def time(self, run, what):
        run(0)
        if not self.is_product(self.C):
            raise RuntimeError(f"{what} at M{self.M} N{self.N} K{self.K}: the result is wrong")
        return graph_time(lambda i: run(i % self.copies), self.count)


def time_plan(p, plan):
    """Microseconds of a launch of ours, or None where the plan does not fit."""
    l = plan.launch(p.M, p.N, p.K, 1)
    if l is None:
        return None
    grid, block, shared, tune = l
    launches = [Launch(plan.file(), plan.name(), grid, block, shared,
                       [p.C.data_ptr(), p.A.data_ptr(), b.data_ptr(), p.As.data_ptr(), p.Bs.data_ptr(), 0, p.M, p.N, p.K, p.K, p.K, p.N,
                        p.K // 128, 1, p.K // 128, 1, 128, 128, 0, 1, 0, 0, 0, 0, 0, 0, *tunes(plan, tune, p.with_weights(b))], plan.maps(p.with_weights(b)), getattr(plan, "overlap", False)) for b in p.B]
    return p.time(lambda i: launches[i](), str(plan))


def time_triton(p, k):
    """The best time of Triton's kernel k over some tiles, and the tile."""
    few = [(16, 64, 3, 4), (16, 128, 3, 4), (16, 128, 5, 4), (16, 32, 5, 4)]
    many = [(64, 128, 2, 4), (64, 128, 4, 4), (128, 128, 3, 8), (128, 128, 4, 4), (64, 64, 4, 4)]
    best = None
    for bm, bn, stages, warps in few if p.M <= 32 else many:
        run = lambda i: k[(cd(p.M, bm), cd(p.N, bn))](p.A, p.B[i], p.C, p.As, p.Bs, p.M, p.N, p.K, p.K, p.K, p.N, p.K // 128, p.K // 128,
                                                      BM=bm, BN=bn, BK=128, num_warps=warps, num_stages=stages)
        timed = p.time(run, "Triton"), f"{bm}x{bn}s{stages}"
        best = min(best or timed, timed)
    return best


def time_cublas(p):
    """The time of cuBLASLt with scales per 1x128 and 128x128, or why there is none."""
    from torch.nn.functional import scaled_mm, ScalingType, SwizzleType
    As = p.As.t().contiguous().as_strided(p.As.shape, (1, p.M))  # column-major, also where it has one row

    def run(i):
        p.C = scaled_mm(p.A, p.B[i].t(), As, ScalingType.BlockWise1x128, p.Bs.t(), ScalingType.BlockWise128x128,
                        swizzle_a=SwizzleType.NO_SWIZZLE, swizzle_b=SwizzleType.NO_SWIZZLE, output_dtype=torch.bfloat16)
    try:
        return p.time(run, "cuBLASLt")
    except (RuntimeError, ValueError) as e:
        return str(e).splitlines()[0][:60]


def copy_rate():
    from triton.testing import do_bench
    x = torch.empty(1 << 30, device="cuda", dtype=torch.uint8)
    y = torch.empty_like(x)
    return 2 * x.numel() / do_bench(lambda: y.copy_(x), return_mode="median") / 1e6


def peer_kernel(folder):
    sys.path.insert(0, folder)
    from triton_block_scaled import k
    return k


def time_ours(p, a):
    """Times and names of the plans asked for, the chosen one last."""
    hopper = torch.cuda.get_device_capability()[0] == 9
    chosen = chosen_wgmma(p.M, p.N, p.K) if hopper and not a.mma else chosen_plan(p.M, p.N, p.K)
    plans = [x for x in (bench_plans(p.M, p.N, p.K) + wgmma_bench_plans(p.M, p.N, p.K) if a.all else []) + [chosen] if re.search(a.levels, x.name())]
    return [(t, str(x)) for x in plans if (t := time_plan(p, x)) is not None]


def note(times, who, p, t):
    times.append({"name": who, "n": p.N, "k": p.K, "m": p.M, "microseconds": t})


def bench_one(p, a, k, copy, ratios, times):
    """Prints a line about one shape, adds to ratios[rival, M] how much longer a rival takes, and to times how long it takes."""
    ours = time_ours(p, a)
    if not ours:
        return
    t, name = ours[-1]
    line = f"N{p.N} K{p.K} M{p.M}: {name} {t:.2f} us {p.N * p.K / t / 1e3:.0f} GB/s {100 * p.N * p.K / t / 1e3 / copy:.0f}% {2 * p.M * p.N * p.K / t / 1e6:.0f} TF"
    if k is not None:
        best, tile = time_triton(p, k)
        ratios.setdefault(("triton", p.M), []).append(best / t)
        note(times, "triton", p, best)
        line += f" | triton {best:.2f} {tile} x{best / t:.2f}"
        other = time_cublas(p)
        if isinstance(other, float):
            ratios.setdefault(("cublaslt", p.M), []).append(other / t)
            note(times, "cublaslt", p, other)
            line += f" | cublaslt {other:.2f} x{other / t:.2f}"
        else:
            line += f" | cublaslt: {other}"
    print(line, "|" if a.all else "", " ".join(f"{n}={v:.2f}" for v, n in sorted(ours)[: a.show]) if a.all else "", flush=True)


def geometric_mean(r):
    return f"{math.exp(sum(map(math.log, r)) / len(r)):.3f} over {len(r)} shapes"


def bench(a):
    copy = copy_rate()
    print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}, copy {copy:.0f} GB/s", flush=True)
    k = peer_kernel(a.peer) if a.peer else None
    to = torch.zeros(16, device="cuda", dtype=torch.int32)
    nothing = Launch("upcast_e8m0", "shift_e8m0", (132, 1, 1), 256, 0, [to.data_ptr(), 0, 0])
    print(f"# a kernel that does nothing: {graph_time(lambda i: nothing(), 32):.2f} us", flush=True)
    ratios, times = {}, []
    for shape in a.shapes:
        p = Timed(*map(int, shape.split(",")))
        for M in a.m:
            p.rows(M)
            bench_one(p, a, k, copy, ratios, times)
        del p
    for (rival, M), r in ratios.items():
        print(f"{rival} M={M}: geomean {geometric_mean(r)}")
    if a.times:
        with open(a.times, "w") as f:
            json.dump(times, f, indent=1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("command", choices=["check", "sanitize", "bench"])
    p.add_argument("--cases", type=int, default=150)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--model")
    p.add_argument("--family", default="", help="check only families whose names match")
    p.add_argument("--peer")
    p.add_argument("--times", help="a JSON file for the rivals' times, which blockfp8 bench gemm --peers takes")
    p.add_argument("--levels", default="")
    p.add_argument("--mma", action="store_true", help="the mma family's plan on sm_90 too")
    p.add_argument("--all", action="store_true", help="every plan, not only the one that the rule chooses")
    p.add_argument("--show", type=int, default=30)
    p.add_argument("--m", type=int, nargs="*", default=[1, 8, 16])
    p.add_argument("--shapes", nargs="*", default=["1536,4096", "16384,1024", "4096,4096", "32768,1024", "4096,8192", "8192,1024", "36864,7168"])
    a = p.parse_args()
    torch.manual_seed(a.seed)
    if a.command == "bench":
        return bench(a)
    if a.command == "sanitize":
        rng = random.Random(a.seed)
        for M, N, K, bk, align in ((3, 37, 300, 128, 16), (9, 130, 520, 32, 4), (17, 20, 77, 64, 1)):
            p = Problem(rng, M, N, K, bk, 16, 5, 1, 2, True, align, 1)
            want = p.values(p.run(Plan("l0")))
            for plan in CHECK_PLANS:
                if plan.takes(p) and (C := p.run(plan)) is not None and not bool(same(want, p.values(C)).all()):
                    print("DIFFER", plan, p)
        torch.cuda.synchronize()
        return print("sanitize: done")
    sys.exit(1 if check(a) else 0)


if __name__ == "__main__":
    main()

"""Plans: which kernel, how many threads and how much shared memory, for check and for bench, and those that package gpu would choose."""
import re
from harness_driver import HOPPER_SHARED_LIMIT, SHARED_LIMIT, tensor_map


def cd(a, b):
    return -(-a // b)


def up128(x):
    return cd(x, 128) * 128


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
    """A plan of the family of sm_90a. tune is the stages at levels 1 and 3, rows of tiles that run together at level 2."""

    def __init__(self, kernel, tune=None, overlap=True, sms=132, blocks=1, stay=False):
        self.kernel, self.tune, self.overlap, self.sms, self.blocks, self.stay = kernel, tune, overlap, sms, blocks, stay
        self.level = int(kernel[1])
        sizes, self.fine = list(map(int, re.findall(r"[rtc](\d+)", kernel))), kernel.endswith("_fine")
        self.rows, self.tokens = sizes if self.level in (1, 3) else (sizes[0], 128) if self.level == 2 else (64, 16)

    def __str__(self):
        return "wgmma_" + self.kernel + (f"/{self.tune}" if self.tune else "") + ("/stay" if self.stay else "") + (f"/b{self.blocks}" if self.blocks > 1 else "") + ("" if self.overlap else "/alone")

    def file(self):
        return f"w8a8_f32scale_wgmma_l{self.level}"

    def name(self):
        return "w8a8_f32scale_wgmma_" + self.kernel

    def by_chunk(self, p):
        return self.level in (1, 3) and not (p.K | p.sa[1] | p.sb[1]) & 127

    def takes(self, p):
        aligned = not (p.sa[0] | p.sa[1] | p.sb[0] | p.sb[1] | p.A.data_ptr() | p.B.data_ptr()) & 15
        return self.level == 0 or (aligned and (p.bk == 128 or self.fine and p.bk in (32, 64)) and (self.level in (1, 3) or (p.bn % 128 == 0 and p.offset % 128 == 0)))

    def launch(self, M, N, K, G):
        R, T = self.rows, self.tokens
        if self.level == 0:
            return (cd(N, 64), cd(M, 16), G), 128, 0, 0
        if self.level in (1, 3):
            warpgroups, ways, F = 1 if self.level == 3 else 2 if self.fine else 3 if R == T == 16 else 4, 64 // R, 4 if self.fine else 1
            steps, per = max(1, cd(cd(K, 128), ways)), cd(cd(N, R), self.sms * self.blocks)
            terms = 8 * (ways - 1) * T * R if self.level == 3 else 8 * warpgroups * ways * F * T * (R + 4)
            stages = min(self.tune or 8, per * steps)
            slots = steps if self.stay else stages
            shared = 1024 + stages * (8192 + 16) + slots * (8192 * T // R) + 4 * cd(K, 128) * F * (T + 2 * R) + terms
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


DECODE_TILES = ("l1_r16t8", "l1_r16t16", "l1_r32t8", "l1_r32t16", "l3_r64t8", "l3_r64t16", "l3_r64t32", "l3_r64t64", "l3_r32t32")
WGMMA_PLANS = [WgmmaPlan(k, stages, overlap, sms, 1, stay) for k in (*DECODE_TILES, "l1_r16t8_fine", "l1_r32t8_fine", "l1_r32t16_fine") for stages, sms, overlap, stay in ((8, 132, False, False), (4, 2, True, True))]
WGMMA_PLANS += [WgmmaPlan(f"l2_c{c}", tune, sms=sms) for c in (64, 128, 256) for tune, sms in ((8, 132), (2, 3))]
CHECK_PLANS = [
    Plan("l1"), *[Plan(f"l2_{k}", 4) for k in ("r1t1", "r1t2", "r2t1", "r2t2", "r1t1_fine", "r1t2_fine")],
    *[Plan(f"l3_{k}", w, q) for k in ("t1", "t2", "t1_s4", "t2_s4", "t1_fine", "t2_fine") for w, q in ((4, 1), (5, 2), (7, None))],
    *[Plan(f"l4_{k}", 4, q) for k in ("r2t1", "r2t2", "r2t4", "r4t1", "r4t2", "r2t1_fine", "r2t2_fine", "r2t4_fine") for q in (1, None)],
    *[Plan(f"l5_{k}", 3, None, b) for k in ("r1t1", "r1t2", "r1t1_s8", "r1t2_s8", "r1t1_fine", "r1t2_fine") for b in (1, 3)],
    *[Plan(f"l7_{k}", w) for k in ("r1t1", "r1t2", "r2t1", "r2t2") for w in (4, 7, 8)], Plan("l6", 8, 2), Plan("l6_fine", 8, 8),
]


def chosen_wgmma(M, N, K, sms=132):
    """The plan of ../candidates_wgmma.go and ../geometry_wgmma.go on sm_90 for aligned rows, blockK 128 and one group."""
    tiles = lambda r: cd(N, r)
    nearly = lambda n: 10 * n >= 9 * sms
    if M <= 8:
        kernel = "l3_r64t8" if K <= 2048 and nearly(tiles(64)) else "l1_r16t8" if not nearly(tiles(32)) or K > 4096 and tiles(16) <= 2 * sms else "l1_r32t8"
    elif M <= 16:
        kernel = "l3_r64t16" if nearly(tiles(64)) and (K <= 2048 or tiles(64) <= sms) else "l1_r32t16" if nearly(tiles(32)) else "l1_r16t16"
    elif M <= 32 or M <= 64 and 2 * tiles(64) <= sms:
        rows = cd(M, 32)
        kernel = "l3_r64t32" if rows == 1 and K <= 2048 or nearly(rows * tiles(64)) or rows * tiles(32) > sms else "l3_r32t32"
    elif M <= 64 and K > 1024:
        kernel = "l3_r64t64"
    elif M <= 128:
        return WgmmaPlan("l2_c128" if nearly(tiles(128)) else "l2_c64")
    else:
        return WgmmaPlan("l2_c%d" % min((256, 128, 64), key=lambda c: cd(cd(M, 128) * cd(N, c), sms) * {256: 33, 128: 17, 64: 10}[c]))
    stages, blocks, stay = decode_wish(kernel, K, sms, tiles)
    return WgmmaPlan(kernel, stages, True, sms, blocks, stay)


def decode_wish(kernel, K, sms, tiles):
    """Stages, blocks per multiprocessor, and whether tokens stay."""
    rows, tokens = map(int, re.findall(r"[rt](\d+)", kernel))
    n, tokens8 = tiles(rows), tokens == 8
    if kernel[:2] == "l3":
        if rows < 64:
            return 6, 1, False
        if tokens > 16 and n > sms and K <= 4096:
            return 5 if tokens == 64 else 6, 2, False
        return (12, 1, False) if K > 2048 and tokens <= 32 else (8, 1, False) if K > 2048 or n <= sms else (6, 2, True) if n <= 2 * sms else (8, 2, False)
    if rows == 16:
        return (6, 1, True) if not tokens8 else (6, 2, False) if K > 4096 else (8, 1, False)
    if K <= 2048:
        return (5, 2, False) if n > sms else (8, 1, n <= sms) if tokens8 else (6, 1, False)
    return (8, 1, n <= sms) if K <= 4096 else (12, 1, tokens8)


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
        t = [8] if M <= 8 else [16] if M <= 16 else [32] if M <= 32 else [32, 64]
        decode = [WgmmaPlan(k, s, True, 132, b, stay) for k in DECODE_TILES if int(k[k.index("t") + 1 :]) in t
                  for s, b, stay in ((8, 1, False), (8, 1, True), (12, 1, False), (12, 1, True), (5, 1, True), (6, 1, False), (6, 1, True), (5, 2, False), (6, 2, False), (6, 2, True), (8, 2, False))]
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

"""bench: our plans, Triton's kernel and cuBLASLt's, in CUDA graphs over weights rotated past the L2 cache."""
import json, math, re, sys, types
import torch
from harness_driver import Launch
from harness_plans import bench_plans, cd, chosen_plan, chosen_wgmma, tunes, wgmma_bench_plans


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

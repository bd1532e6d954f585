"""check: level 0 of each family against the model, all other kernels against level 0, and the helpers."""
import random, re, time
import torch
from harness_driver import Launch
from harness_plans import CHECK_PLANS, WGMMA_PLANS, Plan, WgmmaPlan, cd
from harness_problems import Problem, model, random_problem, same


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


def sanitize(a):
    """Every kernel on three small problems, and level 2 of wgmma's where it takes none of them on one more."""
    rng = random.Random(a.seed)
    shapes = [(3, 37, 300, 128, 16, 16, 5), (9, 130, 520, 32, 16, 4, 5), (17, 20, 77, 64, 16, 1, 5), (40, 140, 400, 128, 128, 16, 0)]
    families = [(Plan("l0"), CHECK_PLANS)] + ([(WgmmaPlan("l0"), WGMMA_PLANS)] if torch.cuda.get_device_capability()[0] == 9 else [])
    ran = set()
    for M, N, K, bk, bn, align, offset in shapes:
        p = Problem(rng, M, N, K, bk, bn, offset, 1, 2, True, align, 1)
        for plain, plans in families:
            if not re.search(a.family, plain.name()):
                continue
            want = p.values(p.run(plain))
            for plan in plans:
                if plan.takes(p) and (C := p.run(plan)) is not None:
                    ran.add(plan.name())
                    if not bool(same(want, p.values(C)).all()):
                        print("DIFFER", plan, p)
    torch.cuda.synchronize()
    print(f"sanitize: done, {len(ran)} kernels")

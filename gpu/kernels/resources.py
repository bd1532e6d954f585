#!/usr/bin/env python3
"""Writes what a chip has to give for each kernel that multiplies: resources.json.

    python3 resources.py [--ptxas PTXAS] [--cuobjdump C] [--out FILE]

ptxas assembles every committed *.ptx for every chip of its target. Kept are
registers per thread, spilled bytes, static shared memory, and the instructions of
the loop that multiplies, in PTX and in SASS: package gpu/predict turns instructions
that the emulated chip counts in PTX into issue slots by their ratio. An older
ptxas leaves out the chips it does not know and says so.
"""
import argparse, collections, concurrent.futures, hashlib, json, os, re, subprocess, sys, tempfile
import build

# Opcodes by the pipe that they keep busy; the rest is integer arithmetic.
PIPES = {
    "matrix": r"[QHO]MMA", "convert": r"F2FP?|I2FP?|F2I|MUFU", "float": r"FADD|FMUL|FFMA|FADD2|FMUL2|FFMA2|IMAD",
    "shared": r"LDS|STS|LDSM|STSM|LDGSTS", "global": r"LDG|STG|LD|ST|RED|ATOMG?|LDL|STL|LDC", "uniform": r"U[A-Z0-9]+|R2UR|S2UR|LDCU",
    "control": r"BRA|BSSY|BSYNC|BREAK|BAR|WARPSYNC|EXIT|DEPBAR|LDGDEPBAR|NOP|CALL|RET|BMOV|YIELD",
}
# Of the names by which ptxas knows a chip and gives the same code, one each.
CHIPS = ["sm_89", "sm_90", "sm_120", "sm_121"]
ORDER = ["matrix", "convert", "float", "integer", "shared", "global", "uniform", "control"]


def sass_instructions(text):
    """(address, opcode with modifiers, address of the target if it is a branch)."""
    for m in re.finditer(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)(.*?);", text, re.M):
        target = re.search(r"0x([0-9a-f]+)\s*$", m[3]) if m[2].startswith("BRA") else None
        yield int(m[1], 16), m[2], int(target[1], 16) if target else None


def ptx_instructions(text):
    """The same of PTX: lines stand for addresses."""
    labels, found = {}, []
    for at, line in enumerate(text.splitlines()):
        if m := re.match(r"(\$\w+):", line):
            labels[m[1]] = at
        elif m := re.match(r"\s*(?:@!?%?\w+\s+)?([a-z][\w.:]*)\s*(.*);", line):
            found.append((at, m[1], m[2].strip() if m[1].startswith("bra") else None))
    return [(at, op, labels.get(target)) for at, op, target in found]


def loop(instructions, multiplies, copies):
    """The instructions of the smallest loop among those with the most MMAs. One that
    also copies goes first: it does a whole step, where an inner one only multiplies."""
    best, chosen = (0, False, 0), instructions
    for at, _, target in instructions:
        if target is None or target > at:
            continue
        body = [i for i in instructions if target <= i[0] <= at]
        mmas = sum(bool(re.match(multiplies, op)) for _, op, _ in body)
        rank = (mmas, any(re.match(copies, op) for _, op, _ in body), -len(body))
        if mmas and rank > best:
            best, chosen = rank, body
    return chosen


def pipe(opcode):
    name = opcode.split(".")[0]
    return next((p for p, pattern in PIPES.items() if re.fullmatch(pattern, name)), "integer")


def sass_loop(text):
    body = loop(list(sass_instructions(text)), r"[QHO]MMA\.", r"LDGSTS")
    pipes = collections.Counter(pipe(op) for _, op, _ in body)
    half = sum(op.startswith("HMMA") for _, op, _ in body)
    # Without a native MMA, each becomes two fp16 MMAs, conversions, and additions.
    emulation = half + sum(bool(re.match(r"F2FP\.F16\.E4M3|FADD", op)) for _, op, _ in body) if half else pipes["matrix"]
    return {"mmas": half // 2 or pipes["matrix"], "instructions": len(body), "ofMMAs": emulation, "pipes": {p: pipes[p] for p in ORDER if pipes[p]}}


def chains(text):
    """How many MMAs between two labels do not add to another's result there."""
    most = 0
    for block in re.split(r"^\$\w+:", text, flags=re.M):
        results, starts = set(), 0
        for to, of in re.findall(r"mma\.sync\S* \{([^}]*)\}.*?\{[^}]*\}.*?\{[^}]*\}.*?\{([^}]*)\}", block):
            starts += of not in results
            results.add(to)
        most = max(most, starts)
    return most


def ptx_loop(text):
    instructions = ptx_instructions(text)
    body = loop(instructions, r"mma\.sync", r"cp\.async")
    if len(body) == len(instructions):
        body = []  # no loop multiplies: there is nothing to compare with the chip's
    mmas = sum(bool(re.match(r"mma\.sync", op)) for _, op, _ in body)
    return {"mmas": mmas, "instructions": len(body), "chains": chains(text)}


def entries(ptx):
    """PTX text by kernel."""
    with open(ptx) as f:
        text = f.read()
    parts = re.split(r"^\.visible \.entry (\w+)\(", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def assemble(ptx, chip, ptxas, cuobjdump):
    """Resources by kernel; none where this ptxas does not know the chip."""
    with tempfile.TemporaryDirectory() as tmp:
        cubin = os.path.join(tmp, "k.cubin")
        r = subprocess.run([ptxas, "-v", f"-arch={chip}", ptx, "-o", cubin], capture_output=True, text=True)
        if r.returncode:
            print(f"left out: {os.path.basename(ptx)} for {chip}: {r.stderr.strip()[:200]}", file=sys.stderr)
            return {}
        sass = subprocess.run([cuobjdump, "-sass", cubin], capture_output=True, text=True, check=True).stdout
    functions = {part.split()[0]: part for part in sass.split("Function : ")[1:]}
    found, kernel, spilled = {}, "", 0
    for line in r.stderr.splitlines():
        if m := re.search(r"entry function '(\w+)'", line):
            kernel = m[1]
        elif m := re.search(r"(\d+) bytes spill stores", line):
            spilled = int(m[1])
        elif m := re.search(r"Used (\d+) registers", line):
            static = re.search(r"(\d+) bytes smem", line)
            found[kernel] = {"registers": int(m[1]), "spilledBytes": spilled, "staticSharedBytes": int(static[1]) if static else 0, "loop": sass_loop(functions[kernel])}
    return found


def instructions_sha256(ptx):
    """Of the PTX without its comments and places in the sources."""
    with open(ptx) as f:
        kept = [line for line in f if not line.startswith(("//", "\t.loc", "\t.file"))]
    return hashlib.sha256("".join(kept).encode()).hexdigest()


def collect(ptxas, cuobjdump):
    # MMAs of warpgroups have no issue slots to speak of, and the model does not know them.
    files = sorted(f for f in os.listdir(build.HERE) if f.startswith("w8a8") and f.endswith(".ptx") and "_wgmma_" not in f)
    jobs = [(f, chip) for f in files for chip in build.chips(os.path.join(build.HERE, f)) if chip in CHIPS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda j: assemble(os.path.join(build.HERE, j[0]), j[1], ptxas, cuobjdump), jobs))
    version = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    table = {"compiler": "ptxas " + re.search(r"V([\d.]+)", version)[1], "files": {}, "kernels": {}}
    for f in files:
        table["files"][f] = instructions_sha256(os.path.join(build.HERE, f))
        for kernel, text in entries(os.path.join(build.HERE, f)).items():
            table["kernels"][kernel] = {"file": f, "ptxLoop": ptx_loop(text), "chips": {}}
    for (_, chip), found in zip(jobs, results):
        for kernel, row in found.items():
            table["kernels"][kernel]["chips"][chip] = row
    return table


def text(table):
    """JSON with a line for each kernel and chip, so that changes can be read."""
    lines = ["{", f'  "compiler": {json.dumps(table["compiler"])},', '  "files": {']
    lines += [",\n".join(f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in table["files"].items()), "  },", '  "kernels": {']
    kernels = []
    for name, k in table["kernels"].items():
        chips = ",\n".join(f"      {json.dumps(c)}: {json.dumps(row)}" for c, row in k["chips"].items())
        kernels.append(f'    {json.dumps(name)}: {{"file": {json.dumps(k["file"])}, "ptxLoop": {json.dumps(k["ptxLoop"])}, "chips": {{\n{chips}\n    }}}}')
    return "\n".join(lines + [",\n".join(kernels), "  }", "}"]) + "\n"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--ptxas", default="ptxas")
    p.add_argument("--cuobjdump", default="cuobjdump")
    p.add_argument("--out", default=os.path.join(build.HERE, "resources.json"))
    a = p.parse_args()
    table = collect(a.ptxas, a.cuobjdump)
    with open(a.out, "w") as f:
        f.write(text(table))


if __name__ == "__main__":
    main()

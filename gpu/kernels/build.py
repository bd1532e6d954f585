#!/usr/bin/env python3
"""Builds the committed PTX, and optionally shows what ptxas makes of it.

    python3 build.py [--nvcc NVCC] [--out DIR] [FILE.cu ...]   writes FILE.ptx beside FILE.cu, or into DIR
    python3 build.py --report [--ptxas PTXAS] [--cuobjdump C]  assembles *.ptx for every chip and prints a table

The PTX is for compute_89 and asks for ISA 8.4, the oldest with e4m3 MMAs, so that
every driver that can run it takes it; any nvcc from 12.4 on makes it. A source
says otherwise in a line "// target: compute_120f, PTX 8.8", which needs an nvcc
from 12.9 on. The header of each file holds the command and the sha256 of every
source that went in: a test compares them with the sources, so nobody can change
one without the other.
"""
import argparse, concurrent.futures, hashlib, os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-O3", "-std=c++17", "--fmad=false", "-ftz=false", "-prec-div=true", "-lineinfo"]
TARGET = ("compute_89", "8.4")
# The chips that --report assembles a target for.
CHIPS = {"sm_89": ["sm_89", "sm_90", "sm_120", "sm_121"], "sm_90a": ["sm_90a"], "sm_120f": ["sm_120f", "sm_120a", "sm_121a", "sm_120", "sm_121"]}
# The instructions that it counts: the native FP8 MMA, the one with scales, fp16's.
MMAS = ["QMMA", "QMMA.SF", "HMMA"]


def sources(cu):
    """The file and everything it includes from this folder, in order of first use."""
    found = [cu]
    for name in found:
        with open(os.path.join(HERE, name)) as f:
            for inc in re.findall(r'^#include "([^"]+)"', f.read(), re.M):
                if inc not in found:
                    found.append(inc)
    return found


def sha256(name):
    with open(os.path.join(HERE, name), "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def target(cu):
    """The architecture and the PTX ISA that a source is compiled for."""
    with open(os.path.join(HERE, cu)) as f:
        m = re.search(r"^// target: (\w+), PTX ([\d.]+)$", f.read(), re.M)
    return m.groups() if m else TARGET


def flags(cu):
    return ["-ptx", f"-arch={target(cu)[0]}", *FLAGS]


def header(cu, version):
    lines = [f"// command: nvcc {' '.join(flags(cu))} {cu}", f"// compiler: {version}"]
    lines += [f"// sha256 {sha256(s)} {s}" for s in sources(cu)]
    return "\n".join(lines) + "\n"


def clean(ptx, isa):
    """Drops the compiler's own comments (build ids, paths) and lowers the ISA version."""
    keep = [l.rstrip() for l in ptx.splitlines() if not l.startswith("//")]
    text = "\n".join(locations(keep)).strip("\n") + "\n"
    return re.sub(r"^\.version .*$", f".version {isa}", text, count=1, flags=re.M)


def locations(lines):
    """The lines with the least that says where in the sources an instruction
    comes from: .file with a bare name, and .loc with file, line and column where
    that changes. The names and callers of inlined functions go: they are a
    third of the text."""
    place = now = None
    names = False
    for line in lines:
        if names or line.startswith("\t.section\t.debug_str"):
            names = not line.startswith("\t}")
        elif m := re.match(r"\t\.loc\t(\d+ \d+ \d+)", line):
            now = f"\t.loc\t{m[1]}"
        elif m := re.match(r'(\t\.file\t\d+ )"(?:.*/)?([^"/]+)"', line):
            yield f'{m[1]}"{m[2]}"'
        else:
            if now != place and re.match(r"\t(?!//)", line):
                yield now
                place = now
            yield line


def build(cu, nvcc, out):
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    version = "nvcc " + re.search(r"V([\d.]+)", version)[1]
    with tempfile.TemporaryDirectory() as tmp:
        raw = os.path.join(tmp, "raw.ptx")
        subprocess.run([nvcc, *flags(cu), cu, "-o", raw], cwd=HERE, check=True)
        with open(raw) as f:
            text = header(cu, version) + clean(f.read(), target(cu)[1])
    with open(os.path.join(out, cu[:-3] + ".ptx"), "w") as f:
        f.write(text)
    return cu


def assemble(ptx, chip, ptxas, cuobjdump):
    """Rows of (kernel, chip, registers, spilled bytes, and how many MMAs of each kind)."""
    with tempfile.TemporaryDirectory() as tmp:
        cubin = os.path.join(tmp, "k.cubin")
        r = subprocess.run([ptxas, "-v", f"-arch={chip}", ptx, "-o", cubin], capture_output=True, text=True)
        if r.returncode:
            return [(os.path.basename(ptx), chip, "FAILED " + r.stderr.strip()[:300])]
        sass = subprocess.run([cuobjdump, "-sass", cubin], capture_output=True, text=True).stdout
    counts = {}
    for part in sass.split("Function : ")[1:]:
        counts[part.split()[0]] = tuple(len(re.findall(rf"\b{mma}\.16", part)) for mma in MMAS)
    rows, kernel, spill = [], "", ""
    for line in r.stderr.splitlines():
        if m := re.search(r"entry function '(\w+)'", line):
            kernel = m[1]
        elif m := re.search(r"(\d+) bytes spill stores", line):
            spill = m[1]
        elif m := re.search(r"Used (\d+) registers", line):
            rows.append((kernel, chip, m[1], spill, *counts.get(kernel, "?")))
    return rows


def chips(ptx):
    with open(ptx) as f:
        return CHIPS[re.search(r"^\.target (\w+)", f.read(), re.M)[1]]


def report(ptxas, cuobjdump):
    files = sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith(".ptx"))
    jobs = [(f, chip) for f in files for chip in chips(f)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = [r for rs in pool.map(lambda j: assemble(*j, ptxas, cuobjdump), jobs) for r in rs]
    print("kernel | chip regs/spill/" + "/".join(MMAS))
    for kernel in dict.fromkeys(r[0] for r in rows):
        print(kernel, "|", " | ".join(f"{r[1]} " + "/".join(map(str, r[2:])) for r in rows if r[0] == kernel))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--nvcc", default="nvcc")
    p.add_argument("--ptxas", default="ptxas")
    p.add_argument("--cuobjdump", default="cuobjdump")
    p.add_argument("--out", default=HERE)
    p.add_argument("--report", action="store_true")
    p.add_argument("files", nargs="*")
    a = p.parse_args()
    if a.report:
        return report(a.ptxas, a.cuobjdump)
    files = a.files or sorted(f for f in os.listdir(HERE) if f.endswith(".cu"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for cu in pool.map(lambda f: build(os.path.basename(f), a.nvcc, a.out), files):
            print("built", cu, file=sys.stderr)


if __name__ == "__main__":
    main()

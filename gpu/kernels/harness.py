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
import argparse, sys
import torch
from harness_bench import bench
from harness_check import check, sanitize


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
        return sanitize(a)
    sys.exit(1 if check(a) else 0)


if __name__ == "__main__":
    main()

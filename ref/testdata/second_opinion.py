"""Runs another model of the datapaths, written by others in another language.

usage: second_opinion.py FOLDER < inputs > outputs

FOLDER holds model.py. Inputs are records of 72 bytes: datapath number, scale of
a, scale of b, a zero, c as little-endian uint32, 32 codes of a, 32 codes of b.
Outputs are the results as little-endian uint32.
"""
import struct
import sys

sys.path.insert(0, sys.argv[1])
import model

# In the order of the Go test; SM120MX is sm_120 with scales.
ARCHS = ["sm_89", "sm_90_mma", "sm_90_wgmma", "sm_100_mma", "sm_100_tcgen05", "sm_120", "sm_120"]
MX = 6

data = sys.stdin.buffer.read()
out = bytearray()
for at in range(0, len(data), 72):
    arch, sa, sb, _, c = struct.unpack_from("<4BI", data, at)
    a, b = data[at + 8:at + 40], data[at + 40:at + 72]
    scales = (sa, sb) if arch == MX else (None, None)
    out += struct.pack("<I", model.mma_dot(a, b, c, model.ARCH[ARCHS[arch]], sfa=scales[0], sfb=scales[1]))
sys.stdout.buffer.write(out)

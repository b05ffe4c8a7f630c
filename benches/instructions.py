#!/usr/bin/env python3
"""Counts the instructions of kernels' inner loops, per element, from their disassembly.

    benches/instructions.py LEVEL BINARY [LEVEL BINARY]

prints a table of the levels, one below the other, and the ratios of the second to the first if there are
two. A binary is one that was built with readable names of generic functions, and holds all kernels:

    export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-C symbol-mangling-version=v0 -Z merge-functions=disabled"
    cargo build --release --example matrix

for the host (and so with --target, the linker and the rest that .ci/cross names, for another).

* Levels are avx2 and neon.
* "-" stands where there is no loop of a pair's own.
* A loop is taken from its first instruction to the jump back. What runs before and after it is not counted, nor is
  its share of what a branch skips.
* How many elements a turn does is told by the bytes that it stores.
* Pairs with a complex side that go by a tile are the sum of their stages.
"""

import functools
import re
import subprocess
import sys

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = {"complex64": "float32", "complex128": "float64"}
FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"]
DTYPES = ["bool", *INTS, *FLOATS, *COMPLEX, *FLOAT8]
MARKS = {
    "bool": "Bool", "bfloat16": "BFloat16", "float8_e4m3fn": "Float8E4M3Fn", "float8_e5m2": "Float8E5M2",
    "float8_e4m3fnuz": "Float8E4M3Fnuz", "float8_e5m2fnuz": "Float8E5M2Fnuz",
}  # fmt: skip


def mark(dtype):
    name = MARKS.get(dtype) or dtype.replace("uint", "UInt").replace("int", "Int").replace("float", "Float")
    return name.replace("UInt", "UInt")


def size(dtype):
    if dtype == "bool" or dtype.startswith("float8"):
        return 1
    return int(re.search(r"\d+$", dtype).group()) // 8


class Instruction:
    def __init__(self, address, text):
        self.address = address
        self.text = text
        parts = text.split(None, 1)
        self.name = parts[0]
        self.operands = parts[1] if len(parts) > 1 else ""


def disassemble(binary, level):
    """The functions of a level's kernels: name -> instructions."""
    tool = "aarch64-linux-gnu-objdump" if level == "neon" else "objdump"
    command = [tool, "-d", "-C", "--no-show-raw-insn", binary]
    functions, current = {}, None
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        if match := re.match(r"^[0-9a-f]+ <(.*)>:$", line):
            name = match.group(1)
            inside = f"simdcast_kernels::{level}::" in name or f"kernels::{level}>" in name
            current = functions.setdefault(name, []) if inside else None
        elif current is not None and (match := re.match(r"^\s*([0-9a-f]+):\s+(.*)$", line)):
            text = re.sub(r"\s*(//|#).*$", "", match.group(2)).strip()
            current.append(Instruction(int(match.group(1), 16), text))
    return functions


def jump_target(instruction, level):
    jumps = r"^(b|b\.\w+|cbn?z|tbn?z)$" if level == "neon" else r"^j\w+$"
    if not re.match(jumps, instruction.name):
        return None
    match = re.search(r"([0-9a-f]+) <", instruction.operands)
    return int(match.group(1), 16) if match else None


NEON_BYTES = {"q": 16, "d": 8, "s": 4, "h": 2, "b": 1}


def stored_by_neon(instruction):
    name, operands = instruction.name, instruction.operands
    if "[sp" in operands or not re.match(r"^(st\d|str|stur|stp|stnp)$", name):
        return 0
    if name.startswith("st") and name[2].isdigit():
        registers = re.findall(r"v\d+\.(\d+)([bhsd])", operands.split("[")[0])
        if "-" in operands.split("}")[0]:  # {v0.16b-v3.16b}
            first, last = (int(n) for n in re.findall(r"v(\d+)", operands.split("}")[0]))
            registers = registers[:1] * ((last - first) % 32 + 1)
        return sum(int(n) * NEON_BYTES[unit] for n, unit in registers)
    registers = re.findall(r"\b([qdshb])\d+\b", operands.split("[")[0])
    return sum(NEON_BYTES[register] for register in registers)


def stored_by_x86(instruction):
    name, operands = instruction.name, instruction.operands
    if not re.search(r"\)$", operands) or "(%rsp" in operands or not re.match(r"^v?(mov|extract|pextr|cvtps2ph|masked)", name):
        return 0
    if match := re.search(r"^vpextr([bwdq])", name):
        return {"b": 1, "w": 2, "d": 4, "q": 8}[match.group(1)]
    if name in ("vmovq", "vmovlps", "vmovhps", "vmovlpd", "vmovhpd"):
        return 8
    if name in ("vmovd", "vmovss"):
        return 4
    registers = re.findall(r"%([xy])mm", operands)
    if name == "vcvtps2ph":
        return {"x": 8, "y": 16}[registers[-1]]
    if name.startswith("vextract"):
        return 16
    return {"x": 16, "y": 32}[registers[-1]] if registers else 0


def loops(instructions, level):
    """The innermost loops that store: their instructions and the bytes that they store."""
    stored = stored_by_neon if level == "neon" else stored_by_x86
    index = {instruction.address: i for i, instruction in enumerate(instructions)}
    spans = []
    for end, instruction in enumerate(instructions):
        target = jump_target(instruction, level)
        if target is not None and target <= instruction.address and target in index:
            spans.append((index[target], end))
    for start, end in spans:
        if any(start <= s and e <= end and (s, e) != (start, end) for s, e in spans):
            continue
        written = sum(stored(i) for i in instructions[start : end + 1])
        if written:
            yield end + 1 - start, written


class Level:
    def __init__(self, name, binary):
        self.name = name
        self.functions = disassemble(binary, name)

    def count_loop(self, bodies, element):
        """Instructions an element in the loop that does most at a time of the functions' ones."""
        found = [loop for body in bodies for loop in loops(body, self.name)]
        if not found:
            return None
        count, written = max(found, key=lambda loop: loop[1])
        return count * element / written

    def matching(self, pattern):
        return [body for name, body in self.functions.items() if re.search(pattern, name)]

    @functools.cache
    def real(self, a, b):
        if a == b or (a in INTS and b in INTS and size(a) == size(b)):
            return "copy"
        # The loop may be in a closure of the function that is named for the pair.
        pair = rf"simdcast_kernels::dtypes::mark::{mark(a)}, simdcast_kernels::dtypes::mark::{mark(b)}>"
        direct = self.matching(rf"\bstepped(::)?<.*{pair}")
        return self.count_loop(direct or self.matching(rf"\b(fused|convert)(::)?<.*{pair}"), size(b))

    def piece(self, name, element, stored):
        """A rearrangement of complex numbers: one function for all widths, whose loops come in order."""
        bodies = self.matching(rf"pieces::{name}($|::|_{element}$)") or self.matching(rf"::{name}_{element}\b")
        counts = [count * stored / written for body in bodies for count, written in loops(body, self.name)]
        return min(counts, default=None)

    def pair(self, a, b):
        if a == b:
            return "copy"
        if a not in COMPLEX and b not in COMPLEX:
            return self.real(a, b)
        x, y = COMPLEX.get(a, a), COMPLEX.get(b, b)
        if a in COMPLEX and b in COMPLEX:
            count = self.real(x, y)
            return 2 * count if isinstance(count, float) else count
        if a in COMPLEX and b == "bool":
            return None
        stages = [0.0 if x == y else self.real(x, y)]
        if a in COMPLEX:
            stages.append(self.piece("real_parts", size(x), size(x)))
        if b in COMPLEX:
            stages.append(self.piece("with_zero_imaginary", size(y), 2 * size(y)))
        if "copy" in stages:
            stages.remove("copy")
        return None if None in stages else sum(stages)


def shown(value):
    return value if isinstance(value, str) else "-" if value is None else f"{value:.2f}"


def table(title, value):
    print(f"\n{title}\n")
    width = max(len(d) for d in DTYPES)
    print(" " * width, *(f"{d.replace('float8_', ''):>10}" for d in DTYPES))
    for a in DTYPES:
        print(f"{a:>{width}}", *(f"{shown(value(a, b)):>10}" for b in DTYPES))


def main(arguments):
    if len(arguments) not in (2, 4):
        sys.exit(__doc__)
    levels = [Level(*arguments[i : i + 2]) for i in range(0, len(arguments), 2)]
    for level in levels:
        table(f"{level.name}: instructions an element", level.pair)
    if len(levels) == 2:
        first, second = levels

        def ratio(a, b):
            counts = first.pair(a, b), second.pair(a, b)
            return counts[1] / counts[0] if all(isinstance(c, float) for c in counts) else None

        table(f"{second.name} / {first.name}", ratio)


if __name__ == "__main__":
    main(sys.argv[1:])

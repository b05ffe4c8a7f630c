#!/usr/bin/env python3
"""Times casts of NumPy (with ml_dtypes) and PyTorch beside this library's, from Python.

    cargo build --release --features capi
    pip install numpy ml_dtypes torch        (either of the last two may be missing)
    benches/python.py [--library FILE] [--elements N,...] [--csv FILE]

Each pair that a package has is cast by it and by `libsimdcast` in turns, on the same buffers, by one thread; the best of
many of each counts. What it takes to call from Python is in the times of both, some hundreds of nanoseconds: so the
fewest elements that are of use are some ten thousand. Values are random, within what the destination's dtype holds where
both have such: what is out of range takes NumPy another way on some CPUs.

Prints, for each package and length, geometric means of the package's time by this library's, by kinds of dtypes, and the
pairs in which the package is more than 1.05 times as fast; with --csv, every pair in a file.
"""

import argparse
import csv
import ctypes
import math
import sys
import time
import warnings

try:
    import numpy
except ImportError:
    sys.exit("This takes NumPy: pip install numpy ml_dtypes torch")

KINDS = {
    "bool": ["bool"],
    "integers": [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)],
    "fewer bits": ["int1", "int2", "int4", "uint1", "uint2", "uint4"],
    "16-bit floats": ["float16", "bfloat16"],
    "float32, 64": ["float32", "float64"],
    "8 to 4 bits": [
        "float8_e4m3fn",
        "float8_e5m2",
        "float8_e4m3fnuz",
        "float8_e5m2fnuz",
        "float8_e4m3",
        "float8_e3m4",
        "float8_e4m3b11fnuz",
        "float8_e8m0fnu",
        "float6_e2m3fn",
        "float6_e3m2fn",
        "float4_e2m1fn",
    ],
    "complex": ["complex32", "complex64", "complex128"],
}
NAMES = [name for names in KINDS.values() for name in names]
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}


class Simdcast:
    """The library, by way of C."""

    def __init__(self, path):
        try:
            self.library = ctypes.CDLL(path)
        except OSError as error:
            sys.exit(f"{error}\n(cargo build --release --features capi builds the library)")
        self.library.simdcast_dtype_from_name.argtypes = [ctypes.c_char_p]
        self.library.simdcast_dtype_bytes.restype = ctypes.c_size_t
        self.library.simdcast_dtype_bytes.argtypes = [ctypes.c_int32, ctypes.c_size_t]
        self.library.simdcast_last_error.restype = ctypes.c_char_p
        self.library.simdcast_isa.restype = ctypes.c_char_p

    def isa(self):
        return self.library.simdcast_isa().decode()

    def size(self, name):
        return self.library.simdcast_dtype_bytes(self.code(name), 1)

    def code(self, name):
        code = self.library.simdcast_dtype_from_name(name.encode())
        if code < 0:
            sys.exit(f"{self.library._name} knows no {name}")
        return code

    def cast(self, source, target, src, dst, n):
        """A function that casts, with its arguments converted once."""
        arguments = [
            ctypes.c_int32(self.code(source)),
            ctypes.c_void_p(src.ctypes.data),
            ctypes.c_size_t(src.nbytes),
            ctypes.c_int32(self.code(target)),
            ctypes.c_void_p(dst.ctypes.data),
            ctypes.c_size_t(dst.nbytes),
            ctypes.c_size_t(n),
            ctypes.c_void_p(None),
        ]
        function = self.library.simdcast_cast

        def run():
            if function(*arguments):
                sys.exit(f"{source} -> {target}: {self.library.simdcast_last_error().decode()}")

        return run


def numpy_dtypes():
    """Those of NumPy, and of ml_dtypes if it is there, by name."""
    plain = [name for name in NAMES if hasattr(numpy, name) or name == "bool"]
    dtypes = {name: numpy.dtype(name) for name in plain}
    try:
        import ml_dtypes
    except ImportError:
        print("ml_dtypes is not installed: NumPy alone is timed", file=sys.stderr)
        return dtypes, f"NumPy {numpy.__version__}"
    for name in NAMES:
        if name not in dtypes and hasattr(ml_dtypes, name):
            dtypes[name] = numpy.dtype(getattr(ml_dtypes, name))
    return dtypes, f"NumPy {numpy.__version__} with ml_dtypes {ml_dtypes.__version__}"


def of_numpy():
    dtypes, title = numpy_dtypes()

    def cast(source, target, src, dst):
        a, b = src.view(dtypes[source]), dst.view(dtypes[target])
        return lambda: numpy.copyto(b, a, casting="unsafe")

    return title, set(dtypes), cast


def of_torch():
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: it is not timed", file=sys.stderr)
        return None
    torch.set_num_threads(1)
    dtypes = {name: getattr(torch, name) for name in NAMES if hasattr(torch, name)}
    # (Its integers of fewer than 8 bits are names without casts.)
    dtypes = {name: dtype for name, dtype in dtypes.items() if KIND_OF[name] != "fewer bits"}

    def cast(source, target, src, dst):
        a = torch.from_numpy(src).view(dtypes[source])
        b = torch.from_numpy(dst).view(dtypes[target])
        b.copy_(a)
        return lambda: b.copy_(a)

    return f"PyTorch {torch.__version__}", set(dtypes), cast


def best_by_turns(functions, seconds):
    """The least time of each of some functions, called one after the other for so long."""
    best = [math.inf] * len(functions)
    end = time.perf_counter() + seconds
    turns = 0
    while turns < 5 or time.perf_counter() < end:
        for i, function in enumerate(functions):
            start = time.perf_counter_ns()
            function()
            best[i] = min(best[i], time.perf_counter_ns() - start)
        turns += 1
    return best


def in_range(name):
    """A bound of values that a dtype holds, and of which it tells some from others."""
    integers = {"bool": 2, "int1": 1, "int2": 2, "int4": 8, "uint1": 2, "uint2": 4, "uint4": 16}
    return integers.get(name, 100 if name in ("int8", "uint8") else 6)


def measure(ours, package, elements):
    """The times of both in nanoseconds, by pair."""
    _, dtypes, cast = package
    random = numpy.random.default_rng(1)
    times = {}
    names = [name for name in NAMES if name in dtypes]
    for source in names:
        for target in names:
            bound = min(in_range(source), in_range(target))
            if source in ("bool", "int1", "uint1"):
                values = random.integers(0, 2, elements) * (-1.0 if source == "int1" else 1.0)
            else:
                unsigned = source.startswith("uint") or target.startswith("uint")
                values = random.uniform(0 if unsigned else -bound, bound, elements)
            src = numpy.empty(elements * ours.size(source), numpy.uint8)
            ours.cast("float64", source, values.view(numpy.uint8), src, elements)()
            dst = numpy.zeros(elements * ours.size(target), numpy.uint8)
            try:
                theirs = cast(source, target, src, dst)
                theirs()
            except (TypeError, RuntimeError, NotImplementedError):
                continue
            mine = ours.cast(source, target, src, dst, elements)
            times[source, target] = best_by_turns([mine, theirs], 0.02)
    return times


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def report(title, elements, times):
    """Tables, in Markdown."""
    print(f"\n{title}, {elements} elements, {len(times)} pairs: its time by this library's\n")
    kinds = [kind for kind in KINDS if any(KIND_OF[source] == kind for source, _ in times)]
    print("| from \\ to | " + " | ".join(kinds) + " |")
    print("|---" * (len(kinds) + 1) + "|")
    for row in kinds:
        cells = []
        for column in kinds:
            of = (row, column)
            some = [b / a for (s, t), (a, b) in times.items() if (KIND_OF[s], KIND_OF[t]) == of]
            cells.append(f"{mean(some):.1f}" if some else "")
        print(f"| {row} | " + " | ".join(cells) + " |")
    ratios = {pair: b / a for pair, (a, b) in times.items()}
    print(f"\nIn the mean {mean(ratios.values()):.1f}, at most {max(ratios.values()):.0f}.", end=" ")
    faster = sorted((ratio, pair) for pair, ratio in ratios.items() if ratio < 1 / 1.05)
    print(f"It is more than 1.05 times as fast in {len(faster)}" + (":" if faster else "."))
    for ratio, (source, target) in faster:
        print(f"    {source} -> {target}: {1 / ratio:.2f} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", default="target/release/libsimdcast.so")
    parser.add_argument("--elements", default="65536,4194304")
    parser.add_argument("--csv")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    numpy.seterr(all="ignore")
    ours = Simdcast(arguments.library)
    print(f"This library: {ours.isa()}")
    rows = []
    for package in filter(None, (of_numpy(), of_torch())):
        for elements in map(int, arguments.elements.split(",")):
            times = measure(ours, package, elements)
            report(package[0], elements, times)
            for (source, target), (mine, theirs) in times.items():
                rows.append([package[0], elements, source, target, mine / elements, theirs / elements])
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["package", "elements", "from", "to", "ns_per_element", "its_ns"])
            writer.writerows(rows)


if __name__ == "__main__":
    main()

"""The C library in Python, by ctypes and NumPy: arrays of any layout are cast without a copy on the way.

    cargo build --release --features capi
    python3 examples/c/cast.py target/release/libsimdcast.so
"""

import ctypes
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libsimdcast.so")
for name in ["simdcast_last_error", "simdcast_isa", "simdcast_version", "simdcast_dtype_name"]:
    getattr(library, name).restype = ctypes.c_char_p
library.simdcast_last_error_index.restype = ctypes.c_size_t
SIZES = ctypes.POINTER(ctypes.c_size_t)
STRIDES = ctypes.POINTER(ctypes.c_ssize_t)
SIDE = [ctypes.c_int32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, STRIDES]
library.simdcast_cast_strided.argtypes = [*SIDE, *SIDE, SIZES, ctypes.c_size_t, ctypes.c_void_p]

BIG_ENDIAN, LITTLE_ENDIAN = 0x100, 0x200


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("overflow", ctypes.c_uint8),
        ("saturate", ctypes.c_uint8),
        ("rounding", ctypes.c_uint8),
        ("reserved", ctypes.c_uint8),
        ("seed", ctypes.c_uint64),
        ("first_index", ctypes.c_uint64),
        ("threads", ctypes.c_uint32),
        ("reserved2", ctypes.c_uint32),
    ]

    def __init__(self, **fields):
        super().__init__(**{"size": ctypes.sizeof(Options), "saturate": 1, "threads": 1, **fields})


def code(name):
    found = library.simdcast_dtype_from_name(name.encode())
    if found < 0:
        raise TypeError(library.simdcast_last_error().decode())
    return found


def side(array, dtype):
    """The arguments of one side of a strided cast: its buffer is the bytes from its first to its last element."""
    low, high = np.lib.array_utils.byte_bounds(array)
    start = array.__array_interface__["data"][0]
    strides = (ctypes.c_ssize_t * array.ndim)(*array.strides)
    order = {">": BIG_ENDIAN, "<": LITTLE_ENDIAN}.get(array.dtype.byteorder, 0)
    return dtype + order, low, high - low, start - low, strides


def cast(array, to, stored=None, **options):
    """An array as another dtype, which may be one that NumPy lacks: its codes are `stored` as integers."""
    result = np.empty(array.shape, stored or to)
    shape = (ctypes.c_size_t * array.ndim)(*array.shape)
    status = library.simdcast_cast_strided(
        *side(array, code(array.dtype.name)),
        *side(result, code(to)),
        shape,
        array.ndim,
        ctypes.byref(Options(**options)),
    )
    if status:
        raise ValueError(library.simdcast_last_error().decode())
    return result


def main():
    print("simdcast", library.simdcast_version().decode(), "on", library.simdcast_isa().decode())
    rng = np.random.default_rng(1)
    floats = rng.normal(0, 1000, (300, 200)).astype("float32")
    for array in [floats, floats.T, floats[::-2, 5::3], floats.astype(">f4")]:
        assert (cast(array, "float16") == array.astype("float16")).all()
        assert (cast(array, "int32") == array.astype("int32")).all()
    print("float8_e4m3fn:", [hex(byte) for byte in cast(np.array([1.0, 432.0, 1e9]), "float8_e4m3fn", "uint8")])
    try:
        cast(floats, "int8", overflow=3)
    except ValueError as error:
        print("checked:", error)
    numbers = cast(np.arange(4), "complex64")
    assert (numbers == np.arange(4, dtype="complex64")).all()


if __name__ == "__main__":
    main()

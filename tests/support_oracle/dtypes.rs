//! The 44 dtypes: codes, names and storage, as literal rows.

use super::floats;
use simdcast_kernels::DType;

/// What a dtype's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    Bool,
    Int(u32),
    UInt(u32),
    Float(u32),
    Complex(DType),
}
use Numbers::{Bool, Complex, Float, Int, UInt};

pub(crate) struct Row {
    /// Fixed for ever: files and C callers hold it.
    pub(crate) code: u8,
    pub(crate) name: &'static str,
    pub(crate) dtype: DType,
    /// Bits from one element to the next; fewer than 8 where elements share bytes.
    pub(crate) stride: usize,
    pub(crate) numbers: Numbers,
}

const fn row(code: u8, name: &'static str, dtype: DType, stride: usize, numbers: Numbers) -> Row {
    Row { code, name, dtype, stride, numbers }
}

pub(crate) const ROWS: [Row; 44] = [
    row(0, "bool", DType::Bool, 8, Bool),
    row(1, "int8", DType::Int8, 8, Int(8)),
    row(2, "int16", DType::Int16, 16, Int(16)),
    row(3, "int32", DType::Int32, 32, Int(32)),
    row(4, "int64", DType::Int64, 64, Int(64)),
    row(5, "uint8", DType::UInt8, 8, UInt(8)),
    row(6, "uint16", DType::UInt16, 16, UInt(16)),
    row(7, "uint32", DType::UInt32, 32, UInt(32)),
    row(8, "uint64", DType::UInt64, 64, UInt(64)),
    row(9, "int1", DType::Int1, 8, Int(1)),
    row(10, "int2", DType::Int2, 8, Int(2)),
    row(11, "int4", DType::Int4, 8, Int(4)),
    row(12, "uint1", DType::UInt1, 8, UInt(1)),
    row(13, "uint2", DType::UInt2, 8, UInt(2)),
    row(14, "uint4", DType::UInt4, 8, UInt(4)),
    row(15, "bool1x8", DType::Bool1x8, 1, Bool),
    row(16, "int4x2", DType::Int4x2, 4, Int(4)),
    row(17, "uint4x2", DType::UInt4x2, 4, UInt(4)),
    row(18, "int2x4", DType::Int2x4, 2, Int(2)),
    row(19, "uint2x4", DType::UInt2x4, 2, UInt(2)),
    row(20, "int1x8", DType::Int1x8, 1, Int(1)),
    row(21, "uint1x8", DType::UInt1x8, 1, UInt(1)),
    row(22, "float16", DType::Float16, 16, Float(16)),
    row(23, "bfloat16", DType::BFloat16, 16, Float(16)),
    row(24, "float32", DType::Float32, 32, Float(32)),
    row(25, "float64", DType::Float64, 64, Float(64)),
    row(26, "float8_e4m3fn", DType::Float8E4M3Fn, 8, Float(8)),
    row(27, "float8_e5m2", DType::Float8E5M2, 8, Float(8)),
    row(28, "float8_e4m3fnuz", DType::Float8E4M3Fnuz, 8, Float(8)),
    row(29, "float8_e5m2fnuz", DType::Float8E5M2Fnuz, 8, Float(8)),
    row(30, "float8_e4m3", DType::Float8E4M3, 8, Float(8)),
    row(31, "float8_e3m4", DType::Float8E3M4, 8, Float(8)),
    row(32, "float8_e4m3b11fnuz", DType::Float8E4M3B11Fnuz, 8, Float(8)),
    row(33, "float8_e8m0fnu", DType::Float8E8M0Fnu, 8, Float(8)),
    row(34, "float6_e2m3fn", DType::Float6E2M3Fn, 8, Float(6)),
    row(35, "float6_e3m2fn", DType::Float6E3M2Fn, 8, Float(6)),
    row(36, "float4_e2m1fn", DType::Float4E2M1Fn, 8, Float(4)),
    row(37, "float4_e2m1fn_x2", DType::Float4E2M1FnX2, 4, Float(4)),
    row(38, "float6_e2m3fn_x4", DType::Float6E2M3FnX4, 6, Float(6)),
    row(39, "float6_e3m2fn_x4", DType::Float6E3M2FnX4, 6, Float(6)),
    row(40, "complex32", DType::Complex32, 32, Complex(DType::Float16)),
    row(41, "bcomplex32", DType::BComplex32, 32, Complex(DType::BFloat16)),
    row(42, "complex64", DType::Complex64, 64, Complex(DType::Float32)),
    row(43, "complex128", DType::Complex128, 128, Complex(DType::Float64)),
];

/// The packed dtypes and whose numbers they hold.
pub(crate) const PACKED: [(DType, DType); 10] = [
    (DType::Bool1x8, DType::Bool),
    (DType::Int4x2, DType::Int4),
    (DType::UInt4x2, DType::UInt4),
    (DType::Int2x4, DType::Int2),
    (DType::UInt2x4, DType::UInt2),
    (DType::Int1x8, DType::Int1),
    (DType::UInt1x8, DType::UInt1),
    (DType::Float4E2M1FnX2, DType::Float4E2M1Fn),
    (DType::Float6E2M3FnX4, DType::Float6E2M3Fn),
    (DType::Float6E3M2FnX4, DType::Float6E3M2Fn),
];

pub(crate) const COMPLEX: [(DType, DType); 4] = [
    (DType::Complex32, DType::Float16),
    (DType::BComplex32, DType::BFloat16),
    (DType::Complex64, DType::Float32),
    (DType::Complex128, DType::Float64),
];

/// The integers that are not packed, their lowest and their highest number.
pub(crate) const INTEGERS: [(DType, i128, i128); 14] = [
    (DType::Int1, -1, 0),
    (DType::Int2, -2, 1),
    (DType::Int4, -8, 7),
    (DType::Int8, -128, 127),
    (DType::Int16, -32768, 32767),
    (DType::Int32, -2147483648, 2147483647),
    (DType::Int64, -9223372036854775808, 9223372036854775807),
    (DType::UInt1, 0, 1),
    (DType::UInt2, 0, 3),
    (DType::UInt4, 0, 15),
    (DType::UInt8, 0, 255),
    (DType::UInt16, 0, 65535),
    (DType::UInt32, 0, 4294967295),
    (DType::UInt64, 0, 18446744073709551615),
];

pub(crate) fn row_of(dtype: DType) -> &'static Row {
    ROWS.iter().find(|row| row.dtype == dtype).expect("every dtype has a row")
}

/// Bits of a code.
pub(crate) fn width(dtype: DType) -> u32 {
    match row_of(dtype).numbers {
        Bool => 1,
        Int(bits) | UInt(bits) | Float(bits) => bits,
        Complex(of) => 2 * width(of),
    }
}

/// The dtype of a component, unpacked: itself for a real dtype with bytes of its own.
pub(crate) fn component(dtype: DType) -> DType {
    let of = PACKED.iter().chain(&COMPLEX).find(|(other, _)| *other == dtype);
    of.map_or(dtype, |(_, of)| *of)
}

/// The complex dtype of two such components.
pub(crate) fn complex_of(component: DType) -> Option<DType> {
    COMPLEX.iter().find(|(_, of)| *of == component).map(|(dtype, _)| *dtype)
}

/// The packed dtype of such numbers.
pub(crate) fn packed_of(numbers: DType) -> Option<DType> {
    PACKED.iter().find(|(_, of)| *of == numbers).map(|(dtype, _)| *dtype)
}

pub(crate) fn is_complex(dtype: DType) -> bool {
    matches!(row_of(dtype).numbers, Complex(_))
}

pub(crate) fn is_float(dtype: DType) -> bool {
    matches!(row_of(dtype).numbers, Float(_))
}

/// The code of a complex number.
pub(crate) fn complex(dtype: DType, re: u128, im: u128) -> u128 {
    re | im << (width(dtype) / 2)
}

/// The code of an integer.
pub(crate) fn int(dtype: DType, value: i128) -> u128 {
    let &(_, lowest, highest) =
        INTEGERS.iter().find(|(other, ..)| *other == component(dtype)).expect("an integer dtype");
    assert!((lowest..=highest).contains(&value), "{value} is no number of {dtype}");
    value as u128 & ((1 << width(dtype)) - 1)
}

/// The code of a real number, which the dtype must have; a complex one has imaginary part +0.
pub(crate) fn num(dtype: DType, value: f64) -> u128 {
    match row_of(dtype).numbers {
        Bool => match value {
            0.0 => 0,
            1.0 => 1,
            _ => panic!("{value} is no bool"),
        },
        Int(_) | UInt(_) => {
            assert_eq!(value as i128 as f64, value, "{value} is no number of {dtype}");
            int(dtype, value as i128)
        }
        Float(_) => u128::from(floats::format(component(dtype)).code(value)),
        Complex(of) => num(of, value),
    }
}

/// The bytes of a buffer with these codes: native endian, narrow numbers in the low bits with
/// signed integers sign-filled and all others zero-filled, packed ones from the lowest bit up with
/// a last partial byte zero-filled.
pub(crate) fn bytes(dtype: DType, codes: &[u128]) -> Vec<u8> {
    let row = row_of(dtype);
    if row.stride < 8 {
        let mut bytes = vec![0; (codes.len() * row.stride).div_ceil(8)];
        for (i, code) in codes.iter().enumerate() {
            for bit in 0..row.stride {
                let place = i * row.stride + bit;
                bytes[place / 8] |= ((code >> bit & 1) as u8) << (place % 8);
            }
        }
        return bytes;
    }
    let mut bytes = Vec::with_capacity(codes.len() * row.stride / 8);
    for &code in codes {
        match row.numbers {
            Complex(of) => {
                let half = width(of);
                push_native(&mut bytes, code & ((1 << half) - 1), row.stride / 16);
                push_native(&mut bytes, code >> half, row.stride / 16);
            }
            Int(bits) if code >> (bits - 1) & 1 == 1 => {
                push_native(&mut bytes, code | u128::MAX << bits, row.stride / 8);
            }
            _ => push_native(&mut bytes, code, row.stride / 8),
        }
    }
    bytes
}

fn push_native(bytes: &mut Vec<u8>, code: u128, size: usize) {
    let little = code.to_le_bytes();
    if cfg!(target_endian = "big") {
        bytes.extend(little[..size].iter().rev());
    } else {
        bytes.extend(&little[..size]);
    }
}

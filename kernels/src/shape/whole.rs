//! Integers: floats modulo a power of two, and integers clamped to the range of others.

use super::Bytes;
use super::plan::byte_integer;
use crate::codec::Isa;
use crate::dtypes::DType;
use core::mem::MaybeUninit;
use core::slice;

/// Writes the low bits of the integers that floats are, cut toward zero; those of infinities and NaNs
/// are zeros.
///
/// # Safety
/// The pointers are valid for as many elements, and don't overlap. The CPU has the instruction set.
pub(super) type Wrap = unsafe fn(*const u8, *mut u8, usize);

/// Every loop that wraps, by the size of the result: 1, 2, 4 or 8 bytes.
pub(super) struct Wraps {
    from32: [Wrap; 3],
    from64: [Wrap; 4],
}

impl Wraps {
    pub(super) const fn of<I: Isa>() -> Self {
        Self {
            from32: [wrap32::<I, Bytes<1>>, wrap32::<I, Bytes<2>>, wrap32::<I, Bytes<4>>],
            from64: [
                wrap64::<I, Bytes<1>>,
                wrap64::<I, Bytes<2>>,
                wrap64::<I, Bytes<4>>,
                wrap64::<I, Bytes<8>>,
            ],
        }
    }

    /// The loop from float32 or float64 to integers of the size of a dtype's elements.
    pub(super) const fn get(&self, from: DType, to: DType) -> Wrap {
        let size = (to.bits() / 8).trailing_zeros() as usize;
        match from {
            DType::Float32 => self.from32[size],
            _ => self.from64[size],
        }
    }
}

/// Whether the low bits that an integer dtype has are zeros of all of a float dtype's numbers from 2^31 on. Then a
/// conversion to 32-bit integers that gives -2^31 for these, for infinities and for NaNs is all that wrapping takes, as
/// long as no more than 31 bits are kept.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has such conversions.
pub(crate) const fn is_zero_past_ints(from: DType, to: DType) -> bool {
    let lowest = match from {
        // There are none.
        DType::Float16 => 31,
        DType::BFloat16 => 31 - 7,
        DType::Float32 => 31 - 23,
        _ => 0,
    };
    to.significant_bits() <= lowest
}

/// What is added to the part of a float32 that is then cut off to a whole number, or rounded to the nearest: it makes no
/// difference to what that is, being less than half of what float32s just below a half lie apart, but keeps the part from
/// being subnormal, which takes some CPUs a hundred times as long.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Whose loops add it.
pub(crate) const BIT: f32 = 1.0 / (1u64 << 30) as f32;

/// The same of float64s.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // As above.
pub(crate) const BIT_64: f64 = 1.0 / (1u64 << 60) as f64;

/// The low bytes of an integer.
trait Low: Copy {
    fn low(value: u64) -> Self;
}

macro_rules! lows {
    ($($int:ident)*) => {$(
        impl Low for Bytes<{ size_of::<$int>() }> {
            #[inline(always)]
            fn low(value: u64) -> Self {
                (value as $int).to_ne_bytes()
            }
        }
    )*};
}
lows! { u8 u16 u32 u64 }

macro_rules! wrapped {
    ($($lane:ident $signed:ident $mantissa:literal $one:ident;)*) => {$(
        /// A significand of so many bits is shifted by where the exponent puts its last one. Past the
        /// top or the bottom nothing is left of it, infinities and NaNs included, whose exponent is
        /// one past the largest.
        #[inline(always)]
        fn $one(code: $lane) -> $lane {
            const BITS: $lane = $lane::BITS as $lane;
            const BIAS: $lane = (1 << (BITS - 2 - $mantissa)) - 1;
            const FIELD: $lane = (1 << (BITS - 1 - $mantissa)) - 1;
            let field = (code >> $mantissa) & FIELD;
            let significand = (code & ((1 << $mantissa) - 1)) | 1 << $mantissa;
            let up = field.wrapping_sub(BIAS + $mantissa);
            let down = (BIAS + $mantissa).wrapping_sub(field);
            let left = if up < BITS { significand << up } else { 0 };
            let right = if down < BITS { significand >> down } else { 0 };
            let negative = (code as $signed >> ($lane::BITS - 1)) as $lane;
            ((left | right) ^ negative).wrapping_sub(negative)
        }
    )*};
}

wrapped! {
    u32 i32 23 wrapped32;
    u64 i64 52 wrapped64;
}

/// # Safety
/// As for every [`Wrap`].
unsafe fn wrap64<I: Isa, B: Low>(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's; elements as bytes have no alignment.
    let (src, dst) = unsafe {
        (
            slice::from_raw_parts(src.cast::<Bytes<8>>(), n),
            slice::from_raw_parts_mut(dst.cast::<MaybeUninit<B>>(), n),
        )
    };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize_on_lines(
        #[inline(always)]
        move || {
            for (code, out) in src.iter().zip(dst) {
                out.write(B::low(wrapped64(u64::from_ne_bytes(*code))));
            }
        },
    );
}

/// Elements of which it is asked whether the processor's own conversion will do.
const BLOCK: usize = 512;

/// # Safety
/// As for every [`Wrap`].
unsafe fn wrap32<I: Isa, B: Low>(src: *const u8, dst: *mut u8, n: usize) {
    const TOO_LARGE: u32 = ((1u32 << 31) as f32).to_bits();
    // SAFETY: the caller's; elements as bytes have no alignment.
    let (src, dst) = unsafe {
        (
            slice::from_raw_parts(src.cast::<Bytes<4>>(), n),
            slice::from_raw_parts_mut(dst.cast::<MaybeUninit<B>>(), n),
        )
    };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize_on_lines(
        #[inline(always)]
        move || {
            for (src, dst) in src.chunks(BLOCK).zip(dst.chunks_mut(BLOCK)) {
                let mut largest = 0;
                for code in src {
                    largest = largest.max(u32::from_ne_bytes(*code) & i32::MAX as u32);
                }
                if largest < TOO_LARGE {
                    for (code, out) in src.iter().zip(dst) {
                        let value = f32::from_ne_bytes(*code);
                        // SAFETY: magnitudes below 2^31, and no NaN among them.
                        let integer = unsafe { value.to_int_unchecked::<i32>() };
                        out.write(B::low(integer as u64));
                    }
                } else {
                    for (code, out) in src.iter().zip(dst) {
                        out.write(B::low(wrapped32(u32::from_ne_bytes(*code)).into()));
                    }
                }
            }
        },
    );
}

/// Casts integers, clamped to what both types hold, and those that become a byte then to a range of it.
///
/// # Safety
/// The pointers are valid for as many elements, and don't overlap. The CPU has the instruction set.
pub(crate) type Clamp = unsafe fn(*const u8, *mut u8, usize, Range);

/// The lowest and the highest value, as their low bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range(pub(crate) u64, pub(crate) u64);

/// Every loop that clamps, by the code of the source and that of the destination: int8, int16, int32,
/// int64 and the unsigned ones.
#[derive(Clone, Copy)]
pub(crate) struct Clamps([[Clamp; 8]; 8]);

impl Clamps {
    /// The same with another loop.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has such loops.
    pub(crate) const fn with(mut self, from: DType, to: DType, clamp: Clamp) -> Self {
        self.0[place(from)][place(to)] = clamp;
        self
    }

    /// The loop from one of these eight dtypes to an integer dtype, small ones as bytes.
    pub(super) const fn get(&self, from: DType, to: DType) -> Clamp {
        self.0[place(from)][place(to)]
    }
}

/// The place of an integer dtype among the eight, small ones as bytes.
const fn place(dtype: DType) -> usize {
    byte_integer(dtype) as usize - DType::Int8 as usize
}

macro_rules! clamps {
    ($($from:ident $names:ident)*) => {
        impl Clamps {
            pub(super) const fn of<I: Isa>() -> Self {
                Self([$([
                    $names::i8::<I>, $names::i16::<I>, $names::i32::<I>, $names::i64::<I>,
                    $names::u8::<I>, $names::u16::<I>, $names::u32::<I>, $names::u64::<I>,
                ]),*])
            }
        }

        $(mod $names {
            use super::*;
            clamps!(@to $from i8 i16 i32 i64 u8 u16 u32 u64);
        })*
    };
    (@to $from:ident $($to:ident)*) => {$(
        /// # Safety
        /// As for every [`Clamp`].
        pub(super) unsafe fn $to<I: Isa>(src: *const u8, dst: *mut u8, n: usize, range: Range) {
            // What both types hold: constants, by which the compiler knows saturating instructions.
            const LOW: $from = if ($from::MIN as i128) < $to::MIN as i128 { $to::MIN as $from } else { $from::MIN };
            const HIGH: $from = if ($from::MAX as i128) > $to::MAX as i128 { $to::MAX as $from } else { $from::MAX };
            // SAFETY: the caller's; elements as bytes have no alignment.
            let (src, dst) = unsafe {
                (
                    slice::from_raw_parts(src.cast::<Bytes<{ size_of::<$from>() }>>(), n),
                    slice::from_raw_parts_mut(dst.cast::<MaybeUninit<Bytes<{ size_of::<$to>() }>>>(), n),
                )
            };
            let (low, high) = (range.0 as $to, range.1 as $to);
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize_on_lines(
                #[inline(always)]
                move || {
                    for (value, out) in src.iter().zip(dst) {
                        let mut held = $from::from_ne_bytes(*value).max(LOW).min(HIGH) as $to;
                        // Wider dtypes have all that both types hold.
                        if size_of::<$to>() == 1 {
                            held = held.max(low).min(high);
                        }
                        out.write(held.to_ne_bytes());
                    }
                },
            );
        }
    )*};
}

clamps! {
    i8 from_int8
    i16 from_int16
    i32 from_int32
    i64 from_int64
    u8 from_uint8
    u16 from_uint16
    u32 from_uint32
    u64 from_uint64
}

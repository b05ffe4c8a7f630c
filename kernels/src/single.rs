//! One element at a time, in general registers: what scalars of array libraries are. A kernel needs a mask for what it
//! reads and another for what it writes, which take it longer than the first element of a step; a single element is
//! loaded and stored.
//!
//! Pairs of integers, bools, float32 and float64 are here, under the default options. All is integer arithmetic, but for
//! conversions of integers that are exact in the float that they become: nothing depends on the floating-point
//! environment, and no exception is raised. Floats that are normal on both sides, or fit, take one branch, and all others a
//! way of their own.

use crate::dtypes::{DType, Kind, Real, mark};
use crate::format::FloatFormat;
use crate::table::{Kernel, Params};
use core::marker::PhantomData;

/// Whether [`cast`] is for a pair.
pub(crate) const fn is_for(from: DType, to: DType) -> bool {
    // (Of bools any byte is one, but the results are 0 and 1: that is the kernel's.)
    is_scalar(from) && is_scalar(to) && !matches!((from, to), (DType::Bool, DType::Bool))
}

const fn is_scalar(dtype: DType) -> bool {
    matches!(dtype, DType::Bool | DType::Float32 | DType::Float64) || is_whole(dtype)
}

/// Whether it is an integer of a type of Rust's. (Not packed: those are not dense.)
const fn is_whole(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Int | Kind::UInt) && dtype.is_dense()
}

/// What casts an element of a pair, of those that [`is_for`] tells of: a kernel for one element.
pub(crate) const fn of(from: DType, to: DType) -> Option<Kernel> {
    match from {
        DType::Bool => to_any::<mark::Bool>(to),
        DType::Int8 => to_any::<mark::Int8>(to),
        DType::Int16 => to_any::<mark::Int16>(to),
        DType::Int32 => to_any::<mark::Int32>(to),
        DType::Int64 => to_any::<mark::Int64>(to),
        DType::UInt8 => to_any::<mark::UInt8>(to),
        DType::UInt16 => to_any::<mark::UInt16>(to),
        DType::UInt32 => to_any::<mark::UInt32>(to),
        DType::UInt64 => to_any::<mark::UInt64>(to),
        DType::Float32 => to_any::<mark::Float32>(to),
        DType::Float64 => to_any::<mark::Float64>(to),
        _ => None,
    }
}

const fn to_any<A: Real>(to: DType) -> Option<Kernel> {
    if !is_for(A::DTYPE, to) {
        return None;
    }
    Some(match to {
        DType::Bool => single::<A, mark::Bool>,
        DType::Int8 => single::<A, mark::Int8>,
        DType::Int16 => single::<A, mark::Int16>,
        DType::Int32 => single::<A, mark::Int32>,
        DType::Int64 => single::<A, mark::Int64>,
        DType::UInt8 => single::<A, mark::UInt8>,
        DType::UInt16 => single::<A, mark::UInt16>,
        DType::UInt32 => single::<A, mark::UInt32>,
        DType::UInt64 => single::<A, mark::UInt64>,
        DType::Float32 => single::<A, mark::Float32>,
        _ => single::<A, mark::Float64>,
    })
}

/// # Safety
/// As for every [`Kernel`] and one element, on any CPU.
unsafe fn single<A: Real, B: Real>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _params: &Params,
) -> usize {
    debug_assert_eq!(n, 1);
    // SAFETY: the caller's.
    unsafe { cast::<Marked<A, B>>(src, dst) };
    n
}

/// A pair that [`is_for`] tells of, as a type: so that all that depends on it is known to who compiles a call elsewhere.
pub(crate) trait Pair {
    const FROM: DType;
    const TO: DType;
}

struct Marked<A, B>(PhantomData<(A, B)>);

impl<A: Real, B: Real> Pair for Marked<A, B> {
    const FROM: DType = A::DTYPE;
    const TO: DType = B::DTYPE;
}

/// How an element is cast.
enum Way {
    OfInteger,
    /// A float to bool.
    IsNonzero,
    Copied,
    Widened,
    Narrowed,
    /// A float to an integer.
    Cut,
}

impl Way {
    const fn of(from: DType, to: DType) -> Self {
        match (from, to) {
            (DType::Float32, DType::Float64) => Self::Widened,
            (DType::Float64, DType::Float32) => Self::Narrowed,
            (DType::Float32, DType::Float32) | (DType::Float64, DType::Float64) => Self::Copied,
            (DType::Float32 | DType::Float64, DType::Bool) => Self::IsNonzero,
            (DType::Float32 | DType::Float64, _) => Self::Cut,
            _ => Self::OfInteger,
        }
    }
}

/// Casts an element.
///
/// # Safety
/// `src` is valid for reading an element of the source, and `dst` for writing one of the destination.
#[inline(always)]
pub(crate) unsafe fn cast<P: Pair>(src: *const u8, dst: *mut u8) {
    // SAFETY: the caller's.
    let code = unsafe { load(P::FROM, src) };
    let result = match const { Way::of(P::FROM, P::TO) } {
        Way::OfInteger => of_integer::<P>(code),
        Way::IsNonzero => u64::from(Code::of(Binary::of(P::FROM), code).magnitude != 0),
        Way::Copied => code,
        Way::Widened => widened(code),
        Way::Narrowed => narrowed(code),
        Way::Cut => cut::<P>(code),
    };
    // SAFETY: the caller's.
    unsafe { store(P::TO, result, dst) };
}

/// A code; an integer with copies of its sign above it.
///
/// # Safety
/// `src` is valid for reading an element.
#[inline(always)]
unsafe fn load(from: DType, src: *const u8) -> u64 {
    // SAFETY: the caller's; a type is as long as the dtype's elements.
    unsafe {
        match from {
            DType::Bool => u64::from(src.read() != 0),
            DType::Int8 => src.cast::<i8>().read() as u64,
            DType::UInt8 => src.read().into(),
            DType::Int16 => src.cast::<i16>().read_unaligned() as u64,
            DType::UInt16 => src.cast::<u16>().read_unaligned().into(),
            DType::Int32 => src.cast::<i32>().read_unaligned() as u64,
            DType::UInt32 | DType::Float32 => src.cast::<u32>().read_unaligned().into(),
            _ => src.cast::<u64>().read_unaligned(),
        }
    }
}

/// Stores as many low bits as an element has.
///
/// # Safety
/// `dst` is valid for writing an element.
#[inline(always)]
unsafe fn store(to: DType, code: u64, dst: *mut u8) {
    // SAFETY: the caller's.
    unsafe {
        match to.bits() {
            8 => dst.write(code as u8),
            16 => dst.cast::<u16>().write_unaligned(code as u16),
            32 => dst.cast::<u32>().write_unaligned(code as u32),
            _ => dst.cast::<u64>().write_unaligned(code),
        }
    }
}

/// What an integer or bool becomes.
#[inline(always)]
fn of_integer<P: Pair>(integer: u64) -> u64 {
    match P::TO {
        DType::Bool => u64::from(integer != 0),
        DType::Float32 if P::FROM.bits() <= 16 => (integer as i32 as f32).to_bits().into(),
        DType::Float64 if P::FROM.bits() <= 16 || matches!(P::FROM, DType::Int32) => {
            (integer as i32 as f64).to_bits()
        }
        // (Where words are shorter, there is no instruction for it.)
        DType::Float64 if P::FROM.bits() == 32 && cfg!(target_pointer_width = "64") => {
            (integer as i64 as f64).to_bits()
        }
        DType::Float32 | DType::Float64 => {
            let negative = const { matches!(P::FROM.kind(), Kind::Int) } && (integer as i64) < 0;
            let magnitude = if negative { integer.wrapping_neg() } else { integer };
            rounded(Binary::of(P::TO), negative, magnitude)
        }
        _ => integer,
    }
}

/// What is to be known of float32 or float64.
struct Binary {
    mantissa_bits: u32,
    bias: u64,
    /// The bit.
    sign: u64,
    infinity: u64,
}

impl Binary {
    const fn new(format: FloatFormat) -> Self {
        Self {
            mantissa_bits: format.mantissa_bits,
            bias: format.bias as u64,
            sign: format.sign_mask(),
            infinity: format.max_finite() + 1,
        }
    }

    /// That of a dtype which is one of the two.
    #[inline(always)]
    const fn of(dtype: DType) -> &'static Self {
        if matches!(dtype, DType::Float32) { &FLOAT32 } else { &FLOAT64 }
    }
}

const FLOAT32: Binary = Binary::new(FloatFormat::FLOAT32);
const FLOAT64: Binary = Binary::new(FloatFormat::FLOAT64);
/// How many bits more float64's significand has.
const MORE: u32 = FLOAT64.mantissa_bits - FLOAT32.mantissa_bits;
/// How much more is added to its exponents.
const REBIAS: u64 = FLOAT64.bias - FLOAT32.bias;

/// A float's code.
struct Code {
    negative: bool,
    magnitude: u64,
}

impl Code {
    #[inline(always)]
    fn of(format: &Binary, code: u64) -> Self {
        Self { negative: code & format.sign != 0, magnitude: code & !format.sign }
    }

    /// The number.
    #[inline(always)]
    fn signed(&self, format: &Binary) -> u64 {
        if self.negative { self.magnitude | format.sign } else { self.magnitude }
    }
}

/// The float nearest to an integer.
#[inline(always)]
fn rounded(to: &Binary, negative: bool, magnitude: u64) -> u64 {
    // With the leading bit on top.
    let zeros = (magnitude | 1).leading_zeros();
    let leading = magnitude << zeros;
    // (The lowest bit is nothing beside the others that are dropped: but that there is more than half of a unit.)
    let units = nearest(leading >> 1 | leading & 1, 62 - to.mantissa_bits);
    // The integer is 2^(63 - zeros) and more. The leading unit adds one to the exponent, and so does what is carried.
    let exponent = (to.bias + 62 - u64::from(zeros)) << to.mantissa_bits;
    let magnitude = if magnitude == 0 { 0 } else { exponent + units };
    Code { negative, magnitude }.signed(to)
}

/// float32 to float64.
#[inline(always)]
fn widened(code: u64) -> u64 {
    const LOWEST: u64 = 1 << FLOAT32.mantissa_bits;
    let Code { negative, magnitude } = Code::of(&FLOAT32, code);
    let magnitude = if magnitude.wrapping_sub(LOWEST) < FLOAT32.infinity - LOWEST {
        (magnitude << MORE) + (REBIAS << FLOAT64.mantissa_bits)
    } else {
        widened_special(magnitude)
    };
    Code { negative, magnitude }.signed(&FLOAT64)
}

/// A magnitude that is no normal number's.
#[inline(never)]
fn widened_special(magnitude: u64) -> u64 {
    // A subnormal number is an integer, of units of 2^-149. (Which is exact; and of zero there is nothing to scale.)
    const UNITS: u64 = FLOAT32.bias - 1 + FLOAT32.mantissa_bits as u64;
    let integer = (magnitude as i32 as f64).to_bits();
    let quiet = u64::from(magnitude > FLOAT32.infinity) << (FLOAT64.mantissa_bits - 1);
    match magnitude {
        0 => 0,
        _ if magnitude < FLOAT32.infinity => integer - (UNITS << FLOAT64.mantissa_bits),
        _ => magnitude << MORE | FLOAT64.infinity | quiet,
    }
}

/// float64 to the nearest float32.
#[inline(always)]
fn narrowed(code: u64) -> u64 {
    let Code { negative, magnitude } = Code::of(&FLOAT64, code);
    let field = magnitude >> FLOAT64.mantissa_bits;
    // From the lowest normal number's exponent on to the largest one's. (What is rounded past that one is infinity's code.)
    let magnitude = if field.wrapping_sub(REBIAS + 1) < 2 * FLOAT32.bias {
        nearest(magnitude, MORE) - (REBIAS << FLOAT32.mantissa_bits)
    } else {
        narrowed_special(magnitude)
    };
    Code { negative, magnitude }.signed(&FLOAT32)
}

/// A magnitude that is no normal number's in float32.
#[inline(never)]
fn narrowed_special(magnitude: u64) -> u64 {
    let field = magnitude >> FLOAT64.mantissa_bits;
    // Subnormal numbers are integers, of units of 2^-149: the significand is shifted as far as that, or so far that nothing
    // is left of it.
    let leading = 1 << FLOAT64.mantissa_bits;
    let down = (REBIAS + 1 + u64::from(MORE)).wrapping_sub(field).min(63) as u32;
    let subnormal = nearest(magnitude & (leading - 1) | leading, down);
    let quiet = 1 << (FLOAT32.mantissa_bits - 1);
    let payload = magnitude >> MORE & (quiet - 1);
    match field {
        _ if magnitude > FLOAT64.infinity => FLOAT32.infinity | quiet | payload,
        _ if field <= REBIAS => subnormal,
        _ => FLOAT32.infinity,
    }
}

/// A number below 2^63 without so many of its bits, 1 to 63: rounded to the nearest, of two to the even one. (What is added
/// reaches the next one if what is dropped is more than half, or half and the one below is odd.)
#[inline(always)]
const fn nearest(number: u64, dropped: u32) -> u64 {
    let odd = number >> dropped & 1;
    (number + (1 << (dropped - 1)) - 1 + odd) >> dropped
}

/// A float to an integer: toward zero, the nearest there is, and 0 of NaN.
#[inline(always)]
fn cut<P: Pair>(code: u64) -> u64 {
    let (from, signed) = (Binary::of(P::FROM), const { matches!(P::TO.kind(), Kind::Int) });
    let places = if signed { P::TO.bits() - 1 } else { P::TO.bits() } as u64;
    let Code { negative, magnitude } = Code::of(from, code);
    let field = magnitude >> from.mantissa_bits;
    // With the leading bit on top, and from there down to its place. (Of numbers below 1 nothing is left.)
    let leading = magnitude << (63 - from.mantissa_bits) | 1 << 63;
    let whole = leading >> ((from.bias + 63).wrapping_sub(field) & 63);
    let is_kept = !negative || signed;
    let whole = if field >= from.bias && is_kept { whole } else { 0 };
    if field < from.bias + places {
        return if negative { whole.wrapping_neg() } else { whole };
    }
    // The lowest integer is one further from zero than the highest.
    let most = (u64::MAX >> (64 - places)) + u64::from(signed && negative);
    let most = if is_kept && magnitude <= from.infinity { most } else { 0 };
    if negative { most.wrapping_neg() } else { most }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::options::Options;
    use crate::reference;
    use std::vec::Vec;

    /// Codes of all exponents, signs and ends of significands, and what is next to such.
    fn codes(dtype: DType) -> Vec<u64> {
        let bits = dtype.bits();
        let noise = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32);
        let of_place = |place: usize| {
            let ends = [1u64 << place, u64::MAX << place, noise(place as u64) >> place];
            ends.into_iter()
                .flat_map(|code| [code.wrapping_sub(1), code, code.wrapping_add(1), !code])
        };
        let exponents = (0..1u64 << 12).flat_map(|high| {
            let low = noise(high) >> 12;
            let ties = [
                0,
                1,
                u64::MAX >> 12,
                1 << 51,
                1 << 28,
                3 << 28,
                low,
                low & !((1 << 29) - 1) | 1 << 28,
            ];
            ties.map(|low| high << 52 | low)
        });
        let all = (0..64).flat_map(of_place).chain(exponents);
        // The upper bits, too, so that shorter floats have all exponents.
        all.flat_map(|code| [code & u64::MAX >> (64 - bits), code >> (64 - bits)]).collect()
    }

    #[test]
    fn a_single_element_is_what_the_reference_says() {
        let mut pairs = 0;
        for (from, to) in DType::ALL.into_iter().flat_map(|a| DType::ALL.map(|b| (a, b))) {
            let Some(single) = of(from, to) else {
                assert!(!is_for(from, to));
                continue;
            };
            pairs += 1;
            let params = Params::defaults(from, to);
            for code in codes(from) {
                let code = if matches!(from, DType::Bool) { code & 1 } else { code };
                let right = reference::cast(from, to, code.into(), &Options::DEFAULT, 0);
                let (mut src, mut dst) = ([0; 8], [0; 8]);
                reference::store(from, &mut src, 0, code.into());
                // SAFETY: both have the bytes of an element of any dtype that is cast so.
                unsafe { single(src.as_ptr(), dst.as_mut_ptr(), 1, &params) };
                assert_eq!(Ok(reference::load(to, &dst, 0)), right, "{from} -> {to}: {code:#x}");
            }
        }
        // Of 8 integers, bool and 2 floats, to such; but for bool to itself.
        assert_eq!(pairs, 11 * 11 - 1);
    }
}

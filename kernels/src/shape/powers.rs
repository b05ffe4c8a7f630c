//! To powers of two by other modes than the default one, by the kernel that rounds up to them.
//!
//! What is a power of two already is not rounded. So positive float32s are made the powers that a mode wants: toward zero
//! their fractions are cleared, to the nearest half of the step to the next power is added before. That is half of the
//! fraction's range, since a tie goes up and carries into the exponent; below the smallest normal number, whose powers
//! are not told by the exponent, the powers of float8_e8m0fnu end at 2^-127, the highest bit of the fraction, and the
//! step is half as wide. Smaller numbers become 2^-127 or zero, which is the same code.
//!
//! Negative numbers, infinities and NaN stay what they are: of them the kernel knows what becomes.

use super::elements;
use crate::codec::Isa;

/// Makes powers of two of positive float32s.
///
/// # Safety
/// The pointers are valid for so many of them, and don't overlap. The CPU has the instruction set.
pub(crate) type Powers = unsafe fn(*const u8, *mut u8, usize);

/// The loop toward zero, and that to the nearest.
pub(super) const fn powers<I: Isa>() -> [Powers; 2] {
    [run::<I, false>, run::<I, true>]
}

/// # Safety
/// As for every such loop.
unsafe fn run<I: Isa, const NEAREST: bool>(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's; elements as bytes have no alignment.
    let (src, dst) = unsafe { elements::<4, 4>(src, dst, n) };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize_on_lines(
        #[inline(always)]
        move || {
            for (code, out) in src.iter().zip(dst) {
                let code = u32::from_ne_bytes(*code);
                out.write(power::<NEAREST>(code).to_ne_bytes());
            }
        },
    );
}

#[inline(always)]
fn power<const NEAREST: bool>(code: u32) -> u32 {
    const INFINITY: u32 = 0xff << 23;
    const NORMAL: u32 = 1 << 23;
    // The highest bit of the fraction, one lower where that is a power itself.
    let half = if code < NORMAL { NORMAL >> 2 } else { NORMAL >> 1 };
    let sum = if NEAREST { code.wrapping_add(half) } else { code };
    let power = sum & !(2 * half - 1);
    if code < INFINITY { power } else { code }
}

#[cfg(test)]
mod tests {
    use super::power;

    #[test]
    fn powers_are_those_next_to_a_number() {
        let nearest = |v: f32| f32::from_bits(power::<true>(v.to_bits()));
        let below = |v: f32| f32::from_bits(power::<false>(v.to_bits()));
        let least = 2f32.powi(-127);
        for (v, low, near) in [
            (1.0, 1.0, 1.0),
            (1.4999999, 1.0, 1.0),
            (1.5, 1.0, 2.0),
            (1.9999999, 1.0, 2.0),
            (f32::MAX, 2f32.powi(127), f32::INFINITY),
            (f32::MIN_POSITIVE, f32::MIN_POSITIVE, f32::MIN_POSITIVE),
            (1.5 * f32::MIN_POSITIVE, f32::MIN_POSITIVE, 2.0 * f32::MIN_POSITIVE),
            (least, least, least),
            (1.25 * least, least, least),
            (1.5 * least, least, f32::MIN_POSITIVE),
            (f32::INFINITY, f32::INFINITY, f32::INFINITY),
            (-3.0, -3.0, -3.0),
            (-0.0, -0.0, -0.0),
        ] {
            assert_eq!((below(v), nearest(v)), (low, near), "{v:e}");
        }
        for tiny in [0.0, f32::from_bits(1), 0.99 * least] {
            assert!(below(tiny) <= least && nearest(tiny) <= least, "{tiny:e}");
        }
        assert!(below(f32::NAN).is_nan() && nearest(f32::NAN).is_nan());
    }
}

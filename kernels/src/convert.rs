//! The one loop: whole steps, then the tail.

use crate::codec::{Bridge, Decode, Encode, Isa, cast_all};
use crate::dtypes::Real;

/// Casts `n` elements, and answers for the kernel how many: which then needs no more than a jump to get here.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`, at any
/// alignment; the two don't overlap.
#[inline(always)]
pub(crate) unsafe fn convert<I, A, B>(isa: I, src: *const u8, dst: *mut u8, n: usize) -> usize
where
    A: Real,
    B: Real,
    I: Decode<A> + Encode<B> + Bridge<<I as Decode<A>>::Hub, <I as Encode<B>>::Home>,
{
    // SAFETY: element `i` is inside both buffers while `i < n`, and a whole step while
    // `i + STEP <= n`. Casting elements a second time reads what it read before, since nothing is
    // written to the source.
    isa.vectorize(
        #[inline(always)]
        move || unsafe {
            let (src, dst, n) = in_order(src, dst, n);
            let size = const { <I as Isa>::STEP };
            if <I as Isa>::OVERLAPS && n >= size {
                overlapping::<I, A, B>(isa, src, dst, n);
                return cast_all(n);
            }
            let whole = n - n % size;
            let mut i = 0;
            while i < whole {
                step::<I, A, B>(isa, src, dst, i);
                i += size;
            }
            if i < n {
                let src = src.add(i * size_of::<A::Stored>());
                let dst = dst.add(i * size_of::<B::Stored>());
                let hub = Decode::<A>::decode_part(isa, src, n - i);
                Encode::<B>::encode_part(isa, isa.bridge(hub), dst, n - i);
            }
            cast_all(n)
        },
    )
}

/// What a kernel is told, in the order in which it is told. Named first in the body of a loop, they are what that captures,
/// in that order, and the registers that they come in are those that it takes them from: a short cast takes hardly longer
/// than the way to its loop.
#[inline(always)]
pub(crate) const fn in_order(
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> (*const u8, *mut u8, usize) {
    (src, dst, n)
}

/// Casts all elements, the last step overlapping the one before. One place in the code does every
/// step, which keeps that short.
///
/// # Safety
/// As for [`convert`]; `n >= STEP`.
#[inline(always)]
unsafe fn overlapping<I, A, B>(isa: I, src: *const u8, dst: *mut u8, n: usize)
where
    A: Real,
    B: Real,
    I: Decode<A> + Encode<B> + Bridge<<I as Decode<A>>::Hub, <I as Encode<B>>::Home>,
{
    let last = n - <I as Isa>::STEP;
    let mut i = 0;
    loop {
        // SAFETY: the caller's: `i <= last`.
        unsafe { step::<I, A, B>(isa, src, dst, i) };
        i += <I as Isa>::STEP;
        if i > last {
            if i == n {
                return;
            }
            i = last;
        }
    }
}

/// Casts a step, from element `i` on. A function, since a closure could not be made to be inlined.
///
/// # Safety
/// As for [`convert`]; `i + STEP <= n`.
#[inline(always)]
unsafe fn step<I, A, B>(isa: I, src: *const u8, dst: *mut u8, i: usize)
where
    A: Real,
    B: Real,
    I: Decode<A> + Encode<B> + Bridge<<I as Decode<A>>::Hub, <I as Encode<B>>::Home>,
{
    // SAFETY: the caller's.
    unsafe {
        let hub = Decode::<A>::decode(isa, src.add(i * size_of::<A::Stored>()));
        Encode::<B>::encode(isa, isa.bridge(hub), dst.add(i * size_of::<B::Stored>()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtypes::mark;

    /// Four elements a step, so that tails occur, with the seam's own way to read and write them.
    #[derive(Clone, Copy)]
    struct Fours<const OVERLAPS: bool>;

    impl<const OVERLAPS: bool> Isa for Fours<OVERLAPS> {
        const STEP: usize = 4;
        const OVERLAPS: bool = OVERLAPS;

        unsafe fn summon() -> Self {
            Self
        }

        fn vectorize<R>(self, body: impl FnOnce() -> R) -> R {
            body()
        }
    }

    impl<const OVERLAPS: bool> Decode<mark::UInt8> for Fours<OVERLAPS> {
        type Hub = [u8; 4];

        unsafe fn decode(self, src: *const u8) -> [u8; 4] {
            // SAFETY: the caller's.
            unsafe { src.cast::<[u8; 4]>().read_unaligned() }
        }
    }

    impl<const OVERLAPS: bool> Bridge<[u8; 4], [u16; 4]> for Fours<OVERLAPS> {
        fn bridge(self, values: [u8; 4]) -> [u16; 4] {
            values.map(u16::from)
        }
    }

    impl<const OVERLAPS: bool> Encode<mark::UInt16> for Fours<OVERLAPS> {
        type Home = [u16; 4];

        unsafe fn encode(self, values: [u16; 4], dst: *mut u8) {
            // SAFETY: the caller's.
            unsafe { dst.cast::<[u16; 4]>().write_unaligned(values) }
        }
    }

    fn check<const OVERLAPS: bool>() {
        const GUARD: u16 = 0xa5a5;
        let src: [u8; 13] = core::array::from_fn(|i| i as u8 + 1);
        for n in 0..=src.len() {
            let mut dst = [GUARD; 14];
            // SAFETY: both arrays have at least `n` elements, and `Fours` needs nothing of the CPU.
            unsafe {
                let (from, to) = (src.as_ptr(), dst.as_mut_ptr().cast());
                let isa = Fours::<OVERLAPS>::summon();
                convert::<_, mark::UInt8, mark::UInt16>(isa, from, to, n);
            }
            for (i, &d) in dst.iter().enumerate() {
                let expected = if i < n { u16::from(src[i]) } else { GUARD };
                assert_eq!(d, expected, "element {i} of {n}");
            }
        }
    }
    #[test]
    fn every_length_is_cast_and_nothing_past_it() {
        check::<false>();
        check::<true>();
    }
}

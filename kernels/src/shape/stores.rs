//! Casts by a mode in one loop, where that takes less than rounding in place and storing by a default
//! kernel.

use super::elements;
use super::grid::Mode;
use crate::codec::Isa;
use crate::dtypes::DType;

/// Casts `n` elements from the first pointer to the second; the last argument says whether 8-bit
/// floats saturate. Integers are clamped. (By the mode of a pair's default kernel, which does that, loops need not
/// saturate.)
///
/// # Safety
/// The pointers are valid for as many elements, and don't overlap. The CPU has the instruction set.
pub(crate) type Store = unsafe fn(*const u8, *mut u8, usize, bool);

/// What loops are from.
const SOURCES: [DType; 22] = [
    DType::Float32,
    DType::Float16,
    DType::BFloat16,
    DType::Float64,
    DType::Float8E4M3Fn,
    DType::Float8E5M2,
    DType::Float8E4M3Fnuz,
    DType::Float8E5M2Fnuz,
    DType::Float8E4M3,
    DType::Float8E3M4,
    DType::Float8E4M3B11Fnuz,
    DType::Float8E8M0Fnu,
    DType::Float6E2M3Fn,
    DType::Float6E3M2Fn,
    DType::Int8,
    DType::UInt8,
    DType::Int16,
    DType::UInt16,
    DType::Int32,
    DType::UInt32,
    DType::Int64,
    DType::UInt64,
];

/// The floats of a byte.
const SMALL: [DType; 11] = [
    DType::Float8E4M3Fn,
    DType::Float8E5M2,
    DType::Float8E4M3Fnuz,
    DType::Float8E5M2Fnuz,
    DType::Float8E4M3,
    DType::Float8E3M4,
    DType::Float8E4M3B11Fnuz,
    DType::Float8E8M0Fnu,
    DType::Float6E2M3Fn,
    DType::Float6E3M2Fn,
    DType::Float4E2M1Fn,
];

/// Loops by source and destination: each is a [`Store`], and safe to call as that is.
#[derive(Clone, Copy)]
pub(crate) struct Stores {
    /// Those that round, by [`Mode`].
    by_mode: [[[Option<Store>; 6]; DType::COUNT]; SOURCES.len()],
    /// Those from floats to integers that wrap what they cut off toward zero.
    wraps: [[Option<Store>; DType::COUNT]; SOURCES.len()],
    /// Those from a small float to another that does not saturate, as the default kernel rounds.
    overflows: [[Option<Store>; SMALL.len()]; SMALL.len()],
}

impl Stores {
    /// Those that any instruction set compiles.
    pub(super) const fn of<I: Isa>() -> Self {
        const FROM: DType = DType::Float32;
        const TO: DType = DType::BFloat16;
        let by_mode = [[[None; 6]; DType::COUNT]; SOURCES.len()];
        let wraps = [[None; DType::COUNT]; SOURCES.len()];
        Self { by_mode, wraps, overflows: [[None; SMALL.len()]; SMALL.len()] }
            .with(FROM, TO, Mode::TowardZero, brain::<I, { Mode::TowardZero as u8 }>)
            .with(FROM, TO, Mode::Up, brain::<I, { Mode::Up as u8 }>)
            .with(FROM, TO, Mode::Down, brain::<I, { Mode::Down as u8 }>)
            .with(FROM, TO, Mode::NearestAway, brain::<I, { Mode::NearestAway as u8 }>)
            .with_wrap(DType::Float8E8M0Fnu, DType::Int32, bits32::<I>)
            .with_wrap(DType::Float8E8M0Fnu, DType::UInt32, bits32::<I>)
            .with_wrap(DType::Float8E8M0Fnu, DType::Int64, bits64::<I>)
            .with_wrap(DType::Float8E8M0Fnu, DType::UInt64, bits64::<I>)
    }

    /// The same with one more, or another.
    pub(crate) const fn with(mut self, from: DType, to: DType, mode: Mode, store: Store) -> Self {
        match place(from) {
            Some(place) => self.by_mode[place][to as usize][mode as usize] = Some(store),
            None => panic!("no loops are from this dtype"),
        }
        self
    }

    /// The same with one more that wraps.
    pub(crate) const fn with_wrap(mut self, from: DType, to: DType, store: Store) -> Self {
        match place(from) {
            Some(place) => self.wraps[place][to as usize] = Some(store),
            None => panic!("no loops are from this dtype"),
        }
        self
    }

    /// The same with one more that does not saturate.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has such loops.
    pub(crate) const fn with_overflow(mut self, from: DType, to: DType, store: Store) -> Self {
        match (place_in(&SMALL, from), place_in(&SMALL, to)) {
            (Some(from), Some(to)) => self.overflows[from][to] = Some(store),
            _ => panic!("no such loops are between these dtypes"),
        }
        self
    }

    /// The loop of a pair by a mode, if there is one.
    pub(super) const fn get(&self, from: DType, to: DType, mode: Mode) -> Option<Store> {
        match place(from) {
            Some(place) => self.by_mode[place][to as usize][mode as usize],
            None => None,
        }
    }

    /// The loop of a pair of small floats that does not saturate, if there is one.
    pub(super) const fn overflow(&self, from: DType, to: DType) -> Option<Store> {
        match (place_in(&SMALL, from), place_in(&SMALL, to)) {
            (Some(from), Some(to)) => self.overflows[from][to],
            _ => None,
        }
    }

    /// The loop of a pair that wraps, if there is one.
    pub(super) const fn wrap(&self, from: DType, to: DType) -> Option<Store> {
        match place(from) {
            Some(place) => self.wraps[place][to as usize],
            None => None,
        }
    }
}

/// The float32 that may stand for all that are nearer to zero, but zero: every mode rounds it to the same small float.
/// Arithmetic with it is none with subnormal numbers, which takes some CPUs a hundred times as long. (Of bfloat16s, if any
/// bits may come, some hundredth is subnormal; of float32s fewer are.)
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Whose loops calculate with it.
pub(crate) const TINY: f32 = 1.0 / (1u64 << 40) as f32;

const fn place(from: DType) -> Option<usize> {
    place_in(&SOURCES, from)
}

const fn place_in(dtypes: &[DType], dtype: DType) -> Option<usize> {
    let mut i = 0;
    while i < dtypes.len() {
        if dtypes[i] as u8 == dtype as u8 {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// To bfloat16, which is the upper half: what is added before the lower half is cut off carries into
/// it by the mode, and into the exponent up to infinity's.
///
/// # Safety
/// As for every [`Store`].
unsafe fn brain<I: Isa, const MODE: u8>(src: *const u8, dst: *mut u8, n: usize, _: bool) {
    const LOW: u32 = 0xffff;
    // SAFETY: the caller's; elements as bytes have no alignment.
    let (src, dst) = unsafe { elements::<4, 2>(src, dst, n) };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize_on_lines(
        #[inline(always)]
        move || {
            for (code, out) in src.iter().zip(dst) {
                let code = u32::from_ne_bytes(*code);
                let negative = (code as i32 >> 31) as u32;
                let moved = if MODE == Mode::Up as u8 {
                    code.wrapping_add(LOW & !negative)
                } else if MODE == Mode::Down as u8 {
                    code.wrapping_add(LOW & negative)
                } else if MODE == Mode::NearestAway as u8 {
                    code.wrapping_add(LOW / 2 + 1)
                } else {
                    code
                };
                out.write(brain_of(code, moved).to_ne_bytes());
            }
        },
    );
}

macro_rules! bits {
    ($($name:ident $int:ident;)*) => {$(
        /// The low bits of powers of two, each of which is one of them or none: so are those below 1, and NaN.
        ///
        /// # Safety
        /// As for every [`Store`].
        unsafe fn $name<I: Isa>(src: *const u8, dst: *mut u8, n: usize, _: bool) {
            const ONE: u8 = 127;
            // SAFETY: the caller's; elements as bytes have no alignment.
            let (src, dst) = unsafe { elements::<1, { size_of::<$int>() }>(src, dst, n) };
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize_on_lines(
                #[inline(always)]
                move || {
                    for ([code], out) in src.iter().zip(dst) {
                        let place = $int::from(*code).wrapping_sub(ONE.into());
                        let bit = if place < $int::BITS.into() { 1 << place } else { 0 };
                        out.write($int::to_ne_bytes(bit));
                    }
                },
            );
        }
    )*};
}

bits! {
    bits32 u32;
    bits64 u64;
}

/// The upper half of a float32 to which something was added, or that of its quiet NaN.
#[inline(always)]
pub(super) fn brain_of(code: u32, moved: u32) -> u16 {
    const INFINITY: u32 = 0x7f80_0000;
    const QUIET: u32 = 1 << 22;
    let nan = code & i32::MAX as u32 > INFINITY;
    (if nan { code | QUIET } else { moved } >> 16) as u16
}

/// Adds a kernel's stores by some modes, for each of some sources to each of some destinations.
#[cfg(target_arch = "x86_64")]
macro_rules! all_stores {
    ($stores:ident: $($from:ident)* => $tos:tt by $kernel:ident $modes:tt) => {{
        $(let $stores = $crate::shape::all_stores!(@from $stores $from $tos $kernel $modes);)*
        $stores
    }};
    (@from $stores:ident $from:ident [$($to:ident)*] $kernel:ident $modes:tt) => {{
        $(let $stores = $crate::shape::all_stores!(@to $stores $from $to $kernel $modes);)*
        $stores
    }};
    (@to $stores:ident $from:ident $to:ident $kernel:ident [$($mode:ident)*]) => {
        $stores$(.with(
            DType::$from,
            DType::$to,
            Mode::$mode,
            $kernel::<mark::$from, mark::$to, { Mode::$mode as u8 }>,
        ))*
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use all_stores;

/// The same of those that wrap.
#[cfg(target_arch = "x86_64")]
macro_rules! all_wraps {
    ($stores:ident: $($from:ident)* => $tos:tt by $kernel:ident) => {{
        $(let $stores = $crate::shape::all_wraps!(@from $stores $from $tos $kernel);)*
        $stores
    }};
    (@from $stores:ident $from:ident [$($to:ident)*] $kernel:ident) => {
        $stores$(.with_wrap(DType::$from, DType::$to, $kernel::<mark::$from, mark::$to>))*
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use all_wraps;

/// Adds what both instruction sets of x86-64 have: stores of small floats by `$small`, and of low bits by `$low_bits`.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_stores {
    ($stores:ident: $small:ident $low_bits:ident) => {{
        let $stores = x86_stores! {
            @small $stores $small [TowardZero Up NearestAway] Float32 Int32 UInt32 Int64 UInt64
        };
        // (To the nearest the default kernels round; but 8-bit floats need not saturate.)
        let $stores = x86_stores! {
            @bytes $stores $small [NearestEven] Float32 Float64 Int32 UInt32 Int64 UInt64
        };
        let $stores = x86_stores! { @small $stores $small [TowardZero Up Down] Float16 BFloat16 };
        let $stores = x86_stores! {
            @small $stores $small [TowardZero Up NearestAway] Int16 UInt16
        };
        // (Of numbers without a sign, down is toward zero.)
        let $stores = x86_stores! { @small $stores $small [Down] Float32 Int16 Int32 Int64 };
        // (The bridges from float64 lose what is only above or below zero.)
        let $stores = x86_stores! { @small $stores $small [NearestAway] Float64 };
        $crate::shape::all_wraps! {
            $stores: Float32 Float16 BFloat16 Float64 => [
                Int8 Int16 Int32 UInt8 UInt16 UInt32 Int1 Int2 Int4 UInt1 UInt2 UInt4
            ] by $low_bits
        }
    }};
    (@small $stores:ident $small:ident $modes:tt $($from:ident)*) => {{
        let $stores = x86_stores! { @bytes $stores $small $modes $($from)* };
        $crate::shape::all_stores! {
            $stores: $($from)* => [Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn] by $small $modes
        }
    }};
    (@bytes $stores:ident $small:ident $modes:tt $($from:ident)*) => {
        $crate::shape::all_stores! {
            $stores: $($from)* => [
                Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
                Float8E4M3B11Fnuz
            ] by $small $modes
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_stores;

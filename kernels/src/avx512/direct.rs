//! What has a better way than its hubs.
//!
//! * From one byte to one or two bytes, and to float32: see [`maps`]. Also where a side is packed, for which see
//!   [`packed`], too.
//! * From there to more bytes, and to complex numbers, and from any integers to 64 bits: see [`widen`].
//! * From floats of a byte to integers of more than two: see [`float8s`].
//! * From float16 and bfloat16 to the small floats, and to integers of 2 to 4 bits: see [`words`]; to
//!   those of one bit, and from 16 bits to bool: see [`truths`].
//! * From 16-bit integers, float32 and bfloat16 to a byte by clamps and masks: see [`narrow`].
//! * From integers of 16 and 32 bits to small floats: see [`from_integers`]; from float32 and float64: see [`to_small`].
//! * From integers of 32 and 64 bits to shorter ones: see [`shorter`].
//! * To 16 bits, where whole registers can be loaded and stored: see [`halves`].
//! * From bfloat16 to float32: see [`uppers`].
//! * From packed elements of one bit, and of two to 32 bits and more: see [`bits`].

use super::codes::{Codes, Pair, Plain, sides, to_halves_sides};
use super::fused::in_order;
use super::maps::{self, to_byte, to_byte_while_fitting};
use super::shim::Vbmi;
use super::{
    Avx512, bits, float8s, from_integers, halves, narrow, packed, shorter, to_small, truths,
    uppers, widen, words,
};
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::stepwise;
use crate::table::{Entry, Kernel, Params, Road};
use core::marker::PhantomData;

/// Which of the instruction sets with direct kernels these are for.
#[derive(Clone, Copy)]
pub(super) enum For {
    Bw,
    Vbmi,
}

/// Picks the kernel of that name for an instruction set.
macro_rules! pick {
    ($isa:expr, $kernel:ident, $a:ty, $b:ty) => {
        pick!($isa, $kernel, $a, $b, MODE)
    };
    ($isa:expr, $kernel:ident, $a:ty, $b:ty, $mode:expr) => {
        match $isa {
            For::Bw => bw::$kernel::<$a, $b, { $mode }>,
            For::Vbmi => vbmi::$kernel::<$a, $b, { $mode }>,
        }
    };
}

/// The same of a loop that turns the bytes of its source itself.
macro_rules! pick_turning {
    ($isa:ident, $kernel:ident, $a:ty, $b:ty) => {
        match $isa {
            For::Bw => turning!(bw, $kernel, $a, $b),
            For::Vbmi => turning!(vbmi, $kernel, $a, $b),
        }
    };
}

/// Such a loop of an instruction set. (Its results are bytes, and its source's elements are components of two bytes and more.)
macro_rules! turning {
    ($level:ident, $kernel:ident, $a:ty, $b:ty) => {
        match MODE {
            stepwise::SOURCE => $level::$kernel::<<$a as Codes>::Turned, $b, { stepwise::NONE }>,
            _ => $level::$kernel::<$a, $b, MODE>,
        }
    };
}

/// The kernel of a pair of real dtypes for which the hubs are the longer way.
pub(super) const fn entry<A: Real, B: Real, const MODE: usize>(isa: For) -> Option<Entry> {
    let (from, to) = (A::DTYPE, B::DTYPE);
    if let Some(entry) = by_codes::<Plain<A>, Plain<B>, MODE>(isa) {
        return Some(entry);
    } else if let Some(entry) = longer_by_table::<Plain<A>, Plain<B>, MODE>(isa) {
        return Some(entry);
    }
    let kernel = if widen::has_floats::<Plain<A>, Plain<B>>() && matches!(isa, For::Vbmi) {
        return Some(Entry { kernel: floats::<Plain<A>, Plain<B>, MODE>(), road: Road::Table });
    } else if truths::has_truths(from, to) {
        match MODE {
            // (Integers that are not zero are not in any order.)
            stepwise::SOURCE if !is_whole(from) => {
                bw::truths_of_turned::<Plain<A>, Plain<B>, { stepwise::NONE }>
            }
            _ => bw::truths::<Plain<A>, Plain<B>, { stepwise::NONE }>,
        }
    } else if truths::has_long_truths(from, to) && MODE == stepwise::SOURCE {
        bw::truths_of_turned_longs::<Plain<A>, Plain<B>, { stepwise::NONE }>
    } else if narrow::has_low_bytes(from, to) {
        pick_turning!(isa, low_bytes, Plain<A>, Plain<B>)
    } else if to_small::suits(from, to) {
        pick_turning!(isa, small_of_floats, Plain<A>, Plain<B>)
    } else if shorter::suits(from, to) && MODE == stepwise::NONE && matches!(isa, For::Vbmi) {
        vbmi::shorter::<Plain<A>, Plain<B>, MODE>
    } else if matches!((from, to), (DType::BFloat16, DType::Float8E8M0Fnu)) {
        bw::powers::<Plain<A>, Plain<B>, MODE>
    } else if matches!((from, to), (DType::BFloat16, DType::Float32)) {
        bw::floats_of_brains::<Plain<A>, Plain<B>, MODE>
    } else if matches!((from, to), (DType::BFloat16, DType::Float16)) {
        match (isa, MODE) {
            (For::Vbmi, stepwise::SOURCE) => {
                vbmi::float16s_of_turned::<Plain<A>, Plain<B>, { stepwise::NONE }>
            }
            (For::Vbmi, stepwise::BOTH) => {
                vbmi::turned_float16s_of_turned::<Plain<A>, Plain<B>, { stepwise::NONE }>
            }
            (For::Vbmi, stepwise::RESULTS) => {
                vbmi::turned_float16s::<Plain<A>, Plain<B>, { stepwise::NONE }>
            }
            _ => bw_to_halves::float16s::<Plain<A>, Plain<B>, MODE>,
        }
    } else if matches!(from, DType::Int8 | DType::UInt8) && is_whole(to) && to.bits() == 16 {
        bw::words_of_bytes::<Plain<A>, Plain<B>, MODE>
    } else if widen::has_longs_of_integers(from, to) {
        bw::longs_of_integers::<Plain<A>, Plain<B>, MODE>
    } else if matches!(from, DType::Float16) && is_whole(to) && to.bits() == 16 {
        bw::integers_of_float16s::<Plain<A>, Plain<B>, MODE>
    } else if matches!(from, DType::Float16) && is_whole(to) && to.bits() == 64 {
        match MODE {
            stepwise::RESULTS => {
                pick!(isa, turned_longs_of_float16s, Plain<A>, Plain<B>, stepwise::NONE)
            }
            stepwise::BOTH => {
                pick!(isa, turned_longs_of_float16s, Plain<A>, Plain<B>, stepwise::SOURCE)
            }
            _ => pick!(isa, longs_of_float16s, Plain<A>, Plain<B>),
        }
    } else if matches!((from, to), (DType::Float16, DType::Int32)) && MODE == stepwise::BOTH {
        pick!(isa, turned_dwords_of_float16s, Plain<A>, Plain<B>, stepwise::NONE)
    } else {
        return None;
    };
    Some(Entry { kernel, road: Road::Direct })
}

const fn is_whole(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Int | Kind::UInt)
}

/// The kernel of a pair one side of which is packed, if the other is no more than a byte, can be
/// reached from one by table, or has a kernel that comes to codes of a byte.
pub(super) const fn entry_packed<A: Codes, B: Codes, const MODE: usize>(isa: For) -> Option<Entry> {
    let (from, to) = (A::Numbers::DTYPE, B::Numbers::DTYPE);
    if packed::suits::<A, B>() {
        let kernel = match (isa, MODE) {
            (For::Bw, stepwise::CODES) if packed::leaves_room::<A, B>() => {
                packed::regroup_while_fitting::<Avx512, A, B>
            }
            (For::Vbmi, stepwise::CODES) if packed::leaves_room::<A, B>() => {
                packed::regroup_while_fitting::<Vbmi, A, B>
            }
            _ => pick!(isa, regroup, A, B),
        };
        return Some(Entry { kernel, road: Road::Table });
    } else if bits::has_widened::<A, B>() {
        return Some(Entry { kernel: bw::widened::<A, B, MODE>, road: Road::Direct });
    } else if let Some(entry) = by_codes::<A, B, MODE>(isa) {
        return Some(entry);
    } else if B::BITS == 8 {
        return widening::<A, B, MODE>(isa);
    }
    let kernel = if truths::has_truths(from, to) && MODE & stepwise::SOURCE != 0 {
        match isa {
            For::Bw => bw::truths_of_turned::<A, B, { stepwise::NONE }>,
            For::Vbmi => vbmi::truths_of_turned::<A, B, { stepwise::NONE }>,
        }
    } else if truths::has_long_truths(from, to) && MODE == stepwise::SOURCE {
        bw::truths_of_turned_longs::<A, B, { stepwise::NONE }>
    } else if truths::has_truths(from, to) {
        pick!(isa, truths, A, B)
    } else if narrow::has_low_bytes(from, to) {
        pick_turning!(isa, low_bytes, A, B)
    } else if shorter::packs(from, to) && matches!(isa, For::Vbmi) {
        turning!(vbmi, longs_to_packed, A, B)
    } else if to_small::suits(from, to) {
        pick_turning!(isa, small_of_floats, A, B)
    } else if narrow::has_whole_from_floats(from, to) {
        pick_turning!(isa, whole_from_floats, A, B)
    } else {
        return None;
    };
    Some(Entry { kernel, road: Road::Direct })
}

/// The kernel of a pair from numbers of at most a byte to numbers of more than two.
pub(super) const fn widening<A: Codes, B: Codes, const MODE: usize>(isa: For) -> Option<Entry> {
    let (from, to) = (A::Numbers::DTYPE, B::Numbers::DTYPE);
    if bits::has_widened::<A, B>() {
        return Some(Entry { kernel: bw::widened::<A, B, MODE>, road: Road::Direct });
    } else if let Some(entry) = longer_by_table::<A, B, MODE>(isa) {
        return Some(entry);
    }
    let kernel = if widen::has_floats::<A, B>() && matches!(isa, For::Vbmi) {
        floats::<A, B, MODE>()
    } else if !widen::has_integers(to) {
        return None;
    } else if !matches!(from.kind(), Kind::Float) {
        // Signed and unsigned ones are the same bits.
        match to.bits() {
            32 => pick!(isa, integers, A, Plain<mark::Int32>),
            _ => pick!(isa, integers, A, Plain<mark::Int64>),
        }
    } else {
        pick!(isa, integers, A, B)
    };
    Some(Entry { kernel, road: Road::Table })
}

/// The kernel of a pair that has [`widen::floats`], which are stored in either order.
const fn floats<A: Codes, B: Codes, const MODE: usize>() -> Kernel {
    match MODE {
        stepwise::RESULTS => vbmi::turned_floats::<A, B, { stepwise::NONE }>,
        _ => vbmi::floats::<A, B, MODE>,
    }
}

/// The kernel of a pair to longer integers by tables of their bytes, which are stored in either order.
const fn longer_by_table<A: Codes, B: Codes, const MODE: usize>(isa: For) -> Option<Entry> {
    let (from, to) = (A::Numbers::DTYPE, B::Numbers::DTYPE);
    let is_turned = MODE & stepwise::RESULTS != 0;
    // Integers are no look-up, and packed numbers become longer as fast as integers do.
    let suits = is_turned || A::BITS == 8 && matches!(from.kind(), Kind::Float);
    if !suits || B::COMPLEX || !matches!(isa, For::Vbmi) {
        return None;
    }
    let kernel = if widen::has_integers_of_bytes(from, to) {
        match is_turned {
            true => vbmi::turned_integers_of_bytes::<A, B, { stepwise::NONE }>,
            false => vbmi::integers_of_bytes::<A, B, { stepwise::NONE }>,
        }
    } else if float8s::suits(from, to) {
        match is_turned {
            true => vbmi::turned_integers_of_float8s::<A, B, { stepwise::NONE }>,
            false => vbmi::integers_of_float8s::<A, B, { stepwise::NONE }>,
        }
    } else {
        return None;
    };
    Some(Entry { kernel, road: Road::Table })
}

/// The kernel of a pair that has one for codes of at most a byte, packed or not.
const fn by_codes<A: Codes, B: Codes, const MODE: usize>(isa: For) -> Option<Entry> {
    let (from, to) = (A::Numbers::DTYPE, B::Numbers::DTYPE);
    let kernel = if let Some(bytes) = bytes_by_table::<A, B>() {
        match bytes {
            // Of a bool's bytes the table knows two.
            1 if A::BITS + B::BITS == 16 && !matches!(from, DType::Bool) => match (isa, MODE) {
                (For::Bw, stepwise::CODES) => to_byte_while_fitting::<Avx512, A, B>,
                (For::Vbmi, stepwise::CODES) => to_byte_while_fitting::<Vbmi, A, B>,
                (For::Bw, _) => to_byte::<Avx512, A, B>,
                (For::Vbmi, _) => to_byte::<Vbmi, A, B>,
            },
            1 => pick!(isa, to_8, A, B),
            2 if MODE == stepwise::RESULTS => match isa {
                For::Bw => bw::to_16_turned::<A, B, { stepwise::NONE }>,
                For::Vbmi => vbmi::to_16_turned::<A, B, { stepwise::NONE }>,
            },
            2 => pick!(isa, to_16, A, B),
            _ => pick!(isa, to_32, A, B),
        }
    } else if truths::has_ones(from, to) {
        pick_turning!(isa, ones, A, B)
    } else if truths::has_ones_of_floats(from, to) {
        pick_turning!(isa, ones_of_floats, A, B)
    } else if words::has_small(from, to) && matches!(isa, For::Vbmi) {
        turning!(vbmi, to_small, A, B)
    } else if words::has_powers(from, to) && matches!(isa, For::Vbmi) {
        turning!(vbmi, to_powers, A, B)
    } else if words::has_whole(from, to) && matches!(isa, For::Vbmi) {
        turning!(vbmi, to_whole, A, B)
    } else if from_integers::has_small_from_words(from, to) {
        pick_turning!(isa, small_from_words, A, B)
    } else if from_integers::has_small_from_dwords(from, to) {
        pick_turning!(isa, small_from_dwords, A, B)
    } else {
        return None;
    };
    Some(Entry { kernel, road: Road::Table })
}

/// How many bytes a byte becomes, each by a table, if that is the pair's way.
const fn bytes_by_table<A: Codes, B: Codes>() -> Option<usize> {
    let (from, to) = (A::Numbers::DTYPE, B::Numbers::DTYPE);
    if from.bits() != 8 {
        return None;
    }
    // Widening integers is no look-up, nor is converting them to float32.
    let whole = matches!(from, DType::Int8 | DType::UInt8);
    let float = matches!(to.kind(), Kind::Float);
    match to.bits() {
        8 | 16 if !whole || float || to.significant_bits() < 8 => Some(to.bits() / 8),
        32 if float && !whole => Some(4),
        _ => None,
    }
}

/// Kernels of such loops, compiled for an instruction set.
macro_rules! kernels {
    ($($level:ident $token:ident $features:literal $sides:ident: $($function:path => $name:ident)*;)*) => {$(
        mod $level {
            use super::*;

            kernels! { @each $token $features $sides $($function => $name)* }
        }
    )*};
    (@each $token:ident $features:literal $sides:ident $($function:path => $name:ident)*) => {$(
        /// # Safety
        /// As for every kernel, see [`crate::table::Kernel`].
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name<A: Codes, B: Codes, const MODE: usize>(
            src: *const u8,
            dst: *mut u8,
            n: usize,
            params: &Params,
        ) -> usize {
            // SAFETY: the caller's.
            unsafe {
                let isa = $token::summon();
                in_order::<_, MODE>(
                    isa,
                    const { $sides::<A, B>() },
                    src,
                    dst,
                    n,
                    params,
                    #[inline(always)]
                    |src, dst, n| $function(isa, src, dst, n, Pair::<A, B>(PhantomData)),
                )
            }
        }
    )*};
}

kernels! {
    bw Avx512 "avx512bw" sides:
        maps::to_8 => to_8
        maps::to_16::<_, _, _, false> => to_16
        maps::to_16::<_, _, _, true> => to_16_turned
        maps::to_32 => to_32
        packed::regroup => regroup
        bits::widened => widened
        truths::truths => truths
        truths::truths_of_turned => truths_of_turned
        truths::truths_of_turned_longs => truths_of_turned_longs
        truths::ones => ones
        truths::ones_of_floats => ones_of_floats
        narrow::low_bytes => low_bytes
        narrow::powers => powers
        from_integers::small_from_words => small_from_words
        from_integers::small_from_dwords => small_from_dwords
        to_small::by_packing => small_of_floats
        narrow::whole_from_floats => whole_from_floats
        widen::integers => integers
        widen::longs_of_integers => longs_of_integers
        uppers::floats_of_brains => floats_of_brains
        halves::words_of_bytes => words_of_bytes
        halves::integers_of_float16s => integers_of_float16s
        widen::integers_of_float16s::<_, _, _, false> => longs_of_float16s
        widen::integers_of_float16s::<_, _, _, true> => turned_longs_of_float16s
        widen::turned_dwords_of_float16s => turned_dwords_of_float16s;
    bw_to_halves Avx512 "avx512bw" to_halves_sides:
        halves::float16s => float16s;
    vbmi Vbmi "avx512vbmi,avx512vbmi2" sides:
        maps::to_8 => to_8
        maps::to_16::<_, _, _, false> => to_16
        maps::to_16::<_, _, _, true> => to_16_turned
        maps::to_32 => to_32
        packed::regroup => regroup
        truths::truths => truths
        truths::truths_of_turned => truths_of_turned
        truths::ones => ones
        truths::ones_of_floats => ones_of_floats
        narrow::low_bytes => low_bytes
        from_integers::small_from_words => small_from_words
        from_integers::small_from_dwords => small_from_dwords
        to_small::by_packing_or_gathering => small_of_floats
        narrow::whole_from_floats => whole_from_floats
        shorter::integers => shorter
        shorter::to_packed => longs_to_packed
        widen::integers_of_float16s::<_, _, _, false> => longs_of_float16s
        widen::integers_of_float16s::<_, _, _, true> => turned_longs_of_float16s
        widen::turned_dwords_of_float16s => turned_dwords_of_float16s
        widen::integers => integers
        widen::integers_of_bytes::<_, _, false> => integers_of_bytes
        widen::integers_of_bytes::<_, _, true> => turned_integers_of_bytes
        float8s::integers::<_, _, false> => integers_of_float8s
        float8s::integers::<_, _, true> => turned_integers_of_float8s
        widen::floats::<_, _, _, false> => floats
        widen::floats::<_, _, _, true> => turned_floats
        halves::float16s_of_turned => float16s_of_turned
        halves::turned_float16s::<_, _, false> => turned_float16s
        halves::turned_float16s::<_, _, true> => turned_float16s_of_turned
        words::to_small => to_small
        words::to_powers => to_powers
        words::to_whole => to_whole;
}

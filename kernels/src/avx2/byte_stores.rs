//! Casts from small floats, and from uint8, to what has a byte, too, by a mode, to low bits, or without saturating: by the
//! map of all codes as it is found at compile time, where that takes less time than a table that is made when the cast
//! begins.

use super::direct::{Step, most_work};
use super::shapes::steps;
use super::steps::maps::{self, ByteMap, LOW_BITS, OVERFLOWING};
use super::stores::stepped;
use crate::dtypes::{DType, Real, mark};
use crate::options::Options;
use crate::shape::{Mode, Stores, all_stores, all_wraps};

/// Adds those from small floats to others, where the map takes less time than a table that is made when the cast begins.
macro_rules! small_overflows {
    ($stores:ident: $($from:ident)* => $tos:tt) => {{
        $(let $stores = small_overflows!(@from $stores $from $tos);)*
        $stores
    }};
    (@from $stores:ident $from:ident [$($to:ident)*]) => {{
        $(let $stores = small_overflow::<mark::$from, mark::$to>($stores);)*
        $stores
    }};
}

/// Adds those below.
pub(super) const fn stores(stores: Stores) -> Stores {
    let stores = all_stores! {
        stores: Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz => [Int2 Int4 UInt2 UInt4]
            by mapped [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3B11Fnuz => [Int8 UInt8]
            by mapped [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: Float8E4M3Fn Float8E4M3 => [UInt8] by mapped [Up Down NearestEven NearestAway]
    };
    // (By the other modes powers of two are cut.)
    let stores = all_stores! {
        stores: Float8E8M0Fnu => [Int8 UInt8 Int2 Int4 UInt2 UInt4] by mapped [Up NearestAway]
    };
    let stores = overflowing(between_bytes(stores));
    // (Those to integers that hold all their numbers, and of powers of two to single bits, are cast in another way.)
    let stores = all_wraps! { stores: Float6E2M3Fn => [Int2 UInt2 UInt4] by mapped_to_low_bits };
    let stores = all_wraps! {
        stores: Float6E3M2Fn => [Int2 UInt2 Int4 UInt4] by mapped_to_low_bits
    };
    let stores = all_wraps! {
        stores: Float8E8M0Fnu => [Int8 UInt8 Int2 UInt2 Int4 UInt4] by mapped_to_low_bits
    };
    let stores = all_wraps! {
        stores: Float8E4M3B11Fnuz => [Int1 UInt1 Int2 UInt2 Int4 UInt4] by mapped_to_low_bits
    };
    all_wraps! {
        stores: Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            => [Int8 UInt8 Int1 UInt1 Int2 UInt2 Int4 UInt4] by mapped_to_low_bits
    }
}

/// Adds those from an 8-bit float to the others, and to those of fewer bits, for each.
macro_rules! by_modes {
    ($stores:ident: $($from:ident => [$($to:ident)*])*) => {{
        $(let $stores = all_stores! {
            $stores: $from => [$($to)* Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn]
                by mapped [TowardZero Up Down NearestAway]
        };)*
        $stores
    }};
}

/// Adds those from small floats to others.
const fn between_bytes(stores: Stores) -> Stores {
    let stores = by_modes! {
        stores:
        Float8E4M3Fn => [Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4 Float8E4M3B11Fnuz]
        Float8E5M2 => [Float8E4M3Fn Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4 Float8E4M3B11Fnuz]
        Float8E4M3Fnuz => [Float8E4M3Fn Float8E5M2 Float8E5M2Fnuz Float8E4M3 Float8E3M4 Float8E4M3B11Fnuz]
        Float8E5M2Fnuz => [Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E4M3 Float8E3M4 Float8E4M3B11Fnuz]
        Float8E4M3 => [Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E3M4 Float8E4M3B11Fnuz]
        Float8E3M4 => [Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E4M3B11Fnuz]
        Float8E4M3B11Fnuz => [Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4]
    };
    all_stores! {
        stores: Float8E8M0Fnu => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by mapped [TowardZero Up NearestAway]
    }
}

/// Adds those that do not saturate.
const fn overflowing(stores: Stores) -> Stores {
    // (By that mode, the default one, a store is asked for only where numbers do not saturate.)
    let stores = stores
        .with(
            DType::UInt8,
            DType::Float8E4M3,
            Mode::NearestEven,
            mapped_or_not::<mark::UInt8, mark::Float8E4M3>,
        )
        .with(
            DType::UInt8,
            DType::Float8E4M3Fnuz,
            Mode::NearestEven,
            mapped_or_not::<mark::UInt8, mark::Float8E4M3Fnuz>,
        );
    small_overflows! {
        stores: Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float8E8M0Fnu Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn => [
                Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
                Float8E4M3B11Fnuz Float8E8M0Fnu
            ]
    }
}

const fn small_overflow<A: Real, B: Real>(stores: Stores) -> Stores {
    let options = Options { saturate: false, ..Options::DEFAULT };
    if options.effective(A::DTYPE, B::DTYPE).is_default()
        || maps::work::<A, B, OVERFLOWING>() > most_work(A::DTYPE)
    {
        return stores;
    }
    stores.with_overflow(A::DTYPE, B::DTYPE, mapped_or_not::<A, B>)
}

stepped! {
    /// Small floats, or integers of a byte, to small floats that don't saturate.
    mapped_or_not [] (saturate) = 32
    where [],
    |isa, src, dst| {
        debug_assert!(!saturate, "the default kernel does");
        <ByteMap<OVERFLOWING> as Step<A, B>>::step(isa, src, dst);
    };
    /// Small floats to integers of a byte, or to others that saturate.
    mapped [, const MODE: u8] (_) = 32
    where [],
    |isa, src, dst| <ByteMap<MODE> as Step<A, B>>::step(isa, src, dst);
    /// The same to their low bits.
    mapped_to_low_bits [] (_) = 32
    where [],
    |isa, src, dst| <ByteMap<LOW_BITS> as Step<A, B>>::step(isa, src, dst);
}

//! NumKong's casts of slices.

use super::{Rival, by_types, timed};
use numkong::cast::{CastDtype, cast};
use numkong::types::{bf16, bf16c, e2m3, e3m2, e4m3, e5m2, f16, f16c, f32c, f64c};
use simdcast::DType;
use std::hint::black_box;
use std::slice;

pub(crate) fn rival(from: DType, to: DType) -> Option<Rival> {
    let of = by_types!(make:
        Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64,
        Float16 f16, BFloat16 bf16, Float32 f32, Float64 f64,
        Float8E4M3Fn e4m3, Float8E5M2 e5m2, Float6E2M3Fn e2m3, Float6E3M2Fn e3m2,
        Complex32 f16c, BComplex32 bf16c, Complex64 f32c, Complex128 f64c,
    );
    of(from, to)
}

fn make<A: CastDtype + 'static, B: CastDtype + 'static>() -> Rival {
    let run = |windows: &[&[u8]], dst: &mut [u8]| {
        let windows: Vec<&[A]> = windows
            .iter()
            .map(|window| {
                assert_eq!(window.as_ptr().align_offset(align_of::<A>()), 0);
                // SAFETY: aligned, and as long; NumKong's types are numbers of which every code is one.
                unsafe {
                    slice::from_raw_parts(window.as_ptr().cast(), window.len() / size_of::<A>())
                }
            })
            .collect();
        assert_eq!(dst.as_ptr().align_offset(align_of::<B>()), 0);
        // SAFETY: as above.
        let dst: &mut [B] = unsafe {
            slice::from_raw_parts_mut(dst.as_mut_ptr().cast(), dst.len() / size_of::<B>())
        };
        let mut works = true;
        let time = timed(&windows, |window| {
            works &= cast(window, dst).is_some();
            black_box(&mut *dst);
        });
        works.then_some(time)
    };
    Rival { name: "numkong", run: Box::new(run) }
}

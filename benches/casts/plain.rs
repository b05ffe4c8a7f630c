//! The plain loop `*d = *s as _`, among integers, float32 and float64: compiled for the build's target, and
//! for every vector extension that this CPU and the compiler share.

/// A loop from one slice to another.
pub(crate) type Loop<A, B> = fn(&[A], &mut [B]);

/// A type whose elements `as` makes another one's.
pub(crate) trait AsTo<B>: Sized {
    /// The loop, for the target of the build.
    fn plain(src: &[Self], dst: &mut [B]);

    /// The loop for this CPU, if that is another.
    fn native() -> Option<Loop<Self, B>>;
}

/// The loop for the best x86-64 level that this CPU has.
#[cfg(target_arch = "x86_64")]
macro_rules! native {
    ($from:ident, $to:ident) => {{
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi2,fma")]
        fn avx512(src: &[$from], dst: &mut [$to]) {
            each(src, dst);
        }
        #[target_feature(enable = "avx2,bmi2,fma")]
        fn avx2(src: &[$from], dst: &mut [$to]) {
            each(src, dst);
        }
        let native: Option<Loop<$from, $to>> =
            if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512dq") {
                // SAFETY: detected; CPUs with BW and DQ have CD and VL, and what AVX2 brought.
                Some(|src, dst| unsafe { avx512(src, dst) })
            } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: detected; CPUs with AVX2 have BMI2.
                Some(|src, dst| unsafe { avx2(src, dst) })
            } else {
                None
            };
        native
    }};
}

/// Other targets have one level.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! native {
    ($from:ident, $to:ident) => {
        None
    };
}

macro_rules! all_pairs {
    ($($from:ident)*) => { all_pairs!(@each [$($from)*], [i8 i16 i32 i64 u8 u16 u32 u64 f32 f64]); };
    (@each [$($from:ident)*], $to:tt) => { $(all_pairs!(@from $from, $to);)* };
    (@from $from:ident, [$($to:ident)*]) => {$(
        const _: () = {
            #[inline(always)]
            fn each(src: &[$from], dst: &mut [$to]) {
                for (d, s) in dst.iter_mut().zip(src) {
                    *d = *s as $to;
                }
            }

            impl AsTo<$to> for $from {
                #[inline(never)]
                fn plain(src: &[$from], dst: &mut [$to]) {
                    each(src, dst);
                }

                fn native() -> Option<Loop<$from, $to>> {
                    native!($from, $to)
                }
            }
        };
    )*};
}
all_pairs!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

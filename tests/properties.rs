//! Random pairs, options, lengths and offsets, against the reference; proptest makes a failure small.

mod support;

use proptest::prelude::*;
use simdcast::{Cast, CastError, CastOptions, DType, Overflow, Rounding, reference};

fn dtype() -> impl Strategy<Value = DType> {
    (0..DType::COUNT).prop_map(|code| DType::ALL[code])
}

fn options() -> impl Strategy<Value = CastOptions> {
    let rounding = (0..=6u8, any::<u64>())
        .prop_map(|(code, seed)| Rounding::from_code(code, seed).expect("a known code"));
    (0..4usize, any::<bool>(), rounding, any::<u64>()).prop_map(
        |(overflow, saturate, rounding, first_index)| {
            CastOptions::new()
                .overflow(Overflow::ALL[overflow])
                .saturate(saturate)
                .rounding(rounding)
                .first_index(first_index)
        },
    )
}

/// Bytes among which small numbers and zeros are not rare.
fn bytes(len: usize) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), Just(0), Just(0x3f), Just(0xff)];
    proptest::collection::vec(byte, len)
}

/// The elements cast one by one, up to the first that is refused.
fn one_by_one(
    from: DType,
    to: DType,
    options: &CastOptions,
    src: &[u8],
    n: usize,
) -> (Vec<u8>, Option<usize>) {
    let mut stored = vec![0; to.bytes_for(n).expect("it fits memory")];
    for i in 0..n {
        let code = reference::load(from, src, i);
        match reference::cast(from, to, code, options.as_options(), i as u64) {
            Ok(code) => reference::store(to, &mut stored, i, code),
            Err(_) => return (stored, Some(i)),
        }
    }
    (stored, None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_cast_of_any_buffer(
        (from, to, options, n, offset, memory) in (dtype(), dtype(), options(), 0..1200usize, 0..16usize)
            .prop_flat_map(|(from, to, options, n, offset)| {
                let len = from.bytes_for(n).expect("it fits memory") + offset;
                (Just(from), Just(to), Just(options), Just(n), Just(offset), bytes(len))
            })
    ) {
        let src = &memory[offset..];
        let cast = Cast::new(from, to, options)?;
        let mut dst = vec![0xee; to.bytes_for(n).expect("it fits memory") + offset];
        let result = cast.run_n(src, &mut dst[offset..], n);
        let (expected, failure) = one_by_one(from, to, &options, src, n);
        match (result, failure) {
            (Ok(()), None) => prop_assert_eq!(&dst[offset..], &expected[..]),
            (Err(CastError::Unfit { index, .. }), Some(at)) => {
                prop_assert_eq!(index, at);
                let whole = at * to.bits() / 8;
                prop_assert_eq!(&dst[offset..][..whole], &expected[..whole]);
            }
            (result, failure) => prop_assert!(false, "{result:?}, the reference: {failure:?}"),
        }
        prop_assert!(dst[..offset].iter().all(|&byte| byte == 0xee));
    }

    #[test]
    fn any_split_of_a_buffer_draws_the_same(
        (from, to, seed, first, cut, n, memory) in
            (dtype(), dtype(), any::<u64>(), any::<u64>(), 0..600usize, 0..600usize)
            .prop_flat_map(|(from, to, seed, first, cut, n)| {
                // Parts start on whole bytes.
                let (cut, n) = (cut / 8 * 8, n.max(cut / 8 * 8));
                let len = from.bytes_for(n).expect("it fits memory");
                (Just(from), Just(to), Just(seed), Just(first), Just(cut), Just(n), bytes(len))
            })
    ) {
        let options = CastOptions::new().rounding(Rounding::Stochastic { seed });
        let run = |first: u64, src: &[u8], dst: &mut [u8], n| {
            Cast::new(from, to, options.first_index(first))?.run_n(src, dst, n)
        };
        let bytes = |dtype: DType, n| dtype.bytes_for(n).expect("it fits memory");
        let mut whole = vec![0; bytes(to, n)];
        let mut parts = whole.clone();
        run(first, &memory, &mut whole, n)?;
        let (front, back) = memory.split_at(bytes(from, cut));
        let (front_out, back_out) = parts.split_at_mut(bytes(to, cut));
        run(first, front, front_out, cut)?;
        run(first.wrapping_add(cut as u64), back, back_out, n - cut)?;
        prop_assert_eq!(whole, parts);
    }

    #[test]
    fn any_wrong_length_is_told(
        from in dtype(), to in dtype(), src_len in 0..64usize, dst_len in 0..64usize, n in 0..64usize
    ) {
        let cast = Cast::new(from, to, CastOptions::new())?;
        let src = vec![0x11; src_len];
        let mut dst = vec![0xee; dst_len];
        let fits = from.bytes_for(n) == Some(src_len) && to.bytes_for(n) == Some(dst_len);
        let result = cast.run_n(&src, &mut dst, n);
        if fits {
            prop_assert_eq!(result, Ok(()));
        } else {
            let mismatch = CastError::LengthMismatch {
                from, to, elements: Some(n), src_bytes: src_len, dst_bytes: dst_len,
            };
            prop_assert_eq!(result, Err(mismatch));
            prop_assert!(dst.iter().all(|&byte| byte == 0xee));
        }
    }
}

//! The codes of a source: all of them, or those at which anything can change.

use crate::support::dtypes::{ROWS, complex, component, is_complex, is_float, width};
use crate::support::floats::format;
use crate::support::random::Random;
use simdcast_kernels::DType;

/// The dtypes whose components have 16 bits or fewer.
pub(crate) fn small() -> impl Iterator<Item = DType> {
    ROWS.iter().map(|row| row.dtype).filter(|dtype| width(component(*dtype)) <= 16)
}

/// The others.
pub(crate) fn large() -> impl Iterator<Item = DType> {
    ROWS.iter().map(|row| row.dtype).filter(|dtype| width(component(*dtype)) > 16)
}

/// The codes of a real dtype that has 16 bits or fewer, every `step`th of them, and all special ones.
/// Of complex numbers: each such code as either part, beside parts of every kind.
pub(crate) fn of(dtype: DType, step: usize) -> Vec<u128> {
    let of = component(dtype);
    let mut codes: Vec<u128> = (0..1 << width(of)).step_by(step).collect();
    if step > 1 {
        codes.extend(special(of));
    }
    if is_complex(dtype) { as_either_part(dtype, &codes) } else { codes }
}

/// Special and random codes of a dtype of any size.
pub(crate) fn sample(dtype: DType) -> Vec<u128> {
    let of = component(dtype);
    let mut random = Random::new(12);
    let mask = u128::MAX >> (128 - width(of));
    let mut codes = special(of);
    codes.extend((0..300).map(|_| u128::from(random.bits()) & mask));
    codes.extend((0..300).map(|_| u128::from(random.runs()) & mask));
    if is_complex(dtype) { as_either_part(dtype, &codes) } else { codes }
}

/// The ends of a dtype's range and its special values, with what is next to them.
fn special(dtype: DType) -> Vec<u128> {
    let width = width(dtype);
    let mut codes = vec![0, 1];
    let around =
        |codes: &mut Vec<u128>, code: u128| codes.extend([code.wrapping_sub(1), code, code + 1]);
    for bit in 0..width {
        around(&mut codes, 1 << bit);
    }
    if is_float(dtype) {
        let format = format(dtype);
        for code in [Some(format.largest), format.infinity, format.nan].into_iter().flatten() {
            around(&mut codes, code.into());
        }
        for value in [1.0, 2.0, 240.0, 448.0, 464.0, 65504.0] {
            around(&mut codes, format.at_or_below(value).into());
        }
        let negative: Vec<_> = codes.iter().map(|code| code | u128::from(format.sign)).collect();
        codes.extend(negative);
    } else {
        let negative: Vec<_> = codes.iter().map(|code| code.wrapping_neg()).collect();
        codes.extend(negative);
    }
    let mask = u128::MAX >> (128 - width);
    codes.iter_mut().for_each(|code| *code &= mask);
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn as_either_part(dtype: DType, parts: &[u128]) -> Vec<u128> {
    let format = format(component(dtype));
    let beside = [Some(0), Some(format.sign), Some(format.code(1.0)), format.infinity, format.nan];
    let beside = beside.into_iter().flatten().map(u128::from);
    beside
        .flat_map(|other| {
            parts
                .iter()
                .flat_map(move |&part| [complex(dtype, part, other), complex(dtype, other, part)])
        })
        .collect()
}

/// The codes of an element's components; a real dtype's second is none.
pub(crate) fn parts(dtype: DType, code: u128) -> (u64, Option<u64>) {
    if !is_complex(dtype) {
        return (code as u64, None);
    }
    let half = width(dtype) / 2;
    ((code & (u128::MAX >> (128 - half))) as u64, Some((code >> half) as u64))
}

//! What the codes of dtypes with at most 64 become in dtypes of a byte, and those with 16 in dtypes of two: the tables
//! that the loops of packed dtypes find when they are called.

use crate::dtypes::{DType, Real, mark};
use crate::scalar::direct::{table8, table16};
use crate::table::Params;

/// What the codes of one dtype become in another of at most a byte.
pub(super) type Codes = [u8; 64];

/// How many dtypes have at most 64 codes.
const FROM: usize = 10;
/// How many dtypes of one byte there are.
const TO: usize = 20;

/// The place of each dtype among those of a byte; those with few codes first.
const PLACES: [u8; DType::COUNT] = {
    let mut places = [u8::MAX; DType::COUNT];
    let (mut next_few, mut next) = (0, FROM as u8);
    let mut i = 0;
    while i < DType::COUNT {
        let dtype = DType::ALL[i];
        if dtype.bits() == 8 && !dtype.is_packed() {
            let place = if dtype.significant_bits() <= 6 { &mut next_few } else { &mut next };
            places[i] = *place;
            *place += 1;
        }
        i += 1;
    }
    assert!(next_few == FROM as u8 && next == TO as u8, "the numbers of dtypes have changed");
    places
};

/// What `A` becomes in each dtype of a byte.
const fn codes_of<A: Real>(mut all: [[Codes; TO]; FROM]) -> [[Codes; TO]; FROM] {
    let mut i = 0;
    while i < DType::COUNT {
        if PLACES[i] != u8::MAX {
            let table = table8::<A>(DType::ALL[i]);
            let mut code = 0;
            while code < 64 {
                all[PLACES[A::DTYPE as usize] as usize][PLACES[i] as usize][code] = table[code];
                code += 1;
            }
        }
        i += 1;
    }
    all
}

static CODES: [[Codes; TO]; FROM] = {
    let mut all = [[[0; 64]; TO]; FROM];
    all = codes_of::<mark::Bool>(all);
    all = codes_of::<mark::Int1>(all);
    all = codes_of::<mark::Int2>(all);
    all = codes_of::<mark::Int4>(all);
    all = codes_of::<mark::UInt1>(all);
    all = codes_of::<mark::UInt2>(all);
    all = codes_of::<mark::UInt4>(all);
    all = codes_of::<mark::Float6E2M3Fn>(all);
    all = codes_of::<mark::Float6E3M2Fn>(all);
    codes_of::<mark::Float4E2M1Fn>(all)
};

/// What the codes of one dtype become in another of two bytes.
pub(super) type Words = [u16; 16];

/// The dtypes of two bytes.
const WORDS_TO: [DType; 4] = [DType::Int16, DType::UInt16, DType::Float16, DType::BFloat16];

/// What `A` becomes in each dtype of two bytes.
const fn words_of<A: Real>(mut all: [[Words; 4]; FROM]) -> [[Words; 4]; FROM] {
    let mut i = 0;
    while i < 4 {
        let table = table16::<A>(WORDS_TO[i]);
        let mut code = 0;
        while code < 16 {
            all[PLACES[A::DTYPE as usize] as usize][i][code] = table[code];
            code += 1;
        }
        i += 1;
    }
    all
}

static WORDS: [[Words; 4]; FROM] = {
    let mut all = [[[0; 16]; 4]; FROM];
    all = words_of::<mark::Bool>(all);
    all = words_of::<mark::Int1>(all);
    all = words_of::<mark::Int2>(all);
    all = words_of::<mark::Int4>(all);
    all = words_of::<mark::UInt1>(all);
    all = words_of::<mark::UInt2>(all);
    all = words_of::<mark::UInt4>(all);
    words_of::<mark::Float4E2M1Fn>(all)
};

/// The table of a pair with such a destination.
#[inline(always)]
pub(super) fn words(params: &Params) -> &'static Words {
    words_in(params.from, params.to)
}

/// What a dtype becomes in one of two bytes, or in the first component of one of four.
#[inline(always)]
pub(super) fn words_in(from: DType, to: DType) -> &'static Words {
    let to = match to {
        DType::Int16 => 0,
        DType::UInt16 => 1,
        DType::Float16 | DType::Complex32 => 2,
        _ => 3,
    };
    &WORDS[usize::from(PLACES[from.logical() as usize])][to]
}

/// The table of a pair.
#[inline(always)]
pub(super) fn codes(params: &Params) -> &'static Codes {
    codes_in(params.from, params.to)
}

/// The same.
#[inline(always)]
pub(super) const fn codes_in(from: DType, to: DType) -> &'static Codes {
    let (from, to) = (PLACES[from.logical() as usize], PLACES[to.logical() as usize]);
    &CODES[from as usize][to as usize]
}

//! Look-ups of bytes: what the 256 values of a byte become, by `tbl` and `tbx`, which find bytes in a
//! table of 64. How many of them that takes depends on what the table repeats.

use super::lanes::zip_bytes;
use super::ops::*;
use crate::dtypes::{DType, Real};
use crate::scalar::direct::ByteTable;
use core::marker::PhantomData;

/// A table, and what it repeats.
pub(super) struct ByteMap {
    bytes: [u8; 256],
    shape: Shape,
}

#[derive(Clone, Copy)]
enum Shape {
    /// The same for every byte.
    Constant,
    /// The upper bits of the byte don't matter, so that so many results repeat: 16 or 64.
    Low(usize),
    /// Bit 7 does not matter.
    Low7,
    /// Bit 7 is that of the result, turned over if it is set in the lower half of the table.
    Sign,
    /// As `Low7` and `Sign`, but for 0x80: where that is NaN and there is no -0.
    Low7But80,
    SignBut80,
    /// Anything.
    Any,
}

impl ByteMap {
    pub(super) const fn new(bytes: [u8; 256]) -> Self {
        let (mut constant, mut low4, mut low6, mut low7, mut sign) = (true, true, true, true, true);
        let (mut low7_but_80, mut sign_but_80) = (true, true);
        let mut i = 0;
        while i < 256 {
            constant = constant && bytes[i] == bytes[0];
            low4 = low4 && bytes[i] == bytes[i % 16];
            low6 = low6 && bytes[i] == bytes[i % 64];
            low7 = low7 && bytes[i] == bytes[i % 128];
            sign = sign && bytes[i] == bytes[i % 128] ^ (i as u8 & 0x80);
            low7_but_80 = low7_but_80 && (i == 0x80 || bytes[i] == bytes[i % 128]);
            sign_but_80 =
                sign_but_80 && (i == 0x80 || bytes[i] == bytes[i % 128] ^ (i as u8 & 0x80));
            i += 1;
        }
        let shape = if constant {
            Shape::Constant
        } else if low4 {
            Shape::Low(16)
        } else if low6 {
            Shape::Low(64)
        } else if low7 {
            Shape::Low7
        } else if sign {
            Shape::Sign
        } else if low7_but_80 {
            Shape::Low7But80
        } else if sign_but_80 {
            Shape::SignBut80
        } else {
            Shape::Any
        };
        Self { bytes, shape }
    }

    /// Sixteen bytes of the table.
    #[inline(always)]
    fn row(&self, start: usize) -> uint8x16_t {
        let row: &[u8; 16] = self.bytes[start..].first_chunk().expect("a row of the table");
        // SAFETY: the array has the register's bytes.
        unsafe { core::arch::aarch64::vld1q_u8(row.as_ptr()) }
    }

    /// A quarter of the table.
    #[inline(always)]
    fn quarter(&self, i: usize) -> uint8x16x4_t {
        let start = 64 * i;
        uint8x16x4_t(
            self.row(start),
            self.row(start + 16),
            self.row(start + 32),
            self.row(start + 48),
        )
    }

    /// What 16 bytes become.
    #[inline(always)]
    pub(super) fn look_up(&self, v: uint8x16_t) -> uint8x16_t {
        match self.shape {
            Shape::Constant => vdupq_n_u8(self.bytes[0]),
            Shape::Low(16) => vqtbl1q_u8(self.row(0), vandq_u8(v, vdupq_n_u8(15))),
            Shape::Low(_) => vqtbl4q_u8(self.quarter(0), vandq_u8(v, vdupq_n_u8(63))),
            Shape::Low7 => self.lower_half(vandq_u8(v, vdupq_n_u8(127))),
            Shape::Sign => self.with_sign(v),
            Shape::Low7But80 => self.but_80(v, self.lower_half(vandq_u8(v, vdupq_n_u8(127)))),
            Shape::SignBut80 => self.but_80(v, self.with_sign(v)),
            Shape::Any => {
                // An index that is not in a quarter leaves what another one has found.
                let found = self.lower_half(v);
                let found = vqtbx4q_u8(found, self.quarter(2), veorq_u8(v, vdupq_n_u8(128)));
                vqtbx4q_u8(found, self.quarter(3), veorq_u8(v, vdupq_n_u8(192)))
            }
        }
    }

    /// What magnitudes become, and their signs.
    #[inline(always)]
    fn with_sign(&self, v: uint8x16_t) -> uint8x16_t {
        let magnitude = vandq_u8(v, vdupq_n_u8(127));
        veorq_u8(self.lower_half(magnitude), veorq_u8(v, magnitude))
    }

    /// `found`, but for 0x80.
    #[inline(always)]
    fn but_80(&self, v: uint8x16_t, found: uint8x16_t) -> uint8x16_t {
        vbslq_u8(vceqq_u8(v, vdupq_n_u8(0x80)), vdupq_n_u8(self.bytes[0x80]), found)
    }

    /// What those below 128 become; anything of the others.
    #[inline(always)]
    fn lower_half(&self, v: uint8x16_t) -> uint8x16_t {
        let found = vqtbl4q_u8(self.quarter(0), v);
        vqtbx4q_u8(found, self.quarter(1), veorq_u8(v, vdupq_n_u8(64)))
    }
}

/// The tables of a pair.
pub(super) struct Maps<A, B>(PhantomData<(A, B)>);

impl<A: Real, B: Real> Maps<A, B> {
    const BYTE: ByteMap = ByteMap::new(ByteTable::<A, B>::of_whole_codes());
    const LOW: ByteMap = ByteMap::new(ByteTable::<A, B>::byte_of_word(0));
    const HIGH: ByteMap = ByteMap::new(ByteTable::<A, B>::byte_of_word(1));
}

/// Any nonzero bool is as good as 1.
#[inline(always)]
fn whole_codes<A: Real>(v: uint8x16_t) -> uint8x16_t {
    match A::DTYPE {
        DType::Bool => vminq_u8(v, vdupq_n_u8(1)),
        _ => v,
    }
}

/// What 16 codes become, a byte each.
#[inline(always)]
pub(super) fn bytes<A: Real, B: Real>(v: uint8x16_t) -> uint8x16_t {
    (const { &Maps::<A, B>::BYTE }).look_up(whole_codes::<A>(v))
}

/// What 16 codes become, a word each; of float32s the upper one.
#[inline(always)]
pub(super) fn words<A: Real, B: Real>(v: uint8x16_t) -> [uint16x8_t; 2] {
    let v = whole_codes::<A>(v);
    let low = (const { &Maps::<A, B>::LOW }).look_up(v);
    zip_bytes(low, (const { &Maps::<A, B>::HIGH }).look_up(v))
}

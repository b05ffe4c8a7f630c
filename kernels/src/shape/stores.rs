//! From float32 to a narrower float in one loop, rounded by a mode, where that takes less than
//! rounding in place and storing by a default kernel.

use super::Bytes;
use super::grid::{Grid, Mode, round32};
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::format::FloatFormat;
use core::mem::MaybeUninit;
use core::slice;

/// Casts `n` float32s from the first pointer to the second; the last argument says whether 8-bit
/// floats saturate.
///
/// # Safety
/// The pointers are valid for as many elements, and don't overlap. The CPU has the instruction set.
pub(crate) type Store = unsafe fn(*const u8, *mut u8, usize, bool);

/// Loops by destination and [`Mode`].
#[derive(Clone, Copy)]
pub(crate) struct Stores([[Option<Store>; 6]; DType::COUNT]);

impl Stores {
    /// Those that any instruction set compiles.
    pub(super) const fn of<I: Isa>() -> Self {
        Self([[None; 6]; DType::COUNT])
            .with(DType::BFloat16, Mode::TowardZero, brain::<I, { Mode::TowardZero as u8 }>)
            .with(DType::BFloat16, Mode::Up, brain::<I, { Mode::Up as u8 }>)
            .with(DType::BFloat16, Mode::Down, brain::<I, { Mode::Down as u8 }>)
            .with(DType::BFloat16, Mode::NearestAway, brain::<I, { Mode::NearestAway as u8 }>)
    }

    /// The same with one more, or another.
    pub(crate) const fn with(mut self, to: DType, mode: Mode, store: Store) -> Self {
        self.0[to as usize][mode as usize] = Some(store);
        self
    }

    /// The loop to a dtype by a mode, if there is one.
    pub(super) const fn get(&self, to: DType, mode: Mode) -> Option<Store> {
        self.0[to as usize][mode as usize]
    }
}

/// To bfloat16, which is the upper half.
///
/// # Safety
/// As for every [`Store`].
unsafe fn brain<I: Isa, const MODE: u8>(src: *const u8, dst: *mut u8, n: usize, _: bool) {
    const INFINITY: u32 = 0x7f80_0000;
    const QUIET: u32 = 1 << 22;
    let grid = Grid::of(FloatFormat::BFLOAT16, FloatFormat::FLOAT32);
    // SAFETY: the caller's; elements as bytes have no alignment.
    let (src, dst) = unsafe {
        (
            slice::from_raw_parts(src.cast::<Bytes<4>>(), n),
            slice::from_raw_parts_mut(dst.cast::<MaybeUninit<Bytes<2>>>(), n),
        )
    };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize(
        #[inline(always)]
        move || {
            for (code, out) in src.iter().zip(dst) {
                let code = u32::from_ne_bytes(*code);
                let rounded = round32::<MODE, true>(code, 0, &grid);
                let quiet = if code & i32::MAX as u32 > INFINITY { QUIET } else { 0 };
                out.write((((rounded | quiet) >> 16) as u16).to_ne_bytes());
            }
        },
    );
}

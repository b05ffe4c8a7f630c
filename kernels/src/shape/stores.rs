//! From float32 to a narrower float in one loop, rounded by a mode, where that takes less than
//! rounding in place and storing by a default kernel.

use super::Bytes;
use super::grid::Mode;
use crate::codec::Isa;
use crate::dtypes::DType;
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

/// To bfloat16, which is the upper half: what is added before the lower half is cut off carries into
/// it by the mode, and into the exponent up to infinity's.
///
/// # Safety
/// As for every [`Store`].
unsafe fn brain<I: Isa, const MODE: u8>(src: *const u8, dst: *mut u8, n: usize, _: bool) {
    const INFINITY: u32 = 0x7f80_0000;
    const QUIET: u32 = 1 << 22;
    const LOW: u32 = 0xffff;
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
                let nan = code & i32::MAX as u32 > INFINITY;
                let brain = if nan { code | QUIET } else { moved } >> 16;
                out.write((brain as u16).to_ne_bytes());
            }
        },
    );
}

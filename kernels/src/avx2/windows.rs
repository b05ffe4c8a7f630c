//! Maps of bytes to bytes that change within 16 codes only, found at compile time.
//!
//! So are those of formats with large exponents to dtypes with few numbers: what is below becomes zero, what is above the
//! largest number, and one look-up has all that is between. NaNs are the last codes; where they become what the lowest codes
//! do, they are taken for lower ones, by an addition that only they overflow.

use super::Avx2;
use core::arch::x86_64::__m256i;

/// What a code is mapped to: of the code plus `shift`, less `first`, but not less than 0 nor more than 15, the entry.
#[derive(Clone, Copy)]
pub(super) struct Window {
    shift: u8,
    first: u8,
    entries: [u8; 32],
}

impl Window {
    /// One of zeros.
    pub(super) const NOTHING: Self = Self { shift: 0, first: 0, entries: [0; 32] };

    /// That of a map of which the first `codes` count, if it has one.
    pub(super) const fn of(map: &[u8; 256], codes: usize) -> Option<Self> {
        if let Some(window) = Self::shifted(map, codes, 0) {
            return Some(window);
        }
        // The last codes that are mapped to the same.
        let mut last = codes - 1;
        while last > 0 && map[last - 1] == map[codes - 1] {
            last -= 1;
        }
        Self::shifted(map, codes, (256 - last) as u8)
    }

    const fn shifted(map: &[u8; 256], codes: usize, shift: u8) -> Option<Self> {
        let mut found = Self { shift, ..Self::NOTHING };
        // The least code there is after the shift, and how many have its value.
        let mut low = 0;
        while low < 256 && found.value(map, codes, low).is_none() {
            low += 1;
        }
        let mut first = low;
        while first < 255 && found.agree(map, codes, low, first + 1) {
            first += 1;
        }
        found.first = first as u8;
        let mut i = 0;
        while i < 32 {
            let place = first + i % 16;
            if place < 256
                && let Some(value) = found.value(map, codes, place)
            {
                found.entries[i] = value;
            }
            i += 1;
        }
        let mut code = 0;
        while code < codes {
            let place = (code as u8).wrapping_add(shift).saturating_sub(found.first);
            if found.entries[if place > 15 { 15 } else { place as usize }] != map[code] {
                return None;
            }
            code += 1;
        }
        Some(found)
    }

    /// What the code becomes that this is after the shift, if there is one.
    const fn value(&self, map: &[u8; 256], codes: usize, shifted: usize) -> Option<u8> {
        let code = (shifted as u8).wrapping_sub(self.shift) as usize;
        if code < codes { Some(map[code]) } else { None }
    }

    /// Whether two codes after the shift, if there are such, become the same.
    const fn agree(&self, map: &[u8; 256], codes: usize, a: usize, b: usize) -> bool {
        match (self.value(map, codes, a), self.value(map, codes, b)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    }

    /// About how many instructions it takes, counted as those of a sum of nibbles are.
    pub(super) const fn work(&self) -> usize {
        4 + (self.shift != 0) as usize
    }
}

/// A map with a window.
pub(super) trait Windowed {
    const WINDOW: Window;
}

impl Avx2 {
    /// The bytes that a window shows of codes, which have zeros above their bits.
    #[inline(always)]
    pub(super) fn look_out<M: Windowed>(self, codes: __m256i) -> __m256i {
        let by = const { &M::WINDOW };
        let codes = match by.shift {
            0 => codes,
            shift => self.add8(codes, self.all8(shift as i8)),
        };
        let place = self.sub_clamped_u8(codes, self.all8(by.first as i8));
        self.shuffle8(self.constant(&by.entries), self.min_u8(place, self.all8(15)))
    }
}

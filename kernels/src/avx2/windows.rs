//! Maps of bytes to bytes that change within 16 codes only, or a few times as many, found at compile time.
//!
//! So are those of formats with large exponents to dtypes with few numbers: what is below becomes zero, what is above the
//! largest number, and one or two look-ups have all that is between. NaNs are the last codes; where they become what the
//! lowest codes do, they are taken for lower ones, by an addition that only they overflow; and if there is but one, it may be
//! corrected.

use super::Avx2;
use core::arch::x86_64::__m256i;

/// What a code is mapped to: of the code plus `shift`, less `first`, but not less than 0 nor more than 15, or 31, the entry.
#[derive(Clone, Copy)]
pub(super) struct Window {
    shift: u8,
    first: u8,
    /// A row of 16 entries, and if there is a second one, what that has more.
    rows: [[u8; 32]; 2],
    count: usize,
    /// What that gets wrong in the last code of all, 255.
    wrong: u8,
}

impl Window {
    /// One of zeros.
    pub(super) const NOTHING: Self =
        Self { shift: 0, first: 0, rows: [[0; 32]; 2], count: 1, wrong: 0 };

    /// That of a map of which the first `codes` count, if it has one.
    pub(super) const fn of(map: &[u8; 256], codes: usize) -> Option<Self> {
        match Self::of_rows(map, codes, 1) {
            Some(window) => Some(window),
            None => Self::of_rows(map, codes, 2),
        }
    }

    const fn of_rows(map: &[u8; 256], codes: usize, count: usize) -> Option<Self> {
        if let Some(window) = Self::shifted(map, codes, count, 0) {
            return Some(window);
        }
        // The last codes that are mapped to the same.
        let mut last = codes - 1;
        while last > 0 && map[last - 1] == map[codes - 1] {
            last -= 1;
        }
        if let Some(window) = Self::shifted(map, codes, count, 256 - last) {
            return Some(window);
        }
        if codes < 256 {
            return None;
        }
        let mut all_but_last = *map;
        all_but_last[255] = map[0];
        match Self::shifted(&all_but_last, codes, count, 1) {
            Some(window) => Some(Self { wrong: map[0] ^ map[255], ..window }),
            None => None,
        }
    }

    const fn shifted(map: &[u8; 256], codes: usize, count: usize, shift: usize) -> Option<Self> {
        // A code's place is the code plus the shift, modulo 256. The lowest place of a code, and the last that has its value.
        let low = if 256 - shift < codes || shift == 0 { 0 } else { shift };
        let value = map[(low + 256 - shift) % 256];
        let mut first = low;
        while first < 255 {
            let code = (first + 1 + 256 - shift) % 256;
            if code < codes && map[code] != value {
                break;
            }
            first += 1;
        }
        let mut found = Self { shift: shift as u8, first: first as u8, count, ..Self::NOTHING };
        let mut i = 0;
        while i < 16 * count && first + i < 256 {
            let code = (first + i + 256 - shift) % 256;
            if code < codes {
                let before = if i < 16 { 0 } else { found.rows[0][i - 16] };
                let more = map[code].wrapping_sub(before);
                found.rows[i / 16][i % 16] = more;
                found.rows[i / 16][i % 16 + 16] = more;
            }
            i += 1;
        }
        // (Most maps have no window, which the last codes tell.)
        let mut code = codes;
        while code > 0 {
            code -= 1;
            if found.shown(code) != map[code] {
                return None;
            }
        }
        Some(found)
    }

    /// What a code is mapped to.
    const fn shown(&self, code: usize) -> u8 {
        let (place, first) = ((code + self.shift as usize) % 256, self.first as usize);
        let mut place = place.saturating_sub(first);
        let last = 16 * self.count - 1;
        if place > last {
            place = last;
        }
        let value = self.rows[0][place % 16];
        if place < 16 { value } else { value.wrapping_add(self.rows[1][place - 16]) }
    }

    /// About how many instructions it takes, counted as those of a sum of nibbles are.
    pub(super) const fn work(&self) -> usize {
        1 + 3 * self.count + (self.shift != 0) as usize + 3 * (self.wrong != 0) as usize
    }
}

/// A map with a window.
pub(super) trait Windowed {
    const WINDOW: Window;
}

/// A map that gives zero but for codes within a few times 16 of each other: what becomes of the low bits of floats, below 1
/// and from where on they are all zeros.
#[derive(Clone, Copy)]
pub(super) struct Panes {
    /// Where each begins, and its entries.
    panes: [(u8, [u8; 32]); Self::MOST],
    count: usize,
    /// Whether the last one goes on to where there are no more codes, or past that.
    is_open: bool,
}

impl Panes {
    const MOST: usize = 5;

    /// None.
    pub(super) const NOTHING: Self =
        Self { panes: [(0, [0; 32]); Self::MOST], count: 0, is_open: false };

    /// Those of a map of which the first `codes` count, which are half of all at most, if there are no more.
    pub(super) const fn of(map: &[u8; 256], codes: usize) -> Option<Self> {
        assert!(codes <= 128);
        let mut found = Self::NOTHING;
        let mut code = 0;
        while code < codes {
            if map[code] == 0 {
                code += 1;
                continue;
            }
            if found.count == Self::MOST {
                return None;
            }
            let (first, entries) = &mut found.panes[found.count];
            *first = code as u8;
            let mut i = 0;
            while i < 16 && code + i < codes {
                (entries[i], entries[i + 16]) = (map[code + i], map[code + i]);
                i += 1;
            }
            found.count += 1;
            code += 16;
            found.is_open = code >= codes;
        }
        Some(found)
    }

    /// About how many instructions they take, counted as those of a window are.
    pub(super) const fn work(&self) -> usize {
        4 * self.count - self.is_open as usize
    }
}

/// A map with panes.
pub(super) trait Paned {
    const PANES: Panes;
}

impl Avx2 {
    /// The bytes that a window shows of codes, which have zeros above their bits.
    #[inline(always)]
    pub(super) fn look_out<M: Windowed>(self, codes: __m256i) -> __m256i {
        let by = const { &M::WINDOW };
        let shifted = match by.shift {
            0 => codes,
            shift => self.add8(codes, self.all8(shift as i8)),
        };
        let place = self.sub_clamped_u8(shifted, self.all8(by.first as i8));
        let place = self.min_u8(place, self.all8(16 * by.count as i8 - 1));
        let mut value = self.shuffle8(self.constant(&by.rows[0]), place);
        if by.count > 1 {
            // Negative below the second row, which gives zero.
            let second = self.sub8(place, self.all8(16));
            value = self.add8(value, self.shuffle8(self.constant(&by.rows[1]), second));
        }
        if by.wrong == 0 {
            return value;
        }
        let is_last = self.eq8(codes, self.all8(-1));
        self.xor(value, self.and(is_last, self.all8(by.wrong as i8)))
    }

    /// The bytes that panes show of codes, which have zeros above their bits.
    #[inline(always)]
    pub(super) fn look_through<M: Paned>(self, codes: __m256i) -> __m256i {
        let by = const { &M::PANES };
        let mut values = self.zero();
        let mut k = 0;
        while k < by.count {
            let (first, entries) = &by.panes[k];
            // Before a pane the place is negative, which gives zero; after it, it is made to be.
            let place = self.sub8(codes, self.all8(*first as i8));
            let place = match by.is_open && k + 1 == by.count {
                true => place,
                false => self.add_clamped_u8(place, self.all8(0x70)),
            };
            values = self.or(values, self.shuffle8(self.constant(entries), place));
            k += 1;
        }
        values
    }
}

//! Maps of bytes to bytes as ramps with a window of look-ups, found at compile time.
//!
//! Between two small floats most codes follow a line: one step of the source is one, two or half a
//! step of the destination, whatever the exponents' bias. What does not is together: the subnormals of
//! both, and what rounds to them; before that all is zero, after the ramp all is the largest number,
//! and NaN is last. So only a window of codes is looked up, as a sum of rows of 16 that `vpshufb`
//! gives, as in [`nibbles`](super::nibbles): a row's index is negative before it, which gives zero, and
//! it holds what it has more than the row before. The index is clamped to the window, at the ends of
//! which there is what is to be added to all codes before and after.
//!
//! A map to integers has no line, but a window with zeros before and the largest number after it. Where the source has
//! more bits of fraction than make a difference there, two or four codes have one place in the window.

use super::Avx2;
use core::arch::x86_64::__m256i;

/// How many steps of the destination are one of the source.
#[derive(Clone, Copy)]
enum Scale {
    None,
    /// One more is halved, to the nearest, ties to even.
    Half,
    /// The same, ties up; or, of a code less, down.
    HalfUp,
    One,
    Two,
    Four,
}

/// What a code is mapped to: `special` above `last`, if there is one; else the sum of
/// * `scale` times how much it is above `less`, but no more than `limit`,
/// * `rows[k][i - 16 * k]` for every k below `count` with i >= 16 * k, where i is how much the code is
///   above `from`, without its last `merged` bits, but no more than the last place of the rows, and the index counts
///   modulo 16,
///
/// but no more than `most`.
#[derive(Clone, Copy)]
pub(super) struct Ramp {
    scale: Scale,
    less: u8,
    limit: u8,
    from: u8,
    merged: u32,
    count: usize,
    rows: [[u8; 32]; 8],
    most: u8,
    last: u8,
    special: Option<u8>,
}

/// No limit.
const NONE: u8 = u8::MAX;

/// What is added to codes in [`Scale::Half`], by their low nibbles, before half of that is rounded up:
/// nothing to multiples of 4, which must not reach the next even number.
const UP: [u8; 32] = {
    let mut up = [1; 32];
    let mut i = 0;
    while i < 32 {
        up[i] = 0;
        i += 4;
    }
    up
};

impl Ramp {
    /// All to zero.
    pub(super) const NOTHING: Self = Self {
        scale: Scale::None,
        less: 0,
        limit: NONE,
        from: 0,
        merged: 0,
        count: 1,
        rows: [[0; 32]; 8],
        most: NONE,
        last: NONE,
        special: None,
    };

    /// The shortest ramp for a map of which the first `codes` count, if there is one of less work than that.
    pub(super) const fn of(map: &[u8; 256], codes: usize, limit: usize) -> Option<Self> {
        let mut flat = 1;
        while flat < codes && map[flat] == map[0] {
            flat += 1;
        }
        let mut search = Search { map, codes, flat, top: 0, end: 0, best: None, limit };
        let mut specials = 0;
        while specials < 2 {
            // The codes at the end that are alike, and those before.
            let end = if specials == 1 { run(map, codes) } else { codes };
            specials += 1;
            // Beyond 7 bits only the last code is told from the others.
            if end < 2 || (codes > 128 && end < codes - 1) {
                continue;
            }
            (search.top, search.end) = (run(map, end), end);
            search.try_lines();
        }
        search.best
    }

    /// The line.
    const fn base(&self, code: usize) -> u8 {
        if code <= self.less as usize {
            return 0;
        }
        let mut x = code as u8 - self.less;
        if x > self.limit {
            x = self.limit;
        }
        match self.scale {
            Scale::None => 0,
            // The index of a look-up is negative from 128 on.
            Scale::Half if x >= 128 => (x >> 1) + (x & 1),
            Scale::Half => (x + UP[x as usize % 16] + 1) >> 1,
            Scale::HalfUp => (x >> 1) + (x & 1),
            Scale::One => x,
            Scale::Two => x << 1,
            Scale::Four => x << 2,
        }
    }

    /// The same of so many codes.
    const fn line(&self, codes: usize) -> [u8; 256] {
        let mut line = [0; 256];
        let mut code = self.less as usize + 1;
        while code < codes && !matches!(self.scale, Scale::None) {
            line[code] = self.base(code);
            code += 1;
        }
        line
    }

    /// Fills the rows, each with what it adds to the one before.
    const fn fill(&mut self, added: &[u8; 128]) {
        let mut i = 0;
        while i < 16 * self.count {
            let before = if i < 16 { 0 } else { added[i - 16] };
            let more = added[i].wrapping_sub(before);
            (self.rows[i / 16][i % 16], self.rows[i / 16][i % 16 + 16]) = (more, more);
            i += 1;
        }
    }

    /// Whether this is the map, with that line. (The end is where most are not.)
    const fn is(&self, map: &[u8; 256], line: &[u8; 256], codes: usize) -> bool {
        let mut sums = [0u8; 128];
        let mut i = 0;
        while i < 16 * self.count {
            let before = if i < 16 { 0 } else { sums[i - 16] };
            sums[i] = before.wrapping_add(self.rows[i / 16][i % 16]);
            i += 1;
        }
        let (from, most_at) = (self.from as usize, self.most_at() as usize);
        let mut code = codes;
        while code > 0 {
            code -= 1;
            let mut i = code.saturating_sub(from);
            if i > most_at {
                i = most_at;
            }
            let mut value = line[code].wrapping_add(sums[i >> self.merged]);
            if value > self.most {
                value = self.most;
            }
            if let Some(special) = self.special
                && code > self.last as usize
            {
                value = special;
            }
            if value != map[code] {
                return false;
            }
        }
        true
    }

    /// The last code of the rows, counted from their first.
    const fn most_at(&self) -> u8 {
        let codes = (16 * self.count) << self.merged;
        if codes > 256 { u8::MAX } else { (codes - 1) as u8 }
    }

    /// Whether the index needs no clamping: the rows hold all codes.
    const fn is_whole(&self) -> bool {
        self.most_at() as usize >= self.last as usize - self.from as usize && self.special.is_none()
    }

    /// How much more work a line may be than look-ups that are so much: more of them are waited for.
    pub(super) const fn bonus(&self, work: usize) -> usize {
        if matches!(self.scale, Scale::None) { 0 } else { Self::most_bonus(work) }
    }

    /// The same of any ramp.
    pub(super) const fn most_bonus(work: usize) -> usize {
        if work <= 16 { 0 } else { 4 }
    }

    /// About how many instructions it takes, counted as those of a sum of nibbles are.
    pub(super) const fn work(&self) -> usize {
        let (mut rows, mut k) = (0, 0);
        while k < 8 {
            rows += is_any(&self.rows[k]) as usize;
            k += 1;
        }
        self.work_with(rows)
    }

    /// The same with so many rows that are not all zeros.
    const fn work_with(&self, rows: usize) -> usize {
        let scale = match self.scale {
            Scale::None => 0,
            Scale::Half => 2,
            Scale::HalfUp | Scale::One => 1,
            Scale::Two => 2,
            Scale::Four => 3,
        };
        let window = if rows == 0 {
            0
        } else {
            3 * rows
                + (self.from > 0) as usize
                + !self.is_whole() as usize
                + if self.merged > 0 { 2 } else { 0 }
        };
        window
            + scale
            + (self.less > 0) as usize
            + (self.limit < NONE) as usize
            + (self.most < NONE) as usize
            + 2 * self.special.is_some() as usize
    }
}

/// A search for the ramp of the least work, the first of those. The compiler does it for hundreds of maps,
/// in each of which there are dozens of lines to try, and only a few of those are not soon seen to be too much work: so
/// a ramp's rows are counted before they are made, and made before they are compared with the map. And what is done for
/// every code calls little: that is what takes the compiler's time.
struct Search<'a> {
    map: &'a [u8; 256],
    codes: usize,
    /// The first code that is not mapped as 0 is.
    flat: usize,
    /// The first of the codes that are alike up to `end`, from which on they are special.
    top: usize,
    end: usize,
    best: Option<Ramp>,
    /// What the work is to be below: that of the best.
    limit: usize,
}

/// Where a window ends.
#[derive(Clone, Copy)]
struct End {
    /// The last code that is looked up.
    last: usize,
    /// What those after it add to the line.
    after: u8,
}

impl Search<'_> {
    const fn try_lines(&mut self) {
        let mut merged = 0;
        // (Codes in one place of the window are mapped alike.)
        while merged <= MOST_MERGED && self.flat.is_multiple_of(1 << merged) {
            self.try_line(Scale::None, 0, merged);
            merged += 1;
        }
        let mut i = 0;
        while i < SCALES.len() && self.top > 0 {
            let (scale, twice) = SCALES[i];
            self.try_line(scale, 0, 0);
            if matches!(scale, Scale::HalfUp) {
                self.try_line(scale, 1, 0);
            }
            // The code at which the line through the last one before the top is zero, or, if that
            // was rounded, one nearby.
            let last = self.top - 1;
            let steps = 2 * self.map[last] as usize / twice;
            let (mut near, end) = match scale {
                Scale::Half => (0, 4),
                Scale::HalfUp => (1, 3),
                _ => (2, 3),
            };
            while near < end {
                if last + 2 > steps + near && last + 2 - steps - near < self.codes {
                    self.try_line(scale, (last + 2 - steps - near) as u8, 0);
                }
                near += 1;
            }
            i += 1;
        }
    }

    /// Takes the ramp by that line, if it is one and the best.
    const fn try_line(&mut self, scale: Scale, less: u8, merged: u32) {
        let mut ramp = self.around(scale, less, merged);
        if ramp.work_with(0) >= self.limit || !self.ends_along(&ramp) {
            return;
        }
        let line = ramp.line(self.codes);
        let end = self.place(&mut ramp, &line);
        if ramp.count > 8 {
            return;
        }
        let added = self.added(&ramp, &line, end);
        if !self.is_short(&ramp, &added) {
            return;
        }
        ramp.fill(&added);
        if ramp.is(self.map, &line, self.codes) {
            self.limit = ramp.work();
            self.best = Some(ramp);
        }
    }

    /// That line, and what is beyond it, without a window.
    const fn around(&self, scale: Scale, less: u8, merged: u32) -> Ramp {
        let special = if self.end < self.codes { Some(self.map[self.end]) } else { None };
        let last = (self.end - 1) as u8;
        let mut ramp = Ramp { scale, less, merged, last, special, ..Ramp::NOTHING };
        if !matches!(scale, Scale::None) && self.top + 1 < self.end {
            ramp.most = self.map[self.end - 1];
            ramp.limit = match scale {
                Scale::Two if self.codes - 1 - less as usize > 127 => ramp.most / 2 + 1,
                Scale::Four if self.codes - 1 - less as usize > 63 => ramp.most / 4 + 1,
                _ => NONE,
            };
        }
        ramp
    }

    /// Whether the last codes before the top follow the line, as they do that of a ramp with a short window: most lines
    /// are too steep for the map or too flat, and here they are told.
    const fn ends_along(&self, ramp: &Ramp) -> bool {
        if matches!(ramp.scale, Scale::None) || self.top < 4 {
            return true;
        }
        let last = self.above(ramp, self.top - 1);
        self.above(ramp, self.top - 2) == last && self.above(ramp, self.top - 4) == last
    }

    /// How much the map has more than the line.
    const fn above(&self, ramp: &Ramp, code: usize) -> u8 {
        self.map[code].wrapping_sub(ramp.base(code))
    }

    /// Places the window around what isn't on the line, and says where it ends.
    const fn place(&self, ramp: &mut Ramp, line: &[u8; 256]) -> End {
        let (map, top, flat) = (self.map, self.top, matches!(ramp.scale, Scale::None));
        // What is to be added before the window, and from the top on.
        let at_end = if flat || top == 0 { top } else { top - 1 };
        let after = map[at_end].wrapping_sub(line[at_end]);
        // (Up to `less` a line is zero, so that all of those codes are like the first one, or the window begins there.)
        let same = if flat || self.flat <= ramp.less as usize {
            self.flat - 1
        } else {
            ramp.less as usize
        };
        let mut from = if same < top { same } else { top.saturating_sub(1) };
        let before = map[0].wrapping_sub(line[0]);
        while !flat && from + 1 < top && map[from + 1].wrapping_sub(line[from + 1]) == before {
            from += 1;
        }
        // (A top that is not on the line is cut.)
        let is_cut = !flat && map[top].wrapping_sub(line[top]) != after;
        let mut last = if is_cut { top.saturating_sub(1) } else { top };
        while last > from && map[last].wrapping_sub(line[last]) == after {
            last -= 1;
        }
        from = from >> ramp.merged << ramp.merged;
        ramp.from = from as u8;
        let places = ((last - from) >> ramp.merged) + 1;
        ramp.count = (places - 1) / 16 + 1;
        if places == 16 * ramp.count && ramp.count < 8 {
            // The last place is for what comes after.
            ramp.count += 1;
        }
        End { last, after }
    }

    /// What each place of the window adds to the line.
    const fn added(&self, ramp: &Ramp, line: &[u8; 256], end: End) -> [u8; 128] {
        let mut added = [end.after; 128];
        let (mut i, mut code) = (0, ramp.from as usize);
        while i < 16 * ramp.count && code <= end.last {
            added[i] = self.map[code].wrapping_sub(line[code]);
            (i, code) = (i + 1, code + (1 << ramp.merged));
        }
        added
    }

    /// Whether the ramp, whose window is placed but not filled, is less work than the best.
    const fn is_short(&self, ramp: &Ramp, added: &[u8; 128]) -> bool {
        let (mut rows, mut k) = (0, 0);
        while k < ramp.count {
            let mut i = 16 * k;
            while i < 16 * k + 16 && added[i] == if k == 0 { 0 } else { added[i - 16] } {
                i += 1;
            }
            if i < 16 * k + 16 {
                rows += 1;
                if ramp.work_with(rows) >= self.limit {
                    return false;
                }
            }
            k += 1;
        }
        true
    }
}

/// The most bits of a code that a window does without.
const MOST_MERGED: u32 = 2;

/// The scales of lines, and twice as much in steps.
const SCALES: [(Scale, usize); 5] =
    [(Scale::Half, 1), (Scale::HalfUp, 1), (Scale::One, 2), (Scale::Two, 4), (Scale::Four, 8)];

/// The first of the codes before `end` that are mapped as the last of them.
const fn run(map: &[u8; 256], end: usize) -> usize {
    let mut first = end - 1;
    while first > 0 && map[first - 1] == map[end - 1] {
        first -= 1;
    }
    first
}

const fn is_any(row: &[u8; 32]) -> bool {
    let mut i = 0;
    while i < 32 {
        if row[i] != 0 {
            return true;
        }
        i += 1;
    }
    false
}

/// A map that is a ramp.
pub(super) trait Climbs {
    const RAMP: Ramp;
}

impl Avx2 {
    /// The bytes that a ramp makes of codes, which have zeros above their bits.
    #[inline(always)]
    pub(super) fn climb<M: Climbs>(self, codes: __m256i) -> __m256i {
        let ramp = const { &M::RAMP };
        let mut at = codes;
        if ramp.from > 0 {
            at = self.sub_clamped_u8(at, self.all8(ramp.from as i8));
        }
        if const { !M::RAMP.is_whole() } {
            at = self.min_u8(at, self.all8(const { M::RAMP.most_at() as i8 }));
        }
        at = match const { M::RAMP.merged } {
            0 => at,
            1 => self.and(self.shr16::<1>(at), self.all8(0x7f)),
            _ => self.and(self.shr16::<2>(at), self.all8(0x3f)),
        };
        let sum = self.line::<M>(codes);
        let sum = self.row::<M, 0>(sum, at);
        let sum = self.row::<M, 1>(sum, at);
        let sum = self.row::<M, 2>(sum, at);
        let sum = self.row::<M, 3>(sum, at);
        let sum = self.row::<M, 4>(sum, at);
        let sum = self.row::<M, 5>(sum, at);
        let sum = self.row::<M, 6>(sum, at);
        let Some(mut sum) = self.row::<M, 7>(sum, at) else { return self.zero() };
        if ramp.most < NONE {
            sum = self.min_u8(sum, self.all8(ramp.most as i8));
        }
        let Some(special) = ramp.special else { return sum };
        // Beyond 7 bits it is the last code.
        let is_special = match ramp.last {
            254 => self.eq8(codes, self.all8(-1)),
            last => self.gt8(codes, self.all8(last as i8)),
        };
        match special {
            0 => self.andnot(is_special, sum),
            u8::MAX => self.or(is_special, sum),
            _ => self.blend8(sum, self.all8(special as i8), is_special),
        }
    }

    #[inline(always)]
    fn line<M: Climbs>(self, codes: __m256i) -> Option<__m256i> {
        let ramp = const { &M::RAMP };
        let mut x = codes;
        if ramp.less > 0 {
            x = self.sub_clamped_u8(x, self.all8(ramp.less as i8));
        }
        if ramp.limit < NONE {
            x = self.min_u8(x, self.all8(ramp.limit as i8));
        }
        Some(match ramp.scale {
            Scale::None => return None,
            Scale::Half => {
                let up = self.shuffle8(self.constant(&UP), x);
                self.average_u8(x, up)
            }
            Scale::HalfUp => self.average_u8(x, self.zero()),
            Scale::One => x,
            Scale::Two => self.add8(x, x),
            Scale::Four => {
                let x = self.add8(x, x);
                self.add8(x, x)
            }
        })
    }

    #[inline(always)]
    fn row<M: Climbs, const K: usize>(self, sum: Option<__m256i>, at: __m256i) -> Option<__m256i> {
        if const { !is_any(&M::RAMP.rows[K]) } {
            return sum;
        }
        let at = if K == 0 { at } else { self.sub8(at, self.all8(const { 16 * K as i8 })) };
        let row = self.shuffle8(self.constant(const { &M::RAMP.rows[K] }), at);
        Some(match sum {
            Some(sum) => self.add8(sum, row),
            None => row,
        })
    }
}

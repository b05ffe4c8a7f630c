//! Every pair on buffers of every length and alignment: what is stored does not depend on them, and
//! nothing outside the buffers is read or written.

mod support;

use simdcast::{DType, Overflow, Rounding, reference};
#[cfg(unix)]
use simdcast_kernels::MaskedKernel;
use simdcast_kernels::{Kernel, Options, RunError};
#[cfg(unix)]
use std::cell::RefCell;
use support::guarded::Guarded;
use support::{
    CHECKED, DRAWN, Tally, WRAPPED, assert_none, effective, in_parallel, noise, pairs, say,
    source_bytes,
};
#[cfg(unix)]
use support::{SIDES, fewer_pairs, turned};

/// Lengths of a few steps of any instruction set, and those around the tile of composed kernels.
fn lengths() -> impl Iterator<Item = usize> {
    let tiles = [511, 512, 513, 519, 1023, 1024, 1025, 1031, 1536, 2047, 2049, 4095, 4097];
    let tiles = tiles.into_iter().chain([8191, 8193, LONGEST]);
    (0..=300).chain(tiles)
}

const LONGEST: usize = 8199;

/// (Integers alone saturate, so that floats round.)
const CLAMPED: Options =
    Options { overflow: Overflow::Saturate, rounding: Rounding::Up, ..Options::DEFAULT };

/// Random elements of a pair that options don't refuse, and what they become.
struct Elements {
    from: DType,
    to: DType,
    codes: Vec<u128>,
    expected: Vec<u128>,
}

impl Elements {
    /// None if they refuse all that there are, as e8m0 does zero and -1, the integers of one bit.
    fn new(from: DType, to: DType, options: &Options, n: usize) -> Option<Self> {
        let bits = from.significant_bits() as u32;
        let code = |i: u64| u128::from(noise(i)) << 64 | u128::from(noise(!i));
        let fitting = match options.overflow {
            Overflow::Error => fitting_and_unfit(from, to, options).0,
            _ => Vec::new(),
        };
        let elements = (0..n).map(|i| {
            let code = code(i as u64) & (u128::MAX >> (128 - bits));
            let cast =
                |code| Some((code, reference::cast(from, to, code, options, i as u64).ok()?));
            cast(code).or_else(|| cast(*fitting.get(i % fitting.len().max(1))?))
        });
        let (codes, expected) = elements.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(Self { from, to, codes, expected })
    }

    fn source(&self, n: usize) -> Vec<u8> {
        source_bytes(self.from, &self.codes[..n])
    }

    fn right(&self, n: usize) -> Vec<u8> {
        let mut right = vec![0; self.to.bytes_for(n).unwrap()];
        for (i, &code) in self.expected[..n].iter().enumerate() {
            reference::store(self.to, &mut right, i, code);
        }
        right
    }
}

/// A level's kernel for them.
struct Case<'a> {
    kernel: Kernel,
    elements: &'a Elements,
}

impl Case<'_> {
    /// Casts so many elements, of which some, a multiple of 8, repeat, with both sides off the start of a line.
    fn check_repeated(
        &self,
        period: usize,
        n: usize,
        offsets: &[(usize, usize)],
    ) -> Result<u64, String> {
        let (from, to) = (self.kernel.from(), self.kernel.to());
        let repeat = |bytes: Vec<u8>, dtype: DType| -> Vec<u8> {
            bytes.into_iter().cycle().take(dtype.bytes_for(n).unwrap()).collect()
        };
        let source = repeat(self.elements.source(period), from);
        let mut right = repeat(self.elements.right(period), to);
        if let Some(last) = right.last_mut().filter(|_| !(n * to.bits()).is_multiple_of(8)) {
            *last &= (1 << (n * to.bits() % 8)) - 1;
        }
        for &(src_offset, dst_offset) in offsets {
            let mut src = Guarded::new(source.len(), src_offset);
            let mut dst = Guarded::new(right.len(), dst_offset);
            src.bytes().copy_from_slice(&source);
            self.kernel.run(src.bytes(), dst.bytes(), n).map_err(|e| format!("{e:?}"))?;
            self.check(n, dst.bytes(), &right)?;
            if !dst.untouched() {
                return Err(format!("{:?}: {n} elements: wrote outside", self.kernel));
            }
        }
        Ok(offsets.len() as u64)
    }

    fn check(&self, n: usize, stored: &[u8], right: &[u8]) -> Result<(), String> {
        let at = stored.iter().zip(right).position(|(a, b)| a != b);
        at.map_or(Ok(()), |at| Err(format!("{:?}: {n} elements: byte {at} is wrong", self.kernel)))
    }
}

/// Does some work for each pair that suits, under each of those options that make a difference, with so many elements, on
/// each level.
fn every_case(
    suits: impl Fn(DType, DType) -> bool,
    kinds: &[Options],
    n: usize,
    work: impl Fn(&Case) -> Result<u64, String> + Sync,
) {
    let levels = support::tested_levels();
    let jobs: Vec<_> = pairs().filter(|&(from, to)| suits(from, to)).collect();
    let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for options in effective(kinds, from, to) {
            let Some(elements) = &Elements::new(from, to, &options, n) else {
                let is_checked = matches!(options.overflow, Overflow::Error);
                assert!(is_checked && to == DType::Float8E8M0Fnu, "{from} to {to}: all is refused");
                continue;
            };
            tally.options += 1;
            for level in &levels {
                let kernel = Kernel::on(level, from, to, &options);
                tally.values += work(&Case { kernel, elements })?;
            }
        }
        Ok(tally)
    });
    let Tally { pairs, options, values: runs } = tally;
    say(&format!("{levels:?}: {pairs} pairs, {options} with options, {runs} runs in all"));
    assert!(pairs > 0 && runs > 0, "nothing was tested");
    assert_none(&errors);
}

fn any_pair(_: DType, _: DType) -> bool {
    true
}

#[test]
fn every_alignment_within_guard_bytes() {
    every_case(any_pair, &[Options::DEFAULT, WRAPPED, CLAMPED, DRAWN], 513, |case| {
        let (from, to) = (case.kernel.from(), case.kernel.to());
        let mut runs = 0;
        for n in [0, 1, 3, 15, 16, 17, 31, 64, 65, 100, 129, 513] {
            let (source, right) = (case.elements.source(n), case.elements.right(n));
            for offset in 0..16 {
                // Both sides move, in different steps.
                let mut src = Guarded::new(from.bytes_for(n).unwrap(), offset);
                let mut dst = Guarded::new(to.bytes_for(n).unwrap(), offset * 5 % 64);
                src.bytes().copy_from_slice(&source);
                case.kernel.run(src.bytes(), dst.bytes(), n).map_err(|e| format!("{e:?}"))?;
                case.check(n, dst.bytes(), &right)?;
                if !dst.untouched() || !src.untouched() || src.bytes() != source {
                    return Err(format!("{:?}: {n} elements: wrote outside", case.kernel));
                }
                runs += 1;
            }
        }
        Ok(runs)
    });
}

/// Of some casts the bits of a side, and of others those of the elements before the last, are more than a word counts.
#[cfg(target_pointer_width = "32")]
#[test]
fn casts_of_more_bits_than_a_word_counts() {
    let saturated = Options { overflow: Overflow::Saturate, ..Options::DEFAULT };
    // All are 0, as 1 is past the largest of them.
    let n = (1 << 29) + 64;
    let kernel = Kernel::new(DType::UInt1x8, DType::Int1, &saturated);
    let mut stored = vec![0xffu8; n];
    kernel.run(&vec![0xff; n / 8], &mut stored[..], n).unwrap();
    assert!(stored.iter().all(|&code| code == 0));
    drop(stored);

    let up = Options { rounding: Rounding::Up, ..Options::DEFAULT };
    let n = (1 << 27) + 64;
    let mut ints = vec![0u8; 4 * n];
    ints[4 * n - 4..].copy_from_slice(&1i32.to_ne_bytes());
    let kernel = Kernel::new(DType::Int32, DType::Float6E2M3Fn, &up);
    let stored = kernel.collect::<u8>(&ints, n).unwrap();
    let (last, others) = stored.split_last().unwrap();
    assert!(others.iter().all(|&code| code == 0));
    assert_eq!(
        u128::from(*last),
        reference::cast(DType::Int32, DType::Float6E2M3Fn, 1, &up, 0).unwrap()
    );
    drop((ints, stored));

    // As many elements as can be counted: the last of them, and those in place.
    let n = usize::MAX;
    let mut bits = vec![0u8; n / 8 + 1];
    *bits.last_mut().unwrap() = 0x40;
    assert_eq!(reference::load(DType::UInt1x8, &bits, n - 1), 1);
    let kernel = Kernel::new(DType::UInt1x8, DType::Int1x8, &saturated);
    kernel.run_in_place(&mut bits, n).unwrap();
    assert!(bits.iter().all(|&byte| byte == 0));
}

/// Long buffers may be cast in parts, see `align.rs`. The elements repeat, so that what is right need
/// not be worked out for all.
#[test]
fn long_buffers_off_the_lines_of_the_cache() {
    every_case(any_pair, &[Options::DEFAULT], 512, |case| {
        let (from, to) = (case.kernel.from(), case.kernel.to());
        let n = ((64 << 13) / (from.bits() + to.bits())).max(1024) + 5;
        let offsets = [(1, 1), (16, 48), (63, 32), (0, 61), (60, 0)];
        case.check_repeated(512, n, &offsets)
    });
}

/// Wherever the side that is not packed starts a line, the other is brought there, see `shifted.rs`.
#[test]
fn packed_elements_of_others_off_the_lines_of_the_cache() {
    // Of the packed side: several pieces, and parts of one.
    const BYTES: [usize; 3] = [(1 << 10) + 3, 3 << 10, (7 << 10) + 77];
    // What repeats: a multiple of 8, which are whole bytes of any dtype, but of no piece.
    const PERIOD: usize = 8184;
    let suits = |from: DType, to: DType| {
        from.is_packed() && to.bits() >= 16 || to.is_packed() && from.bits() >= 16
    };
    every_case(suits, &[Options::DEFAULT], PERIOD, |case| {
        let (from, to) = (case.kernel.from(), case.kernel.to());
        let (packed, other) = (from.bits().min(to.bits()), from.bits().max(to.bits()));
        // What starts lines at the first of eight elements, at the second, and so on.
        let offsets: Vec<_> = (0..8)
            .map(|i| (3 * i, (8 - i) * other / 8 % 64))
            .map(|(a, b)| if from.is_packed() { (a, b) } else { (b, a) })
            .collect();
        let mut runs = 0;
        for bytes in BYTES {
            runs += case.check_repeated(PERIOD, bytes * 8 / packed + 3, &offsets)?;
        }
        Ok(runs)
    });
}

/// Whatever the pieces that a checked cast goes by: in each of some that span several, the first of two
/// unfit elements is named, and those before it are written as if it were not there.
#[test]
fn a_checked_cast_names_the_first_unfit_element_wherever_it_is() {
    const N: usize = 20_011;
    for level in support::tested_levels() {
        let jobs: Vec<_> = pairs().collect();
        let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
            let kernel = Kernel::on(level, from, to, &CHECKED);
            let Some((fitting, unfit)) = both_kinds(from, to, &CHECKED) else {
                return Ok(Tally::default());
            };
            let codes: Vec<_> = fitting.iter().copied().cycle().take(N).collect();
            let results = fitting.iter().map(|&code| reference::cast(from, to, code, &CHECKED, 0));
            let results: Vec<_> = results.map(|code| code.expect("it fits")).collect();
            let mut right = vec![0; to.bytes_for(N).unwrap()];
            for (i, &code) in results.iter().cycle().take(N).enumerate() {
                reference::store(to, &mut right, i, code);
            }
            let mut source = source_bytes(from, &codes);
            let mut stored = vec![0; right.len()];
            kernel.run(&source, &mut stored, N).map_err(|e| format!("{kernel:?}: {e:?}"))?;
            if stored != right {
                return Err(format!("{kernel:?}: fitting elements are wrong"));
            }
            let places = [N - 1, 16384, 16383, 8192, 8191, 1024, 1023, 0];
            for (k, place) in places.into_iter().enumerate() {
                // Those from here on are unfit already.
                reference::store(from, &mut source, place, unfit[k % unfit.len()]);
                let mut stored = vec![0; right.len()];
                let result = kernel.run(&source, &mut stored, N);
                let whole = place * to.bits() / 8;
                if result != Err(RunError::Unfit { index: place }) {
                    return Err(format!("{kernel:?}: {place} is unfit, but {result:?}"));
                } else if stored[..whole] != right[..whole] {
                    return Err(format!("{kernel:?}: elements before {place} are wrong"));
                }
            }
            Ok(Tally { pairs: 1, options: 1, values: places.len() as u64 })
        });
        let Tally { pairs, values: runs, .. } = tally;
        say(&format!("{}: {pairs} pairs, {runs} runs", level.name()));
        assert_none(&errors);
        assert!(pairs > 1000);
    }
}

/// Each code of a byte or less that does not fit is seen where all others do, wherever it lies in a step: loops tell of many
/// at once.
#[test]
fn each_unfit_code_is_seen_among_many() {
    const N: usize = 2048;
    for level in support::tested_levels() {
        let jobs: Vec<_> = pairs().filter(|(from, _)| from.bits() <= 8).collect();
        let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
            let kernel = Kernel::on(level, from, to, &CHECKED);
            let fits = |code: &u128| reference::cast(from, to, *code, &CHECKED, 0).is_ok();
            let (fitting, unfit): (Vec<_>, Vec<_>) =
                (0..1 << from.significant_bits()).partition(fits);
            let codes: Vec<_> = fitting.iter().copied().cycle().take(N).collect();
            if codes.is_empty() || unfit.is_empty() {
                return Ok(Tally::default());
            }
            let mut source = source_bytes(from, &codes);
            let mut stored = vec![0; to.bytes_for(N).unwrap()];
            for (k, &code) in unfit.iter().enumerate() {
                let place = k * 67 % N;
                reference::store(from, &mut source, place, code);
                let result = kernel.run(&source, &mut stored, N);
                if result != Err(RunError::Unfit { index: place }) {
                    return Err(format!("{kernel:?}: {code:#x} at {place}, but {result:?}"));
                }
                reference::store(from, &mut source, place, codes[place]);
            }
            Ok(Tally { pairs: 1, options: 1, values: unfit.len() as u64 })
        });
        let Tally { pairs, values: codes, .. } = tally;
        say(&format!("{}: {pairs} pairs, {codes} unfit codes", level.name()));
        assert_none(&errors);
        assert!(pairs > 300);
    }
}

/// Of integers of 64 bits whose lower halves fit: what does not may be told by halves.
#[test]
fn an_upper_half_is_seen_among_many() {
    const N: usize = 4099;
    use DType::*;
    let integers = DType::ALL.into_iter().filter(|to| to.bits() < 64 && !to.is_complex());
    for level in support::tested_levels() {
        let mut seen = 0;
        for (from, to) in integers.clone().flat_map(|to| [(UInt64, to), (Int64, to)]) {
            let kernel = Kernel::on(level, from, to, &CHECKED);
            let mut source = source_bytes(from, &[1; N]);
            let mut stored = vec![0; to.bytes_for(N).unwrap()];
            let refused = |code: &u128| reference::cast(from, to, *code, &CHECKED, 0).is_err();
            let uppers = [1 << 32, 1 << 32 | 1, 1 << 63, 1 << 63 | 1, 0x1234_5678 << 32 | 1];
            if refused(&1) {
                continue;
            }
            for (k, code) in uppers.into_iter().filter(refused).enumerate() {
                let place = (k * 1201 + 1500) % N;
                reference::store(from, &mut source, place, code);
                let result = kernel.run(&source, &mut stored, N);
                assert_eq!(result, Err(RunError::Unfit { index: place }), "{kernel:?}, {code:#x}");
                reference::store(from, &mut source, place, 1);
                seen += 1;
            }
        }
        assert!(seen > 150, "{seen}");
    }
}

/// The same where tables tell of longer blocks.
#[test]
fn an_unfit_element_is_named_in_every_block() {
    const N: usize = 140_003;
    use DType::*;
    for level in support::tested_levels() {
        for (from, to) in [
            (Float8E4M3Fn, Int4x2),
            (Float8E5M2Fnuz, UInt1x8),
            (Float6E3M2FnX4, Float4E2M1FnX2),
            (Float16, UInt1x8),
        ] {
            let kernel = Kernel::on(level, from, to, &CHECKED);
            let (fitting, unfit) = both_kinds(from, to, &CHECKED).expect("there are both");
            let codes: Vec<_> = fitting.iter().copied().cycle().take(N).collect();
            let mut right = vec![0; to.bytes_for(N).unwrap()];
            for (i, &code) in codes.iter().enumerate() {
                let result = reference::cast(from, to, code, &CHECKED, 0).expect("it fits");
                reference::store(to, &mut right, i, result);
            }
            let mut source = source_bytes(from, &codes);
            for (k, place) in [N - 1, 131_072, 65_536, 65_535].into_iter().enumerate() {
                reference::store(from, &mut source, place, unfit[k % unfit.len()]);
                let mut stored = vec![0; right.len()];
                let result = kernel.run(&source, &mut stored, N);
                assert_eq!(result, Err(RunError::Unfit { index: place }), "{kernel:?}");
                let whole = place * to.bits() / 8;
                assert!(stored[..whole] == right[..whole], "{kernel:?}: before {place}");
            }
        }
    }
}

/// Some codes that fit and some that don't, if there are both.
fn both_kinds(from: DType, to: DType, options: &Options) -> Option<(Vec<u128>, Vec<u128>)> {
    let (fitting, unfit) = fitting_and_unfit(from, to, options);
    (!fitting.is_empty() && !unfit.is_empty()).then_some((fitting, unfit))
}

/// Some codes that fit, and some that don't.
fn fitting_and_unfit(from: DType, to: DType, options: &Options) -> (Vec<u128>, Vec<u128>) {
    let mask = u128::MAX >> (128 - from.significant_bits());
    let real = if from.is_complex() { mask >> (from.significant_bits() / 2) } else { mask };
    let random = (0..512).map(|i| (u128::from(noise(i)) << 64 | u128::from(noise(!i))) & mask);
    let one = reference::cast(DType::UInt8, from, 1, &Options::DEFAULT, 0).expect("1 is a number");
    let codes = random.flat_map(|code| [code, code & real, code & 1, one]);
    let fits = |code: &u128| reference::cast(from, to, *code, options, 0).is_ok();
    codes.partition(fits)
}

/// Whether a pair is one of fewer, by which other ways than the plain one are tested.
#[cfg(unix)]
fn of_fewer_pairs() -> impl Fn(DType, DType) -> bool {
    let some: Vec<_> = fewer_pairs().collect();
    move |from, to| some.contains(&(from, to))
}

/// Casts of every length whose buffers end, and start, with a page.
#[cfg(unix)]
fn between_pages(
    case: &Case,
    sides: [bool; 2],
    run: impl Fn(&[u8], &mut [u8], usize) -> Result<(), RunError>,
) -> Result<u64, String> {
    use support::guarded::pages::Pages;
    let (from, to) = (case.kernel.from(), case.kernel.to());
    let mut src = Pages::new(from.bytes_for(LONGEST).unwrap());
    let mut dst = Pages::new(to.bytes_for(LONGEST).unwrap());
    let source = turned(from, &case.elements.source(LONGEST), sides[0]);
    let right = turned(to, &case.elements.right(LONGEST), sides[1]);
    let mut runs = 0;
    for n in lengths() {
        let (reads, writes) = (from.bytes_for(n).unwrap(), to.bytes_for(n).unwrap());
        let mut right = right[..writes].to_vec();
        if let Some(last) = right.last_mut().filter(|_| !(n * to.bits()).is_multiple_of(8)) {
            *last &= (1 << (n * to.bits() % 8)) - 1;
        }
        src.last(reads).copy_from_slice(&source[..reads]);
        run(src.last(reads), dst.last(writes), n).map_err(|e| format!("{e:?}"))?;
        case.check(n, dst.last(writes), &right)?;
        src.first(reads).copy_from_slice(&source[..reads]);
        run(src.first(reads), dst.first(writes), n).map_err(|e| format!("{e:?}"))?;
        case.check(n, dst.first(writes), &right)?;
        runs += 2;
    }
    Ok(runs)
}

#[cfg(unix)]
#[test]
fn every_length_between_unreadable_pages() {
    let kinds = [Options::DEFAULT, WRAPPED, CLAMPED, DRAWN, CHECKED];
    every_case(any_pair, &kinds, LONGEST, |case| {
        between_pages(case, [false; 2], |src, dst, n| case.kernel.run(src, dst, n))
    });
}

#[cfg(unix)]
#[test]
fn every_length_between_unreadable_pages_in_the_other_byte_order() {
    every_case(of_fewer_pairs(), &[Options::DEFAULT, CHECKED], LONGEST, |case| {
        let mut runs = 0;
        for sides in SIDES {
            let kernel = case.kernel.with_swapped(sides);
            runs += between_pages(case, sides, |src, dst, n| kernel.run(src, dst, n))?;
        }
        Ok(runs)
    });
}

/// The bits, too, are between such pages. (What they are is tested by `masked.rs`.)
#[cfg(unix)]
#[test]
fn every_length_between_unreadable_pages_with_a_bitmap() {
    use support::guarded::pages::Pages;
    every_case(of_fewer_pairs(), &[Options::DEFAULT], LONGEST, |case| {
        let (level, kernel) = (case.kernel.level(), case.kernel);
        let masked = MaskedKernel::on(level, kernel.from(), kernel.to(), kernel.options());
        let valid = RefCell::new(Pages::new(LONGEST.div_ceil(8)));
        let mut runs = 0;
        for last in [false, true] {
            runs += between_pages(case, [false; 2], |src, dst, n| {
                let (mut valid, bits) = (valid.borrow_mut(), n.div_ceil(8));
                let valid = if last { valid.last(bits) } else { valid.first(bits) };
                masked.run(src, dst, valid, n)
            })?;
        }
        Ok(runs)
    });
}

#[cfg(not(unix))]
#[test]
fn every_length_between_unreadable_pages() {
    say(
        "NOT TESTED: this platform has no mmap to put unreadable pages beside buffers, of turned and masked casts either",
    );
}

#[cfg(not(target_pointer_width = "32"))]
#[test]
fn casts_of_more_bits_than_a_word_counts() {
    say("NOT TESTED: no buffer has more bits than a word of 64 counts");
}

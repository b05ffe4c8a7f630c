//! Kernels compiled once more, with something done to each step of elements before or after it is cast.
//!
//! What is done to a block of elements first takes a pass of its own, over memory that no kernel waits for, and the CPU
//! doesn't look far enough ahead to do both at once. That is nothing beside a kernel that calculates much, but of those
//! that take little longer than their memory does, it took twice the time. So these have a loop in which it is done in
//! registers:
//!
//! ```text
//! source -- turn --> step -- the kernel's own step --> step -- turn --> destination
//! source -- do all fit? -- the kernel's own step --> destination
//! source -- the kernel's own step: did all fit? --> destination
//! ```
//!
//! The steps are on the stack and of constant size, so that the compiler mostly keeps them in registers. (Where memory is
//! the better place, see [`Side::ahead`].) Sides are turned that are in the other byte order; whether all elements fit
//! is asked by checked casts, of a [`Screen`].
//!
//! Of sources whose elements are codes of a byte or less the test looks at a few hundred bytes ahead of the steps: a block
//! that is long enough for kernels to be called for has to come from the L2 cache for the test alone, which takes as long
//! as half of what most of these kernels do. What tells there is [`Tops`]. Or it is told as some steps are cast, by what they
//! look up, or load, anyway.
//!
//! Such a kernel casts whole steps only, a checked one as long as all elements fit, and answers how many elements these
//! were. The others go by blocks. (What is behind those in the destination may have been written, with anything.)

mod kernels;

use crate::buffer::Buffer;
use crate::codec::Isa;
use crate::dtypes::{DType, Kind};
use crate::format::Numbers;
use crate::shape::{Screen, Tells, Tops};
use crate::table::Params;
use core::hint::black_box;
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_imports))]
// Which has instruction sets with kernels of codes.
pub(crate) use kernels::OfCodes;
pub(crate) use kernels::{Stepwise, suits};

/// What a kernel does beside casting, as a number that a function can be compiled for: nothing, as the pair's kernel
/// itself, or what has a bit.
pub(crate) const NONE: usize = 0;
/// The source is turned.
pub(crate) const SOURCE: usize = 1;
/// The results are turned.
pub(crate) const RESULTS: usize = 2;
/// Both sides are.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Where kernels are chosen by it.
pub(crate) const BOTH: usize = SOURCE | RESULTS;
/// It ends before the first element that may not fit: before the steps that are tested with it.
pub(crate) const FITTING: usize = 4;

/// The same of codes of a byte or less.
pub(crate) const CODES: usize = 8;

/// What an instruction set does with the elements of a step.
pub(crate) trait InRegisters: Isa {
    /// The bytes of a register.
    const REGISTER: usize = 64;

    /// How many bytes of numbers are tested at a time, at least, if they or the results are floats: beside fewer the end of a
    /// test would count. (That of integers among themselves is short.)
    const TESTED: usize = 1;

    /// Which byte goes where.
    type Places: Copy;

    /// The places of the bytes of a side's components, which have 2, 4 or 8 bytes. (Of others any.)
    fn places(self, side: Side) -> Self::Places;

    /// Turns the components in so many bytes, which are whole registers.
    ///
    /// # Safety
    /// The pointers are valid for reading and writing them, at any alignment, and don't overlap.
    unsafe fn turn(self, places: Self::Places, src: *const u8, dst: *mut u8, bytes: usize);

    /// The same, by half registers.
    ///
    /// # Safety
    /// As for [`turn`](Self::turn).
    #[inline(always)]
    unsafe fn turn_halves(self, places: Self::Places, src: *const u8, dst: *mut u8, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { self.turn(places, src, dst, bytes) }
    }

    /// Whether a number of a source, which has 2, 4 or 8 bytes, may be unfit, of those in whole registers; the screen is a
    /// single one, if so, and of the kind that the side tells. Of complex numbers it is that of the real parts, and an imaginary part is unfit that is not zero.
    ///
    /// # Safety
    /// `src` is valid for reading so many bytes, at any alignment.
    unsafe fn any_unfit(
        self,
        screen: &Screen,
        single: bool,
        side: Side,
        src: *const u8,
        bytes: usize,
    ) -> bool;

    /// The same of codes of a byte each, where instruction sets have kernels that ask.
    ///
    /// # Safety
    /// `src` is valid for reading so many bytes, which are whole registers.
    #[inline(always)]
    unsafe fn any_past_tops(self, _: &Tops, _: Side, _src: *const u8, _bytes: usize) -> bool {
        true
    }
}

/// Of 16 bytes, which comes to each place, if components of so many, 2, 4 or 8, are turned.
pub(crate) const fn places(width: usize) -> [u8; 16] {
    let mut places = [0; 16];
    let mut i = 0;
    while i < 16 {
        places[i] = (i ^ (width - 1)) as u8;
        i += 1;
    }
    places
}

/// How the elements of a side lie in memory.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    /// The bytes of a component.
    pub(crate) width: usize,
    /// The bits of an element.
    pub(crate) bits: usize,
    /// Whether its numbers are floats.
    pub(crate) is_float: bool,
    /// Whether they are a source of 16 bits whose NaNs fit as numbers of both signs do: see [`Screen::doubles`].
    pub(crate) nan_fits: bool,
    /// Whether they are a source of which numbers next to each other fit, as positive ones that become powers of two.
    pub(crate) is_span: bool,
    /// Whether they are a source of integers without a sign of which those that fit start at zero.
    pub(crate) from_zero: bool,
    /// Whether a step loads or stores half registers of it, as where elements become twice as long, or half as long. (Half
    /// a register takes an instruction more to get, or to put there, than to load or store. And what was just stored in
    /// two parts a CPU doesn't load as one before it is in the cache.)
    pub(crate) halves: bool,
    /// Whether a source is turned some steps ahead, in memory, from which these load it again: where what an instruction
    /// does with a register takes it longer than the same with memory, by more than a store and a load take.
    pub(crate) ahead: bool,
    /// Whether some registers of a source are turned in another way than the others, by instructions whose port has less to do
    /// in a step.
    // (AVX-512 has such ones.)
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) mixed: bool,
    /// How it is told of a source's codes of a byte or less that all fit.
    // (x86-64 alone tests such codes in registers.)
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) tells: Tells,
    /// How many bits of such a byte are above its code.
    // (x86-64 alone tests such codes in registers.)
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) above: usize,
}

impl Side {
    /// That of a dtype, in whole registers.
    pub(crate) const fn of(dtype: DType) -> Self {
        Self {
            width: dtype.component().bits() / 8,
            bits: dtype.bits(),
            is_float: matches!(dtype.component().kind(), Kind::Float),
            nan_fits: false,
            is_span: false,
            from_zero: false,
            halves: false,
            ahead: false,
            mixed: false,
            tells: Tells::Any,
            above: dtype.bits().saturating_sub(dtype.significant_bits()),
        }
    }

    /// Whether an element is two components.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Where such ones are tested in registers.
    pub(crate) const fn is_complex(&self) -> bool {
        self.width > 0 && self.bits == 16 * self.width
    }

    /// Those of a pair, each in half registers, if so.
    pub(crate) const fn both(from: DType, to: DType, [source, results]: [bool; 2]) -> [Self; 2] {
        let source = Self { halves: source, ..Self::of(from) };
        [source.towards(from, to), Self { halves: results, ..Self::of(to) }]
    }

    /// A source with what depends on the pair.
    pub(crate) const fn towards(self, from: DType, to: DType) -> Self {
        Self {
            tells: Tells::of(from, to),
            nan_fits: is_short(from) && has_signed_nan(to) && !self.is_complex(),
            is_span: self.is_float && to.is_powers(),
            from_zero: matches!(from.kind(), Kind::UInt) && !to.is_powers(),
            ..self
        }
    }
}

/// The bytes of the longest step, and of those that are turned ahead.
const LONGEST: usize = 1024;

/// How many bytes ahead a source is turned: what was just stored is loaded again some turns later.
const AHEAD: usize = 256;

/// The bytes of codes of a byte or less that are tested at a time, if they lie in whole registers: what is asked of the largest
/// ones would count beside a step. (Others are taken apart for a step, which the compiler does once for it and for the test
/// before.)
const CODES_TESTED: usize = 512;

/// Casts as many whole steps of `len` elements as there are in `n`, or before one that may be unfit, or, of a source that is
/// turned ahead, as many as its iterations do, and answers how many elements these are.
///
/// # Safety
/// `src` is valid for reading `n` elements and `dst` for writing `n`, at any alignment; they don't overlap. `step` casts
/// `len` elements, which are whole bytes, from one place to another, and a side that is turned whole registers of them.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // A cast's own, and what a step is.
pub(crate) unsafe fn whole_steps<I: InRegisters>(
    isa: I,
    mode: usize,
    [from, to]: [Side; 2],
    len: usize,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    step: impl Fn(*const u8, *mut u8),
) -> usize {
    // SAFETY: the caller's; what is tested is whole registers.
    unsafe {
        tested_steps(
            isa,
            mode,
            [from, to],
            len,
            src,
            dst,
            n,
            params,
            step,
            #[inline(always)]
            |tops, src, bytes| isa.any_past_tops(tops, from, src, bytes),
        )
    }
}

/// The same with another test of codes of a byte or less.
///
/// # Safety
/// As for [`whole_steps`]; the test reads as many bytes as it is told.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // As there.
pub(crate) unsafe fn tested_steps<I: InRegisters>(
    isa: I,
    mode: usize,
    [from, to]: [Side; 2],
    len: usize,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    step: impl Fn(*const u8, *mut u8),
    any_past_tops: impl Fn(&Tops, *const u8, usize) -> bool,
) -> usize {
    let screen = match params.plan().screen() {
        Some(screen) => *screen,
        None if mode == FITTING => return 0,
        None => Screen::NONE,
    };
    let tops = match params.plan().tops() {
        Some(tops) => *tops,
        None if mode == CODES => return 0,
        None => Tops::NONE,
    };
    // (As many integers as a power of two fit others, and of most floats it is magnitudes.)
    let single = from.is_float && !from.is_span || !to.is_float;
    let is_other = single && !screen.is_single() || from.from_zero && screen.addend != 0;
    if mode == FITTING && is_other {
        return 0; // (No pair has such a screen.)
    }
    let (mut source, mut results) = (Buffer::<LONGEST>::new(), Buffer::<LONGEST>::new());
    let (read, written) = (len * from.bits / 8, len * to.bits / 8);
    assert!(read <= LONGEST && written <= LONGEST);
    let from_places = if mode & SOURCE != 0 { Some(isa.places(from)) } else { None };
    let to_places = if mode & RESULTS != 0 { Some(isa.places(to)) } else { None };
    if let Some(places) = from_places
        && from.ahead
    {
        debug_assert_eq!(mode & !BOTH, NONE);
        // SAFETY: the caller's.
        return unsafe {
            steps_turned_ahead(isa, [from, to], len, src, dst, n, (places, to_places), step)
        };
    }
    let tested = match mode {
        FITTING if from.is_float || to.is_float => I::TESTED.div_ceil(read),
        CODES if from.bits != 6 => (CODES_TESTED / read).max(1),
        _ => 1,
    };
    if mode == CODES && from.bits != 6 && read % I::REGISTER != 0 {
        return 0;
    }
    let buffers = [source.start(), results.start()];
    let turns = [(from, from_places, read), (to, to_places, written)];
    let mut i = 0;
    while n - i >= len {
        let steps = if n - i >= tested * len { tested } else { 1 };
        // SAFETY: the caller's: so many steps are left on both sides, and the buffers hold a step of each.
        unsafe {
            let (src, dst) = (src.add(i / 8 * from.bits), dst.add(i / 8 * to.bits));
            // (As two tests, of each of which the compiler knows how long it is.)
            let any = match (mode, steps == tested) {
                (FITTING, true) => isa.any_unfit(&screen, single, from, src, tested * read),
                (FITTING, false) => isa.any_unfit(&screen, single, from, src, read),
                (CODES, true) => any_past_tops(&tops, src, tested * read),
                (CODES, false) => any_past_tops(&tops, src, read),
                _ => false,
            };
            if any {
                break;
            }
            let mut k = 0;
            if mode != FITTING {
                while k < steps {
                    let (src, dst) = (src.add(k * read), dst.add(k * written));
                    turned_step(isa, turns, buffers, src, dst, &step);
                    k += 1;
                }
            } else if steps == tested {
                // (Of a number that it knows the compiler unrolls the loop: a gain where steps are few, as those of numbers.)
                while k < tested {
                    let (src, dst) = (src.add(k * read), dst.add(k * written));
                    turned_step(isa, turns, buffers, src, dst, &step);
                    k += 1;
                }
            } else {
                turned_step(isa, turns, buffers, src, dst, &step);
            }
        }
        i += steps * len;
    }
    i
}

/// Casts a step; sides that have places are turned, by way of their buffers.
///
/// # Safety
/// `step` casts from one place to another what takes the bytes of each side, as is valid here; the buffers hold that, too. A
/// side that is turned is whole registers.
#[inline(always)]
unsafe fn turned_step<I: InRegisters>(
    isa: I,
    [(from, from_places, read), (to, to_places, written)]: [(Side, Option<I::Places>, usize); 2],
    [source, results]: [*mut u8; 2],
    src: *const u8,
    dst: *mut u8,
    step: &impl Fn(*const u8, *mut u8),
) {
    let (mut step_src, mut step_dst) = (src, dst);
    // SAFETY: the caller's; a buffer has been written when it is turned.
    unsafe {
        if let Some(places) = from_places {
            turn(isa, from, places, src, source, read);
            step_src = source;
        }
        if to_places.is_some() {
            step_dst = results;
        }
        step(step_src, step_dst);
        if let Some(places) = to_places {
            turn(isa, to, places, step_dst, dst, written);
        }
    }
}

/// Casts whole steps of `len` elements, each of which is turned in memory some steps before it is cast, while as many are left
/// of `n` as an iteration does, and answers how many elements these are. (By blocks, one loop would wait for the other.)
///
/// # Safety
/// As for [`whole_steps`]; the places are those of the source, and those of the results if they are turned.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // As there.
unsafe fn steps_turned_ahead<I: InRegisters>(
    isa: I,
    [from, to]: [Side; 2],
    len: usize,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    (places, to_places): (I::Places, Option<I::Places>),
    step: impl Fn(*const u8, *mut u8),
) -> usize {
    let (read, written) = (len * from.bits / 8, len * to.bits / 8);
    let (mut source, mut results) = (Buffer::<LONGEST>::new(), Buffer::<LONGEST>::new());
    assert!(LONGEST.is_multiple_of(read) && written <= LONGEST && AHEAD + read.max(64) <= LONGEST);
    // (An iteration does more than one step that is short, or the loop around it would count.)
    let at_once = 64usize.div_ceil(read);
    let (turned, slots) = (at_once * read, LONGEST / (at_once * read));
    let rounds = n / (at_once * len);
    if rounds == 0 {
        return 0;
    }
    let ahead = AHEAD.div_ceil(turned).min(rounds);
    let slots_at = source.start();
    // (The compiler would keep in registers what it knows is read again.)
    let read_at = black_box(slots_at).cast_const();
    // SAFETY: the caller's: so many steps are left, of which the last are turned more than once. `read` divides `LONGEST`, a
    // power of two, and so does `turned`, which is 64 or `read`. Less than `AHEAD + turned` bytes are turned ahead, at most
    // `LONGEST`, which makes `ahead` less than `slots`: the slot of iteration `k + ahead` is none that those from `k` on read
    // before, and past the last iteration none of those left. What is cast has been turned, and its results have been
    // written when they are turned.
    unsafe {
        isa.turn(places, src, slots_at, ahead * turned);
        for k in 0..rounds {
            let (next, slot) = ((k + ahead).min(rounds - 1), (k + ahead) % slots);
            isa.turn(places, src.add(next * turned), slots_at.add(slot * turned), turned);
            let (src, dst) = (read_at.add(k % slots * turned), dst.add(k * at_once * written));
            let mut i = 0;
            while i < at_once {
                let (src, dst) = (src.add(i * read), dst.add(i * written));
                match to_places {
                    None => step(src, dst),
                    Some(places) => {
                        step(src, results.start());
                        turn(isa, to, places, results.start(), dst, written);
                    }
                }
                i += 1;
            }
        }
    }
    rounds * at_once * len
}

/// Turns a step of a side.
///
/// # Safety
/// As for [`InRegisters::turn`].
#[inline(always)]
unsafe fn turn<I: InRegisters>(
    isa: I,
    side: Side,
    places: I::Places,
    src: *const u8,
    dst: *mut u8,
    bytes: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        match side.halves {
            true => isa.turn_halves(places, src, dst, bytes),
            false => isa.turn(places, src, dst, bytes),
        }
    }
}

/// Whether a dtype has floats of 16 bits.
const fn is_short(dtype: DType) -> bool {
    matches!(dtype, DType::Float16 | DType::BFloat16)
}

/// Whether a dtype has floats of either sign, and NaN among them.
const fn has_signed_nan(dtype: DType) -> bool {
    matches!(dtype.numbers(), Numbers::Float(format) if format.signed()) && dtype.has_nan()
}

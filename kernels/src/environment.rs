//! The floating-point environment that a caller may come with: a rounding mode, subnormals taken for
//! zero or flushed, exceptions that trap. A cast's bits are the same in each, and it leaves the
//! control bits as they were.
//!
//! Rust takes the default environment for granted, and so may a kernel. One in whose instructions the
//! environment has a say, be it only whether an exception traps, is *guarded*: the door to it reads
//! the control register and, unless that is as threads start with it, runs the kernel in the default
//! environment and puts the caller's back. (On a Zen 5 reading takes 4 ns, setting and putting back at
//! every call took 7; `benches/environment.rs` shows what is paid.) [`guard`] says which kernels are
//! guarded. The others, which move bits, look them up or convert exactly, pay nothing; but for a few that calculate with many
//! elements only, and look themselves then, see [`run_within`].
//!
//! Reading takes so long because the register holds the exceptions' flags, too: all arithmetic before it must have
//! ended. AVX-512's instructions can be told how to round and to raise no exception, and are in the kernels of the
//! default options. All that the environment decides of them is what becomes of subnormal numbers, and an addition
//! tells that in less than a nanosecond.
//!
//! The exceptions' sticky flags mean nothing after a cast, since a kernel may raise any; but where the
//! environment is another one, no cast raises one.
//!
//! x86-64 is guarded, 32-bit x86 with SSE (and there the x87 unit, by which the compiler converts 64-bit
//! integers), and AArch64. Elsewhere the environment is taken to be the default one, as by all Rust
//! code.

use crate::align;
use crate::dtypes::{DType, Kind};
use crate::options::Options;
use crate::table::{Kernel, Params};

#[cfg(all(target_arch = "x86_64", not(any(simdcast_portable, test))))]
pub(crate) use cpu::mxcsr;

/// What of a level's instructions the environment decides.
#[derive(Clone, Copy)]
pub(crate) enum Arithmetic {
    /// What all that calculates is told: the rounding, subnormals, traps.
    Ambient,
    /// Only whether subnormal numbers are kept, of those instructions that take or give them: the rest round as the
    /// instruction says, or not at all, and raise no exception.
    Explicit,
}

/// What of the environment must be as threads start with it, for a kernel to be run as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Nothing.
    None,
    /// What becomes of subnormal numbers.
    Subnormals,
    /// All.
    All,
}

impl Guard {
    /// Whether the environment is so.
    ///
    /// # Safety
    /// It guards a kernel that the CPU can run.
    #[inline(always)]
    pub(crate) unsafe fn lets_pass(self) -> bool {
        match self {
            Self::None => true,
            // SAFETY: the caller's; on x86-64 only kernels with AVX-512 are guarded so, see [`guard`].
            Self::Subnormals => unsafe { cpu::keeps_subnormals() },
            Self::All => cpu::is_default(),
        }
    }
}

/// What guards the kernel of a pair: whether it has instructions that depend on the environment, or could trap. One that
/// is too little is found by `tests/environment.rs`, which runs every kernel in every environment and sees that no flag
/// is raised.
pub(crate) const fn guard(
    from: DType,
    to: DType,
    options: &Options,
    arithmetic: Arithmetic,
) -> Guard {
    let (from, to) = (from.component(), to.component());
    if !is_float(from) && !is_float(to) {
        return Guard::None;
    } else if !options.is_default() {
        return Guard::All;
    }
    match arithmetic {
        Arithmetic::Explicit if has_subnormals(from, to) => Guard::Subnormals,
        Arithmetic::Ambient if calculates(from, to) => Guard::All,
        _ => Guard::None,
    }
}

/// Whether a cast reads float32s that may be subnormal, or writes them, as anything but bits, and that shows: what else
/// they become, narrower floats and integers, is 0.
const fn has_subnormals(from: DType, to: DType) -> bool {
    use DType::{BFloat16, Float8E8M0Fnu, Float32, Float64};
    matches!(
        (from, to),
        (Float8E8M0Fnu | BFloat16 | Float32, Float64) | (Float64, BFloat16 | Float32)
    )
}

/// Whether a cast is more than looking codes up, moving bits and converting exactly.
const fn calculates(from: DType, to: DType) -> bool {
    use DType::{Float8E8M0Fnu, Float32, Float64, Int16, Int32, UInt16};
    if from as u8 == to as u8 {
        return false;
    }
    let wide_int = !is_float(to) && to.bits() > 8;
    match (from, to) {
        // Codes of a byte are looked up, or what comes of them is exact. But on the way to an integer
        // it may be more than fits, and 2^-127 is a subnormal float32.
        (Float8E8M0Fnu, Float64) => true,
        // (An AArch64's instruction that makes float64s of float32s makes the default NaN of every one, if that is asked for.)
        (_, Float64) if from.bits() == 8 && from.has_nan() => cfg!(target_arch = "aarch64"),
        _ if from.bits() == 8 => is_float(from) && wide_int,
        // Exact. (A sum, whose zero would have the sign that the rounding gives it, runs in the default environment by itself: see
        // `run_within`.)
        (Int16 | UInt16, Float32 | Float64) | (Int32, Float64) => false,
        _ => true,
    }
}

/// The pairs that are guarded under the default options: a bit for each destination.
static BY_DEFAULT: [[u64; DType::COUNT]; 2] =
    [by_default(Arithmetic::Ambient), by_default(Arithmetic::Explicit)];

const fn by_default(arithmetic: Arithmetic) -> [u64; DType::COUNT] {
    let mut rows = [0; DType::COUNT];
    let mut i = 0;
    while i < DType::COUNT * DType::COUNT {
        let (from, to) = (DType::ALL[i / DType::COUNT], DType::ALL[i % DType::COUNT]);
        let guarded = !matches!(guard(from, to, &Options::DEFAULT, arithmetic), Guard::None);
        rows[from as usize] |= (guarded as u64) << to as u32;
        i += 1;
    }
    rows
}

/// As [`guard`] under the default options, looked up.
#[inline(always)]
pub(crate) fn guard_by_default(from: DType, to: DType, arithmetic: Arithmetic) -> Guard {
    let (rows, guard) = match arithmetic {
        Arithmetic::Ambient => (&BY_DEFAULT[0], Guard::All),
        Arithmetic::Explicit => (&BY_DEFAULT[1], Guard::Subnormals),
    };
    if rows[from as usize] >> to as u32 & 1 != 0 { guard } else { Guard::None }
}

const fn is_float(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Float)
}

/// Runs a kernel, in the default environment if that matters to it.
///
/// # Safety
/// As for the kernel, see [`Kernel`], which has that guard.
#[inline(always)]
pub(crate) unsafe fn run(
    guard: Guard,
    kernel: Kernel,
    params: &Params,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        if !align::is_short(n) && (params.in_parts || n > align::MOST) {
            run_apart(src, dst, n, params, kernel, guard)
        } else if guard.lets_pass() {
            kernel(src, dst, n, params)
        } else {
            in_default(src, dst, n, params, kernel, true)
        }
    }
}

/// Runs a part of an unguarded kernel in the default environment, by one call: how a long cast is split has been decided.
///
/// # Safety
/// As for the kernel, see [`Kernel`]; the part may do less than is asked for.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
#[inline(always)]
pub(crate) unsafe fn run_within(
    part: Kernel,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        match cpu::is_default() {
            true => part(src, dst, n, params),
            false => in_default(src, dst, n, params, part, false),
        }
    }
}

/// What takes more than a call of the kernel: a function of its own, so that a typed cast stays small
/// enough to be inlined, with its arguments in the kernel's order, so that they need not be moved.
///
/// # Safety
/// As for the kernel, see [`Kernel`].
#[inline(never)]
unsafe fn run_apart(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    kernel: Kernel,
    guard: Guard,
) -> usize {
    // SAFETY: the caller's.
    unsafe { run_here(src, dst, n, params, kernel, guard) }
}

/// The same in a function that is apart.
///
/// # Safety
/// As for the kernel, see [`Kernel`].
#[inline(always)]
pub(crate) unsafe fn run_here(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    kernel: Kernel,
    guard: Guard,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        if guard.lets_pass() {
            align::run(kernel, params, src, dst, n)
        } else {
            in_default(src, dst, n, params, kernel, true)
        }
    }
}

/// A kernel, what it is to be run with, and what it answered.
struct Call<'a> {
    kernel: Kernel,
    params: &'a Params,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    /// Whether it may be called more than once, as suits the buffers.
    splits: bool,
    done: usize,
}

impl Call<'_> {
    /// # Safety
    /// As for the kernel, see [`Kernel`].
    unsafe fn run(&mut self) {
        let Self { kernel, params, src, dst, n, .. } = *self;
        // SAFETY: the caller's.
        self.done = unsafe {
            match self.splits {
                true => align::run(kernel, params, src, dst, n),
                false => kernel(src, dst, n, params),
            }
        };
    }
}

/// Runs a kernel in the default environment, and puts back the caller's.
///
/// # Safety
/// As for the kernel, see [`Kernel`].
#[cold]
#[inline(never)]
unsafe fn in_default(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    kernel: Kernel,
    splits: bool,
) -> usize {
    let mut call = Call { kernel, params, src, dst, n, splits, done: 0 };
    // SAFETY: the caller's.
    unsafe { cpu::in_default(&mut call) };
    call.done
}

// In each of these the environment is set, the kernel called, and the environment put back by one
// block of assembly. So the compiler cannot move arithmetic across either change, and sees none: a
// block that leaves the registers as it found them is what its rules for assembly ask for.

#[cfg(target_arch = "x86_64")]
mod cpu {
    use super::Call;
    use core::arch::asm;
    use core::mem::MaybeUninit;

    /// MXCSR as threads start with it: exceptions masked, to nearest, subnormals kept.
    const DEFAULT: u32 = 0x1f80;
    /// Its bits but the flags: masks, rounding, flush-to-zero, denormals-are-zero.
    const CONTROL: u32 = 0xffc0;

    /// The control register.
    #[inline(always)]
    pub(crate) fn mxcsr() -> u32 {
        let mut word = MaybeUninit::<u32>::uninit();
        // SAFETY: the instruction, which every x86-64 CPU has, writes the word.
        unsafe {
            let word = word.as_mut_ptr();
            asm!("stmxcsr [{}]", in(reg) word, options(nostack, preserves_flags));
        }
        // SAFETY: just written.
        unsafe { word.assume_init() }
    }

    #[inline(always)]
    pub(super) fn is_default() -> bool {
        mxcsr() & CONTROL == DEFAULT
    }

    /// Whether a sum of a subnormal number and zero is that number: not if it is taken for zero, or flushed as a
    /// result. The instruction raises no exception.
    ///
    /// # Safety
    /// The CPU has AVX-512.
    #[inline(always)]
    pub(super) unsafe fn keeps_subnormals() -> bool {
        let subnormal = f32::from_bits(1 << 22);
        let sum: f32;
        // SAFETY: the caller's; it only calculates.
        unsafe {
            asm!(
                "vaddss {sum}, {subnormal}, {zero}, {{rn-sae}}",
                sum = lateout(xmm_reg) sum,
                subnormal = in(xmm_reg) subnormal,
                zero = in(xmm_reg) 0f32,
                options(nomem, nostack, preserves_flags),
            );
        }
        sum.to_bits() == subnormal.to_bits()
    }

    /// # Safety
    /// As for [`Call::run`].
    pub(super) unsafe fn in_default(call: &mut Call<'_>) {
        let (before, default) = (mxcsr(), DEFAULT);
        // SAFETY: the caller's. `run` is called as its convention has it: the argument in rdi, the
        // stack aligned (no `nostack`), what it may overwrite named as clobbered; r12 is kept by it.
        // MXCSR is again what it was.
        unsafe {
            asm!(
                "ldmxcsr [{default}]",
                "call {run}",
                "ldmxcsr [r12]",
                default = in(reg) &default,
                run = in(reg) run as unsafe extern "sysv64" fn(*mut Call<'_>),
                in("r12") &before,
                in("rdi") call,
                clobber_abi("sysv64"),
            );
        }
    }

    /// # Safety
    /// As for [`Call::run`]; nothing else uses the call meanwhile.
    unsafe extern "sysv64" fn run(call: *mut Call<'_>) {
        // SAFETY: the caller's.
        unsafe { (*call).run() };
    }
}

#[cfg(all(target_arch = "x86", target_feature = "sse"))]
mod cpu {
    use super::Call;
    use core::arch::asm;

    /// MXCSR and the x87 unit's control word as threads start with them: exceptions masked, to
    /// nearest, subnormals kept, 64 bits of precision.
    const DEFAULT: (u32, u32) = (0x1f80, 0x037f);
    /// MXCSR's bits but the flags, and the control word's that mean something.
    const CONTROL: (u32, u32) = (0xffc0, 0x0f3f);

    pub(super) fn is_default() -> bool {
        let (mut mxcsr, mut x87) = (0u32, 0u32);
        // SAFETY: the instructions write a word, and half of one.
        unsafe {
            asm!(
                "stmxcsr [{}]",
                "fnstcw [{}]",
                in(reg) &mut mxcsr,
                in(reg) &mut x87,
                options(nostack, preserves_flags),
            );
        }
        mxcsr & CONTROL.0 == DEFAULT.0 && x87 & CONTROL.1 == DEFAULT.1 & CONTROL.1
    }

    /// The x87 unit's environment and MXCSR, the caller's, then the control words to run with.
    #[repr(C)]
    struct Words {
        before: [u32; 8],
        x87: u32,
        mxcsr: u32,
    }

    /// The same: only of x86-64 are there kernels that ask for less.
    ///
    /// # Safety
    /// None.
    #[inline(always)]
    pub(super) unsafe fn keeps_subnormals() -> bool {
        is_default()
    }

    /// # Safety
    /// As for [`Call::run`].
    pub(super) unsafe fn in_default(call: &mut Call<'_>) {
        let mut words = Words { before: [0; 8], x87: DEFAULT.1, mxcsr: DEFAULT.0 };
        // SAFETY: the caller's. `run` is called as its convention has it: the argument in ecx, the
        // stack aligned (no `nostack`), what it may overwrite named as clobbered; edi is kept by it.
        // The environment of 28 bytes is stored and put back with its flags, so that none is left
        // for the caller's next x87 instruction to trap on; MXCSR is again what it was.
        unsafe {
            asm!(
                "fnstenv [edi]",
                "stmxcsr [edi + 28]",
                "fldcw [edi + 32]",
                "ldmxcsr [edi + 36]",
                "call {run}",
                "ldmxcsr [edi + 28]",
                "fldenv [edi]",
                run = in(reg) run as unsafe extern "fastcall" fn(*mut Call<'_>),
                in("edi") &mut words,
                in("ecx") call,
                clobber_abi("fastcall"),
            );
        }
    }

    /// # Safety
    /// As for [`Call::run`]; nothing else uses the call meanwhile.
    unsafe extern "fastcall" fn run(call: *mut Call<'_>) {
        // SAFETY: the caller's.
        unsafe { (*call).run() };
    }
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod cpu {
    use super::Call;
    use core::arch::asm;

    /// Whether all bits of FPCR are zero, as threads start: to nearest, ties to even, subnormals kept,
    /// NaNs with their payload, IEEE half precision, no traps.
    #[inline(always)]
    pub(super) fn is_default() -> bool {
        let word: u64;
        // SAFETY: only reads.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
        word == 0
    }

    /// The same: only of x86-64 are there kernels that ask for less.
    ///
    /// # Safety
    /// None.
    #[inline(always)]
    pub(super) unsafe fn keeps_subnormals() -> bool {
        is_default()
    }

    /// # Safety
    /// As for [`Call::run`].
    pub(super) unsafe fn in_default(call: &mut Call<'_>) {
        // SAFETY: the caller's. `run` is called as its convention has it: the argument in x0, the
        // stack aligned (no `nostack`), what it may overwrite named as clobbered, the link register
        // too; x20 and x21 are kept by it. FPCR and the flags are again what they were.
        unsafe {
            asm!(
                "mrs x20, fpcr",
                "mrs x21, fpsr",
                "msr fpcr, xzr",
                "blr {run}",
                "msr fpsr, x21",
                "msr fpcr, x20",
                run = in(reg) run as unsafe extern "C" fn(*mut Call<'_>),
                in("x0") call,
                out("x20") _,
                out("x21") _,
                clobber_abi("C"),
            );
        }
    }

    /// # Safety
    /// As for [`Call::run`]; nothing else uses the call meanwhile.
    unsafe extern "C" fn run(call: *mut Call<'_>) {
        // SAFETY: the caller's.
        unsafe { (*call).run() };
    }
}

#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "x86", target_feature = "sse"),
    all(target_arch = "aarch64", target_feature = "neon")
)))]
mod cpu {
    use super::Call;

    /// Taken for granted.
    #[inline(always)]
    pub(super) const fn is_default() -> bool {
        true
    }

    /// The same: only of x86-64 are there kernels that ask for less.
    ///
    /// # Safety
    /// None.
    #[inline(always)]
    pub(super) unsafe fn keeps_subnormals() -> bool {
        is_default()
    }

    /// # Safety
    /// As for [`Call::run`].
    pub(super) unsafe fn in_default(call: &mut Call<'_>) {
        // SAFETY: the caller's.
        unsafe { call.run() };
    }
}

//! The C library's functions. What they mean, argument by argument, is said where C programmers read
//! it: in `include/simdcast.h`, which a test compares with these.
//!
//! A function here turns pointers, codes and names into slices, dtypes and options, or into a status and
//! a message; what it then calls is the Rust library. Whatever happens inside, nothing unwinds into C.

mod arguments;
mod dtypes;
mod failure;
mod options;

pub use dtypes::{
    simdcast_dtype_bytes, simdcast_dtype_count, simdcast_dtype_from_dlpack,
    simdcast_dtype_from_name, simdcast_dtype_get_info, simdcast_dtype_info, simdcast_dtype_name,
};
pub use failure::{Status, simdcast_last_error, simdcast_last_error_index, simdcast_last_status};
pub use options::simdcast_options;

use crate::cast::Cast;
use crate::error::CastError;
use crate::parallel::{ALL, Threads};
use crate::promotion::{self, Casting, Operand, PromotionError, Scalar, System};
use crate::strided::view_error;
use crate::{is_lossless, isa};
use arguments::{
    Side, apart, array, check, dtype, dtype_with, needed, source, target, text, written,
};
use failure::{Failure, status_of, value_of};
use options::Called;
use simdcast_kernels::{
    DType, InOrder, Join, Kernel, LayoutError, MaskedKernel, RunError, StridedView, StridedViewMut,
    run_pair_defaults,
};
use std::ffi::{CString, c_char, c_void};
use std::mem::MaybeUninit;
use std::num::NonZeroUsize;
use std::sync::OnceLock;

/// The version of this border: it changes when something here changes that a program could be compiled
/// against. (What is added changes nothing.)
pub const ABI_VERSION: u32 = 1;

/// A resolved cast, to be run many times.
#[allow(non_camel_case_types)] // As the header has it.
#[derive(Debug)]
pub struct simdcast_plan {
    kernel: Kernel,
    threads: u32,
}

fn resolved(from: Side, to: Side, called: &Called) -> Kernel {
    let kernel = Kernel::new(from.dtype, to.dtype, &called.options);
    let sides = [from, to].map(Side::is_swapped);
    if sides == [false; 2] { kernel } else { kernel.with_swapped(sides) }
}

/// The source and the destination of a flat cast: exactly the bytes of so many elements.
///
/// # Safety
/// `src` is valid for reading `src_bytes` bytes and `dst` for writing `dst_bytes`, as far as they are
/// not null.
#[inline]
unsafe fn buffers<'a>(
    dtypes: [DType; 2],
    (src, src_bytes): (*const c_void, usize),
    (dst, dst_bytes): (*mut c_void, usize),
    elements: usize,
) -> Result<(&'a [u8], &'a mut [MaybeUninit<u8>]), Failure> {
    let reads = needed("src_bytes", dtypes[0], elements, src_bytes)?;
    let writes = needed("dst_bytes", dtypes[1], elements, dst_bytes)?;
    apart(("src", src.addr(), reads), ("dst", dst.addr(), writes))?;
    // SAFETY: the caller's, for at most as many bytes, of which no one is in both.
    unsafe { Ok((source("src", src, reads)?, target("dst", dst, writes)?)) }
}

/// Runs a kernel by so many threads, as the options count them.
fn run(
    kernel: &Kernel,
    threads: u32,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
    n: usize,
) -> Result<(), Failure> {
    let result = match threads {
        1 => kernel.run(src, dst, n),
        other => kernel.run_in_parts(src, dst, n, &by(other)),
    };
    result.map_err(|error| CastError::from_run(error, kernel, src).into())
}

/// The threads that the options ask for.
fn by(threads: u32) -> Threads {
    match NonZeroUsize::new(threads as usize) {
        None => ALL,
        Some(limit) => Threads::at_most(limit),
    }
}

/// See the header.
///
/// # Safety
/// Pointers are null or valid as the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_cast(
    from: i32,
    src: *const c_void,
    src_bytes: usize,
    to: i32,
    dst: *mut c_void,
    dst_bytes: usize,
    elements: usize,
    options: *const simdcast_options,
) -> i32 {
    status_of(|| {
        let (from, to) = (Side::of("from", from)?, Side::of("to", to)?);
        // SAFETY: the caller's.
        unsafe {
            let called = Called::read(options)?;
            let dtypes = [from.dtype, to.dtype];
            let (src, dst) = buffers(dtypes, (src, src_bytes), (dst, dst_bytes), elements)?;
            if called.is_default() && !from.is_swapped() && !to.is_swapped() {
                // The same cast, with less to set up.
                if run_pair_defaults((from.dtype, to.dtype), src, dst, elements).is_ok() {
                    return Ok(());
                }
                unreachable!(
                    "these are the bytes of the elements, and the default options refuse none"
                );
            }
            run(&resolved(from, to, &called), called.threads, src, dst, elements)
        }
    })
}

/// See the header.
///
/// # Safety
/// Pointers are null or valid as the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_plan_new(
    from: i32,
    to: i32,
    options: *const simdcast_options,
) -> *mut simdcast_plan {
    value_of(std::ptr::null_mut(), || {
        let (from, to) = (Side::of("from", from)?, Side::of("to", to)?);
        // SAFETY: the caller's.
        let called = unsafe { Called::read(options)? };
        let plan = simdcast_plan { kernel: resolved(from, to, &called), threads: called.threads };
        Ok(Box::into_raw(Box::new(plan)))
    })
}

/// See the header.
///
/// # Safety
/// `plan` is null or came from [`simdcast_plan_new`], and was not freed; the other pointers are null or
/// valid as the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_plan_run(
    plan: *const simdcast_plan,
    src: *const c_void,
    src_bytes: usize,
    dst: *mut c_void,
    dst_bytes: usize,
    elements: usize,
) -> i32 {
    status_of(|| {
        // SAFETY: the caller's: a plan is not changed after it was made.
        unsafe {
            let plan = plan.as_ref().ok_or_else(|| Failure::null("plan"))?;
            let dtypes = [plan.kernel.from(), plan.kernel.to()];
            let (src, dst) = buffers(dtypes, (src, src_bytes), (dst, dst_bytes), elements)?;
            run(&plan.kernel, plan.threads, src, dst, elements)
        }
    })
}

/// See the header.
///
/// # Safety
/// `plan` is null or came from [`simdcast_plan_new`]; it is used by no one any more, and was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_plan_free(plan: *mut simdcast_plan) {
    if !plan.is_null() {
        // SAFETY: the caller's: it is a box that was given away.
        drop(unsafe { Box::from_raw(plan) });
    }
}

/// See the header.
///
/// # Safety
/// Pointers are null or valid as the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_cast_masked(
    from: i32,
    src: *const c_void,
    src_bytes: usize,
    to: i32,
    dst: *mut c_void,
    dst_bytes: usize,
    valid: *mut u8,
    valid_bytes: usize,
    elements: usize,
    options: *const simdcast_options,
) -> i32 {
    status_of(|| {
        let (from, to) = (Side::of("from", from)?, Side::of("to", to)?);
        // SAFETY: the caller's; the bitmap shares no byte with the others.
        unsafe {
            let called = Called::read(options)?;
            let dtypes = [from.dtype, to.dtype];
            let (given, valid) = (valid_bytes, valid.cast::<c_void>());
            let bits = needed("valid_bytes", DType::Bool1x8, elements, given)?;
            let (src, dst) = buffers(dtypes, (src, src_bytes), (dst, dst_bytes), elements)?;
            apart(("src", src.as_ptr().addr(), src.len()), ("valid", valid.addr(), bits))?;
            apart(("dst", dst.as_ptr().addr(), dst.len()), ("valid", valid.addr(), bits))?;
            let valid = target("valid", valid, bits)?;
            let masked = MaskedKernel::new(from.dtype, to.dtype, &called.options)
                .with_swapped([from, to].map(Side::is_swapped));
            let result = masked.run_in_parts(src, dst, valid, elements, &by(called.threads));
            result.map_err(|error| CastError::from_run(error, masked.kernel(), src).into())
        }
    })
}

/// See the header.
///
/// # Safety
/// Pointers are null or valid as the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_cast_same_value(
    from: i32,
    src: *const c_void,
    src_bytes: usize,
    to: i32,
    dst: *mut c_void,
    dst_bytes: usize,
    elements: usize,
) -> i32 {
    status_of(|| {
        let (from, to) = (Side::of("from", from)?, Side::of("to", to)?);
        let cast = Cast::new(from.dtype, to.dtype, Default::default())?
            .with_byte_order(from.order, to.order);
        // SAFETY: the caller's.
        unsafe {
            let dtypes = [from.dtype, to.dtype];
            let (src, dst) = buffers(dtypes, (src, src_bytes), (dst, dst_bytes), elements)?;
            Ok(cast.run_same_value_into(src, dst, elements, &InOrder)?)
        }
    })
}

/// See the header.
///
/// # Safety
/// `buffer` is null or valid as the header has it: the bytes of the larger side have been written to, with whatever.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_cast_in_place(
    from: i32,
    to: i32,
    buffer: *mut c_void,
    buffer_bytes: usize,
    elements: usize,
    options: *const simdcast_options,
) -> i32 {
    status_of(|| {
        let (from, to) = (Side::of("from", from)?, Side::of("to", to)?);
        // SAFETY: the caller's; the bytes of the larger of both sides are all that is used.
        unsafe {
            let called = Called::read(options)?;
            let bytes = needed("buffer_bytes", from.dtype, elements, buffer_bytes)?.max(needed(
                "buffer_bytes",
                to.dtype,
                elements,
                buffer_bytes,
            )?);
            let buffer = written(target("buffer", buffer, bytes)?);
            let kernel = resolved(from, to, &called);
            let result = kernel.run_in_place(buffer, elements);
            result.map_err(|error| CastError::from_run(error, &kernel, buffer).into())
        }
    })
}

/// See the header.
///
/// # Safety
/// Pointers are null or valid as the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_cast_strided(
    from: i32,
    src: *const c_void,
    src_bytes: usize,
    src_offset: usize,
    src_strides: *const isize,
    to: i32,
    dst: *mut c_void,
    dst_bytes: usize,
    dst_offset: usize,
    dst_strides: *const isize,
    shape: *const usize,
    ndim: usize,
    options: *const simdcast_options,
) -> i32 {
    status_of(|| {
        let (from, to) = (Side::of("from", from)?, Side::of("to", to)?);
        // SAFETY: the caller's; where there are elements the buffers are not null, and share no byte. The views have no
        // others than the elements'.
        unsafe {
            let called = Called::read(options)?;
            if ndim > MOST_DIMENSIONS {
                return Err(Failure::layout("ndim", LayoutError::Dimensions { given: ndim }));
            }
            let shape = array("shape", shape, ndim)?;
            let strides = |name, strides: *const isize| match strides.is_null() {
                true => Ok(None),
                false => array(name, strides, ndim).map(Some),
            };
            let src_strides = strides("src_strides", src_strides)?;
            let dst_strides = strides("dst_strides", dst_strides)?;
            for (name, strides, offset, bytes) in [
                ("src_offset", src_strides, src_offset, src_bytes),
                ("dst_offset", dst_strides, dst_offset, dst_bytes),
            ] {
                if strides.is_none() && offset > bytes {
                    return Err(Failure::offset(name, offset, bytes));
                }
            }
            if !shape.contains(&0) {
                check("src", src.addr(), src_bytes)?;
                check("dst", dst.addr(), dst_bytes)?;
                apart(("src", src.addr(), src_bytes), ("dst", dst.addr(), dst_bytes))?;
            }
            // (Not the buffers as slices: between the elements of each there may be what others use.)
            let (sides, src, dst) = ([from, to], src.cast(), dst.cast());
            let (from, to) = (from.dtype, to.dtype);
            let src = StridedView::within(from, src, src_bytes, src_offset, shape, src_strides)
                .map_err(|error| Failure::layout("src", error))?;
            let mut dst =
                StridedViewMut::within(to, dst, dst_bytes, dst_offset, shape, dst_strides)
                    .map_err(|error| Failure::layout("dst", error))?;
            let kernel = resolved(sides[0], sides[1], &called);
            match called.threads {
                1 => strided(&kernel, &src, &mut dst, &InOrder),
                other => strided(&kernel, &src, &mut dst, &by(other)),
            }
        }
    })
}

/// The dimensions of views.
const MOST_DIMENSIONS: usize = 32;

fn strided(
    kernel: &Kernel,
    src: &StridedView<'_>,
    dst: &mut StridedViewMut<'_>,
    join: &impl Join,
) -> Result<(), Failure> {
    let result: Result<(), RunError> = kernel.run_strided(src, dst, join);
    result.map_err(|error| view_error(error, kernel, src).into())
}

/// What stands for a Python number among operands: this, and the code of its kind.
const SCALAR: i32 = 0x1000;

/// What marks a tensor without dimensions among operands.
const ZERO_DIM: i32 = 0x2000;

fn operand(name: &str, code: i32) -> Result<Operand, Failure> {
    if let Some(scalar) = Scalar::ALL.into_iter().find(|&kind| code == SCALAR + kind as i32) {
        Ok(scalar.into())
    } else if code >= 0 && code & ZERO_DIM != 0 {
        Ok(Operand::ZeroDim(dtype_with(name, code, ZERO_DIM)?.into()))
    } else {
        Ok(dtype(name, code)?.into())
    }
}

/// # Safety
/// `name` is null or ends in a zero byte.
unsafe fn system(name: *const c_char) -> Result<System, Failure> {
    // SAFETY: the caller's.
    let name = unsafe { text("system", name)? };
    name.parse().map_err(|unknown| Failure::new(Status::System, &unknown))
}

fn meet(system: System, operands: &[Operand]) -> Result<i32, Failure> {
    match promotion::resolve_all(system, operands) {
        Some(common) => Ok(i32::from(common.dtype.code())),
        None => {
            let error = PromotionError::of(system.as_ref(), operands);
            Err(Failure::new(Status::Undefined, &error))
        }
    }
}

/// See the header.
///
/// # Safety
/// `name` is null or ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_promote(name: *const c_char, a: i32, b: i32) -> i32 {
    value_of(-1, || {
        // SAFETY: the caller's.
        let system = unsafe { system(name)? };
        meet(system, &[operand("a", a)?, operand("b", b)?])
    })
}

/// See the header.
///
/// # Safety
/// `name` is null or ends in a zero byte; `operands` is null or valid for reading `count` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_promote_all(
    name: *const c_char,
    operands: *const i32,
    count: usize,
) -> i32 {
    value_of(-1, || {
        // SAFETY: the caller's.
        let (system, codes) = unsafe { (system(name)?, array("operands", operands, count)?) };
        let operands: Result<Vec<_>, _> =
            codes.iter().map(|&code| operand("operands", code)).collect();
        meet(system, &operands?)
    })
}

/// See the header.
///
/// # Safety
/// `name` is null or ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_can_cast(
    name: *const c_char,
    from: i32,
    to: i32,
    casting: i32,
) -> i32 {
    use Casting::{Default, Equiv, No, Safe, SameKind, SameValue, Unsafe};
    const RULES: [Casting; 7] = [Default, No, Equiv, Safe, SameKind, Unsafe, SameValue];
    value_of(-1, || {
        // SAFETY: the caller's.
        let system = unsafe { system(name)? };
        let (from, to) = (dtype("from", from)?, dtype("to", to)?);
        let rule = RULES.into_iter().find(|&rule| rule as i32 == casting);
        let rule = rule.ok_or_else(|| {
            Failure::new(Status::Option, &format_args!("casting cannot be {casting}: 0 to 6 can"))
        })?;
        match promotion::can_cast(system, from, to, rule) {
            Some(answer) => Ok(i32::from(answer)),
            None => {
                let said = format_args!("{system} does not say of {from} to {to} ({rule:?})");
                Err(Failure::new(Status::Undefined, &said))
            }
        }
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_is_lossless(from: i32, to: i32) -> i32 {
    value_of(-1, || Ok(i32::from(is_lossless(dtype("from", from)?, dtype("to", to)?))))
}

/// The names of all levels as C has them, in their order.
fn isa_names() -> &'static [CString] {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    NAMES.get_or_init(|| {
        isa::levels().iter().map(|level| CString::new(level.name()).unwrap_or_default()).collect()
    })
}

fn isa_name(level: &isa::Level) -> Option<*const c_char> {
    let at = isa::levels().iter().position(|other| other == level)?;
    Some(isa_names().get(at)?.as_ptr())
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_isa() -> *const c_char {
    value_of(c"".as_ptr(), || Ok(isa_name(isa::current()).unwrap_or(c"".as_ptr())))
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_isa_at(index: usize) -> *const c_char {
    value_of(std::ptr::null(), || {
        Ok(isa::available().nth(index).and_then(isa_name).unwrap_or(std::ptr::null()))
    })
}

/// See the header.
///
/// # Safety
/// `name` is null or ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_set_isa(name: *const c_char) -> i32 {
    status_of(|| {
        // SAFETY: the caller's.
        let name = unsafe { text("name", name)? };
        isa::set(&name)?;
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_abi_version() -> u32 {
    ABI_VERSION
}

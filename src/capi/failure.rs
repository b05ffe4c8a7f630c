//! What a C caller is told of a call that failed: a status, and of the thread's last such call a message
//! and an index.

use crate::error::CastError;
use simdcast_kernels::LayoutError;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What functions of the C library answer. The numbers never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[non_exhaustive]
pub enum Status {
    /// All went well.
    Ok = 0,
    /// A pointer is null that must not be.
    Null = 1,
    /// No dtype has this code or name.
    DType = 2,
    /// A buffer is too short for the elements, or they are more than memory can hold.
    Length = 3,
    /// Two buffers share bytes.
    Overlap = 4,
    /// An option has a value that it cannot have.
    Option = 5,
    /// An element does not fit the destination, in a cast that checks.
    Unfit = 6,
    /// The value of an element would change, in a cast that must not change any.
    Changed = 7,
    /// No instruction set of that name can be used.
    Isa = 8,
    /// A shape and strides that no view can have.
    Layout = 9,
    /// No promotion system has that name.
    System = 10,
    /// The promotion system leaves it undefined.
    Undefined = 11,
    /// Something went wrong in the library itself.
    Internal = 12,
}

/// Why a call failed.
pub(super) struct Failure {
    status: Status,
    message: String,
    /// The first bad element, if it was one.
    index: usize,
}

impl Failure {
    #[cold]
    pub(super) fn new(status: Status, message: &dyn Display) -> Self {
        Self { status, message: message.to_string(), index: usize::MAX }
    }

    #[cold]
    pub(super) fn null(argument: &str) -> Self {
        Self::new(Status::Null, &format_args!("{argument} is null"))
    }

    #[cold]
    pub(super) fn layout(argument: &str, error: LayoutError) -> Self {
        Self::new(Status::Layout, &format_args!("{argument}: {error}"))
    }

    #[cold]
    pub(super) fn offset(argument: &str, offset: usize, bytes: usize) -> Self {
        let said =
            format_args!("{argument} is {offset}, past the end of a buffer of {bytes} bytes");
        Self::new(Status::Layout, &said)
    }

    /// Of a panic, which no use of the library should bring about.
    #[cold]
    fn panicked(payload: &(dyn Any + Send)) -> Self {
        let said = payload.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Self::new(Status::Internal, &format_args!("the library panicked: {said}"))
    }

    /// Keeps it as the thread's last.
    #[cold]
    fn tell(self) -> i32 {
        let Self { status, message, index } = self;
        let message = CString::new(message.replace('\0', "\u{fffd}")).unwrap_or_default();
        // A thread that is ending may have lost the place to keep it.
        let _ = LAST.try_with(|last| *last.borrow_mut() = Some(Last { status, message, index }));
        status as i32
    }
}

impl From<CastError> for Failure {
    #[cold]
    fn from(error: CastError) -> Self {
        let (status, index) = match error {
            CastError::Unfit { index, .. } => (Status::Unfit, index),
            CastError::Changed { index, .. } => (Status::Changed, index),
            CastError::UnknownDType(_) | CastError::DType { .. } => (Status::DType, usize::MAX),
            CastError::BadOption(_) => (Status::Option, usize::MAX),
            CastError::Isa { .. } => (Status::Isa, usize::MAX),
            CastError::Layout(_) | CastError::Shapes { .. } => (Status::Layout, usize::MAX),
            _ => (Status::Length, usize::MAX),
        };
        Self { status, message: error.to_string(), index }
    }
}

/// What a thread is told of its last call that failed.
struct Last {
    status: Status,
    message: CString,
    index: usize,
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

/// Something of this thread's last call that failed, if one has.
fn of_last<T>(part: impl Fn(&Last) -> T) -> Option<T> {
    LAST.try_with(|last| last.borrow().as_ref().map(part)).ok().flatten()
}

/// The status of what was done. Nothing unwinds out of it.
#[inline]
pub(super) fn status_of(body: impl FnOnce() -> Result<(), Failure>) -> i32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => failure.tell(),
        Err(payload) => Failure::panicked(&*payload).tell(),
    }
}

/// What was found, or in its place `failed`. Nothing unwinds out of it.
#[inline]
pub(super) fn value_of<T>(failed: T, body: impl FnOnce() -> Result<T, Failure>) -> T {
    let mut found = failed;
    status_of(|| {
        found = body()?;
        Ok(())
    });
    found
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_last_error() -> *const c_char {
    of_last(|last| last.message.as_ptr()).unwrap_or(c"".as_ptr())
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_last_status() -> i32 {
    of_last(|last| last.status).unwrap_or(Status::Ok) as i32
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_last_error_index() -> usize {
    of_last(|last| last.index).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn panics_become_a_status() {
        let told = |status: i32| {
            assert_eq!(status, Status::Internal as i32);
            // SAFETY: the library's strings end in a zero byte.
            unsafe { CStr::from_ptr(simdcast_last_error()) }.to_str().map(str::to_owned)
        };
        let seven = 7;
        let said = told(status_of(|| panic!("on purpose: {seven}")));
        assert_eq!(said.as_deref(), Ok("the library panicked: on purpose: 7"));
        let said = told(status_of(|| panic!("on purpose")));
        assert_eq!(said.as_deref(), Ok("the library panicked: on purpose"));
        assert_eq!(value_of(-1, || -> Result<i32, Failure> { panic!("again") }), -1);
        assert_eq!(simdcast_last_error_index(), usize::MAX);
    }

    #[test]
    fn messages_end_where_they_end() {
        let status = status_of(|| Err(Failure::new(Status::Isa, &"a\0b")));
        assert_eq!(status, Status::Isa as i32);
        // SAFETY: the library's strings end in a zero byte.
        let last = unsafe { CStr::from_ptr(simdcast_last_error()) };
        assert_eq!(last.to_str(), Ok("a\u{fffd}b"));
    }
}

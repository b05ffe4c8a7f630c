//! The options as C has them.

use super::failure::{Failure, Status};
use crate::options::CastOptions;
use simdcast_kernels::Options;
use std::mem::offset_of;

/// The options of a call; what each field means says the header.
#[allow(non_camel_case_types, missing_docs)] // As the header has it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct simdcast_options {
    pub size: u32,
    pub overflow: u8,
    pub saturate: u8,
    pub rounding: u8,
    pub reserved: u8,
    pub seed: u64,
    pub first_index: u64,
    pub threads: u32,
    pub reserved2: u32,
}

impl Default for simdcast_options {
    /// `SIMDCAST_OPTIONS_DEFAULT`.
    fn default() -> Self {
        Self {
            size: size_of::<Self>() as u32,
            overflow: 0,
            saturate: 1,
            rounding: 0,
            reserved: 0,
            seed: 0,
            first_index: 0,
            threads: 1,
            reserved2: 0,
        }
    }
}

/// The sizes of callers' structs: each ends after whole fields that belong together.
const SIZES: [usize; 4] = [
    offset_of!(simdcast_options, seed),
    offset_of!(simdcast_options, first_index),
    offset_of!(simdcast_options, threads),
    size_of::<simdcast_options>(),
];

/// What is asked for.
pub(super) struct Called {
    pub(super) options: Options,
    pub(super) threads: u32,
}

impl Called {
    /// Whether nothing but the default is asked for.
    #[inline]
    pub(super) const fn is_default(&self) -> bool {
        self.threads == 1 && self.options.is_default()
    }

    /// Reads options; null are the default ones.
    ///
    /// # Safety
    /// `given` is null or valid for reading as many bytes as its first field tells, of any alignment.
    #[inline]
    pub(super) unsafe fn read(given: *const simdcast_options) -> Result<Self, Failure> {
        if given.is_null() {
            return Ok(Self { options: Options::DEFAULT, threads: 1 });
        }
        // SAFETY: the caller's.
        unsafe { Self::read_some(given) }
    }

    /// # Safety
    /// As for [`read`](Self::read), not null.
    unsafe fn read_some(given: *const simdcast_options) -> Result<Self, Failure> {
        let mut options = simdcast_options::default();
        // SAFETY: the caller's: a size is always there, and then as many bytes as it tells, which are at
        // most those of the struct. All of its fields are numbers, which any bytes make.
        unsafe {
            let size = given.cast::<u32>().read_unaligned() as usize;
            if !SIZES.contains(&size) {
                let said = format_args!("options: size cannot be {size}: it is one of {SIZES:?}");
                return Err(Failure::new(Status::Option, &said));
            }
            let to = (&raw mut options).cast::<u8>();
            given.cast::<u8>().copy_to_nonoverlapping(to, size);
        }
        let simdcast_options { overflow, saturate, rounding, seed, first_index, .. } = options;
        let reserved =
            [("reserved", u32::from(options.reserved)), ("reserved2", options.reserved2)];
        if let Some((name, value)) = reserved.into_iter().find(|&(_, value)| value != 0) {
            let said = format_args!("options: {name} must be 0, not {value}");
            return Err(Failure::new(Status::Option, &said));
        }
        let cast = CastOptions::from_codes(overflow, saturate, rounding, seed, first_index)?;
        Ok(Self { options: *cast.as_options(), threads: options.threads })
    }
}

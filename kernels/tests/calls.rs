//! The kernels' own interface, as the crate in front of it calls it. (Here and not beside the code: what the unit tests
//! call is compiled for them once more, and this would be all kernels.)

use core::mem::MaybeUninit;
use simdcast_kernels::dispatch::{LevelError, available, find, levels};
use simdcast_kernels::{DType, Kernel, MaskedKernel, Options, Overflow, Rounding, RunError};

fn widen() -> Kernel {
    Kernel::new(DType::UInt8, DType::UInt16, &Options::DEFAULT)
}

#[test]
fn scalar_is_there_and_last() {
    assert_eq!(levels().last().map(|level| level.name()), Some("scalar"));
    assert!(available().any(|level| level.name() == "scalar"));
}

#[test]
fn names_are_found_in_any_case_and_unknown_ones_refused() {
    assert_eq!(find("SCALAR").map(|level| level.name()), Ok("scalar"));
    assert_eq!(find("sse9").map(|level| level.name()), Err(LevelError::Unknown));
    for level in available() {
        assert!(core::ptr::eq(find(level.name()).unwrap(), level));
    }
}

#[test]
fn wrong_lengths_are_told_with_both_sides() {
    let expected = RunError::Length {
        elements: 3,
        src_bytes: 3,
        src_needed: Some(3),
        dst_bytes: 5,
        dst_needed: Some(6),
    };
    assert_eq!(widen().run(&[1, 2, 3], &mut [0u8; 5], 3), Err(expected));
    let RunError::Length { src_needed, dst_needed, .. } =
        widen().run(&[], &mut [0u8; 0], usize::MAX).unwrap_err()
    else {
        panic!("not a length");
    };
    assert_eq!((src_needed, dst_needed), (Some(usize::MAX), None));
    assert!(widen().collect::<u16>(&[1, 2], usize::MAX / 4).is_err());
}

#[test]
fn bools_come_from_casts_to_bool_only() {
    let mut bools = [false; 2];
    assert_eq!(widen().run(&[1, 0], &mut bools[..], 2), Err(RunError::Type));
    assert_eq!(widen().collect_bools(&[1, 0], 2), Err(RunError::Type));
    assert_eq!(widen().collect::<u32>(&[1, 0], 2), Err(RunError::Type));
    let masked = MaskedKernel::new(DType::UInt8, DType::Int8, &Options::DEFAULT);
    assert_eq!(masked.run(&[1, 0], &mut bools[..], &mut [0], 2), Err(RunError::Type));
    let truth = Kernel::new(DType::UInt8, DType::Bool, &Options::DEFAULT);
    assert_eq!(truth.run(&[7, 0], &mut bools[..], 2), Ok(()));
    assert_eq!(bools, [true, false]);
    assert_eq!(truth.collect_bools(&[0, 9], 2), Ok(vec![false, true]));
}

#[test]
fn an_element_that_is_alone_fills_its_buffers() {
    let mut dst = [0xeeu8; 4];
    assert!(widen().run_plain::<true>(&[200], &mut (&mut dst[..2]).into(), 1));
    assert_eq!(dst, [200u16.to_ne_bytes(), [0xee; 2]].concat()[..]);
    for n in [0, 1, 2, usize::MAX / 2 + 2, usize::MAX] {
        assert_eq!(widen().run_plain::<true>(&[], &mut (&mut dst[..0]).into(), n), n == 0);
        assert!(!widen().run_plain::<true>(&[1], &mut (&mut dst[..3]).into(), n));
        assert!(!widen().run_plain::<true>(&[1], &mut (&mut [false; 2][..]).into(), n));
    }
    // As many more as make no difference to a product.
    let halves = Kernel::new(DType::Int16, DType::Float16, &Options::DEFAULT);
    assert!(!halves.run_plain::<true>(&[1, 0], &mut (&mut dst[..2]).into(), usize::MAX / 2 + 2));
    let checked = Options { overflow: Overflow::Error, ..Options::DEFAULT };
    for (to, options) in [(DType::UInt4x2, Options::DEFAULT), (DType::Int8, checked)] {
        let kernel = Kernel::new(DType::UInt8, to, &options);
        assert!(!kernel.run_plain::<true>(&[1], &mut (&mut dst[..1]).into(), 1), "{to}");
    }
    assert_eq!(dst[2..], [0xee; 2]);
    // Under other options, or swapped, it goes the way of all.
    let swapped = widen().with_swapped([false, true]);
    assert!(swapped.run_plain::<true>(&[200], &mut (&mut dst[..2]).into(), 1));
    assert_eq!(dst[..2], 200u16.swap_bytes().to_ne_bytes());
    let up = Options { rounding: Rounding::Up, ..Options::DEFAULT };
    let cut = Kernel::new(DType::Float32, DType::Int8, &up);
    assert!(cut.run_plain::<true>(&1.5f32.to_ne_bytes(), &mut (&mut dst[..1]).into(), 1));
    assert_eq!(dst[0], 2);
}

#[test]
fn uninitialised_memory_is_written_whole() {
    let mut dst = [MaybeUninit::<u8>::uninit(); 6];
    widen().run(&[1, 2, 3], &mut dst[..], 3).unwrap();
    // SAFETY: the cast succeeded, so every byte is initialised.
    let bytes = dst.map(|byte| unsafe { byte.assume_init() });
    let values: [u16; 3] =
        core::array::from_fn(|i| u16::from_ne_bytes([bytes[2 * i], bytes[2 * i + 1]]));
    assert_eq!(values, [1, 2, 3]);
}

/// Of what was not written nothing is shown.
#[test]
fn what_has_been_cast_can_be_read() {
    let checked = Options { overflow: Overflow::Error, ..Options::DEFAULT };
    let pack = Kernel::new(DType::Int8, DType::UInt4x2, &checked);
    let written: [(&[u8], usize, &[u8]); 5] = [
        (&[1, 2, 3], 3, &[0x21, 3]),
        (&[1, 99, 2], 1, &[0x01]),
        (&[1, 2, 99], 2, &[0x21]),
        (&[255, 1, 2], 0, &[]),
        (&[], 0, &[]),
    ];
    for (src, fit, bytes) in written {
        let mut dst = [MaybeUninit::<u8>::uninit(); 2];
        let dst = &mut dst[..src.len().div_ceil(2)];
        assert_eq!(pack.run_up_to(src, dst, src.len()), Ok((fit, bytes)));
    }
    let mut dst = [MaybeUninit::<u8>::uninit(); 6];
    let (fit, bytes) = widen().run_up_to(&[1, 2, 3], &mut dst[..], 3).unwrap();
    assert_eq!((fit, bytes), (3, &[1u16, 2, 3].map(u16::to_ne_bytes).concat()[..]));
    let refused = widen().run_up_to(&[1, 2, 3], &mut dst[..], 4);
    assert!(matches!(refused, Err(RunError::Length { elements: 4, .. })), "{refused:?}");
}

#[test]
fn a_failure_tells_its_index() {
    let checked = Options { overflow: Overflow::Error, ..Options::DEFAULT };
    let kernel = Kernel::new(DType::Int8, DType::UInt4, &checked);
    assert_eq!(kernel.run(&[1, 15, 16, 255], &mut [0u8; 4], 4), Err(RunError::Unfit { index: 2 }));
    assert_eq!(kernel.collect::<u8>(&[255], 1), Err(RunError::Unfit { index: 0 }));
}

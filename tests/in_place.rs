//! Casts within one buffer, against those from one to another.

mod support;

use num_complex::Complex;
use simdcast::{
    Cast, CastError, CastOptions, DType, Float8E4M3Fn, Overflow, cast_in_place, cast_in_place_with,
    cast_vec_in_place, cast_vec_in_place_with,
};
use simdcast_kernels::{Kernel, Options, RunError};
use support::guarded::Guarded;
use support::{noise, on_every_kind};

/// Lengths of few steps, and around those of blocks.
fn lengths() -> impl Iterator<Item = usize> {
    let blocks = [511, 512, 513, 1023, 1024, 1025, 2048, 4097, 8191, 8192, 8193, 20_011];
    (0..=300).chain(blocks)
}

fn some_bytes(seed: u64, len: usize) -> Vec<u8> {
    (0..len).map(|i| noise(seed ^ noise(i as u64)) as u8).collect()
}

/// One cast in a buffer with bytes to spare, at some alignment.
fn check(kernel: &Kernel, n: usize) -> Result<(), String> {
    let mut memory = Guarded::new(room(kernel, n) + n % 3, n % 64);
    check_in(memory.bytes(), kernel, n)?;
    if !memory.untouched() {
        return Err(format!("{kernel:?}: {n} elements: wrote outside"));
    }
    Ok(())
}

/// The bytes that elements and their results take.
fn room(kernel: &Kernel, n: usize) -> usize {
    kernel.from().bytes_for(n).unwrap().max(kernel.to().bytes_for(n).unwrap())
}

/// One cast in a buffer, which has room for both sides.
fn check_in(memory: &mut [u8], kernel: &Kernel, n: usize) -> Result<(), String> {
    let (reads, writes) = (kernel.from().bytes_for(n).unwrap(), kernel.to().bytes_for(n).unwrap());
    let source = some_bytes(n as u64, memory.len());
    let mut right = vec![0; writes];
    let result = kernel.run(&source[..reads], &mut right, n);
    memory.copy_from_slice(&source);
    if kernel.run_in_place(memory, n) != result {
        return Err(format!("{kernel:?}: {n} elements: not {result:?}"));
    }
    let spare = room(kernel, n)..;
    let kept = if result.is_ok() {
        memory[..writes] == right && memory[spare.clone()] == source[spare]
    } else {
        *memory == source
    };
    if !kept {
        return Err(format!("{kernel:?}: {n} elements: {result:?}, with wrong bytes"));
    }
    Ok(())
}

#[test]
fn every_pair_of_many_lengths() {
    on_every_kind(|kernel, k| {
        let mut runs = 0;
        for (i, n) in lengths().enumerate() {
            // Other options differ in their indices only, which blocks tell.
            if k == 0 || i % 5 == k || n > 2000 && i % 3 == k % 3 {
                check(kernel, n)?;
                runs += 1;
            }
        }
        Ok(runs)
    });
}

/// The first and the last byte of what the elements or their results take lie at unreadable pages.
#[test]
#[cfg(unix)]
fn buffers_between_unreadable_pages() {
    use support::guarded::pages::Pages;
    on_every_kind(|kernel, k| {
        let mut pages = Pages::new(4097 * 16);
        // (Other options differ in their indices only, which blocks tell.)
        let few = if k == 0 { 0..=300 } else { 299..=300 };
        let some: Vec<_> = few.chain([511, 513, 1025, 4097]).collect();
        for &n in &some {
            let room = room(kernel, n);
            check_in(pages.first(room), kernel, n)?;
            check_in(pages.last(room), kernel, n)?;
        }
        Ok(2 * some.len() as u64)
    });
}

#[test]
fn an_unfit_element_leaves_the_buffer_as_it_was() {
    let checked = CastOptions::new().overflow(Overflow::Error);
    for (from, to, size) in [(DType::Int16, DType::Int8, 2), (DType::Int16, DType::UInt64, 8)] {
        let cast = Cast::new(from, to, checked).unwrap();
        let n = 10_000;
        let mut buffer = vec![0; n * size];
        for unfit in [9_999, 5_000, 17] {
            buffer[2 * unfit..][..2].copy_from_slice(&(-300i16).to_ne_bytes());
            let before = buffer.clone();
            let error = cast.run_in_place(&mut buffer, n).unwrap_err();
            assert!(matches!(error, CastError::Unfit { index, .. } if index == unfit), "{error}");
            assert!(error.to_string().contains("-300"));
            assert_eq!(buffer, before);
        }
    }
}

#[test]
fn a_buffer_too_small_for_either_side_is_refused() {
    let widen = Kernel::new(DType::Int8, DType::Int32, &Options::DEFAULT);
    let mut buffer = [1; 11];
    let error = widen.run_in_place(&mut buffer, 3);
    let expected =
        RunError::InPlace { elements: 3, bytes: 11, src_needed: Some(3), dst_needed: Some(12) };
    assert_eq!(error, Err(expected));
    let narrow = Cast::new(DType::Int32, DType::Int8, CastOptions::new()).unwrap();
    let error = narrow.run_in_place(&mut buffer, 3).unwrap_err();
    let text = "the buffer has 11 bytes; 3 elements of int32 and int8 take 12 and 3 bytes";
    assert_eq!(error.to_string(), text);
    assert!(narrow.run_in_place(&mut buffer, usize::MAX).is_err());
    assert_eq!(buffer, [1; 11]);
    assert_eq!(narrow.run_in_place(&mut [], 0), Ok(()));
}

#[test]
fn vectors_keep_their_memory() {
    let mut floats = Vec::with_capacity(1000);
    floats.extend((0..500).map(|i| i as f32 * 1.5));
    let (memory, room) = (floats.as_ptr().addr(), floats.capacity());
    let ints: Vec<i32> = cast_vec_in_place(floats).unwrap();
    assert_eq!((ints.as_ptr().addr(), ints.capacity(), ints.len()), (memory, room, 500));
    assert!(ints.iter().enumerate().all(|(i, &int)| int == (i * 3 / 2) as i32));
    let codes: Vec<Float8E4M3Fn> = cast_vec_in_place(vec![1u8, 2, 200]).unwrap();
    assert_eq!(codes.into_iter().map(f32::from).collect::<Vec<_>>(), [1.0, 2.0, 192.0]);

    let checked = CastOptions::new().overflow(Overflow::Error);
    let (error, back) = cast_vec_in_place_with::<f32, u32>(vec![1.0, -1.0], &checked).unwrap_err();
    assert!(matches!(error, CastError::Unfit { index: 1, .. }));
    assert_eq!(back, [1.0, -1.0]);
}

#[test]
fn types_that_cannot_take_each_others_place_are_refused() {
    let (error, back) = cast_vec_in_place::<f32, f64>(vec![1.0]).unwrap_err();
    let at = align_of::<f64>(); // 4 on 32-bit x86.
    let text = "elements of float32 (4 bytes, at multiples of 4) cannot become float64";
    assert_eq!(error.to_string(), format!("{text} (8, at {at}) where they are"));
    assert_eq!(back, [1.0]);
    if align_of::<f64>() == 8 {
        assert!(cast_vec_in_place::<Complex<f32>, f64>(vec![Complex::new(1.0, 0.0)]).is_err());
        let mut memory = [Complex::new(2.0f32, 1.0); 3];
        let odd = usize::from(memory.as_ptr().addr().is_multiple_of(8));
        let floats: &mut [f32] = bytemuck::cast_slice_mut(&mut memory);
        let off: &mut [Complex<f32>] = bytemuck::cast_slice_mut(&mut floats[odd..odd + 4]);
        assert!(matches!(cast_in_place::<_, f64>(off), Err(CastError::Recast { .. })));
        let on: &mut [Complex<f32>] = bytemuck::cast_slice_mut(&mut floats[1 - odd..5 - odd]);
        assert!(cast_in_place::<_, f64>(on).is_ok());
        // What is empty may start anywhere.
        for off in 0..2 {
            let none: &mut [Complex<f32>] = bytemuck::cast_slice_mut(&mut floats[off..off]);
            assert_eq!(cast_in_place::<_, f64>(none).unwrap(), []);
        }
    }
    let checked = CastOptions::new().overflow(Overflow::Error);
    let mut shorts = [1i16, -1];
    assert!(cast_in_place_with::<_, u16>(&mut shorts, &checked).is_err());
    assert_eq!(shorts, [1, -1]);
}

#[test]
#[cfg(not(unix))]
fn buffers_between_unreadable_pages() {
    support::say("NOT TESTED: this platform has no mmap to put unreadable pages beside buffers");
}

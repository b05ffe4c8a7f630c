//! The C library's functions, called as C calls them; and the header that C compiles against, compared
//! with them.
#![cfg(feature = "capi")]

mod garbage;
mod header;
mod threads;

use simdcast::capi::*;
use simdcast::promotion::{Operand, Scalar, System, resolve_all};
use simdcast::{Cast, CastOptions, DType, Overflow, Rounding};
use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// A string of the library.
fn said(text: *const c_char) -> String {
    assert!(!text.is_null());
    // SAFETY: the library's strings end in a zero byte, and stay until the next failing call.
    unsafe { CStr::from_ptr(text) }.to_str().expect("UTF-8").to_owned()
}

/// This thread's last message.
fn message() -> String {
    said(simdcast_last_error())
}

/// A string as C has it.
fn c(text: &str) -> CString {
    CString::new(text).expect("no zero byte")
}

/// The code of a dtype.
fn code(dtype: DType) -> i32 {
    i32::from(dtype.code())
}

/// A flat cast, by slices.
fn cast(
    from: i32,
    src: &[u8],
    to: i32,
    dst: &mut [u8],
    elements: usize,
    options: Option<&simdcast_options>,
) -> i32 {
    let options = options.map_or(null(), std::ptr::from_ref);
    let (src_bytes, dst_bytes) = (src.len(), dst.len());
    let (src, dst) = (src.as_ptr().cast(), dst.as_mut_ptr().cast());
    // SAFETY: both buffers have these bytes.
    unsafe { simdcast_cast(from, src, src_bytes, to, dst, dst_bytes, elements, options) }
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 151 % 253) as u8).collect()
}

#[test]
fn every_pair_is_cast_as_rust_casts_it() {
    const N: usize = 37;
    for from in DType::ALL {
        let src = bytes(from.bytes_for(N).unwrap());
        for to in DType::ALL {
            let mut expected = vec![0; to.bytes_for(N).unwrap()];
            let mut dst = vec![0xee; expected.len()];
            Cast::new(from, to, CastOptions::new()).unwrap().run_n(&src, &mut expected, N).unwrap();
            assert_eq!(cast(code(from), &src, code(to), &mut dst, N, None), 0, "{from} -> {to}");
            assert_eq!(dst, expected, "{from} -> {to}");
        }
    }
}

#[test]
fn options_do_what_they_do_in_rust() {
    const N: usize = 100;
    let pairs = [
        (DType::Float32, DType::Int8),
        (DType::Float64, DType::Float8E4M3Fn),
        (DType::Int32, DType::UInt4x2),
    ];
    for (from, to) in pairs {
        let src = bytes(from.bytes_for(N).unwrap());
        for (overflow, saturate, rounding) in
            [(0, 0, 1), (1, 1, 2), (2, 1, 3), (0, 1, 4), (0, 1, 5), (1, 0, 6)]
        {
            let options = CastOptions::from_codes(overflow, saturate, rounding, 7, 11).unwrap();
            let mut expected = vec![0; to.bytes_for(N).unwrap()];
            Cast::new(from, to, options).unwrap().run_n(&src, &mut expected, N).unwrap();
            for threads in [0, 1, 3] {
                let options = simdcast_options {
                    overflow,
                    saturate,
                    rounding,
                    seed: 7,
                    first_index: 11,
                    threads,
                    ..Default::default()
                };
                let mut dst = vec![0xee; expected.len()];
                let status = cast(code(from), &src, code(to), &mut dst, N, Some(&options));
                assert_eq!((status, &dst), (0, &expected), "{from} -> {to}, {options:?}");
            }
        }
    }
}

#[test]
fn an_older_callers_options_have_the_defaults_in_missing_fields() {
    let newest = simdcast_options { rounding: 5, seed: 3, threads: 1, ..Default::default() };
    let src = [0.5f32; 64];
    let src: &[u8] = bytemuck::cast_slice(&src);
    let with_size = |size: u32| {
        let options = simdcast_options { size, ..newest };
        let mut dst = [0; 64];
        let status =
            cast(code(DType::Float32), src, code(DType::Int8), &mut dst, 64, Some(&options));
        (status, dst)
    };
    let (whole, without_seed) = (with_size(32), with_size(8));
    assert_eq!((whole.0, without_seed.0), (0, 0));
    assert_ne!(whole.1, without_seed.1, "with the seed, and with 0 in its place");
    let mut expected = [0; 64];
    let seedless = CastOptions::new().rounding(Rounding::Stochastic { seed: 0 });
    let cast = Cast::new(DType::Float32, DType::Int8, seedless).unwrap();
    cast.run(src, &mut expected).unwrap();
    assert_eq!(without_seed.1, expected);
    for size in [0, 4, 7, 9, 31, 33, 64, u32::MAX] {
        assert_eq!(with_size(size).0, Status::Option as i32, "{size}");
        assert!(
            message().contains("size") && message().contains(&size.to_string()),
            "{}",
            message()
        );
    }
}

#[test]
fn byte_orders_are_added_to_codes() {
    const BIG: i32 = 0x100;
    const LITTLE: i32 = 0x200;
    let (from, to) = (code(DType::UInt16), code(DType::Float32));
    for (order, swapped) in
        [(BIG, cfg!(target_endian = "little")), (LITTLE, cfg!(target_endian = "big"))]
    {
        let number = if swapped { 0x0102u16.swap_bytes() } else { 0x0102 };
        let mut dst = [0; 4];
        assert_eq!(cast(from + order, &number.to_ne_bytes(), to, &mut dst, 1, None), 0);
        assert_eq!(f32::from_ne_bytes(dst), 258.0);
        assert_eq!(cast(from, &0x0102u16.to_ne_bytes(), to + order, &mut dst, 1, None), 0);
        let stored = u32::from_ne_bytes(dst);
        let stored = if swapped { stored.swap_bytes() } else { stored };
        assert_eq!(f32::from_bits(stored), 258.0);
    }
    for wrong in [BIG + LITTLE, 0x400, -0x100, BIG + 44] {
        let status = cast(from + wrong, &[0; 2], to, &mut [0; 4], 1, None);
        assert_eq!(status, Status::DType as i32, "{wrong:#x}");
    }
}

#[test]
fn the_first_element_that_does_not_fit_is_told() {
    let src = [1f32, -2.0, 300.0, 1e9];
    let checked = simdcast_options { overflow: 3, ..Default::default() };
    for threads in [0, 1, 2] {
        let options = simdcast_options { threads, ..checked };
        let mut dst = [0; 4];
        let (from, to) = (code(DType::Float32), code(DType::Int8));
        let status = cast(from, bytemuck::bytes_of(&src), to, &mut dst, 4, Some(&options));
        assert_eq!(status, Status::Unfit as i32);
        assert_eq!(simdcast_last_error_index(), 2);
        assert_eq!(message(), "element 2 of float32, 300, does not fit int8");
        assert_eq!(dst[..2], [1, 254]);
    }
    // A failure of another kind has no index; success leaves the last failure's.
    assert_eq!(cast(99, &[], 0, &mut [], 0, None), Status::DType as i32);
    assert_eq!(simdcast_last_error_index(), usize::MAX);
    assert_eq!(simdcast_last_status(), Status::DType as i32);
    let before = message();
    assert_eq!(cast(0, &[1], 0, &mut [0], 1, None), 0);
    assert_eq!((message(), simdcast_last_status()), (before, Status::DType as i32));
    // Of a thread without a failure there is nothing to tell.
    let elsewhere = std::thread::spawn(|| (message(), simdcast_last_status()));
    assert_eq!(elsewhere.join().unwrap(), (String::new(), 0));
}

#[test]
fn plans_run_again_and_again() {
    let (from, to) = (code(DType::Float32), code(DType::Float16));
    // SAFETY: buffers have the bytes that are told, and a plan is freed once.
    unsafe {
        let plan = simdcast_plan_new(from, to, null());
        assert!(!plan.is_null());
        for n in [0, 1, 5, 1000] {
            let src: Vec<f32> = (0..n).map(|i| i as f32 - 3.25).collect();
            let expected: Vec<u16> =
                src.iter().map(|&x| half::f16::from_f32(x).to_bits()).collect();
            let mut dst = vec![0u16; n];
            let status = simdcast_plan_run(
                plan,
                src.as_ptr().cast(),
                4 * n,
                dst.as_mut_ptr().cast(),
                2 * n,
                n,
            );
            assert_eq!((status, dst), (0, expected));
        }
        let status = simdcast_plan_run(plan, [0u8; 4].as_ptr().cast(), 3, null_mut(), 2, 1);
        assert_eq!(status, Status::Length as i32);
        assert_eq!(message(), "src_bytes is 3, but 1 elements of float32 take 4 bytes");
        simdcast_plan_free(plan);
        simdcast_plan_free(null_mut());
        assert!(simdcast_plan_new(from, 44, null()).is_null());
        assert!(message().starts_with("to: "), "{}", message());
    }
}

#[test]
fn bitmaps_tell_what_fits() {
    let src = [1.9f32, -1.0, f32::NAN, 300.0, -0.9, 7.0, 8.0, 9.0, 1e9];
    let (mut dst, mut valid) = ([0xee_u8; 9], [0xee_u8; 2]);
    let (from, to) = (code(DType::Float32), code(DType::UInt8));
    // SAFETY: the buffers have these bytes.
    let status = unsafe {
        let (src, dst) = (src.as_ptr().cast(), dst.as_mut_ptr().cast());
        simdcast_cast_masked(from, src, 36, to, dst, 9, valid.as_mut_ptr(), 2, 9, null())
    };
    assert_eq!((status, dst), (0, [1, 0, 0, 255, 0, 7, 8, 9, 255]));
    assert_eq!(valid, [0b1111_0001, 0]);
}

#[test]
fn values_that_would_change_are_told() {
    let src = [16_777_216i64, 16_777_217, 0];
    // Nothing has to be there before.
    let mut dst = [MaybeUninit::<f32>::uninit(); 3];
    let (from, to) = (code(DType::Int64), code(DType::Float32));
    // SAFETY: the buffers have these bytes.
    let status = unsafe {
        let (src, dst) = (src.as_ptr().cast(), dst.as_mut_ptr().cast());
        simdcast_cast_same_value(from, src, 24, to, dst, 12, 3)
    };
    assert_eq!((status, simdcast_last_error_index()), (Status::Changed as i32, 1));
    // SAFETY: the elements before that are written.
    assert_eq!(unsafe { dst[0].assume_init() }, 16_777_216.0);
}

#[test]
fn elements_are_cast_where_they_are() {
    let mut buffer = [1u8, 0xff, 3, 0xee, 0xee, 0xee, 0xee];
    let (from, to) = (code(DType::Int8), code(DType::Int16));
    let at = |buffer: &mut [u8], bytes| {
        // SAFETY: the buffer has at least these bytes.
        unsafe { simdcast_cast_in_place(from, to, buffer.as_mut_ptr().cast(), bytes, 3, null()) }
    };
    assert_eq!(at(&mut buffer, 5), Status::Length as i32);
    assert!(message().starts_with("buffer_bytes is 5"), "{}", message());
    assert_eq!(at(&mut buffer, 7), 0);
    let values: Vec<i16> =
        buffer[..6].chunks(2).map(|b| i16::from_ne_bytes([b[0], b[1]])).collect();
    assert_eq!((values, buffer[6]), (vec![1, -1, 3], 0xee));
}

/// The arguments of a strided cast of float32 to uint8, the buffers whole.
fn strided(
    src: &[f32],
    src_place: (usize, Option<&[isize]>),
    dst: &mut [u8],
    dst_place: (usize, Option<&[isize]>),
    shape: &[usize],
) -> i32 {
    let strides = |strides: Option<&[isize]>| strides.map_or(null(), <[isize]>::as_ptr);
    // SAFETY: the buffers have these bytes, and strides are as many as dimensions.
    unsafe {
        simdcast_cast_strided(
            code(DType::Float32),
            src.as_ptr().cast(),
            4 * src.len(),
            src_place.0,
            strides(src_place.1),
            code(DType::UInt8),
            dst.as_mut_ptr().cast(),
            dst.len(),
            dst_place.0,
            strides(dst_place.1),
            shape.as_ptr(),
            shape.len(),
            null(),
        )
    }
}

#[test]
fn strides_go_any_way() {
    let src = [1f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let mut dst = [0xee; 8];
    // Transposed, into a row that starts one byte on.
    assert_eq!(strided(&src, (0, Some(&[4, 12])), &mut dst, (1, None), &[3, 2]), 0);
    assert_eq!(dst, [0xee, 1, 4, 2, 5, 3, 6, 0xee]);
    // Backwards into every second byte.
    assert_eq!(strided(&src, (20, Some(&[-4])), &mut dst, (0, Some(&[2])), &[4]), 0);
    assert_eq!(dst, [6, 1, 5, 2, 4, 3, 3, 0xee]);
    // One number for all; no dimensions; no elements.
    assert_eq!(strided(&src, (4, Some(&[0])), &mut dst, (0, Some(&[1])), &[8]), 0);
    assert_eq!(dst, [2; 8]);
    assert_eq!(strided(&src, (8, None), &mut dst, (7, None), &[]), 0);
    assert_eq!(dst[7], 3);
    assert_eq!(strided(&src, (0, None), &mut dst, (0, None), &[0, 5]), 0);
    // Which need no buffers, whatever is said of them.
    // SAFETY: the shape has two lengths.
    let status = unsafe {
        let (f32, u8) = (code(DType::Float32), code(DType::UInt8));
        let shape = [0, 5].as_ptr();
        simdcast_cast_strided(
            f32,
            null(),
            100,
            8,
            null(),
            u8,
            null_mut(),
            100,
            0,
            null(),
            shape,
            2,
            null(),
        )
    };
    assert_eq!(status, 0, "{}", message());

    let wrong = |status: i32, name: &str| {
        assert_eq!(status, Status::Layout as i32, "{name}");
        assert!(message().starts_with(name), "{name}: {}", message());
    };
    wrong(strided(&src, (0, Some(&[4])), &mut dst, (0, None), &[7]), "src: ");
    wrong(strided(&src, (0, None), &mut dst, (0, Some(&[0])), &[2]), "dst: ");
    wrong(strided(&src, (25, None), &mut dst, (0, None), &[1]), "src_offset");
    wrong(strided(&src, (0, None), &mut dst, (9, None), &[1]), "dst_offset");
    wrong(strided(&src, (0, None), &mut dst, (0, None), &[1; 33]), "ndim");
    wrong(strided(&src, (0, None), &mut dst, (0, None), &[6, usize::MAX]), "src: ");
    let text = format!(
        "counted: 6 times {} in the dimensions up to 1, those of length 0 left out",
        usize::MAX
    );
    assert!(message().ends_with(&text), "{}", message());
}

#[test]
fn operands_meet_where_rust_says() {
    for system in System::ALL {
        let name = c(system.name());
        for a in DType::ALL {
            for b in DType::ALL {
                let expected = resolve_all(system, &[a.into(), b.into()]);
                let expected = expected.map_or(-1, |common| code(common.dtype));
                // SAFETY: the name ends in a zero byte.
                let found = unsafe { simdcast_promote(name.as_ptr(), code(a), code(b)) };
                assert_eq!(found, expected, "{system}: {a}, {b}");
            }
            for scalar in Scalar::ALL {
                let operands = [a.into(), scalar.into(), Operand::ZeroDim(DType::Float64.into())];
                let expected = resolve_all(system, &operands);
                let expected = expected.map_or(-1, |common| code(common.dtype));
                let codes = [code(a), 0x1000 + scalar as i32, 0x2000 + code(DType::Float64)];
                // SAFETY: three codes are told of.
                let found = unsafe { simdcast_promote_all(name.as_ptr(), codes.as_ptr(), 3) };
                assert_eq!(found, expected, "{system}: {operands:?}");
            }
        }
    }
    let promote = |system: &str, a, b| {
        let system = c(system);
        // SAFETY: the name ends in a zero byte.
        unsafe { simdcast_promote(system.as_ptr(), a, b) }
    };
    assert_eq!(promote("abacus", 1, 2), -1);
    assert!(message().contains("abacus") && message().contains("numpy"), "{}", message());
    assert_eq!(promote("torch", code(DType::UInt64), code(DType::Int64)), -1);
    assert!(
        message().starts_with("torch leaves undefined where uint64, int64 meet"),
        "{}",
        message()
    );
    for wrong in [44, -1, 0x1004, 0x2000 + 44, 0x3000, i32::MIN, i32::MAX] {
        assert_eq!(promote("numpy", 1, wrong), -1, "{wrong:#x}");
        assert!(message().starts_with("b: "), "{}", message());
    }
}

#[test]
fn what_may_be_cast_and_what_is_lost() {
    let may = |system: &str, from, to, casting| {
        let system = c(system);
        // SAFETY: the name ends in a zero byte.
        unsafe { simdcast_can_cast(system.as_ptr(), code(from), code(to), casting) }
    };
    assert_eq!(may("numpy", DType::Float64, DType::Float32, 3), 0);
    assert_eq!(may("numpy", DType::Float64, DType::Float32, 4), 1);
    assert_eq!(may("jax", DType::Float64, DType::Float32, 3), -1);
    assert!(message().contains("jax does not say"), "{}", message());
    assert_eq!(simdcast_last_status(), Status::Undefined as i32);
    assert_eq!(may("numpy", DType::Float64, DType::Float32, 7), -1);
    assert!(message().starts_with("casting cannot be 7"), "{}", message());
    assert_eq!(simdcast_last_status(), Status::Option as i32);
    assert_eq!(may("nmupy", DType::Float64, DType::Float32, 3), -1);
    assert_eq!(simdcast_last_status(), Status::System as i32);
    for from in DType::ALL {
        for to in DType::ALL {
            let expected = i32::from(simdcast::is_lossless(from, to));
            assert_eq!(simdcast_is_lossless(code(from), code(to)), expected, "{from} -> {to}");
        }
    }
    assert_eq!(simdcast_is_lossless(0, 44), -1);
}

#[test]
fn dtypes_are_told_of() {
    assert_eq!(simdcast_dtype_count(), 44);
    for dtype in DType::ALL {
        assert_eq!(said(simdcast_dtype_name(code(dtype))), dtype.name());
        let name = c(&dtype.name().to_uppercase());
        // SAFETY: the name ends in a zero byte.
        assert_eq!(unsafe { simdcast_dtype_from_name(name.as_ptr()) }, code(dtype));
        for n in [0, 1, 3, 1 << 28, usize::MAX / 2] {
            let expected = dtype.bytes_for(n).unwrap_or(usize::MAX);
            assert_eq!(simdcast_dtype_bytes(code(dtype), n), expected);
        }
        let mut info = simdcast_dtype_info { size: 16, ..Default::default() };
        // SAFETY: there is room for what `size` tells.
        assert_eq!(unsafe { simdcast_dtype_get_info(code(dtype), &mut info) }, 0);
        assert_eq!(usize::from(info.bits), dtype.bits());
        assert_eq!(usize::from(info.significant_bits), dtype.significant_bits());
        assert_eq!(info.packed != 0, dtype.is_packed());
        let back = simdcast_dtype_from_dlpack(
            info.dlpack_code,
            info.dlpack_bits,
            info.dlpack_lanes,
            i32::from(info.dlpack_padded),
        );
        let expected = if dtype == DType::BComplex32 { -1 } else { code(dtype) };
        assert_eq!(back, expected, "{dtype}: {info:?}");
    }
    for dtype in [DType::Int8, DType::Float64] {
        // A success would not be told from a failure.
        assert_eq!(simdcast_dtype_bytes(code(dtype), usize::MAX), usize::MAX);
        assert_eq!(simdcast_last_status(), Status::Length as i32, "{dtype}");
    }
    assert!(simdcast_dtype_name(44).is_null());
    assert_eq!(simdcast_dtype_from_dlpack(2, 80, 1, 0), -1);
    assert_eq!(simdcast_dtype_from_dlpack(2, 32, 4, 0), -1);
    // A byte as one element of several lanes, as some producers have it, whatever is said of padding.
    for (dlpack, bits, packed) in
        [(17, 4, DType::Float4E2M1FnX2), (0, 4, DType::Int4x2), (1, 2, DType::UInt2x4)]
    {
        for padded in [0, 1] {
            let lanes = 8 / u16::from(bits);
            assert_eq!(simdcast_dtype_from_dlpack(dlpack, bits, lanes, padded), code(packed));
            assert_eq!(simdcast_dtype_from_dlpack(dlpack, bits, 2 * lanes, padded), -1);
        }
    }
}

#[test]
fn a_newer_callers_struct_is_written_as_far_as_it_is_known() {
    #[repr(C)]
    struct Newer {
        known: simdcast_dtype_info,
        more: u32,
    }
    let size = size_of::<Newer>() as u32;
    let mut newer =
        Newer { known: simdcast_dtype_info { size, ..Default::default() }, more: 0xdead_beef };
    // SAFETY: there is room for what `size` tells.
    let status = unsafe { simdcast_dtype_get_info(0, (&raw mut newer).cast()) };
    assert_eq!((status, newer.known.size, newer.more), (0, 16, 0xdead_beef));
}

/// By hand, from DLPack's header.
#[test]
fn dlpacks_codes_are_its_own() {
    for (dtype, expected) in [
        (DType::Bool, (6, 8, 0)),
        (DType::Bool1x8, (6, 1, 0)),
        (DType::Int8, (0, 8, 0)),
        (DType::UInt64, (1, 64, 0)),
        (DType::Int4, (0, 4, 1)),
        (DType::UInt2x4, (1, 2, 0)),
        (DType::Float16, (2, 16, 0)),
        (DType::BFloat16, (4, 16, 0)),
        (DType::Float8E3M4, (7, 8, 0)),
        (DType::Float8E4M3B11Fnuz, (9, 8, 0)),
        (DType::Float8E8M0Fnu, (14, 8, 0)),
        (DType::Float6E3M2Fn, (16, 6, 1)),
        (DType::Float6E3M2FnX4, (16, 6, 0)),
        (DType::Float4E2M1FnX2, (17, 4, 0)),
        (DType::Complex128, (5, 128, 0)),
    ] {
        let mut info = simdcast_dtype_info { size: 16, ..Default::default() };
        // SAFETY: there is room for what `size` tells.
        assert_eq!(unsafe { simdcast_dtype_get_info(code(dtype), &mut info) }, 0);
        let found = (info.dlpack_code, info.dlpack_bits, info.dlpack_padded);
        assert_eq!((found, info.dlpack_lanes), (expected, 1), "{dtype}");
    }
}

#[test]
fn messages_name_the_argument() {
    let (f32, u8) = (code(DType::Float32), code(DType::UInt8));
    let src = [0u8; 16];
    let mut dst = [0u8; 4];
    let checks = |status: i32, expected: Status, name: &str| {
        assert_eq!(status, expected as i32, "{}", message());
        assert!(message().starts_with(name), "{name}: {}", message());
    };
    checks(cast(99, &src, u8, &mut dst, 4, None), Status::DType, "from: ");
    checks(cast(f32, &src, -7, &mut dst, 4, None), Status::DType, "to: ");
    // All of a code is told, with what was added to it.
    checks(
        cast(0x1c8, &src, u8, &mut dst, 4, None),
        Status::DType,
        "from: no dtype has the code 456",
    );
    checks(cast(f32, &src[..15], u8, &mut dst, 4, None), Status::Length, "src_bytes is 15");
    checks(cast(f32, &src, u8, &mut dst[..3], 4, None), Status::Length, "dst_bytes is 3");
    checks(cast(f32, &src, u8, &mut dst, usize::MAX, None), Status::Length, "elements: ");
    checks(cast(f32, &src, u8, &mut dst, usize::MAX / 8, None), Status::Length, "src_bytes");
    let raw = |src: *const c_void, dst: *mut c_void| {
        // SAFETY: what is not null has these bytes.
        unsafe { simdcast_cast(f32, src, 16, u8, dst, 4, 4, null()) }
    };
    let start = dst.as_mut_ptr().cast::<c_void>();
    checks(raw(null(), start), Status::Null, "src is null");
    checks(raw(src.as_ptr().cast(), null_mut()), Status::Null, "dst is null");
    let mut both = [0u8; 20];
    let start = both.as_mut_ptr();
    for (offset, overlaps) in [(0, true), (3, true), (15, true), (16, false)] {
        let status = raw(start.cast(), start.wrapping_add(offset).cast());
        assert_eq!(status == Status::Overlap as i32, overlaps, "{offset}");
    }
    for (offset, overlaps) in [(1, true), (3, true), (4, false)] {
        let status = raw(start.wrapping_add(offset).cast(), start.cast());
        assert_eq!(status == Status::Overlap as i32, overlaps, "{offset} the other way");
    }
    // Nor may a bitmap share a byte with either: here of one byte, beside four elements of each.
    for (src, dst, valid, overlaps) in [
        (0, 8, 3, true),
        (0, 8, 4, false),
        (1, 8, 0, false),
        (1, 8, 1, true),
        (0, 8, 7, false),
        (0, 8, 8, true),
        (0, 8, 11, true),
        (0, 8, 12, false),
    ] {
        let at = |offset: usize| start.wrapping_add(offset);
        // SAFETY: all lies in `both`.
        let status = unsafe {
            let (src, dst) = (at(src).cast_const().cast(), at(dst).cast());
            simdcast_cast_masked(u8, src, 4, u8, dst, 4, at(valid), 1, 4, null())
        };
        assert_eq!(status == Status::Overlap as i32, overlaps, "{src}, {dst}, {valid}");
    }
    // More bytes than the elements take may be told, and overlap.
    // SAFETY: all lies in `both`.
    let status =
        unsafe { simdcast_cast(u8, start.cast(), 20, u8, start.add(4).cast(), 16, 4, null()) };
    assert_eq!(status, 0);
    let wrong = |change: fn(&mut simdcast_options), name: &str| {
        let mut options = simdcast_options::default();
        change(&mut options);
        let status = cast(f32, &[0; 4], u8, &mut [0], 1, Some(&options));
        assert_eq!(status, Status::Option as i32);
        assert!(message().contains(name), "{name}: {}", message());
    };
    wrong(|o| o.overflow = 4, "overflow");
    wrong(|o| o.saturate = 2, "saturate");
    wrong(|o| o.rounding = 7, "rounding");
    wrong(|o| o.reserved = 1, "reserved");
    wrong(|o| o.reserved2 = 1, "reserved2");
    // SAFETY: a name ends in a zero byte, or is null.
    unsafe {
        checks(simdcast_set_isa(c(" abacus").as_ptr()), Status::Isa, "no instruction set");
        checks(simdcast_set_isa(null()), Status::Null, "name is null");
        assert_eq!(simdcast_promote(null(), 0, 0), -1);
        checks(Status::Null as i32, Status::Null, "system is null");
    }
}

#[test]
fn versions_are_told() {
    assert_eq!(said(simdcast_version()), env!("CARGO_PKG_VERSION"));
    assert_eq!(simdcast_abi_version(), ABI_VERSION);
}

#[test]
fn a_checked_cast_has_an_index_in_rust_and_c() {
    let options = CastOptions::new().overflow(Overflow::Error);
    let error = Cast::new(DType::Int16, DType::UInt8, options)
        .unwrap()
        .run(bytemuck::bytes_of(&[1i16, -1]), &mut [0; 2])
        .unwrap_err();
    let c_options = simdcast_options { overflow: 3, ..Default::default() };
    let src = [1i16, -1];
    let (from, to) = (code(DType::Int16), code(DType::UInt8));
    cast(from, bytemuck::bytes_of(&src), to, &mut [0; 2], 2, Some(&c_options));
    assert_eq!(message(), error.to_string());
}

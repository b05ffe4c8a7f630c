//! How codes lie in memory: what is ignored on reading and filled on writing, and the order of packed
//! elements.

use crate::cases::cast;
use crate::support::dtypes::{ROWS, bytes, component, width};
use crate::support::random::Random;
use simdcast::isa;
use simdcast_kernels::reference::{load, store};
use simdcast_kernels::{DType, Kernel, Options};

/// Runs the kernels of every level on bytes as they are.
#[track_caller]
fn run(from: DType, to: DType, src: &[u8], elements: usize, wanted: &[u8]) {
    for level in isa::available() {
        let mut dst = vec![0x5a; wanted.len()];
        let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
        assert_eq!(kernel.run(src, &mut dst, elements), Ok(()));
        assert_eq!(dst, wanted, "{from} -> {to} on {}", level.name());
    }
}

fn random_codes(dtype: DType, n: usize) -> Vec<u128> {
    let mut random = Random::new(9);
    let mask = u128::MAX >> (128 - width(dtype));
    let any = |random: &mut Random| u128::from(random.bits()) << 64 | u128::from(random.bits());
    (0..n).map(|_| any(&mut random) & mask).collect()
}

/// The definition's own doors to memory, against the rules of storage written down twice.
#[test]
fn load_and_store_are_the_storage_of_the_table() {
    for row in &ROWS {
        for n in 1..20 {
            let codes = random_codes(row.dtype, n);
            let wanted = bytes(row.dtype, &codes);
            let mut found = vec![0; wanted.len()];
            for (i, &code) in codes.iter().enumerate() {
                store(row.dtype, &mut found, i, code);
                assert_eq!(load(row.dtype, &wanted, i), code, "{} {n} {i}", row.name);
            }
            assert_eq!(found, wanted, "{} {n}", row.name);
        }
    }
}

#[test]
fn any_nonzero_byte_is_true_and_only_0_and_1_are_written() {
    let all: Vec<u8> = (0..=255).collect();
    let truth: Vec<u8> = all.iter().map(|byte| u8::from(*byte != 0)).collect();
    for (i, truth) in truth.iter().enumerate() {
        assert_eq!(load(DType::Bool, &all, i), u128::from(*truth), "{i}");
    }
    run(DType::Bool, DType::Bool, &all, 256, &truth);
    run(DType::Bool, DType::UInt8, &all, 256, &truth);
    run(DType::Bool, DType::Int4, &all, 256, &truth);
    let mut bits = [0xff; 32];
    bits[0] = 0xfe;
    run(DType::Bool, DType::Bool1x8, &all, 256, &bits);
    run(DType::UInt8, DType::Bool, &all, 256, &truth);
}

/// "Unused high bits are ignored on reading, sign- or zero-filled on writing"; int4 -1 "is stored
/// `ff`; ml_dtypes stores `0f`; both are read".
#[test]
fn unused_high_bits_are_ignored_and_filled() {
    let all: Vec<u8> = (0..=255).collect();
    let narrow = ROWS.iter().filter(|row| row.stride == 8 && width(row.dtype) < 8);
    for row in narrow.filter(|row| row.dtype != DType::Bool) {
        let mask = (1u128 << width(row.dtype)) - 1;
        let codes: Vec<u128> = (0..256).map(|byte| byte & mask).collect();
        for (i, code) in codes.iter().enumerate() {
            assert_eq!(load(row.dtype, &all, i), *code, "{} {i:#x}", row.name);
        }
        run(row.dtype, row.dtype, &all, 256, &bytes(row.dtype, &codes));
        // The same numbers, whatever stands above them.
        let clean = bytes(row.dtype, &codes);
        for to in [DType::Int8, DType::Float32, DType::Bool, DType::UInt2x4] {
            let mut wanted = vec![0; to.bytes_for(256).expect("small")];
            Kernel::on(isa::current(), row.dtype, to, &Options::DEFAULT)
                .run(&clean, &mut wanted, 256)
                .expect("clean codes are cast");
            run(row.dtype, to, &all, 256, &wanted);
        }
    }
    run(DType::Int4, DType::Int4, &[0xff, 0x0f, 0x78], 3, &[0xff, 0xff, 0xf8]);
    run(DType::Int4, DType::Int8, &[0xff, 0x0f, 0x17], 3, &[0xff, 0xff, 7]);
    run(DType::UInt4, DType::UInt4, &[0xff, 0x0f, 0x17], 3, &[0x0f, 0x0f, 7]);
    run(DType::Int1, DType::Int1, &[0xff, 0x01, 0xfe], 3, &[0xff, 0xff, 0]);
    run(DType::Float4E2M1Fn, DType::Float4E2M1Fn, &[0xff, 0x1f], 2, &[0x0f, 0x0f]);
}

/// "Element 0 in the lowest bits; a last partial byte is zero-filled."
#[test]
fn packed_elements_start_at_the_lowest_bit() {
    run(DType::Int8, DType::Int4x2, &[1, 2, 0xff], 3, &[0x21, 0x0f]);
    run(DType::Int8, DType::UInt2x4, &[3, 2, 1, 0, 3], 5, &[0b00_01_10_11, 3]);
    run(DType::Int8, DType::UInt1x8, &[1, 0, 0, 1, 0, 0, 0, 0, 1], 9, &[0b1001, 1]);
    run(DType::Bool, DType::Bool1x8, &[0, 1, 1], 3, &[0b110]);
    // 1.0, 1.5, -6.0.
    let floats = bytes(DType::Float32, &[0x3f80_0000, 0x3fc0_0000, 0xc0c0_0000]);
    run(DType::Float32, DType::Float4E2M1FnX2, &floats, 3, &[0x32, 0x0f]);
    run(DType::Int4x2, DType::Int8, &[0x21, 0xff], 3, &[1, 2, 0xff]);
}

/// "4 codes in 3 bytes, LSB first."
#[test]
fn float6_packs_4_codes_in_3_bytes() {
    let codes = [0b000001u8, 0b000010, 0b000100, 0b111000, 0b101010];
    // From the top: the low 2 bits of code 1 and code 0; 4 bits of code 2 and the rest of code 1; ...
    let three = [0b1000_0001, 0b0100_0000, 0b1110_0000];
    for (narrow, packed) in
        [(DType::Float6E2M3Fn, DType::Float6E2M3FnX4), (DType::Float6E3M2Fn, DType::Float6E3M2FnX4)]
    {
        run(narrow, packed, &codes[..1], 1, &[0b000001]);
        run(narrow, packed, &codes[..2], 2, &[three[0], 0]);
        run(narrow, packed, &codes[..4], 4, &three);
        run(narrow, packed, &codes, 5, &[three[0], three[1], three[2], 0b101010]);
        run(packed, narrow, &three, 4, &codes[..4]);
    }
}

/// "A packed dtype is the same numbers in another storage": to and from it every code stays.
#[test]
fn packing_changes_nothing_but_storage() {
    for row in ROWS.iter().filter(|row| row.stride < 8) {
        let of = component(row.dtype);
        let codes: Vec<_> = (0..1u128 << width(of)).map(|code| (code, code)).collect();
        cast(of, of).gives_all(&codes);
    }
}

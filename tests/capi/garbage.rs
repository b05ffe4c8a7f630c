//! Every function, called with everything that it must refuse or survive. What C itself makes undefined, such
//! as a pointer into nowhere or a length that its buffer does not have, is not among it: no library could
//! tell. Run under AddressSanitizer this shows that nothing is read or written outside.

use super::*;

const CODES: [i32; 14] =
    [i32::MIN, -1, 0, 5, 15, 24, 38, 43, 44, 0x118, 0x202, 0x301, 0x1000, i32::MAX];

/// The bytes of a buffer: of 32 elements of the widest dtype.
const BYTES: usize = 512;

/// Numbers of elements: some that a buffer has, and one that none has.
const COUNTS: [usize; 4] = [0, 1, 32, usize::MAX];

/// Lengths that may be told of a buffer of [`BYTES`] where so many elements are cast: more than there are
/// only if that many are never reached.
fn lengths(elements: usize) -> &'static [usize] {
    if elements <= 32 { &[0, 1, 3, BYTES, usize::MAX] } else { &[0, 1, BYTES] }
}

/// A status that the library gives for a reason, with a message. Answers whether it is success.
fn survived(status: i32, what: &dyn std::fmt::Debug) -> bool {
    assert!((0..Status::Internal as i32).contains(&status), "{what:?}: {status}, {}", message());
    assert!(status == 0 || !message().is_empty(), "{what:?}");
    status == 0
}

/// Options of every kind of wrongness, and some that are right.
fn options() -> Vec<Option<simdcast_options>> {
    let plain = simdcast_options::default();
    let mut all = vec![None, Some(plain)];
    for value in [1, 3, 9, 255] {
        all.push(Some(simdcast_options { overflow: value, ..plain }));
        all.push(Some(simdcast_options { saturate: value, ..plain }));
        all.push(Some(simdcast_options { rounding: value, ..plain }));
        all.push(Some(simdcast_options { reserved: value, ..plain }));
        all.push(Some(simdcast_options { size: u32::from(value), ..plain }));
        all.push(Some(simdcast_options { threads: u32::from(value) << 24, ..plain }));
        all.push(Some(simdcast_options { reserved2: u32::from(value), ..plain }));
    }
    all.push(Some(simdcast_options {
        seed: u64::MAX,
        first_index: u64::MAX,
        rounding: 5,
        ..plain
    }));
    all
}

/// A buffer, its start or null, and the lengths told of it.
struct Arena {
    src: Vec<u8>,
    dst: Vec<u8>,
}

impl Arena {
    fn new() -> Self {
        Self { src: bytes(BYTES), dst: vec![0xa5; BYTES] }
    }

    /// Pointers to hand in as source and destination: both, one of them null, one for both, and
    /// overlapping ones.
    fn pointers(&mut self) -> [(*const c_void, *mut c_void); 5] {
        let (src, dst) = (self.src.as_ptr(), self.dst.as_mut_ptr());
        [
            (src.cast(), dst.cast()),
            (null(), dst.cast()),
            (src.cast(), null_mut()),
            (dst.cast_const().cast(), dst.cast()),
            (null(), null_mut()),
        ]
    }
}

/// Calls with every dtype, pointer, count and length; the options are each in turn.
fn flat(
    mut call: impl FnMut(
        i32,
        (*const c_void, usize),
        i32,
        (*mut c_void, usize),
        usize,
        *const simdcast_options,
    ),
) {
    let mut arena = Arena::new();
    let before = arena.src.clone();
    let options = options();
    let mut turn = 0;
    for from in CODES {
        for to in CODES {
            for elements in COUNTS {
                for &src_bytes in lengths(elements) {
                    for &dst_bytes in lengths(elements) {
                        for (src, dst) in arena.pointers() {
                            turn += 1;
                            let options: &Option<_> = &options[turn % options.len()];
                            let options = options.as_ref().map_or(null(), std::ptr::from_ref);
                            call(from, (src, src_bytes), to, (dst, dst_bytes), elements, options);
                        }
                    }
                }
            }
        }
    }
    assert_eq!(arena.src, before, "a source was written to");
}

#[test]
fn flat_casts_survive() {
    let mut valid = [0u8; 4];
    let mut done = [0; 4];
    flat(|from, src, to, dst, n, options| {
        let what = (from, src, to, dst, n);
        // SAFETY: what is not null has the bytes that the elements take, if it is said to have them.
        unsafe {
            let status = simdcast_cast(from, src.0, src.1, to, dst.0, dst.1, n, options);
            done[0] += usize::from(survived(status, &what));
            let status = simdcast_cast_same_value(from, src.0, src.1, to, dst.0, dst.1, n);
            done[1] += usize::from(survived(status, &what));
            let bitmaps = [(null_mut(), 4), (valid.as_mut_ptr(), 0), (valid.as_mut_ptr(), 4)];
            for (bitmap, len) in bitmaps {
                let status = simdcast_cast_masked(
                    from, src.0, src.1, to, dst.0, dst.1, bitmap, len, n, options,
                );
                done[2] += usize::from(survived(status, &what));
            }
            let status = simdcast_cast_in_place(from, to, dst.0, dst.1, n, options);
            done[3] += usize::from(survived(status, &what));
        }
    });
    // Not everything was garbage.
    assert!(done.iter().all(|&done| done > 1000), "{done:?}");
}

#[test]
fn plans_survive() {
    flat(|from, src, to, dst, n, options| {
        // SAFETY: as above; a plan is freed once.
        unsafe {
            let plan = simdcast_plan_new(from, to, options);
            let status = simdcast_plan_run(plan, src.0, src.1, dst.0, dst.1, n);
            survived(status, &(from, src, to, dst, n));
            assert!(!plan.is_null() || status == Status::Null as i32);
            simdcast_plan_free(plan);
        }
    });
}

#[test]
fn options_at_any_address_survive() {
    let whole = simdcast_options::default();
    let mut memory = [0u8; 64];
    for offset in 0..8 {
        // SAFETY: the struct, and whatever its first field tells, lies in the memory.
        unsafe {
            let place = memory.as_mut_ptr().add(offset).cast::<simdcast_options>();
            place.write_unaligned(whole);
            let plan = simdcast_plan_new(1, 2, place);
            assert!(!plan.is_null());
            simdcast_plan_free(plan);
        }
    }
    // No more than the size is read: a size of its own is all there is.
    for size in [0u32, 3, 4, 5, 100, u32::MAX] {
        let alone = Box::new(size);
        let place = std::ptr::from_ref(&*alone).cast();
        // SAFETY: the size is there, and no known one.
        assert!(unsafe { simdcast_plan_new(1, 2, place) }.is_null());
    }
    // The struct of an older caller ends where its size says.
    let old = Box::new([8u32, 0x0000_0100u32.to_le()]);
    // SAFETY: 8 bytes are there.
    let plan = unsafe { simdcast_plan_new(1, 2, std::ptr::from_ref(&*old).cast()) };
    assert!(!plan.is_null(), "{}", message());
    // SAFETY: it is freed once.
    unsafe { simdcast_plan_free(plan) };
}

/// Draws: of some things that are mostly right and others that are wrong.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// One of the first in seven draws of eight, else one of the second.
    fn mostly<T: Copy>(&mut self, right: &[T], wrong: &[T]) -> T {
        let from = if self.below(8) > 0 { right } else { wrong };
        from[self.below(from.len())]
    }
}

#[test]
fn strided_casts_survive() {
    const ROUNDS: usize = 200_000;
    let mut arena = Arena::new();
    let pointers = arena.pointers();
    let options = options();
    let mut draws = Draws(1);
    let mut done = 0;
    for round in 0..ROUNDS {
        let codes = [0; 2].map(|_| draws.mostly(&[0, 5, 22, 24, 25, 16, 43, 0x116], &CODES));
        let (src, dst) = draws.mostly(&pointers[..1], &pointers);
        let shape = [0; 3].map(|_| draws.mostly(&[1, 2, 3], &[0, 7, usize::MAX / 2, usize::MAX]));
        let strides = [[0; 3]; 2].map(|strides| {
            strides.map(|_: isize| {
                draws.mostly(&[1, 4, 16, 64, -4], &[isize::MIN, -1, 0, 24, -600, isize::MAX])
            })
        });
        let strides: [*const isize; 2] =
            [0, 1].map(|side| draws.mostly(&[strides[side].as_ptr(), null()], &[null()]));
        let offsets = [0; 2].map(|_| draws.mostly(&[0, 8, 128], &[BYTES, BYTES + 1, usize::MAX]));
        let lengths = [0; 2].map(|_| draws.mostly(&[BYTES], &[0, 1, 5]));
        let shape = draws.mostly(&[shape.as_ptr()], &[null()]);
        let ndim = draws.mostly(&[1, 2, 3], &[0]);
        let options = &options[if draws.below(3) > 0 { 0 } else { draws.below(options.len()) }];
        let options = options.as_ref().map_or(null(), std::ptr::from_ref);
        let ((from, to), (a, b)) = ((codes[0], codes[1]), (offsets[0], offsets[1]));
        // SAFETY: what is not null has the bytes, the lengths and the strides told of.
        let status = unsafe {
            let ([a_bytes, b_bytes], [a_steps, b_steps]) = (lengths, strides);
            simdcast_cast_strided(
                from, src, a_bytes, a, a_steps, to, dst, b_bytes, b, b_steps, shape, ndim, options,
            )
        };
        done += usize::from(survived(status, &(round, codes, offsets, lengths, ndim)));
    }
    assert!(done > ROUNDS / 50, "{done} of {ROUNDS}");
    // SAFETY: the number of dimensions is refused before anything of them is read; misaligned arrays, too.
    unsafe {
        let strided = |shape: *const usize, strides: *const isize, ndim| {
            let (src, dst) = pointers[0];
            let no_offset = 0;
            simdcast_cast_strided(
                24,
                src,
                BYTES,
                no_offset,
                strides,
                5,
                dst,
                BYTES,
                no_offset,
                null(),
                shape,
                ndim,
                null(),
            )
        };
        let layout = Status::Layout as i32;
        assert_eq!(strided(null(), null(), 33), layout);
        assert_eq!(strided(null(), null(), usize::MAX), layout);
        assert_eq!(strided(null(), null(), 1), Status::Null as i32);
        let odd = std::ptr::without_provenance::<u8>(1);
        assert_eq!(strided(odd.cast(), null(), 1), layout);
        assert_eq!(strided([1].as_ptr(), odd.cast(), 1), layout);
    }
}

/// Strings that are no names.
fn strings() -> Vec<CString> {
    let long = "numpy".repeat(10_000);
    let mut all: Vec<_> = ["", " ", "numpy ", "%s%n", "float33", &long, "тип"].map(c).to_vec();
    all.push(CString::new([0xff, 0xfe, 0x80]).expect("no zero byte"));
    all
}

#[test]
fn names_and_codes_survive() {
    // SAFETY: strings end in a zero byte, or are null, and arrays have what is told of them.
    unsafe {
        for name in strings() {
            assert_eq!(simdcast_dtype_from_name(name.as_ptr()), -1);
            assert_ne!(simdcast_set_isa(name.as_ptr()), 0);
            assert_eq!(simdcast_promote(name.as_ptr(), 1, 2), -1);
            assert_eq!(simdcast_promote_all(name.as_ptr(), [1, 2].as_ptr(), 2), -1);
            assert_eq!(simdcast_can_cast(name.as_ptr(), 1, 2, 3), -1);
        }
        assert_eq!(simdcast_dtype_from_name(null()), -1);
        assert_eq!(simdcast_promote_all(null(), null(), 0), -1);
        assert_eq!(simdcast_can_cast(null(), 0, 0, 0), -1);
        let numpy = c("numpy");
        assert_eq!(simdcast_promote_all(numpy.as_ptr(), null(), 0), -1);
        assert_eq!(message(), "numpy: no operand is given");
        assert_eq!(simdcast_promote_all(numpy.as_ptr(), null(), 3), -1);
        assert_eq!(simdcast_promote_all(numpy.as_ptr(), [1].as_ptr(), usize::MAX), -1);
        for code in CODES {
            for other in CODES {
                let found = simdcast_promote(numpy.as_ptr(), code, other);
                assert!((-1..44).contains(&found));
                assert!((-1..2).contains(&simdcast_can_cast(numpy.as_ptr(), code, 3, other)));
                assert!((-1..2).contains(&simdcast_is_lossless(code, other)));
            }
            let known = (0..44).contains(&code);
            assert_eq!(!simdcast_dtype_name(code).is_null(), known);
            assert_eq!(simdcast_dtype_bytes(code, 8) != usize::MAX, known);
            assert_eq!(simdcast_dtype_get_info(code, null_mut()) == Status::Null as i32, known);
            let mut info = simdcast_dtype_info::default();
            assert_ne!(simdcast_dtype_get_info(code, &mut info), 0);
            assert_eq!(info, simdcast_dtype_info::default(), "without a size nothing is written");
        }
        for code in 0..=255 {
            for bits in [0, 1, 3, 4, 8, 16, 255] {
                for lanes in [0, 1, 2, 8, u16::MAX] {
                    let found = simdcast_dtype_from_dlpack(code, bits, lanes, i32::MIN);
                    assert!((-1..44).contains(&found));
                }
            }
        }
        assert!(simdcast_isa_at(usize::MAX).is_null());
    }
}

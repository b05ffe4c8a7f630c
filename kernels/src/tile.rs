//! Pairs made of other pairs' kernels.
//!
//! A complex pair is the pair of its components over twice the elements. Everything else that has no
//! kernel of its own, and whose packed elements no table tells of where they lie, goes through buffers
//! small enough to stay in the L1 cache, a tile of elements at a time:
//!
//! ```text
//! packed: unpack          |                                            | packed: pack
//! complex: real part      |  cast, or shape and cast                   | complex: zeros between
//! else: where it lies     |                                            | else: where it goes
//! ```

use crate::buffer::Buffer;
use crate::dtypes::{DType, Kind};
use crate::options::Overflow;
use crate::scalar::direct;
use crate::shape::{self, Refused, Screen};
use crate::table::{Entry, Kernel, Params, Road, Table, Tabled};

/// Bytes of a buffer. As many elements as fit make a tile, which then is a multiple of 8 of them, so
/// that packed tiles are whole bytes.
const BUFFER: usize = 8192;

/// The kernel of a pair under the default options that is put together from others; None for two
/// real dtypes.
pub(crate) const fn by_default<I: Tabled>(from: DType, to: DType) -> Option<Entry> {
    if direct::is_copy(from, to) {
        Some(Entry { kernel: direct::copy, road: Road::Copy })
    } else if direct::is_packed_copy(from, to) {
        Some(Entry { kernel: direct::copy_packed, road: Road::Copy })
    } else if let Some(alone) = one_piece::<I>(from, to) {
        Some(alone)
    } else if is_plain(from) && is_plain(to) {
        None
    } else {
        Some(with_options::<I>(from, to))
    }
}

/// The kernel of a pair that one of the pieces casts alone.
const fn one_piece<I: Tabled>(from: DType, to: DType) -> Option<Entry> {
    let kernel: Kernel = if is_unpacking(from, to) {
        unpack_alone::<I>
    } else if is_packing(from, to) {
        pack_alone::<I>
    } else if from.is_complex() && from.component() as u8 == to as u8 {
        real_parts_alone::<I>
    } else if to.is_complex() && to.component() as u8 == from as u8 {
        with_zero_imaginary_alone::<I>
    } else {
        return None;
    };
    Some(Entry { kernel, road: Road::Direct })
}

/// Whether the packed numbers with zeros above them are what is stored: unsigned integers and bools
/// as integers of a byte, and floats as their own dtype.
pub(crate) const fn is_unpacking(from: DType, to: DType) -> bool {
    let own = from.logical() as u8 == to as u8;
    let byte = matches!(to, DType::Int8 | DType::UInt8);
    from.is_packed()
        && match from.kind() {
            Kind::Bool | Kind::UInt => own || byte,
            Kind::Float => own,
            _ => false,
        }
}

/// Whether the low bits of each byte are what is packed: those of integers as integers at most as
/// wide, and of floats as their own dtype. A bool counts as one bit only where it is packed: as a
/// byte it is true for any bit.
pub(crate) const fn is_packing(from: DType, to: DType) -> bool {
    let byte = !from.is_packed() && from.bits() == 8;
    let bits = to.bits() <= from.significant_bits();
    to.is_packed()
        && byte
        && match (from.kind(), to.kind()) {
            (Kind::Int | Kind::UInt, Kind::Int | Kind::UInt) => bits,
            (Kind::Int | Kind::UInt, Kind::Bool) => from.significant_bits() == 1,
            (Kind::Float, _) => from as u8 == to.logical() as u8,
            _ => false,
        }
}

macro_rules! alone {
    ($($(#[$doc:meta])* $kernel:ident = $piece:ident, |$params:ident| $width:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As for every kernel, see [`crate::table::Kernel`].
        unsafe fn $kernel<I: Tabled>(
            src: *const u8,
            dst: *mut u8,
            n: usize,
            $params: &Params,
        ) -> usize {
            // SAFETY: the caller's; the pair is one that this piece casts.
            unsafe { (I::table().pieces.$piece)($width, src, dst, n) };
            n
        }
    )*};
}

alone! {
    /// See [`is_unpacking`].
    unpack_alone = unpack, |params| params.from.bits();
    /// See [`is_packing`].
    pack_alone = pack, |params| params.to.bits();
    /// A complex dtype to that of its components.
    real_parts_alone = real_parts, |params| params.to.bits() / 8;
    /// A real dtype to the complex one with such components.
    with_zero_imaginary_alone = with_zero_imaginary, |params| params.from.bits() / 8;
}

/// The kernel of any pair under options that are not the default ones.
pub(crate) const fn with_options<I: Tabled>(from: DType, to: DType) -> Entry {
    if from.is_complex() && to.is_complex() {
        Entry { kernel: by_components::<I>, road: Road::Components }
    } else if is_plain(from) && is_plain(to) {
        Entry { kernel: shape::kernel::<I>, road: Road::Tile }
    } else {
        Entry { kernel: by_tile::<I>, road: Road::Tile }
    }
}

/// Whether a dtype is real, and a number takes whole bytes.
const fn is_plain(dtype: DType) -> bool {
    dtype.component() as u8 == dtype as u8
}

/// Complex to complex.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn by_components<I: Tabled>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    let inner = component_params(params);
    // SAFETY: the caller's: `n` complex elements are `2 * n` components, whose count cannot
    // overflow, since they are in memory.
    unsafe { shape::cast(I::table(), src, dst, 2 * n, &inner) / 2 }
}

/// What the cast of the components is told. Where either side is complex, element `i` draws numbers
/// `2 * i` and `2 * i + 1`.
pub(crate) fn component_params(params: &Params) -> Params {
    let (from, to) = (params.from, params.to);
    let mut options = params.component_options;
    let mut draw_step = 1;
    if from.is_complex() || to.is_complex() {
        options.first_index = options.first_index.wrapping_mul(2);
        draw_step = if from.is_complex() && to.is_complex() { 1 } else { 2 };
    }
    let (from, to) = (from.component(), to.component());
    let component_options = options;
    Params { from, to, options, component_options, draw_step, in_parts: false, ..*params }
}

/// Any pair that is not complex to complex.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
pub(crate) unsafe fn by_tile<I: Tabled>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    if params.plan().gives_zeros() {
        // SAFETY: the caller's.
        unsafe { dst.write_bytes(0, (n * params.to.bits()).div_ceil(8)) };
        return n;
    } else if !params.from.is_complex()
        && !params.to.is_complex()
        && let Some(kernel) = (I::table().alone)(params)
    {
        // SAFETY: the caller's; the kernel is the pair's, under these options.
        return unsafe { kernel(src, dst, n, params) };
    }
    let mut inner = component_params(params);
    // SAFETY: the caller's. What is done here is groups that are whole bytes on both sides, or all: so many are passed.
    unsafe {
        let done = cast_while_fitting(I::table(), src, dst, n, params, &inner);
        let (from, to) = (params.from.bits(), params.to.bits());
        let (src, dst) = (src.add(done / 8 * from), dst.add(done / 8 * to));
        match n - done {
            0 => n,
            left => done + by_tiles::<I>(src, dst, left, params, &mut inner),
        }
    }
}

/// Casts elements as long as they fit, if the pair has a kernel that tests them as it casts them, or packs them, and answers
/// how many are cast so: none of any other pair. (Both parts of complex ones are tested by tiles.)
///
/// # Safety
/// As for [`by_tile`]; `inner` is what [`component_params`] makes of `params`.
unsafe fn cast_while_fitting(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    inner: &Params,
) -> usize {
    let (from, to) = (params.from, params.to);
    // SAFETY: the caller's.
    unsafe {
        match (table.pieces.pack_fitting, inner.plan().screen()) {
            (Some(pack), Some(screen)) if is_packing(from, to) => {
                pack(to.bits(), screen, src, dst, n)
            }
            _ => match table.stepwise.fitting(from, to) {
                Some(kernel) if !from.is_complex() => kernel(src, dst, n, params),
                Some(_) => 0,
                None => cast_unmarked(table, src, dst, n, params, inner),
            },
        }
    }
}

/// Casts blocks of codes as long as none is refused, by a loop that tells that as it casts them, and answers how many
/// elements these were: none of a pair without such a loop. (It ends nowhere: a block with one that is refused is cast again
/// in another way.)
///
/// # Safety
/// As for [`cast_while_fitting`].
unsafe fn cast_unmarked(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    inner: &Params,
) -> usize {
    /// Elements in a block, whole bytes of them: as many as take many times as long as it takes to see what the tables have
    /// in common.
    const BLOCK: usize = 1 << 16;
    let (from, to) = (params.from, params.to);
    if !has_codes(from, to) {
        return 0;
    }
    let mut start = 0;
    // SAFETY: the caller's; `start` is a multiple of 8, so that both pointers move by whole bytes, to where `len` elements
    // are left.
    unsafe {
        if let Some(by_codes) = (table.by_codes_marked)(from, to)
            && let Some(refused) = shape::refused(table, n, inner)
        {
            let results = shape::default_results(table, inner);
            while start < n {
                let len = BLOCK.min(n - start);
                let src = src.add(start / 8 * from.bits());
                let dst = dst.add(start / 8 * to.bits());
                if by_codes([&results, &refused], src, dst, len) {
                    break;
                }
                start += len;
            }
        }
    }
    start
}

/// Casts what is left to tiles; `inner` is what [`component_params`] makes of `params`, of which the draws are moved on.
///
/// # Safety
/// As for [`by_tile`].
unsafe fn by_tiles<I: Tabled>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    inner: &mut Params,
) -> usize {
    let source_alone_is_packed = params.from.is_packed() && params.to as u8 == inner.to as u8;
    // SAFETY: the caller's; components are real, and not packed; if they are a map, that is the cast's, and if they are but
    // stored as another dtype of as many bits, so are the results.
    let mut known = unsafe {
        if source_alone_is_packed && let Some(to) = inner.plan().stored_as() {
            let params = params.by_default(params.from, to);
            (I::table().pairs.get(params.from, to).kernel)(src, dst, n, &params);
            return n;
        }
        if has_codes(params.from, params.to)
            && let Some(by_codes) = (I::table().by_codes)(params.from, params.to)
            && let Some(map) = shape::map(I::table(), n, inner)
        {
            by_codes(&map, src, dst, n);
            return n;
        }
        Known {
            bytes: shape::known(I::table(), n, inner),
            refused: refused_halves(I::table(), n, params, inner),
            parts: screen_of_parts(I::table(), params, inner),
        }
    };
    if source_alone_is_packed && let shape::Known::Longer(map, look_up) = &mut known.bytes {
        map.bits = params.from.bits();
        // SAFETY: the caller's: elements of so many bits are those of the source.
        unsafe { look_up(map, src, dst, n) };
        return n;
    }
    let tile = BUFFER / buffered_size(params.from).max(buffered_size(params.to));
    let at = |start: usize| {
        (
            src.wrapping_add(start / 8 * params.from.bits()),
            dst.wrapping_add(start / 8 * params.to.bits()),
        )
    };
    // Whole steps of complex elements, both of whose parts are tested in registers.
    let in_registers = match params.from.is_complex() {
        true => I::table().stepwise.fitting(params.from, params.to),
        false => None,
    };
    let mut start = match in_registers {
        Some(_) => 0,
        // SAFETY: the caller's.
        None => unsafe { fitting_blocks(I::table(), src, dst, n, params, &known) },
    };
    while start < n {
        if let Some(kernel) = in_registers {
            let (from, to) = at(start);
            // SAFETY: the caller's; `start` is a multiple of 8.
            start += unsafe { kernel(from, to, n - start, params) };
        }
        let len = tile.min(n - start);
        // SAFETY: `start` is a multiple of 8, so that both pointers move by whole bytes, to where
        // `len` elements are left.
        let done = unsafe {
            let (from, to) = at(start);
            one_tile(I::table(), from, to, len, params, inner, &known)
        };
        if done < len {
            return start + done;
        }
        let draws = (len as u64).wrapping_mul(inner.draw_step);
        inner.options.first_index = inner.options.first_index.wrapping_add(draws);
        start += len;
    }
    n
}

/// Whether elements of a pair are codes of which each becomes another, and one side's are packed. A bool that is a byte is
/// none: any byte but zero is true; and to become one, numbers are compared with zero whatever the options.
const fn has_codes(from: DType, to: DType) -> bool {
    let of_truth = from as u8 == DType::Bool as u8 || matches!(to.kind(), Kind::Bool);
    (from.is_packed() || to.is_packed()) && !of_truth
}

/// The bytes of a component if it goes through a buffer: packed ones as a byte each, and the real
/// parts of complex ones. What does not counts as a byte.
const fn buffered_size(dtype: DType) -> usize {
    if dtype.is_complex() { dtype.bits() / 16 } else { 1 }
}

/// What is found out about all codes before many elements are cast.
struct Known {
    /// What the components are cast by.
    bytes: shape::Known,
    /// What [`refused_halves`] tells.
    refused: Option<Refused>,
    /// What [`screen_of_parts`] tells.
    parts: Option<Screen>,
}

/// Casts blocks of elements as long as all are known to fit, and answers how many elements these were. Nothing goes through
/// a buffer here, so that a block is as long as what is read of it once is there still when it is read again.
///
/// # Safety
/// As for every kernel; of the pair is `known` what its fields say.
unsafe fn fitting_blocks(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    known: &Known,
) -> usize {
    const BYTES: usize = 2 * BUFFER;
    let (from, to) = (params.from.bits(), params.to.bits());
    // Whole bytes, and lines of all sides.
    let block = BYTES * 8 / (from + to) / 512 * 512;
    let mut start = 0;
    while start < n {
        let len = block.min(n - start);
        // SAFETY: the caller's; so many elements are left at `start`, which is a multiple of 8.
        unsafe {
            let (src, dst) = (src.add(start / 8 * from), dst.add(start / 8 * to));
            if !cast_if_known_to_fit(table, src, dst, len, params, known) {
                return start;
            }
        }
        start += len;
    }
    n
}

/// Casts elements by the pair's default kernel if it is quickly known that none of them is refused; or answers that it is
/// not.
///
/// # Safety
/// As for [`fitting_blocks`].
unsafe fn cast_if_known_to_fit(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    known: &Known,
) -> bool {
    let (from, to) = (params.from, params.to);
    // SAFETY: the caller's.
    unsafe {
        let (bytes, shapes) = ((n * from.bits()).div_ceil(8), &table.shapes);
        let all_fit = match (&known.refused, shapes.marked_halves, &known.parts) {
            (Some(Refused::Bits(bits)), ..) => !(shapes.any_bits)(*bits, src, bytes),
            (Some(Refused::Marked(marked)), Some(any), _) => !any(marked, src, bytes),
            (_, _, Some(parts)) => shapes.imaginary.all_fit(from.bits() / 16, parts, src, n),
            _ => false,
        };
        if all_fit {
            (table.pairs.get(from, to).kernel)(src, dst, n, &params.by_default(from, to));
        }
        all_fit
    }
}

/// Casts a tile.
///
/// # Safety
/// As for every kernel; `len` components of either side that are [buffered](buffered_size) fit a
/// buffer; `inner` is what [`component_params`] makes of `params`, its draws moved on
/// to this tile's, and of which is `known` what its fields say.
unsafe fn one_tile(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    len: usize,
    params: &Params,
    inner: &Params,
    known: &Known,
) -> usize {
    let (from, to) = (params.from, params.to);
    let mut numbers = Buffer::<BUFFER>::new();
    let mut stored = Buffer::<BUFFER>::new();
    // SAFETY: the buffers hold the tile's components, and are apart from the caller's memory and
    // from each other. Each stage writes the `len` elements that the next one reads; the last one
    // reads the `done` elements that the cast has written.
    unsafe {
        if cast_if_known_to_fit(table, src, dst, len, params, known) {
            return len;
        }
        let mut fit = len;
        let source = if from.is_packed() {
            (table.pieces.unpack)(from.bits(), src, numbers.start(), len);
            numbers.start().cast_const()
        } else if from.is_complex() && to.kind() as u8 == Kind::Bool as u8 {
            return complex_to_bool(table, src, dst, len, params, inner);
        } else if from.is_complex() {
            let (pieces, bytes) = (&table.pieces, from.bits() / 16);
            if !matches!(params.options.overflow, Overflow::Error) {
                (pieces.real_parts)(bytes, src, numbers.start(), len);
            } else if !(pieces.real_parts_of_reals)(bytes, src, numbers.start(), len) {
                fit = table.shapes.imaginary.first(bytes, src, len);
            }
            numbers.start().cast_const()
        } else {
            src
        };
        if let Some(done) = checked(table, [src, source], dst, fit, params, inner) {
            return done;
        }
        let in_place = !to.is_packed() && !to.is_complex();
        let target = if in_place { dst } else { stored.start() };
        let done = shape::cast_knowing(&known.bytes, table, source, target, fit, inner);
        if to.is_packed() {
            (table.pieces.pack)(to.bits(), target, dst, done);
        } else if to.is_complex() {
            (table.pieces.with_zero_imaginary)(to.bits() / 16, target, dst, done);
        }
        done
    }
}

/// The half bytes of elements of which one is refused, if they can be told, and elements that are not are cast by
/// the pair's default kernel, which is not this way. `inner` is what [`component_params`] makes of `params`.
fn refused_halves(table: &Table, n: usize, params: &Params, inner: &Params) -> Option<Refused> {
    let bits = params.from.bits();
    let road = table.pairs.get(params.from, params.to).road;
    if !params.from.is_packed() || bits > 4 || matches!(road, Road::Tile) {
        return None;
    }
    Some(Refused::of(shape::refused_halves(bits, n, inner)?))
}

/// What tells of complex elements that none is refused, if there is such a thing, and those that are not are cast by the
/// pair's default kernel. (Whether a number is zero is no such question: both parts answer it.) Where that would take the real
/// parts to a buffer, they are tested there, and where they are in registers, there.
fn screen_of_parts(table: &Table, params: &Params, inner: &Params) -> Option<Screen> {
    let is_test = matches!(params.options.overflow, Overflow::Error)
        && params.from.is_complex()
        && !matches!(params.to.kind(), Kind::Bool)
        && !matches!(table.pairs.get(params.from, params.to).road, Road::Tile);
    let screen = if is_test { shape::screen_of_parts(inner)? } else { return None };
    let is_told = table.stepwise.fitting(params.from, params.to).is_none()
        && (screen.asks_nothing() || table.shapes.imaginary.has_any());
    is_told.then_some(screen)
}

/// A checked cast by the default kernel of the pair itself, which needs no stages, of the elements that
/// fit. None if that kernel is no better than this way, as where real parts are in a buffer already, or does not do.
///
/// # Safety
/// As for [`one_tile`]; the first source is that of the pair, the second one has its components as
/// `inner` reads them.
unsafe fn checked(
    table: &Table,
    [src, components]: [*const u8; 2],
    dst: *mut u8,
    n: usize,
    params: &Params,
    inner: &Params,
) -> Option<usize> {
    let Entry { kernel, road } = table.pairs.get(params.from, params.to);
    if matches!(road, Road::Tile) || params.from.is_complex() {
        return None;
    }
    // SAFETY: the caller's; whole steps are whole bytes on both sides.
    unsafe {
        let done = match table.stepwise.fitting(params.from, params.to) {
            Some(kernel) => kernel(src, dst, n, params),
            None => 0,
        };
        let src = src.add(done / 8 * params.from.bits());
        let components = components.add(done / 8 * inner.from.bits());
        let (dst, n) = (dst.add(done / 8 * params.to.bits()), n - done);
        let fitting = match inner.options.is_default() {
            true => n,
            false => shape::fitting(table, components, n, inner)?,
        };
        let params = params.by_default(params.from, params.to);
        Some(done + kernel(src, dst, fitting, &params))
    }
}

/// Writes for each component of `len` complex elements whether it is nonzero.
///
/// # Safety
/// `src` is valid for reading `2 * len` components of `inner.from`, `dst` for writing `2 * len`
/// bytes; they don't overlap.
unsafe fn truth_of_components(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    len: usize,
    inner: &Params,
) {
    let params = inner.by_default(inner.from, DType::Bool);
    // SAFETY: the caller's.
    unsafe { shape::cast(table, src, dst, 2 * len, &params) };
}

/// # Safety
/// As for [`one_tile`]; `params.from` is complex, `params.to` bool or bool1x8.
unsafe fn complex_to_bool(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    len: usize,
    params: &Params,
    inner: &Params,
) -> usize {
    let mut truths = Buffer::<BUFFER>::new();
    // SAFETY: the buffer has room for `len` buffered elements, of which a complex one has two bytes at least: so it has a
    // byte for each component. Its first `len` bytes are then the elements' truths.
    unsafe {
        truth_of_components(table, src, truths.start(), len, inner);
        either(truths.start(), len);
        if params.to.is_packed() {
            (table.pieces.pack)(params.to.bits(), truths.start(), dst, len);
        } else {
            truths.start().copy_to_nonoverlapping(dst, len);
        }
    }
    len
}

/// Joins the bools of real and imaginary parts: true if either is. The results are written over the
/// front of the pairs.
///
/// # Safety
/// `pairs` is valid for reading and writing `2 * n` bytes.
pub(crate) unsafe fn either(pairs: *mut u8, n: usize) {
    for i in 0..n {
        // SAFETY: `i` and `2 * i + 1` are below `2 * n`, and pair `i` is read before a later
        // result could be written over it.
        unsafe { *pairs.add(i) = *pairs.add(2 * i) | *pairs.add(2 * i + 1) };
    }
}

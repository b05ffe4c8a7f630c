//! THE LIST: one row per dtype. The enum, its names and codes, the marker types of the kernels, the
//! table of pairs and the tests are all made from it.
//!
//! Three kinds of row:
//! * `real`: numbers of their own, one element in one or more whole bytes. The kernels' codecs are
//!   written for these.
//! * `packed`: the numbers of a real dtype, several to a byte.
//! * `complex`: two components of a real dtype.
//!
//! A row starts with the dtype's code, which never changes: it is what the C ABI and files hold.

use crate::format::{FloatFormat, IntFormat, Numbers};
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

/// The bytes of elements of so many bits that are in memory, and of which the last ends a byte: or else those before the
/// byte that it ends in. (Their bits may be more than a word counts.)
pub(crate) const fn bytes(elements: usize, bits: usize) -> usize {
    elements / 8 * bits + elements % 8 * bits / 8
}

/// Hands THE LIST to the macro named first, after what else is given.
macro_rules! for_each_dtype {
    ($then:ident $($argument:tt)*) => {
        $then! {
            $($argument)*
            real {
                // code variant name, stored as, numbers, other unambiguous names
                0 Bool "bool" u8 (Numbers::Bool) ["bool_", "boolean"];
                1 Int8 "int8" i8 (int(8)) [];
                2 Int16 "int16" i16 (int(16)) ["i16"];
                3 Int32 "int32" i32 (int(32)) ["i32"];
                4 Int64 "int64" i64 (int(64)) ["i64"];
                5 UInt8 "uint8" u8 (uint(8)) [];
                6 UInt16 "uint16" u16 (uint(16)) ["u16"];
                7 UInt32 "uint32" u32 (uint(32)) ["u32"];
                8 UInt64 "uint64" u64 (uint(64)) ["u64"];
                9 Int1 "int1" u8 (int(1)) [];
                10 Int2 "int2" u8 (int(2)) [];
                11 Int4 "int4" u8 (int(4)) [];
                12 UInt1 "uint1" u8 (uint(1)) [];
                13 UInt2 "uint2" u8 (uint(2)) [];
                14 UInt4 "uint4" u8 (uint(4)) [];
                22 Float16 "float16" u16 (float(FloatFormat::FLOAT16)) ["half"];
                23 BFloat16 "bfloat16" u16 (float(FloatFormat::BFLOAT16)) ["bf16"];
                24 Float32 "float32" u32 (float(FloatFormat::FLOAT32)) ["f32", "single"];
                25 Float64 "float64" u64 (float(FloatFormat::FLOAT64)) ["f64", "double"];
                26 Float8E4M3Fn "float8_e4m3fn" u8 (float(FloatFormat::FLOAT8_E4M3FN))
                    ["float8e4m3fn", "f8e4m3fn"];
                27 Float8E5M2 "float8_e5m2" u8 (float(FloatFormat::FLOAT8_E5M2))
                    ["float8e5m2", "f8e5m2"];
                28 Float8E4M3Fnuz "float8_e4m3fnuz" u8 (float(FloatFormat::FLOAT8_E4M3FNUZ))
                    ["float8e4m3fnuz", "f8e4m3fnuz"];
                29 Float8E5M2Fnuz "float8_e5m2fnuz" u8 (float(FloatFormat::FLOAT8_E5M2FNUZ))
                    ["float8e5m2fnuz", "f8e5m2fnuz"];
                30 Float8E4M3 "float8_e4m3" u8 (float(FloatFormat::FLOAT8_E4M3)) [];
                31 Float8E3M4 "float8_e3m4" u8 (float(FloatFormat::FLOAT8_E3M4)) ["f8e3m4"];
                32 Float8E4M3B11Fnuz "float8_e4m3b11fnuz" u8 (float(FloatFormat::FLOAT8_E4M3B11FNUZ))
                    ["f8e4m3b11fnuz"];
                33 Float8E8M0Fnu "float8_e8m0fnu" u8 (float(FloatFormat::FLOAT8_E8M0FNU))
                    ["float8e8m0", "float8e8m0fnu", "f8e8m0fnu"];
                34 Float6E2M3Fn "float6_e2m3fn" u8 (float(FloatFormat::FLOAT6_E2M3FN)) ["f6e2m3fn"];
                35 Float6E3M2Fn "float6_e3m2fn" u8 (float(FloatFormat::FLOAT6_E3M2FN)) ["f6e3m2fn"];
                36 Float4E2M1Fn "float4_e2m1fn" u8 (float(FloatFormat::FLOAT4_E2M1FN))
                    ["float4e2m1", "f4e2m1fn"];
            }
            packed {
                // code variant name, the dtype whose numbers it packs
                15 Bool1x8 "bool1x8" Bool;
                16 Int4x2 "int4x2" Int4;
                17 UInt4x2 "uint4x2" UInt4;
                18 Int2x4 "int2x4" Int2;
                19 UInt2x4 "uint2x4" UInt2;
                20 Int1x8 "int1x8" Int1;
                21 UInt1x8 "uint1x8" UInt1;
                37 Float4E2M1FnX2 "float4_e2m1fn_x2" Float4E2M1Fn;
                38 Float6E2M3FnX4 "float6_e2m3fn_x4" Float6E2M3Fn;
                39 Float6E3M2FnX4 "float6_e3m2fn_x4" Float6E3M2Fn;
            }
            complex {
                // code variant name, the dtype of its two components, other names
                40 Complex32 "complex32" Float16 ["chalf"];
                41 BComplex32 "bcomplex32" BFloat16 [];
                42 Complex64 "complex64" Float32 ["csingle", "cfloat"];
                43 Complex128 "complex128" Float64 ["cdouble"];
            }
        }
    };
}
pub(crate) use for_each_dtype;

/// What kind of numbers a dtype has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// False and true.
    Bool,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    UInt,
    /// Floats.
    Float,
    /// Complex floats.
    Complex,
}

/// How a dtype's elements lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Whole bytes, native endian; a number narrower than its byte is in the low bits.
    Real { bytes: usize, numbers: Numbers },
    /// The numbers of another dtype, as narrow as they are, the first element in the lowest bits.
    Packed { of: DType },
    /// Real part, then imaginary part.
    Complex { of: DType },
}

#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    aliases: &'static [&'static str],
    layout: Layout,
}

const fn int(bits: u32) -> Numbers {
    Numbers::Int(IntFormat { signed: true, bits })
}

const fn uint(bits: u32) -> Numbers {
    Numbers::Int(IntFormat { signed: false, bits })
}

const fn float(format: FloatFormat) -> Numbers {
    Numbers::Float(format)
}

/// Bits that a number occupies.
const fn width(numbers: &Numbers) -> usize {
    match numbers {
        Numbers::Bool => 1,
        Numbers::Int(format) => format.bits as usize,
        Numbers::Float(format) => format.bits() as usize,
    }
}

macro_rules! define {
    (
        real { $($rcode:literal $rvar:ident $rname:literal $store:ident ($numbers:expr) [$($ralias:literal),*];)* }
        packed { $($pcode:literal $pvar:ident $pname:literal $pof:ident;)* }
        complex { $($ccode:literal $cvar:ident $cname:literal $cof:ident [$($calias:literal),*];)* }
    ) => {
        /// A dtype. The discriminant is its code, which never changes.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum DType {
            $(#[doc = concat!("`", $rname, "`")] $rvar = $rcode,)*
            $(#[doc = concat!("`", $pname, "`")] $pvar = $pcode,)*
            $(#[doc = concat!("`", $cname, "`")] $cvar = $ccode,)*
        }

        impl DType {
            /// How many dtypes there are.
            pub const COUNT: usize = [$($rcode,)* $($pcode,)* $($ccode,)*].len();

            /// Every dtype, by code: `ALL[d.code() as usize] == d`.
            pub const ALL: [DType; Self::COUNT] = {
                let mut all = [DType::Bool; Self::COUNT];
                $(all[$rcode] = DType::$rvar;)*
                $(all[$pcode] = DType::$pvar;)*
                $(all[$ccode] = DType::$cvar;)*
                all
            };
        }

        /// By code. (Not a constant, which the compiler would copy whole for each look at it.)
        static ROWS: [Row; DType::COUNT] = {
            let mut rows = [Row { name: "", aliases: &[], layout: Layout::BOOL }; DType::COUNT];
            $(rows[$rcode] = Row {
                name: $rname,
                aliases: &[$($ralias),*],
                layout: Layout::Real { bytes: size_of::<$store>(), numbers: $numbers },
            };)*
            $(rows[$pcode] = Row {
                name: $pname,
                aliases: &[],
                layout: Layout::Packed { of: DType::$pof },
            };)*
            $(rows[$ccode] = Row {
                name: $cname,
                aliases: &[$($calias),*],
                layout: Layout::Complex { of: DType::$cof },
            };)*
            rows
        };

        /// The real dtypes as types, for generic code.
        pub(crate) mod mark {
            use super::{DType, Real};
            $(
                pub(crate) struct $rvar;
                impl Real for $rvar {
                    const DTYPE: DType = DType::$rvar;
                    type Stored = $store;
                }
            )*
        }
    };
}
for_each_dtype!(define);

/// A real dtype as a type.
pub(crate) trait Real: 'static {
    /// The dtype.
    const DTYPE: DType;
    /// An unsigned integer, or the number itself, of the size of an element.
    type Stored: Copy + 'static;
}

// A gap or a repeated code in THE LIST stops the build here.
const _: () = {
    let mut i = 0;
    while i < DType::COUNT {
        assert!(DType::ALL[i] as usize == i, "the codes in THE LIST are not 0, 1, 2, ...");
        i += 1;
    }
};

impl Layout {
    const BOOL: Self = Self::Real { bytes: 1, numbers: Numbers::Bool };
}

/// What follows from a dtype's layout, found once: where tables are made at compile time it is asked for many times for
/// each of their entries, and a call takes the compiler as long as a dozen operations.
#[derive(Clone, Copy)]
struct Facts {
    kind: Kind,
    numbers: Numbers,
    component: DType,
    significant_bits: usize,
    is_dense: bool,
}

impl Facts {
    const fn of(dtype: DType) -> Self {
        let layout = ROWS[dtype as usize].layout;
        let (component, components) = match layout {
            Layout::Real { .. } => (dtype, 1),
            Layout::Packed { of } => (of, 1),
            Layout::Complex { of } => (of, 2),
        };
        let Layout::Real { bytes, numbers } = ROWS[component as usize].layout else {
            panic!("what is packed, and what complex dtypes are made of, is real")
        };
        let kind = match (layout, numbers) {
            (Layout::Complex { .. }, _) => Kind::Complex,
            (_, Numbers::Bool) => Kind::Bool,
            (_, Numbers::Int(IntFormat { signed: true, .. })) => Kind::Int,
            (_, Numbers::Int(IntFormat { signed: false, .. })) => Kind::UInt,
            (_, Numbers::Float(_)) => Kind::Float,
        };
        let width = width(&numbers);
        let is_dense = !matches!(layout, Layout::Packed { .. }) && width == 8 * bytes;
        Self { kind, numbers, component, significant_bits: components * width, is_dense }
    }
}

/// By code.
static FACTS: [Facts; DType::COUNT] = {
    let mut facts = [Facts::of(DType::Bool); DType::COUNT];
    let mut code = 0;
    while code < DType::COUNT {
        facts[code] = Facts::of(DType::ALL[code]);
        code += 1;
    }
    facts
};

impl DType {
    /// The name, as NumPy and ml_dtypes have it: `"float8_e4m3fn"`.
    pub const fn name(self) -> &'static str {
        ROWS[self as usize].name
    }

    /// Other names that [`parse`](Self::parse) takes.
    pub const fn aliases(self) -> &'static [&'static str] {
        ROWS[self as usize].aliases
    }

    /// The code, which never changes.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The dtype with that code.
    pub const fn from_code(code: u8) -> Option<DType> {
        if (code as usize) < Self::COUNT { Some(Self::ALL[code as usize]) } else { None }
    }

    /// The dtype with that name or alias, in lower or upper case.
    ///
    /// An alias is taken only if it means one dtype wherever it is used: `half`, `bf16`, `f32`,
    /// `double`, ONNX's `FLOAT8E4M3FN` and MLIR's `f8E4M3FN` are; `float`, `int`, `i8` (NumPy's
    /// int64, Rust's int8) and `f8E4M3` (MLIR's float8_e4m3, candle's and safetensors'
    /// float8_e4m3fn) are not. Of these [`FromStr`]'s error tells what they may mean.
    ///
    /// (The names of 4- and 2-bit dtypes are those of numbers in a byte each. What ONNX calls so is
    /// packed in a tensor's raw data: that is `int4x2`, `uint4x2`, `int2x4`, `uint2x4` or
    /// `float4_e2m1fn_x2`.)
    pub fn parse(name: &str) -> Option<DType> {
        Self::ALL.into_iter().find(|d| d.names().any(|known| known.eq_ignore_ascii_case(name)))
    }

    /// The dtype whose name or alias takes the fewest edits to reach from `name`.
    pub fn nearest(name: &str) -> DType {
        let mut best = (usize::MAX, DType::Bool);
        for d in Self::ALL {
            for known in d.names() {
                let distance = edit_distance(name, known);
                if distance < best.0 {
                    best = (distance, d);
                }
            }
        }
        best.1
    }

    fn names(self) -> impl Iterator<Item = &'static str> {
        core::iter::once(self.name()).chain(self.aliases().iter().copied())
    }

    /// What kind of numbers these are.
    #[inline]
    pub const fn kind(self) -> Kind {
        FACTS[self as usize].kind
    }

    /// What the codes stand for; of a complex dtype, the codes of a component.
    #[inline]
    pub const fn numbers(self) -> Numbers {
        FACTS[self as usize].numbers
    }

    /// The same, not copied.
    #[inline]
    pub(crate) const fn numbers_ref(self) -> &'static Numbers {
        &FACTS[self as usize].numbers
    }

    /// The format of a float dtype, or of a complex one's components.
    pub(crate) const fn float_format(self) -> FloatFormat {
        match self.numbers() {
            Numbers::Float(format) => format,
            _ => panic!("not a float"),
        }
    }

    /// Whether there are NaNs among its numbers, of either part.
    pub(crate) const fn has_nan(self) -> bool {
        matches!(self.numbers(), Numbers::Float(format) if format.nan().is_some())
    }

    /// Whether its numbers are powers of two, a byte each.
    pub(crate) const fn is_powers(self) -> bool {
        matches!(self, Self::Float8E8M0Fnu)
    }

    /// Bits from one element to the next: 8 for `int4`, 4 for `int4x2`, 64 for `complex64`.
    #[inline(always)]
    pub const fn bits(self) -> usize {
        // Every call of a cast asks for them.
        Self::BITS[self as usize] as usize
    }

    const BITS: [u8; Self::COUNT] = {
        let mut bits = [0; Self::COUNT];
        let mut code = 0;
        while code < Self::COUNT {
            bits[code] = match ROWS[code].layout {
                Layout::Real { bytes, .. } => 8 * bytes,
                Layout::Packed { of } => width(of.numbers_ref()),
                Layout::Complex { of } => match ROWS[of as usize].layout {
                    Layout::Real { bytes, .. } => 2 * 8 * bytes,
                    _ => panic!("the components of a complex dtype are real"),
                },
            } as u8;
            code += 1;
        }
        bits
    };

    /// Bits that hold a number: 4 for `int4` and `int4x2`, 1 for `bool`; of a complex dtype, both
    /// components.
    #[inline]
    pub const fn significant_bits(self) -> usize {
        FACTS[self as usize].significant_bits
    }

    /// The bytes of `elements` elements: `ceil(elements * bits / 8)`. None if that passes
    /// `usize::MAX`.
    #[inline]
    pub const fn bytes_for(self, elements: usize) -> Option<usize> {
        if let Some(size) = self.size() {
            return elements.checked_mul(size);
        }
        let bytes = (elements as u128 * self.bits() as u128).div_ceil(8);
        if bytes > usize::MAX as u128 { None } else { Some(bytes as usize) }
    }

    /// Whether so many elements take exactly so many bytes: [`bytes_for`](Self::bytes_for), for what every call of a cast
    /// asks.
    #[inline(always)]
    pub(crate) const fn fills(self, elements: usize, bytes: usize) -> bool {
        // An element has 128 bits at most: so their number, and 7 more, are no more than a word can tell.
        const MOST: usize = usize::MAX >> 8;
        if elements <= MOST {
            (elements * self.bits() + 7) >> 3 == bytes
        } else {
            self.fills_memory(elements, bytes)
        }
    }

    #[cold]
    const fn fills_memory(self, elements: usize, bytes: usize) -> bool {
        matches!(self.bytes_for(elements), Some(needed) if needed == bytes)
    }

    /// The bytes of an element; None for a packed dtype.
    #[inline]
    pub const fn size(self) -> Option<usize> {
        if self.is_packed() { None } else { Some(self.bits() / 8) }
    }

    /// Whether several elements share a byte.
    #[inline]
    pub const fn is_packed(self) -> bool {
        matches!(ROWS[self as usize].layout, Layout::Packed { .. })
    }

    /// Whether an element is a real and an imaginary part.
    #[inline]
    pub const fn is_complex(self) -> bool {
        matches!(ROWS[self as usize].layout, Layout::Complex { .. })
    }

    /// The dtype of the same numbers that is not packed: `int4` for `int4x2`, itself otherwise.
    #[inline]
    pub const fn logical(self) -> DType {
        match ROWS[self as usize].layout {
            Layout::Packed { of } => of,
            _ => self,
        }
    }

    /// The dtype of one component, not packed: `float32` for `complex64`, `int4` for `int4x2`,
    /// itself for a real dtype.
    #[inline]
    pub const fn component(self) -> DType {
        FACTS[self as usize].component
    }

    /// Whether every bit pattern of an element's bytes is a number's own, so that copying bytes is
    /// the cast to itself.
    #[inline]
    pub const fn is_dense(self) -> bool {
        FACTS[self as usize].is_dense
    }
}

/// A name that no dtype has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDType {
    /// The name.
    pub name: String,
    /// The dtype with the most similar name.
    pub nearest: DType,
}

impl fmt::Display for UnknownDType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match meanings(&self.name) {
            Some(meanings) => write!(f, "the name {:?} is not taken: it is {meanings}", self.name),
            None => {
                let Self { name, nearest } = self;
                write!(f, "no dtype is called {name:?}; the nearest name is {nearest}")
            }
        }
    }
}

impl core::error::Error for UnknownDType {}

/// A code that no dtype has.
///
/// ```
/// # use simdcast_kernels::{DType, UnknownCode};
/// assert_eq!(DType::try_from(DType::Int8.code()), Ok(DType::Int8));
/// assert_eq!(DType::try_from(44), Err(UnknownCode { code: 44 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCode {
    /// The code.
    pub code: u8,
}

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no dtype has the code {}; known: 0 to {}", self.code, DType::COUNT - 1)
    }
}

impl core::error::Error for UnknownCode {}

/// See [`DType::from_code`].
impl TryFrom<u8> for DType {
    type Error = UnknownCode;

    fn try_from(code: u8) -> Result<Self, UnknownCode> {
        Self::from_code(code).ok_or(UnknownCode { code })
    }
}

/// See [`DType::parse`].
impl FromStr for DType {
    type Err = UnknownDType;

    fn from_str(name: &str) -> Result<Self, UnknownDType> {
        Self::parse(name)
            .ok_or_else(|| UnknownDType { name: name.into(), nearest: Self::nearest(name) })
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a name means that is not taken, since it does not mean the same everywhere: the name nearest to it would be a guess.
fn meanings(name: &str) -> Option<&'static str> {
    const MEANINGS: [(&[&str], &str); 17] = [
        (&["f16"], "float16 in Rust, and a long double in NumPy"),
        (&["f8"], "float64 in NumPy, and some float of 8 bits elsewhere"),
        (&["f4"], "float32 in NumPy, and some float of 4 bits elsewhere"),
        (&["i8"], "int8 in Rust, and int64 in NumPy"),
        (&["u8"], "uint8 in Rust, and uint64 in NumPy"),
        (&["i4"], "int4 to compilers, and int32 in NumPy"),
        (&["u4"], "uint4 to compilers, and uint32 in NumPy"),
        (&["i2"], "int2 to compilers, and int16 in NumPy"),
        (&["u2"], "uint2 to compilers, and uint16 in NumPy"),
        (&["i1"], "bool or int1 to compilers, and int8 in NumPy"),
        (&["u1"], "uint1 to compilers, and uint8 in NumPy"),
        (
            &["f8e4m3", "f8_e4m3"],
            "float8_e4m3fn in candle and safetensors, and float8_e4m3 in MLIR",
        ),
        (&["float"], "float32 in C, ONNX and PyTorch, and float64 in Python and NumPy"),
        (&["int", "uint"], "of 32 bits in C, and of 64 in NumPy"),
        (&["long", "ulong"], "of 64 bits in some places, and of 32 in others"),
        (&["byte"], "uint8 in PyTorch, and int8 in NumPy"),
        (&["complex"], "complex128 in Python, and complex64 or complex128 elsewhere"),
    ];
    let known = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    MEANINGS.iter().find(|(names, _)| known(names)).map(|(_, meanings)| *meanings)
}

/// How many bytes must be inserted, deleted or replaced to turn `given` into `known`, letters' case
/// aside. `given` may be any text; what stands past its 64th byte counts as to be deleted.
fn edit_distance(given: &str, known: &str) -> usize {
    const LONGEST: usize = 64;
    let beyond = given.len().saturating_sub(LONGEST);
    let given = &given.as_bytes()[..given.len() - beyond];
    let mut row = [0; LONGEST + 1];
    for (i, cell) in row.iter_mut().enumerate() {
        *cell = i;
    }
    for (j, k) in known.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = j + 1;
        for (i, g) in given.iter().enumerate() {
            let replaced = diagonal + usize::from(!g.eq_ignore_ascii_case(&k));
            diagonal = row[i + 1];
            row[i + 1] = replaced.min(row[i] + 1).min(diagonal + 1);
        }
    }
    row[given.len()] + beyond
}

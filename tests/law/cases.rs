//! A case of the law: a pair, options, codes and what becomes of them.

use crate::support::dtypes::{
    bytes, complex, complex_of, component, int, is_complex, num, packed_of, row_of,
};
use crate::support::options::STOCHASTIC;
use simdcast::{Cast, CastError, CastOptions, isa};
use simdcast_kernels::{
    DType, Kernel, Options, Overflow, Rounding, RunError, reference,
    reference::{Unfit, cast as by_definition},
};

/// A pair under some options.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) from: DType,
    pub(crate) to: DType,
    pub(crate) options: Options,
}

/// A pair under the default options.
pub(crate) fn cast(from: DType, to: DType) -> Case {
    Case { from, to, options: Options::DEFAULT }
}

/// Elements of a buffer: enough for whole steps of any kernel and a tail.
const LONG: usize = 131;

impl Case {
    pub(crate) fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    pub(crate) fn overflow(mut self, overflow: Overflow) -> Self {
        self.options.overflow = overflow;
        self
    }

    pub(crate) fn checked(self) -> Self {
        self.overflow(Overflow::Error)
    }

    pub(crate) fn saturate(mut self, saturate: bool) -> Self {
        self.options.saturate = saturate;
        self
    }

    pub(crate) fn rounding(mut self, rounding: Rounding) -> Self {
        self.options.rounding = rounding;
        self
    }

    pub(crate) fn first_index(mut self, index: u64) -> Self {
        self.options.first_index = index;
        self
    }

    /// Numbers to numbers.
    #[track_caller]
    pub(crate) fn maps(self, from: f64, to: f64) {
        self.gives(num(self.from, from), num(self.to, to));
    }

    #[track_caller]
    pub(crate) fn maps_all(self, cases: &[(f64, f64)]) {
        let code = |&(from, to): &(f64, f64)| (num(self.from, from), num(self.to, to));
        self.gives_all(&cases.iter().map(code).collect::<Vec<_>>());
    }

    /// Integers to integers.
    #[track_caller]
    pub(crate) fn turns(self, from: i128, to: i128) {
        self.gives(int(self.from, from), int(self.to, to));
    }

    /// A code to a code.
    #[track_caller]
    pub(crate) fn gives(self, from: u128, to: u128) {
        self.gives_all(&[(from, to)]);
    }

    /// Codes to codes, wherever in a buffer they stand, and in every storage.
    #[track_caller]
    pub(crate) fn gives_all(self, cases: &[(u128, u128)]) {
        assert!(!cases.is_empty());
        assert!(!matches!(self.options.rounding, Rounding::Stochastic { .. }), "a place counts");
        self.anywhere(cases);
    }

    /// As `gives_all`, for options that do not matter to the result, so that places do not count.
    #[track_caller]
    pub(crate) fn anywhere(self, cases: &[(u128, u128)]) {
        for (case, cases) in self.in_every_storage(cases) {
            for &(from, to) in &cases {
                case.defines(0, from, Ok(to));
            }
            let long = cases.iter().copied().cycle().take(cases.len().max(LONG));
            let (from, to): (Vec<_>, Vec<_>) = long.unzip();
            case.casts(&from, &to);
            case.casts(&from[..1], &to[..1]);
        }
    }

    /// The elements of a whole buffer, in place: for what depends on the index.
    #[track_caller]
    pub(crate) fn gives_in_place(self, from: &[u128], to: &[u128]) {
        for (i, (&from, &to)) in from.iter().zip(to).enumerate() {
            self.defines(i as u64, from, Ok(to));
        }
        self.casts(from, to);
    }

    /// Codes that `Overflow::Error` refuses, in every storage.
    #[track_caller]
    pub(crate) fn refuses(self, codes: &[u128]) {
        let paired: Vec<_> = codes.iter().map(|code| (*code, 0)).collect();
        for (case, cases) in self.checked().in_every_storage(&paired) {
            for &(code, _) in &cases {
                case.defines(0, code, Err(Unfit));
                case.fails_at(&[code; LONG], 0);
                case.fails_at(&[code], 0);
            }
        }
    }

    #[track_caller]
    pub(crate) fn refuses_numbers(self, values: &[f64]) {
        self.refuses(&values.iter().map(|value| num(self.from, *value)).collect::<Vec<_>>());
    }

    /// What the definition says of one element.
    #[track_caller]
    fn defines(self, index: u64, code: u128, wanted: Result<u128, Unfit>) {
        let found = by_definition(self.from, self.to, code, &self.options, index);
        assert!(
            found == wanted,
            "reference, {self}: element {index}, {code:#x} gives {found:x?}, not {wanted:x?}"
        );
    }

    /// What every kernel writes.
    #[track_caller]
    fn casts(self, from: &[u128], to: &[u128]) {
        let (src, wanted) = (bytes(self.from, from), bytes(self.to, to));
        let mut dst = vec![0xa5; wanted.len()];
        let check = |dst: &mut Vec<u8>, runner: &str| {
            if let Some(at) = dst.iter().zip(&wanted).position(|(found, wanted)| found != wanted) {
                let place = at * 8 / row_of(self.to).stride;
                panic!(
                    "{runner}, {self}: element {place} of {}, {:#x} gives byte {at} as {:#04x}, \
                     not {:#04x} of {:#x}",
                    from.len(),
                    from[place],
                    dst[at],
                    wanted[at],
                    to[place]
                );
            }
            dst.fill(0xa5);
        };
        for level in isa::available() {
            let kernel = Kernel::on(level, self.from, self.to, &self.options);
            let result = kernel.run(&src, &mut dst, from.len());
            assert_eq!(result, Ok(()), "{}, {self}", level.name());
            check(&mut dst, level.name());
        }
        let result = self.public().run_n(&src, &mut dst, from.len());
        assert_eq!(result, Ok(()), "Cast, {self}");
        check(&mut dst, "Cast");
    }

    /// Every kernel stops at an element, having written those before it.
    #[track_caller]
    pub(crate) fn fails_at(self, from: &[u128], wanted: usize) {
        let src = bytes(self.from, from);
        let mut dst = vec![0; bytes(self.to, &vec![0; from.len()]).len()];
        for level in isa::available() {
            let kernel = Kernel::on(level, self.from, self.to, &self.options);
            let result = kernel.run(&src, &mut dst, from.len());
            let wanted = Err(RunError::Unfit { index: wanted });
            assert_eq!(result, wanted, "{}, {self}, {:#x}", level.name(), from[0]);
            self.wrote_the_elements_before(result, from, &dst);
        }
        let result = self.public().run_n(&src, &mut dst, from.len());
        assert!(
            matches!(result, Err(CastError::Unfit { index, .. }) if index == wanted),
            "Cast, {self}: {result:?}"
        );
    }

    #[track_caller]
    fn wrote_the_elements_before(self, result: Result<(), RunError>, from: &[u128], dst: &[u8]) {
        let Err(RunError::Unfit { index }) = result else { return };
        for (i, &code) in from[..index].iter().enumerate() {
            let wanted = by_definition(self.from, self.to, code, &self.options, i as u64);
            assert_eq!(Ok(reference::load(self.to, dst, i)), wanted, "{self}, element {i}");
        }
    }

    fn public(self) -> Cast {
        let options = CastOptions::from(self.options);
        Cast::new(self.from, self.to, options).expect("every pair goes with all options")
    }

    /// The same numbers in each storage: "a packed dtype is the same numbers in another storage",
    /// and complex numbers go by component.
    fn in_every_storage(self, cases: &[(u128, u128)]) -> Vec<(Self, Vec<(u128, u128)>)> {
        let mut all = Vec::new();
        let also = |dtype| [Some(dtype), packed_of(dtype)].into_iter().flatten();
        for from in also(self.from) {
            for to in also(self.to) {
                all.push((Self { from, to, ..self }, cases.to_vec()));
            }
        }
        if is_complex(self.from) || is_complex(self.to) {
            return all;
        }
        if let Some(to) = complex_of(self.to) {
            all.push((Self { to, ..self }, cases.to_vec()));
        }
        if let Some(from) = complex_of(self.from) {
            all.push((Self { from, ..self }, cases.to_vec()));
            if let Some(to) = complex_of(self.to) {
                let twice = |&(a, b): &(u128, u128)| (complex(from, a, a), complex(to, b, b));
                all.push((Self { from, to, ..self }, cases.iter().map(twice).collect()));
            }
        }
        all
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Options { overflow, saturate, rounding, first_index } = self.options;
        write!(f, "{} -> {} under {overflow:?}, ", self.from, self.to)?;
        write!(f, "saturate {saturate}, {rounding:?}, first index {first_index}")
    }
}

/// The floats that have infinities, with the code of +infinity.
pub(crate) fn infinite() -> impl Iterator<Item = (DType, u128)> {
    let formats = crate::support::floats::FORMATS.iter();
    formats.filter_map(|format| Some((format.dtype, u128::from(format.infinity?))))
}

/// The real dtypes with bytes of their own.
pub(crate) fn real_dtypes() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| component(*dtype) == *dtype)
}

/// A rounding mode that draws: for results that no rounding may change.
pub(crate) const DRAWN: Rounding = STOCHASTIC;

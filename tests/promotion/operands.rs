//! Several operands, against what the systems themselves said of all triples, or of a great many
//! random ones: a digest of their answers, taken from the systems by running them.

use simdcast::promotion::{Operand, Scalar, System, Table, Type, plan_all, resolve_all};
use simdcast::{CastOptions, DType};

/// FNV-1a of lines.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn line(&mut self, line: &str) {
        for byte in line.bytes().chain([b'\n']) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn answer(&mut self, answer: Option<Type>) {
        self.line(&answer.map_or("-".to_owned(), |t| t.to_string()));
    }
}

fn listed(system: System) -> Vec<Type> {
    system.table().types().collect()
}

fn triples(of: &[Type]) -> impl Iterator<Item = [Type; 3]> + '_ {
    let two = move |a| of.iter().flat_map(move |b| of.iter().map(move |c| [a, *b, *c]));
    of.iter().flat_map(move |a| two(*a))
}

fn digest_of_triples(system: System, of: &[Type]) -> u64 {
    let mut digest = Digest::new();
    for triple in triples(of) {
        digest.answer(resolve_all(system, &triple.map(Operand::from)));
    }
    digest.0
}

/// Numbers that a script can make, too.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }
}

#[test]
fn three_dtypes_meet_as_numpy_result_type_has_it() {
    // numpy.result_type of all 39304 triples, in this order; NumPy 2.4.6 with ml_dtypes 0.6.0.
    let names = listed(System::Numpy);
    assert_eq!(names.len(), 34);
    assert_eq!(digest_of_triples(System::Numpy, &names), 0x37f0_b376_75c5_37e7);
}

#[test]
fn six_dtypes_meet_as_numpy_result_type_has_it() {
    let (names, mut random, mut digest) = (listed(System::Numpy), Random(1), Digest::new());
    for _ in 0..20_000 {
        let operands = [(); 6].map(|()| names[random.below(names.len())].into());
        digest.answer(resolve_all(System::Numpy, &operands));
    }
    assert_eq!(digest.0, 0x2628_5dc8_d137_bf68);
}

#[test]
fn three_dtypes_of_numpy_and_two_scalars_meet_as_numpy_result_type_has_it() {
    // Of NumPy's own 14 dtypes.
    let names = &listed(System::Numpy)[..14];
    let (mut random, mut digest) = (Random(1), Digest::new());
    for _ in 0..20_000 {
        let mut operands: Vec<Operand> = Vec::new();
        operands.extend([(); 3].map(|()| Operand::from(names[random.below(14)])));
        operands.extend([(); 2].map(|()| Operand::from(Scalar::ALL[random.below(4)])));
        digest.answer(resolve_all(System::Numpy, &operands));
    }
    assert_eq!(digest.0, 0x0d81_53b0_88a5_91e5);
}

#[test]
fn of_ml_dtypes_with_a_scalar_and_more_nothing_is_said() {
    let alone = [DType::Int4.into(), Scalar::Int.into()];
    assert_eq!(resolve_all(System::Numpy, &alone), Some(DType::Int8.into()));
    let more = [DType::Int4.into(), Scalar::Int.into(), DType::Float64.into()];
    assert_eq!(resolve_all(System::Numpy, &more), None);
    let error = plan_all(System::Numpy, &more, CastOptions::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "where int4, Python's int, float64 meet in numpy is not known: of int4 and a scalar it is only if there is nothing else"
    );
    // Nor does what meets nothing, not even itself, beside others like it.
    let table = Table::parse(
        "system: x\ntitle: x\n[pairs]\nsource: x\ncommutative: yes\nhole: uint8\norder: uint8 int8\n\
         _ uint8 int8\nuint8 - int8\nint8 int8 int8\n",
    );
    let table = table.unwrap();
    let of = |dtype: DType| resolve_all(&table, &[dtype.into(), dtype.into()]);
    assert_eq!([of(DType::UInt8), of(DType::Int8)], [None, Some(DType::Int8.into())]);
}

#[test]
fn three_types_meet_as_jax_has_it() {
    // All 42875 triples of dtypes and weak types, x64 enabled; JAX 0.10.2.
    for (system, expected) in
        [(System::Jax, 0x0d42_d720_085d_1571), (System::JaxStrict, 0x276e_1430_e827_6f2b)]
    {
        let types = listed(system);
        assert_eq!(types.len(), 35);
        assert_eq!(digest_of_triples(system, &types), expected, "{system}");
    }
}

#[test]
fn three_dtypes_meet_as_tensorflow_has_it() {
    // All 3375 triples, and all pairs with a scalar between them; TensorFlow 2.21.0.
    for (system, tensors, scalars) in [
        (System::TensorFlowAll, 0xad8c_b61d_a032_dc7d, 0xdc17_ea5b_7227_ca33),
        (System::TensorFlowSafe, 0x380d_e47d_f792_9dc9, 0x4add_49fd_836a_492b),
    ] {
        let mut types = listed(system);
        types.retain(|t| !t.weak);
        assert_eq!(types.len(), 15);
        assert_eq!(digest_of_triples(system, &types), tensors, "{system}");
        let mut digest = Digest::new();
        for a in &types {
            for scalar in Scalar::ALL {
                for b in &types {
                    let operands = [(*a).into(), scalar.into(), (*b).into()];
                    digest.answer(resolve_all(system, &operands));
                }
            }
        }
        assert_eq!(digest.0, scalars, "{system}");
    }
}

#[test]
fn three_tensors_with_and_without_dimensions_meet_as_torch_has_it() {
    // torch.addcmul of tensors with and without dimensions, all 10648 cases but the 186 in which it
    // has no kernel for the common dtype, bcomplex32; PyTorch 2.15.0.
    use DType::{
        BFloat16, Complex64, Complex128, Float16, Float32, Float64, Int8, Int16, Int32, Int64,
        UInt8,
    };
    let dtypes = [
        Int8, Int16, Int32, Int64, UInt8, Float16, BFloat16, Float32, Float64, Complex64,
        Complex128,
    ];
    let (mut digest, mut left_out) = (Digest::new(), 0);
    for triple in triples(&dtypes.map(Type::from)) {
        for ranks in 0..8 {
            let mut place = 0;
            let operands = triple.map(|t| {
                let zero_dim = ranks >> (2 - place) & 1 == 1;
                place += 1;
                if zero_dim { Operand::ZeroDim(t) } else { Operand::Tensor(t) }
            });
            let common = resolve_all(System::Torch, &operands);
            if common == Some(DType::BComplex32.into()) {
                left_out += 1;
            } else {
                digest.answer(common);
            }
        }
    }
    assert_eq!((digest.0, left_out), (0x54b8_7974_6f03_d2ad, 186));
}

#[test]
fn numbers_alone_are_of_the_highest_kind() {
    let numbers = [Scalar::Bool, Scalar::Float, Scalar::Int].map(Operand::from);
    for (system, expected) in [
        (System::Numpy, Some(DType::Float64.into())),
        (System::Torch, Some(DType::Float32.into())),
        (System::Jax, Some(Type::weak(DType::Float64))),
        (System::JaxX32, Some(Type::weak(DType::Float32))),
        (System::TensorFlowAll, Some(Type::weak(DType::Float32))),
        (System::MindSpore, Some(DType::Float32.into())),
        (System::ArrayApi, None),
    ] {
        assert_eq!(resolve_all(system, &numbers), expected, "{system}");
    }
}

#[test]
fn one_operand_is_its_own_type_and_none_has_none() {
    for system in System::ALL {
        assert_eq!(resolve_all(system, &[]), None, "{system}");
        for dtype in [DType::Float32, DType::Int4x2] {
            let alone = resolve_all(system, &[dtype.into()]);
            assert_eq!(alone, Some(dtype.into()), "{system}");
        }
    }
}

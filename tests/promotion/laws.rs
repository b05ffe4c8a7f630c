//! The laws that one expects of promotion, and, by name, where systems break them.

use simdcast::DType::{
    self, BFloat16, Float16, Float32, Int8, Int16, Int32, UInt8, UInt16, UInt64,
};
use simdcast::promotion::{Casting, System, Type, can_cast, resolve};

/// Every dtype, and the system's weak types.
fn types(system: System) -> Vec<Type> {
    let weak = system.table().types().filter(|t| t.weak);
    DType::ALL.into_iter().map(Type::from).chain(weak).collect()
}

#[test]
fn promotion_is_commutative() {
    for system in System::ALL {
        let types = types(system);
        for a in &types {
            for b in &types {
                let (this, that) = (system.table().meet(*a, *b), system.table().meet(*b, *a));
                assert_eq!(this, that, "{system}: {a}, {b}");
            }
        }
    }
}

#[test]
fn a_type_meets_itself_in_itself() {
    for system in System::ALL {
        for t in types(system) {
            if (system, t) == (System::MegEngine, BFloat16.into()) {
                continue;
            }
            assert_eq!(system.table().meet(t, t), Some(t), "{system}: {t}");
        }
    }
}

#[test]
fn in_megengine_bfloat16_does_not_meet_itself() {
    assert_eq!(resolve(System::MegEngine, BFloat16, BFloat16), None);
    assert_eq!(resolve(System::MegEngine, BFloat16, Int8), Some(Int8));
    assert_eq!(resolve(System::MegEngineElementwise, BFloat16, BFloat16), Some(BFloat16));
}

#[test]
fn a_packed_dtype_is_the_numbers_that_it_packs() {
    for system in System::ALL {
        let listed: Vec<DType> = system.table().types().map(|t| t.dtype).collect();
        for packed in DType::ALL.into_iter().filter(|d| d.is_packed() && !listed.contains(d)) {
            for other in DType::ALL.into_iter().filter(|d| *d != packed && *d != packed.logical()) {
                let expected = resolve(system, packed.logical(), other);
                assert_eq!(resolve(system, packed, other), expected, "{system}: {packed}, {other}");
            }
            let numbers = listed.contains(&packed.logical()).then_some(packed.logical());
            assert_eq!(resolve(system, packed, packed.logical()), numbers, "{system}: {packed}");
        }
    }
}

#[test]
fn torch_has_a_packed_float4_and_no_other() {
    let packed = DType::Float4E2M1FnX2;
    assert_eq!(resolve(System::Torch, packed, UInt16), Some(packed));
    assert_eq!(resolve(System::Torch, DType::Float4E2M1Fn, UInt16), None);
    assert_eq!(resolve(System::Torch, DType::Int4x2, DType::Bool), None);
    assert_eq!(resolve(System::Numpy, packed, DType::Bool), Some(DType::Float4E2M1Fn));
}

/// How many triples of a system's types meet in different places, or only one way round.
fn not_associative(system: System) -> usize {
    let types: Vec<Type> = system.table().types().collect();
    let meet = |a: Option<Type>, b: Option<Type>| system.table().meet(a?, b?);
    let mut count = 0;
    for a in types.iter().copied().map(Some) {
        for b in types.iter().copied().map(Some) {
            for c in types.iter().copied().map(Some) {
                count += usize::from(meet(meet(a, b), c) != meet(a, meet(b, c)));
            }
        }
    }
    count
}

#[test]
fn promotion_is_associative_in_six_systems() {
    let counted = System::ALL.map(|system| (system.name(), not_associative(system)));
    let expected = [
        ("array_api", 0),
        ("numpy", 4892),
        ("mindspore", 0),
        ("megengine", 16),
        ("megengine_elementwise", 120),
        ("torch", 540),
        ("jax", 0),
        ("jax_x32", 0),
        ("jax_strict", 0),
        ("tensorflow_all", 0),
        ("tensorflow_safe", 548),
    ];
    assert_eq!(counted, expected);
}

/// Both ways of three dtypes.
fn both_ways(system: System, [a, b, c]: [DType; 3]) -> [Option<DType>; 2] {
    [
        resolve(system, a, b).and_then(|ab| resolve(system, ab, c)),
        resolve(system, b, c).and_then(|bc| resolve(system, a, bc)),
    ]
}

#[test]
fn in_numpy_int16_uint16_and_float32_meet_in_either_of_two() {
    let ways = both_ways(System::Numpy, [Int16, UInt16, Float32]);
    assert_eq!(ways, [Some(DType::Float64), Some(Float32)]);
}

#[test]
fn in_numpy_int8_uint8_and_float16_meet_in_either_of_two() {
    let ways = both_ways(System::Numpy, [Int8, UInt8, Float16]);
    assert_eq!(ways, [Some(Float32), Some(Float16)]);
}

#[test]
fn in_torch_and_tensorflow_safe_a_float_between_makes_integers_meet() {
    let ways = both_ways(System::Torch, [UInt8, UInt16, Float16]);
    assert_eq!(ways, [None, Some(Float16)]);
    let ways = both_ways(System::TensorFlowSafe, [Int8, UInt8, Int16]);
    assert_eq!(ways, [None, Some(Int16)]);
}

#[test]
fn in_megengine_a_third_dtype_decides_whether_two_bfloat16_meet() {
    let ways = both_ways(System::MegEngine, [BFloat16, BFloat16, Int8]);
    assert_eq!(ways, [None, Some(Int8)]);
    let ways = both_ways(System::MegEngineElementwise, [Int8, UInt8, Float16]);
    assert_eq!(ways, [None, Some(Float32)]);
}

#[test]
fn float16_and_bfloat16_meet_in_float32_or_not_at_all() {
    for system in [System::Jax, System::Torch, System::TensorFlowAll, System::MindSpore] {
        assert_eq!(resolve(system, Float16, BFloat16), Some(Float32), "{system}");
    }
    for system in [System::Numpy, System::TensorFlowSafe, System::ArrayApi] {
        assert_eq!(resolve(system, Float16, BFloat16), None, "{system}");
    }
}

#[test]
fn int32_and_uint64_meet_in_five_ways() {
    let meet = |system: System| system.table().meet(Int32.into(), UInt64.into());
    assert_eq!(meet(System::Numpy), Some(DType::Float64.into()));
    assert_eq!(meet(System::Jax), Some(Type::weak(DType::Float64)));
    assert_eq!(meet(System::JaxX32), Some(Type::weak(Float32)));
    assert_eq!(meet(System::TensorFlowAll), Some(Type::weak(DType::Float64)));
    for system in [System::ArrayApi, System::Torch, System::MindSpore, System::JaxStrict] {
        assert_eq!(meet(system), None, "{system}");
    }
}

#[test]
fn numpy_casts_safely_what_arrives_among_its_own_dtypes_but_for_large_integers() {
    // NumPy calls int64 and uint64 to float64 safe, which they are not for every value.
    let own: Vec<DType> = System::Numpy.table().types().take(14).map(|t| t.dtype).collect();
    let mut exceptions = Vec::new();
    for from in own.iter().copied() {
        for to in own.iter().copied() {
            let safe = can_cast(System::Numpy, from, to, Casting::Safe).unwrap();
            if safe != simdcast::is_lossless(from, to) {
                exceptions.push((from, to));
            }
        }
    }
    use DType::{Complex128, Float64, Int64};
    let expected = [(Int64, Float64), (Int64, Complex128), (UInt64, Float64), (UInt64, Complex128)];
    assert_eq!(exceptions, expected);
}

#[test]
fn where_a_system_does_not_say_whether_a_cast_is_allowed() {
    assert_eq!(can_cast(System::Jax, Int8, Int16, Casting::Default), None);
    assert_eq!(can_cast(System::Torch, Int8, Int16, Casting::Safe), None);
    assert_eq!(can_cast(System::Torch, Float32, Int16, Casting::Default), Some(false));
    assert_eq!(can_cast(System::ArrayApi, Int8, Float32, Casting::Default), Some(false));
    assert_eq!(can_cast(System::ArrayApi, Int8, Float16, Casting::Default), None);
    assert_eq!(can_cast(System::Numpy, Int8, UInt8, Casting::Default), Some(false));
    assert_eq!(can_cast(System::Numpy, Int8, UInt8, Casting::SameValue), Some(true));
}

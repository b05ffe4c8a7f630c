//! Plans: the casts go where the tables say, and errors name what there is to know.

use simdcast::promotion::{Operand, PromotionError, Scalar, System, Type, plan, plan_all, resolve};
use simdcast::{CastOptions, DType, Overflow, Road};

#[test]
fn the_casts_of_every_pair_of_every_system_go_where_the_table_says() {
    let mut copies = 0;
    for system in System::ALL {
        for a in DType::ALL {
            for b in DType::ALL {
                let planned = plan(system, a, b, CastOptions::new());
                let Some(common) = resolve(system, a, b) else {
                    let error = planned.unwrap_err().to_string();
                    let start = format!("{system} leaves undefined where {a}, {b} meet");
                    assert!(error.starts_with(&start), "{system}: {a}, {b}: {error}");
                    continue;
                };
                let planned = planned.unwrap();
                assert_eq!(planned.common.dtype, common, "{system}: {a}, {b}");
                let ends = [planned.left, planned.right].map(|cast| (cast.from(), cast.to()));
                assert_eq!(ends, [(a, common), (b, common)], "{system}: {a}, {b}");
                copies += usize::from(a == common && planned.left.road() == Road::Copy);
            }
        }
    }
    assert!(copies > 1000, "{copies} of the casts are copies");
}

#[test]
fn a_plan_runs_under_its_options() {
    let options = CastOptions::new().overflow(Overflow::Error);
    // In JAX an int8 and a float8_e5m2 meet in float8_e5m2; the options go with the casts.
    let planned = plan(System::Jax, DType::Int64, DType::Float8E5M2, options).unwrap();
    let error = planned.left.run(&i64::MAX.to_ne_bytes(), &mut [0]).unwrap_err();
    assert!(error.to_string().starts_with("element 0 of int64"), "{error}");
    let mut code = [0];
    planned.left.run(&2i64.to_ne_bytes(), &mut code).unwrap();
    assert_eq!(code, [0x40]);
}

#[test]
fn a_plan_of_several_operands_casts_the_tensors() {
    let operands =
        [DType::Int8.into(), Scalar::Float.into(), Operand::ZeroDim(DType::Float64.into())];
    let planned = plan_all(System::Torch, &operands, CastOptions::new()).unwrap();
    // An int8 tensor beside a float64 number without dimensions takes that number's dtype.
    assert_eq!(planned.common, DType::Float64.into());
    let ends: Vec<_> = planned.casts.iter().map(|c| c.map(|c| (c.from(), c.to()))).collect();
    let to = DType::Float64;
    assert_eq!(ends, [Some((DType::Int8, to)), None, Some((to, to))]);
}

#[test]
fn an_unknown_dtype_is_named_with_what_is_known() {
    let error = plan(System::MegEngine, DType::Int8, DType::Int64, CastOptions::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "megengine leaves undefined where int8, int64 meet: it does not know int64; it knows bool, int8, int16, int32, uint8, uint16, float16, \
         bfloat16, float32"
    );
    assert!(matches!(error, PromotionError::Unlisted { .. }));
}

#[test]
fn operands_that_do_not_meet_are_named_with_what_they_meet() {
    let weak = Operand::from(Type::weak(DType::Complex128));
    let operands = [DType::Int8.into(), DType::Int4.into(), weak];
    let error = plan_all(System::Jax, &operands, CastOptions::new()).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "jax leaves undefined where int8, int4, complex128* meet; int8 meets bool, "
        ),
        "{error}"
    );
    assert!(error.contains("; int4 meets bool, int4, int64*; complex128* meets "), "{error}");
    let foreign = Operand::from(Type::weak(DType::Int8));
    let error = plan_all(System::Numpy, &[foreign], CastOptions::new());
    assert!(error.is_ok(), "one operand needs no rule");
    let two = [foreign, DType::Int8.into()];
    let error = plan_all(System::Numpy, &two, CastOptions::new()).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "numpy leaves undefined where int8*, int8 meet: it does not know int8*; it knows bool, "
        ),
        "{error}"
    );
}

#[test]
fn no_operand_is_an_error() {
    let error = plan_all(System::Numpy, &[], CastOptions::new()).unwrap_err();
    assert_eq!(error.to_string(), "numpy: no operand is given");
}

#[test]
fn systems_have_names() {
    let names = System::ALL.map(System::name);
    let expected = "array_api numpy mindspore megengine megengine_elementwise torch jax jax_x32 \
                    jax_strict tensorflow_all tensorflow_safe";
    assert_eq!(names.join(" "), expected);
    for system in System::ALL {
        assert_eq!(system.name().parse(), Ok(system));
        assert_eq!(system.to_string(), system.name());
    }
    let error = "nump".parse::<System>().unwrap_err().to_string();
    assert!(error.starts_with("no promotion system is called \"nump\"; there are array_api, "));
}

#[test]
fn names_of_a_systems_own_come_before_those_that_all_know() {
    for (system, name, expected) in [
        (System::MindSpore, "int", Some(DType::Int32)),
        (System::MindSpore, "uintp", Some(DType::UInt64)),
        (System::Numpy, "int", Some(DType::Int64)),
        (System::Numpy, "i8", Some(DType::Int64)),
        (System::Numpy, "e", Some(DType::Float16)),
        (System::Torch, "int", Some(DType::Int32)),
        (System::Torch, "float", Some(DType::Float32)),
        (System::Numpy, "float", Some(DType::Float64)),
        (System::JaxX32, "double", Some(DType::Float32)),
        (System::Jax, "double", Some(DType::Float64)),
        (System::ArrayApi, "int", None),
        (System::ArrayApi, "float16", None),
        (System::Numpy, "int4x2", Some(DType::Int4x2)),
        (System::Torch, "int4x2", None),
        // Not NumPy's names, or those of something else.
        (System::Numpy, "U16", None),
        (System::Numpy, "cfloat", None),
        (System::Numpy, "i16", None),
        (System::Numpy, "BOOL", None),
        (System::Torch, "cfloat", Some(DType::Complex64)),
        (System::Torch, "", None),
    ] {
        assert_eq!(system.parse_alias(name), expected, "{system}: {name}");
    }
}

//! Where several operands meet. Systems differ in that, too: most take two at a time, from left to
//! right; NumPy first looks for the dtype that knows most about the others; Torch treats tensors
//! with dimensions, tensors without, and numbers apart.

use super::text::{Code, NOTHING};
use super::{Operand, Scalar, Table, Type};

/// The operands, by what they are.
struct Ranks {
    tensors: Vec<Type>,
    zero_dims: Vec<Type>,
    scalars: Vec<Scalar>,
}

impl Ranks {
    fn of(operands: &[Operand]) -> Self {
        let mut ranks = Self { tensors: Vec::new(), zero_dims: Vec::new(), scalars: Vec::new() };
        for operand in operands {
            match *operand {
                Operand::Tensor(tensor) => ranks.tensors.push(tensor),
                Operand::ZeroDim(tensor) => ranks.zero_dims.push(tensor),
                Operand::Scalar(scalar) => ranks.scalars.push(scalar),
            }
        }
        ranks
    }
}

pub(super) fn meet(table: &Table, operands: &[Operand]) -> Option<Type> {
    if !table.text.weak.is_empty() {
        return left_to_right(table, operands);
    }
    let mut ranks = Ranks::of(operands);
    if table.text.zero_dim.is_some() {
        return by_rank(table, &ranks);
    }
    ranks.tensors.append(&mut ranks.zero_dims);
    if ranks.tensors.is_empty() {
        return scalars_alone(table, &ranks.scalars);
    }
    if of_two_only(table, operands).is_some() {
        return None;
    }
    let tensors = if table.text.order.is_empty() {
        fold(table, &ranks.tensors)?
    } else {
        by_knowledge(table, &ranks.tensors)?
    };
    ranks.scalars.iter().try_fold(tensors, |common, scalar| table.meet_scalar(common, *scalar))
}

/// Two at a time, scalars being values of weak types.
fn left_to_right(table: &Table, operands: &[Operand]) -> Option<Type> {
    let mut common = None;
    for operand in operands {
        let next = match *operand {
            Operand::Tensor(tensor) | Operand::ZeroDim(tensor) => tensor,
            Operand::Scalar(scalar) => table.default_type(scalar)?,
        };
        common = Some(match common {
            None => next,
            Some(common) => table.meet(common, next)?,
        });
    }
    common
}

fn fold(table: &Table, types: &[Type]) -> Option<Type> {
    let (first, rest) = types.split_first()?;
    rest.iter().try_fold(*first, |common, next| table.meet(common, *next))
}

fn scalars_alone(table: &Table, scalars: &[Scalar]) -> Option<Type> {
    let defaults: Option<Vec<Type>> = scalars.iter().map(|s| table.default_type(*s)).collect();
    fold(table, &defaults?)
}

/// The first dtype of which a table says nothing beside a scalar if there are more operands than those two, as here.
pub(super) fn of_two_only(table: &Table, operands: &[Operand]) -> Option<Type> {
    if operands.len() <= 2 || operands.iter().all(|operand| operand.tensor().is_some()) {
        return None;
    }
    operands
        .iter()
        .filter_map(|operand| operand.tensor())
        .find(|tensor| table.code(*tensor).is_some_and(|code| table.text.pairwise.contains(&code)))
}

/// Each rank meets by itself; then a lower one is to a higher one as a tensor without dimensions,
/// or a number, is to a tensor.
fn by_rank(table: &Table, ranks: &Ranks) -> Option<Type> {
    let Ranks { tensors, zero_dims, scalars } = ranks;
    let beside_scalars = |types: &[Type]| {
        let common = fold(table, types)?;
        // Of the numbers, only the highest kind counts.
        match scalars.iter().max() {
            Some(scalar) => table.meet_scalar(common, *scalar),
            None => Some(common),
        }
    };
    match (tensors.is_empty(), zero_dims.is_empty()) {
        (true, true) => scalars_alone(table, scalars),
        (true, false) => beside_scalars(zero_dims),
        (false, true) => beside_scalars(tensors),
        (false, false) => table.meet_zero_dim(fold(table, tensors)?, beside_scalars(zero_dims)?),
    }
}

/// As NumPy's `result_type` has it, so that int16, uint16 and float32 meet in float32 in any order,
/// although int16 and uint16 meet in int32, and that and float32 in float64.
///
/// Of two dtypes, the one that comes later in the table's order answers where they meet. In a
/// knock-out of the first against the last, the one that answers stays in front, and the other drops
/// out if the answer is the front one itself, since nothing can come of it any more. What is then in
/// front answers for all that are left, and those answers meet.
fn by_knowledge(table: &Table, types: &[Type]) -> Option<Type> {
    if let [only] = types {
        return Some(*only);
    }
    let first = *types.first()?;
    if types.iter().all(|other| *other == first) {
        return table.meet(first, first);
    }
    let mut field = types.iter().map(|t| table.code(*t).map(Some)).collect::<Option<Vec<_>>>()?;
    let answered = knock_out(table, &mut field);
    let front = field[0]?;
    let mut common = answered;
    // The answer to the last match of the knock-out is that to the second in the field.
    let left = if answered.is_some() { 2 } else { 1 };
    for code in field[left..].iter().flatten() {
        let answer = answer(table, front, *code)?;
        common = Some(match common {
            None => answer,
            Some(common) => meeting(table, common, answer)?,
        });
    }
    table.type_of(common?)
}

/// Plays the rounds, and hands back the answer to the last match, of two, if there was one.
fn knock_out(table: &Table, field: &mut [Option<Code>]) -> Option<Code> {
    let mut in_play = field.len();
    let mut last = None;
    while in_play >= 2 {
        let half = in_play / 2;
        for low in 0..half {
            let high = in_play - 1 - low;
            // Only those behind the ones in play have dropped out.
            let (Some(front), Some(back)) = (field[low], field[high]) else { continue };
            last = answer(table, front, back);
            match last {
                None => field.swap(low, high),
                Some(answer) if answer == front => field[high] = None,
                Some(_) => {}
            }
        }
        if in_play == 2 {
            break;
        }
        in_play -= half;
    }
    last
}

/// Where `one` says that it meets `other`; None if it knows less than that, or says nothing.
fn answer(table: &Table, one: Code, other: Code) -> Option<Code> {
    let place = |code| table.text.order.iter().position(|known| *known == code);
    if place(other) > place(one) { None } else { meeting(table, one, other) }
}

fn meeting(table: &Table, one: Code, other: Code) -> Option<Code> {
    table.text.pairs.cell(one, other).filter(|cell| *cell != NOTHING)
}

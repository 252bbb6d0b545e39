//! `SparseMixer`: a router that draws two experts for each token by chance, as likely as their scores
//! say, with a gradient of its own (`models/phimoe/modeling_phimoe.py` of transformers 5.23).

use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Weights and chosen experts `[N, 2]` of the scores `[N, E]`.
pub(crate) fn choose(t: &Tape, scores: &Tensor) -> [Tensor; 2] {
    let mut locals = [const { None }; 4];
    let first = draw(t, scores, scores, &mut locals);
    let left = t.scatter_number(scores, &first.expert);
    let second = draw(t, scores, &left, &mut locals);
    let Draw {
        weight,
        expert,
        held,
    } = first;
    let weights = t.cat(&[&weight, &second.weight], -1);
    drop(weight);
    let chosen = t.cat(&[&expert, &second.expert], -1);
    drop((held, second, left, locals));
    [weights, chosen]
}

/// Local variables that the second draw writes over: the index of the largest score, the factor, the largest score and
/// then the mask of scores far from it, and the largest probability.
type Locals = [Option<Tensor>; 4];

/// The draw for each token `[N, 1]`.
struct Draw {
    weight: Tensor,
    expert: Tensor,
    /// Local variables of this draw alone.
    held: Vec<Tensor>,
}

/// Draws among the experts that have scores `[N, E]` in `left`.
fn draw(t: &Tape, scores: &Tensor, left: &Tensor, locals: &mut Locals) -> Draw {
    let all = |op, dtype| t.empty(op, *scores.shape(), dtype);
    let recorded = t.set_grad_enabled(false);
    let (threshold, index) = t.max_of_rows(left);
    t.set_grad_enabled(recorded);
    let likeliest = (!t.is_training()).then(|| index.clone());
    locals[2] = Some(threshold);
    locals[0] = Some(index);
    let absolute = all("abs", scores.dtype());
    let factor = all("clamp", scores.dtype());
    drop(absolute);
    locals[1] = Some(factor);
    let difference = all("sub", scores.dtype());
    let quotient = all("div", scores.dtype());
    drop(difference);
    let far = all("gt", DType::Bool);
    drop(quotient);
    locals[2] = Some(far.clone());
    let masked = t.masked_fill(left, &far);
    drop(far);
    let expert = likeliest.clone().unwrap_or_else(|| {
        let noisy = {
            let noise = {
                let uniform = all("empty_like", masked.dtype());
                t.log(&uniform)
            };
            t.sub(&masked, &noise)
        };
        t.max_of_rows(&noisy).1
    });
    let probabilities = t.softmax(&masked, None);
    drop(masked);
    let weight = t.gather(&probabilities, &expert);
    let mut held = vec![probabilities];
    if likeliest.is_some() {
        return Draw {
            weight,
            expert,
            held,
        };
    }
    let (largest, index) = t.max_of_rows(&held[0]);
    locals[3] = Some(largest);
    locals[0] = Some(index);
    let factor = third_order_factor(t, &held[0]);
    let multiplied = t.drawn_weight(scores, [&weight, &expert, &held[0], &factor]);
    held.extend([weight, factor]);
    Draw {
        weight: multiplied,
        expert,
        held,
    }
}

/// One for the draws that are the likeliest and for a quarter of the others, else a third `[N, 1]`.
fn third_order_factor(t: &Tape, probabilities: &Tensor) -> Tensor {
    let rows = |op, dtype| t.empty(op, Shape::from([probabilities.dim(0), 1]), dtype);
    let equal = rows("eq", DType::Bool);
    let number = rows("rand_like", probabilities.dtype());
    let chance = rows("gt", DType::Bool);
    drop(number);
    let either = rows("logical_or", DType::Bool);
    drop((equal, chance));
    let factor = rows("add", DType::Float32);
    let narrow = t.to(&factor, probabilities.dtype());
    drop((factor, either));
    narrow
}

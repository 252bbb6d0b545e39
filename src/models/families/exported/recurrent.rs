//! Recurrent layers.

use super::call::{Arm, Call, Results};
use super::pointwise::in_mode;
use crate::tape::{Recurrence, RecurrentCell, RecurrentLayer, Tensor};

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "lstm" => |call| recurrent(call, RecurrentCell::Lstm),
        "gru" => |call| recurrent(call, RecurrentCell::Gru),
        "rnn_tanh" | "rnn_relu" => |call| recurrent(call, RecurrentCell::Simple),
        "lstm_cell" => |call| one_step(call, RecurrentCell::Lstm),
        "gru_cell" => |call| one_step(call, RecurrentCell::Gru),
        "rnn_tanh_cell" | "rnn_relu_cell" => |call| one_step(call, RecurrentCell::Simple),
        _ => return None,
    })
}

/// Layers, one after the other.
fn recurrent(call: &Call, cell: RecurrentCell) -> Results {
    let with_cell = cell == RecurrentCell::Lstm;
    let t = call.t;
    let x = call.x()?;
    let states = if with_cell {
        call.tensors("hx")?
    } else {
        vec![call.tensor("hx")?]
    };
    let parameters = call.tensors("params")?;
    let biased = call.flag("has_biases", true)?;
    let each = if biased { 4 } else { 2 };
    let count = usize::try_from(call.int("num_layers")?).ok()?;
    let two_ways = call.flag("bidirectional", false)?;
    let count = count.checked_mul(if two_ways { 2 } else { 1 })?;
    let fits = Some(parameters.len()) == count.checked_mul(each) && x.shape().rank() == 3;
    let alike = states
        .iter()
        .all(|state| state.shape().rank() == 3 && state.dim(0) == count as u64);
    if !(fits && alike && states.len() == if with_cell { 2 } else { 1 }) {
        return None;
    }
    let layers = parameters.chunks(each).map(layer);
    let layers: Vec<RecurrentLayer> = layers.collect::<Option<_>>()?;
    let options = Recurrence {
        cell,
        two_ways,
        dropout: call.trains("train")? && call.float("dropout", 0.0) > 0.0,
    };
    let batch_first = call.flag("batch_first", false)?;
    let steps = if batch_first {
        t.transpose(&x, 0, 1)
    } else {
        x
    };
    let mut results = in_mode(t, true, || t.recur(&steps, &states, &layers, options));
    if batch_first && let Some(first) = results.first_mut() {
        *first = t.transpose(first, 0, 1);
    }
    Some(results)
}

/// One step of one cell.
fn one_step(call: &Call, cell: RecurrentCell) -> Results {
    let x = call.x()?;
    let states = if cell == RecurrentCell::Lstm {
        call.tensors("hx")?
    } else {
        vec![call.tensor("hx")?]
    };
    let t = call.t;
    // Autocast casts all arguments of the whole cell.
    let cast = |name| call.tensor(name).map(|x| t.narrowed(&x));
    let biases = cast("b_hh").zip(cast("b_ih"));
    let (of_state, of_input) = (cast("w_hh")?, cast("w_ih")?);
    let states: Vec<Tensor> = states.iter().map(|x| t.narrowed(x)).collect();
    let x = t.narrowed(&x);
    let layer = RecurrentLayer {
        weights: [of_input, of_state],
        biases: biases.map(|(b, a)| [a, b]),
    };
    let vectors = layer.biases.iter().flatten();
    let vectors = vectors.chain(&states).map(|x| x.shape().rank());
    let biases = if layer.biases.is_some() { 2 } else { 0 };
    let fits = vectors.take(biases).all(|rank| rank == 1);
    let matrices = layer.weights.iter().all(|x| x.shape().rank() == 2);
    let flat = fits
        && matrices
        && x.shape().rank() == 2
        && states.iter().all(|state| state.shape().rank() == 2);
    (flat && states.len() == if cell == RecurrentCell::Lstm { 2 } else { 1 })
        .then(|| t.without_autocast(|| t.recurrent_step(&x, &states, &layer, cell)))
}

fn layer(parameters: &[Tensor]) -> Option<RecurrentLayer> {
    let ranks = parameters.iter().map(|x| x.shape().rank());
    ranks
        .eq([2, 2, 1, 1].into_iter().take(parameters.len()))
        .then_some(())?;
    let tensor = |at: usize| parameters.get(at).cloned();
    Some(RecurrentLayer {
        weights: [tensor(0)?, tensor(1)?],
        biases: tensor(2).zip(tensor(3)).map(|(a, b)| [a, b]),
    })
}

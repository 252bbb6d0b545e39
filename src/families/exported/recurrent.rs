//! Recurrent layers.

use super::call::{Arm, Call, Results};
use super::pointwise::in_mode;
use crate::tape::{Recurrence, RecurrentLayer, Tensor};

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "lstm" => |call| recurrent(call, true),
        "gru" => |call| recurrent(call, false),
        _ => return None,
    })
}

/// Layers of one direction, one after the other.
fn recurrent(call: &Call, with_cell: bool) -> Results {
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
    let one_way = !call.flag("bidirectional", false)?;
    let fits = parameters.len() == each * count && x.shape().rank() == 3;
    let alike = states
        .iter()
        .all(|state| state.shape().rank() == 3 && state.dim(0) == count as u64);
    if !(one_way && fits && alike && states.len() == if with_cell { 2 } else { 1 }) {
        return None;
    }
    let layers = parameters.chunks(each).map(layer);
    let layers: Vec<RecurrentLayer> = layers.collect::<Option<_>>()?;
    let options = Recurrence {
        with_cell,
        dropout: call.flag("train", true)? && call.float("dropout", 0.0) > 0.0,
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

fn layer(parameters: &[Tensor]) -> Option<RecurrentLayer> {
    let tensor = |at: usize| parameters.get(at).cloned();
    Some(RecurrentLayer {
        weights: [tensor(0)?, tensor(1)?],
        biases: tensor(2).zip(tensor(3)).map(|(a, b)| [a, b]),
    })
}

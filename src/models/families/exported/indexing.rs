//! Indexing, gathering, and other orders.

use super::call::{Arm, Call, Results, has_room, one};
use crate::tape::Tensor;
use crate::units::DType;

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "embedding" => |call| {
            let (weight, indices) = (call.tensor("weight")?, call.tensor("indices")?);
            (weight.shape().rank() == 2 && has_room(&indices))
                .then(|| vec![call.t.embedding(&weight, &indices)])
        },
        "index" => index,
        "index_select" => |call| {
            let (x, at) = (call.x()?, call.tensor("index")?);
            one(call.t.select_at(&x, &at, call.shape()?))
        },
        "gather" => |call| one(call.t.gather(&call.x()?, &call.tensor("index")?)),
        "scatter" | "scatter_add" => scatter,
        "roll" => |call| {
            let x = call.x()?;
            let dims = call.ints("shifts")?.len();
            (dims > 0).then(|| vec![call.t.roll(&x, dims)])
        },
        "flip" => |call| one(call.t.flip(&call.x()?)),
        "tril" => |call| one(call.t.triangular("tril", &call.x()?)),
        "triu" => |call| one(call.t.triangular("triu", &call.x()?)),
        _ => return None,
    })
}

/// A copy of x with numbers, or other tensors' elements, at places.
fn scatter(call: &Call) -> Results {
    let (t, x, index) = (call.t, call.x()?, call.tensor("index")?);
    let Some(source) = call.tensor("src") else {
        return one(t.scatter_number(&x, &index));
    };
    let copy = t.cloned(&x);
    if call.name() == "scatter_add" {
        return one(t.scatter_add_in_place(&copy, &index, &source));
    }
    (!x.requires_grad()).then(|| vec![t.scatter_in_place(&copy, &index, &source)])
}

/// `x[a, :, b]` with indices in whole numbers.
fn index(call: &Call) -> Results {
    let x = call.x()?;
    let given = call.some_tensors("indices")?;
    let indices: Vec<Tensor> = given.into_iter().flatten().collect();
    let whole = indices
        .iter()
        .all(|at| matches!(at.dtype(), DType::Int64 | DType::Int32));
    (whole && !indices.is_empty()).then_some(())?;
    one(call.t.take_at(&x, &indices, call.shape()?))
}

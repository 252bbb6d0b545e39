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

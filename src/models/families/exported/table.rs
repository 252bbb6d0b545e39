//! The table of ATen's operations: an arm for each.

use super::call::{Arm, Call, Results};
use super::{
    attention, convolutions, in_place, indexing, losses, made, normalization, pointwise, products,
    recurrent, reductions, sampled, views,
};

/// Knowledge of an operation.
pub(super) enum Known {
    /// An operation that this function runs.
    Arm(Arm),
    /// An operation that gives whole numbers, or allocates nothing on the device.
    Nothing,
    /// A graph within runs.
    Region,
    /// Its result is of the size that the graph says, and no gradient flows through it.
    WithoutGradient,
    /// Nothing.
    Unknown,
}

/// Looks an operation up by its name, as `aten.add.Tensor`.
pub(super) fn find(target: &str) -> Known {
    if let Some(region) = target.strip_prefix("higher_order.") {
        return match region {
            "wrap_with_set_grad_enabled" | "wrap_with_autocast" => Known::Region,
            _ => Known::Unknown,
        };
    }
    let Some(name) = target.strip_prefix("aten.") else {
        return if target.starts_with("_operator")
            || target.starts_with("math.")
            || target.starts_with("torch.sym_")
        {
            Known::Nothing
        } else {
            Known::Unknown
        };
    };
    let base = name.split('.').next().unwrap_or(name);
    if NOTHING.contains(&base) || base.starts_with("sym_") {
        return Known::Nothing;
    }
    let tables = [
        pointwise::find,
        views::find,
        reductions::find,
        normalization::find,
        convolutions::find,
        products::find,
        indexing::find,
        attention::find,
        recurrent::find,
        sampled::find,
        losses::find,
        made::find,
        in_place::find,
    ];
    if let Some(arm) = tables.iter().find_map(|find| find(base)) {
        return Known::Arm(arm);
    }
    if WITHOUT_GRADIENT.contains(&base) {
        return Known::WithoutGradient;
    }
    Known::Unknown
}

/// Operations that do nothing on the device.
const NOTHING: &[&str] = &[
    "_assert_tensor_metadata",
    "_assert_scalar",
    "_assert_async",
    "_local_scalar_dense",
    "item",
];

/// Operations whose results no gradient flows through, one kernel each.
const WITHOUT_GRADIENT: &[&str] = &[
    "__and__",
    "__or__",
    "__xor__",
    "__lshift__",
    "__rshift__",
    "_is_all_true",
    "_is_any_true",
    "all",
    "any",
    "argmax",
    "argmin",
    "bernoulli",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bucketize",
    "diff",
    "eq",
    "equal",
    "floor_divide",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "ne",
    "not_equal",
    "one_hot",
    "searchsorted",
    "tril_indices",
    "triu_indices",
];

/// One kernel without a gradient: results of the shapes that the graph says.
pub(super) fn without_gradient(call: &Call) -> Results {
    let floats = call
        .all_tensors()
        .into_iter()
        .find(|x| x.dtype().is_float());
    let made = (0..call.node.outputs.len()).map(|at| {
        let (shape, dtype) = call.result(at)?;
        let dtype = match (&floats, dtype.is_float()) {
            (Some(x), true) => x.dtype(),
            _ => dtype,
        };
        Some(call.t.empty("kernel", shape, dtype))
    });
    made.collect()
}

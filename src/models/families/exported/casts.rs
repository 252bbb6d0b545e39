//! Dtypes that follow those of other tensors: `x.to(y.dtype)` and `torch.empty(.., dtype=x.dtype)` are written into a
//! graph with the dtype that they had while it was exported, and have another one where autocast makes x or y narrow.

use crate::exported::{Argument, Body, Node, ValueId};
use crate::units::DType;
use std::collections::BTreeMap;

/// Nodes that are looked at on the way back from a cast.
const FARTHEST: usize = 24;

/// Operations whose result has the values of their first tensor.
const VIEWS: &[&str] = &[
    "transpose",
    "permute",
    "reshape",
    "view",
    "flatten",
    "unflatten",
    "contiguous",
    "clone",
    "squeeze",
    "unsqueeze",
    "_unsafe_view",
    "alias",
    "dropout",
];

/// A body's casts, noise and views.
#[derive(Default)]
pub(super) struct Casts {
    /// The node that made each value.
    made_by: BTreeMap<ValueId, usize>,
    /// Noise that a tensor is multiplied by, and that tensor.
    noise: BTreeMap<ValueId, ValueId>,
    /// Views, and what they are views of.
    views: BTreeMap<ValueId, ValueId>,
}

/// Operations that give views.
const GIVE_VIEWS: &[&str] = &[
    "slice",
    "select",
    "narrow",
    "view",
    "transpose",
    "permute",
    "unsqueeze",
    "squeeze",
    "unbind",
    "split",
    "split_with_sizes",
    "chunk",
    "diagonal",
    "t",
    "unflatten",
];

impl Casts {
    /// Of a body.
    pub(super) fn of(body: &Body) -> Self {
        let mut casts = Self::default();
        // The tensor that each name of one that is written in place begins with.
        let mut first: BTreeMap<ValueId, ValueId> = BTreeMap::new();
        for (at, node) in body.nodes.iter().enumerate() {
            for id in node.outputs.iter().flatten() {
                casts.made_by.insert(*id, at);
            }
            let tensors: Vec<ValueId> = node.tensors().collect();
            if let (true, Some(&x)) = (GIVE_VIEWS.contains(&node.operation()), tensors.first()) {
                let base = casts.views.get(&x).copied().unwrap_or(x);
                for id in node.outputs.iter().flatten() {
                    casts.views.insert(*id, base);
                }
            }
            match (node.operation(), &tensors[..], &node.outputs[..]) {
                ("empty", [], [Some(out)]) => {
                    first.insert(*out, *out);
                }
                ("bernoulli_" | "div_" | "floor_", [x, ..], [Some(out)]) => {
                    if let Some(&begun) = first.get(x) {
                        first.insert(*out, begun);
                    }
                }
                ("mul", [a, b], _) => {
                    for (noise, x) in [(a, b), (b, a)] {
                        if let Some(&begun) = first.get(noise) {
                            casts.noise.insert(begun, *x);
                        }
                    }
                }
                _ => {}
            }
        }
        casts
    }

    /// The tensor that a value is a view of.
    pub(super) fn base(&self, view: ValueId) -> Option<ValueId> {
        self.views.get(&view).copied()
    }

    /// The tensor that noise is made for.
    pub(super) fn of_noise(&self, noise: ValueId) -> Option<ValueId> {
        self.noise.get(&noise).copied()
    }

    /// The dtype to which a cast that names float32 goes, of a value that autocast may have made narrow; `ran` has the
    /// dtypes of values in this run.
    pub(super) fn target(&self, body: &Body, ran: &[Option<DType>], node: &Node) -> Option<DType> {
        let dtype = |id: ValueId| ran.get(id as usize).copied().flatten();
        let narrow = |id: ValueId| dtype(id).filter(|dtype| dtype.is_half());
        let maker = |id: ValueId| body.nodes.get(*self.made_by.get(&id)?);
        let x = first_tensor(node)?;
        let mut at = x;
        let mut origin = maker(at)?;
        while VIEWS.contains(&origin.operation()) {
            at = first_tensor(origin)?;
            origin = maker(at)?;
        }
        if origin.operation() == "scaled_dot_product_attention" {
            // `.to(query.dtype)`.
            return narrow(first_tensor(origin)?);
        }
        if narrow(x).is_some() {
            return None;
        }
        let here = origin.stack == node.stack;
        if here && matches!(origin.operation(), "add" | "sub" | "mul" | "div") {
            let mut halves = origin.tensors().filter_map(narrow);
            if let Some(half) = halves.next()
                && origin.tensors().count() > 1
            {
                return Some(half);
            }
        }
        // Back to what an earlier cast of the same call has widened.
        let mut open = vec![at];
        for _ in 0..FARTHEST {
            let maker = maker(open.pop()?);
            let Some(maker) = maker.filter(|maker| maker.stack == node.stack) else {
                continue;
            };
            if maker.operation() == "to" {
                if let Some(half) = first_tensor(maker).and_then(narrow) {
                    return Some(half);
                }
                continue;
            }
            open.extend(maker.tensors());
        }
        None
    }
}

/// The first argument, where it is a tensor.
fn first_tensor(node: &Node) -> Option<ValueId> {
    match node.arguments.first()? {
        (_, Argument::Tensor(id)) => Some(*id),
        _ => None,
    }
}

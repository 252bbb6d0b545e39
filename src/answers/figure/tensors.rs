//! The tensors of a moment, grouped where they differ only in the layer they belong to.

use crate::report::LiveTensor;
use crate::tape::Category;
use crate::units::{Bytes, DType, Shape, sort_short};
use std::collections::BTreeMap;

/// Tensors that are alike: made by the same operation in modules of the same place, of one shape,
/// type and purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorGroup {
    /// The module, with `*` for the number of a layer.
    pub module: String,
    /// The operation that made them.
    pub op: &'static str,
    /// Their category.
    pub category: Category,
    /// Shape and type.
    pub shape: Option<(Shape, DType)>,
    /// Bytes of one of them.
    pub each: Bytes,
    /// Bytes of all of them.
    pub total: Bytes,
    /// The tensors, in the order in which they were made.
    pub members: Vec<LiveTensor>,
}

impl TensorGroup {
    /// The event that allocates the first of them.
    pub fn born(&self) -> u32 {
        self.members.iter().map(|t| t.born).min().unwrap_or(0)
    }

    /// The event that frees the last of them.
    pub fn freed(&self) -> u32 {
        self.members.iter().map(|t| t.freed).max().unwrap_or(0)
    }
}

/// `model.layers.*.mlp` for `model.layers.3.mlp`.
fn without_layer(module: &str) -> String {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts = module.split('.');
    let parts: Vec<&str> = parts.map(|p| if is_number(p) { "*" } else { p }).collect();
    parts.join(".")
}

/// Groups tensors, the largest group first; of one category when one is asked for.
pub fn tensor_groups(tensors: &[LiveTensor], only: Option<Category>) -> Vec<TensorGroup> {
    let mut places: BTreeMap<(String, &'static str, Category, u64, String), usize> =
        BTreeMap::new();
    let mut groups: Vec<TensorGroup> = Vec::new();
    let wanted = |tensor: &&LiveTensor| only.is_none_or(|only| tensor.category == only);
    for tensor in tensors.iter().filter(wanted) {
        let module = without_layer(&tensor.module);
        let shape = format!("{:?}", tensor.shape);
        let key = (
            module,
            tensor.op,
            tensor.category,
            tensor.bytes.get(),
            shape,
        );
        let at = *places.entry(key).or_insert_with_key(|key| {
            groups.push(TensorGroup {
                module: key.0.clone(),
                op: tensor.op,
                category: tensor.category,
                shape: tensor.shape,
                each: tensor.bytes,
                total: Bytes::ZERO,
                members: Vec::new(),
            });
            groups.len() - 1
        });
        groups[at].total += tensor.bytes;
        groups[at].members.push(tensor.clone());
    }
    sort_short(&mut groups, |group| std::cmp::Reverse(group.total));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use crate::report::{Detail, estimate};

    #[test]
    fn groups_hold_every_tensor_once_and_add_up() {
        let scenario = Scenario::default();
        let timeline = estimate(&scenario).expect("an answer").timeline;
        let peak = timeline.points[timeline.peak];
        let detail = Detail::of(&scenario).expect("an answer");
        let tensors = detail.tensors_at(peak.event);
        let groups = tensor_groups(&tensors, None);
        let sum: Bytes = groups.iter().map(|group| group.total).sum();
        assert_eq!(sum, peak.composition.total());
        let members: usize = groups.iter().map(|group| group.members.len()).sum();
        assert_eq!(members, tensors.len());
        assert!(groups.len() * 4 < tensors.len(), "{}", groups.len());
        let up = groups
            .iter()
            .find(|g| {
                g.module == "model.layers.*.mlp.up_proj" && g.category == Category::Parameters
            })
            .expect("there is an up_proj");
        assert_eq!(up.members.len(), 28);
        let states = tensor_groups(&tensors, Some(Category::OptimizerStates));
        let sum: Bytes = states.iter().map(|group| group.total).sum();
        assert_eq!(sum, peak.composition.get(Category::OptimizerStates));
    }
}

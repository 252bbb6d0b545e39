//! Parameters that stage 3 steps over together.

use crate::tape::Tensor;

/// `_create_fp16_sub_groups`.
pub(super) fn sub_groups(trained: &[usize], parts: &[Tensor], size: u64) -> Vec<Vec<usize>> {
    let elements = |members: &[usize]| members.iter().map(|&at| parts[at].numel()).sum::<u64>();
    if size >= elements(trained) {
        return vec![trained.to_vec()];
    }
    let mut groups = vec![Vec::new()];
    for &at in trained {
        if groups.last().is_some_and(|group| elements(group) >= size) {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push(at);
        }
    }
    groups
}

//! The whole state of a model for a checkpoint.

use super::Fsdp2;
use crate::tape::Tape;
use crate::units::Shape;

impl Fsdp2 {
    /// `get_model_state_dict` with `full_state_dict` and `cpu_offload` (`distributed/checkpoint/state_dict.py`, torch
    /// 2.15): each parameter by itself, as it is kept, in equal chunks of rows. `get_optimizer_state_dict` does the
    /// same with the states.
    pub(super) fn gather_one_by_one(&self, t: &Tape) {
        for group in &self.groups {
            for parameter in &group.parameters {
                let elements = Shape::from([parameter.padded * group.sharing.ranks]);
                let dtype = parameter.shard.dtype();
                t.in_scope(parameter.scope, || {
                    let fills = parameter.shard.numel() < parameter.padded;
                    let padded = Shape::from([parameter.padded]);
                    let chunk = fills.then(|| t.empty("constant_pad_nd", padded, dtype));
                    let whole = t.empty("all_gather", elements, dtype);
                    drop((chunk, whole));
                });
            }
        }
    }
}

//! The whole state of a model for a checkpoint.

use super::Fsdp1;
use super::handle::Handle;
use crate::tape::Tape;
use crate::units::Shape;

impl Fsdp1 {
    /// `state_dict` as `FULL_STATE_DICT` (`_state_dict_utils.py`, torch 2.15): a flat parameter at a time, as it is
    /// kept, when its module begins and again when that has given its own; those around layers at both ends.
    pub(super) fn gather_one_by_one(&self, t: &Tape) {
        t.synchronize();
        self.reset_gradients();
        let (root, layers) = self.handles.split_at(1.min(self.handles.len()));
        let gather = |handle: &Handle| {
            let elements = Shape::from([handle.layout.shard * handle.common.ranks]);
            t.in_scope(handle.scope, || {
                let dtype = handle.stored();
                drop(t.empty("all_gather", elements, dtype));
            });
        };
        root.iter().for_each(gather);
        for handle in layers {
            gather(handle);
            gather(handle);
        }
        root.iter().for_each(gather);
    }
}

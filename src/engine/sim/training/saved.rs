//! Phases around the steps of a run.

use super::Run;
use crate::sim::{Mark, Phase};
use crate::tape::Tape;

/// From here on the model comes to the device.
pub(super) fn begin_loading(t: &Tape, marks: &mut Vec<Mark>) {
    t.mark(0);
    marks.push(Mark {
        step: 0,
        micro_batch: 0,
        phase: Phase::Loading,
    });
}

impl Run<'_> {
    /// A checkpoint after the step, while the caller still holds the last batch: tensor by tensor on its way to
    /// the host (`save_pretrained`, transformers 5.23; `torch.save` of the optimizer's states).
    pub(in crate::sim) fn save(&mut self, step: u32) {
        if self.spec.around.saving {
            self.mark(step, 0, Phase::Saving);
            self.model.save(self.tape, self.spec.writes_from_device());
            if let Some(wrapper) = &self.wrapper
                && self.spec.saves_full_state()
            {
                wrapper.gather_to_save(self.tape);
            }
        }
    }
}

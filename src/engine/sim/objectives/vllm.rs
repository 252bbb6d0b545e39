//! A vLLM beside the trainer: when it is in memory, and the weights that are handed over to it.
//!
//! Source: trl 1.16.0, `generation/vllm_generation.py`; peft 0.21, `tuners/lora/layer.py`.

use crate::model::{ResolvedSpec, VllmShare};
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// A vLLM that is running, or asleep.
pub(super) struct Vllm<'a> {
    tape: &'a Tape,
    share: VllmShare,
    sleeps: bool,
    /// Whether adapters are merged before weights are handed over.
    merges: bool,
    /// Weights, then keys and values, while it is awake.
    awake: Vec<Tensor>,
    _stays: Tensor,
}

impl<'a> Vllm<'a> {
    /// Starts vLLM beside a model with `parameters` parameters without adapters, and puts it to sleep if it is to;
    /// `None` if the run has none.
    pub(super) fn start(t: &'a Tape, spec: &ResolvedSpec, parameters: u64) -> Option<Self> {
        let share = VllmShare::of(spec, parameters)?;
        t.empty_cache();
        let mut made = Self {
            tape: t,
            share,
            sleeps: spec.objective.sleeps(),
            merges: spec.lora.is_some(),
            awake: Vec::new(),
            _stays: bytes(t, "graphs", share.stays),
        };
        if !made.sleeps {
            made.wake("weights", share.weights);
            made.wake("kv_cache", share.cache);
        }
        // Asleep it leaves nothing reserved.
        t.empty_cache();
        Some(made)
    }

    fn wake(&mut self, what: &'static str, size: u64) {
        self.awake.push(bytes(self.tape, what, size));
    }

    /// `sync_weights`, parameter by parameter into its own, and `generate`.
    pub(super) fn generate(&mut self) {
        let t = self.tape;
        if self.sleeps {
            t.empty_cache();
            self.wake("weights", self.share.weights);
        }
        if self.merges {
            merge(t);
        }
        if self.sleeps {
            self.wake("kv_cache", self.share.cache);
        }
        let [mlp, hidden, logits] = self.share.activations;
        let states = bytes(t, "hidden_states", hidden);
        drop(bytes(t, "mlp", mlp));
        drop(bytes(t, "logits", logits));
        drop(states);
        if self.sleeps {
            self.awake.clear();
            t.empty_cache();
        }
    }
}

fn bytes(t: &Tape, what: &'static str, size: u64) -> Tensor {
    t.allocate(what, Shape::from([size]), DType::UInt8, Category::Vllm)
}

/// `merge_adapter`: the product of an adapter's factors, times their scale, is added to its layer's weight. The adapter
/// with the largest product represents all of them. (The weights that `DoRA` computes are left out.)
fn merge(t: &Tape) {
    let mut first: Option<Tensor> = None;
    let mut largest: Option<[Tensor; 2]> = None;
    let size = |[a, b]: &[Tensor; 2]| b.dim(0) * a.dim(-1);
    t.for_each_parameter(|_, factor, _| {
        let Some(a) = first.take() else {
            first = Some(factor.clone());
            return;
        };
        let both = [a, factor.clone()];
        let is_pair =
            t.scope_of(&both[0]) == t.scope_of(factor) && both[0].dim(0) == factor.dim(-1);
        if is_pair
            && largest
                .as_ref()
                .is_none_or(|other| size(&both) > size(other))
        {
            largest = Some(both);
        }
    });
    if let Some([a, b]) = largest {
        let grad_mode = t.set_grad_enabled(false);
        let product = t.mm(&b, &a);
        drop(t.mul_scalar(&product));
        t.set_grad_enabled(grad_mode);
    }
}

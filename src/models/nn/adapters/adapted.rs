//! Modules and parameters that get PEFT's adapters: the places for them, filled once all of the model is
//! built.

use super::dora::BaseWeight;
use super::lora;
use super::lora::{Slot, Target};
use crate::ask::LoraKernel;
use crate::model::{ModuleKind, Transformers};
use crate::nn::build::Builder;
use crate::tape::Tensor;
use crate::units::{DType, Shape};

impl Builder<'_> {
    /// Whether a kernel runs layers here together with their adapters.
    pub(crate) fn runs_adapters(&self, kernel: LoraKernel) -> bool {
        let lora = self.plan.spec.lora.as_ref();
        lora.is_some_and(|lora| lora.runs(kernel))
    }

    /// Whether a kernel runs the gated MLP here together with its adapters: it is the `mlp` of a layer of text, not an
    /// expert (`find_mlp_in_layer` and `get_layers`, `monkeypatch/lora_kernels.py`, axolotl 0.19).
    pub(crate) fn runs_adapters_of_mlp(&self) -> bool {
        if !self.runs_adapters(LoraKernel::Mlp) {
            return false;
        }
        let path = self.plan.tape.scope_path(self.scope);
        let mut modules = path.rsplit('.');
        let own = modules.next() == Some("mlp");
        let list = modules.nth(1);
        let towers = ["vision", "visual", "audio"];
        own && list == Some("layers") && !towers.iter().any(|tower| path.contains(tower))
    }

    /// The place for the adapter of this linear layer, if it is to get one. The layer that gives
    /// the logits is the model's `output`.
    pub(crate) fn adapter(
        &self,
        inputs: u64,
        outputs: u64,
        output: bool,
        base: impl FnOnce() -> BaseWeight,
    ) -> Option<Slot> {
        self.is_a(if output {
            ModuleKind::Output
        } else {
            ModuleKind::Linear
        });
        let lora = self.plan.spec.lora.as_ref()?;
        let copied = !output && self.is_copied();
        let path = self.plan.tape.scope_path(self.scope);
        let spared = output && (self.facts().all_linear_spares_any_output || !path.contains('.'));
        if copied || !lora::is_target(lora, &path, spared) {
            return None;
        }
        Some(self.target([inputs, outputs], base(), false))
    }

    /// The place of an adapter for an embedding of `rows`, which only its name means.
    pub(crate) fn adapter_of_table(
        &self,
        rows: u64,
        width: u64,
        base: impl FnOnce() -> BaseWeight,
    ) -> Option<Slot> {
        self.is_a(ModuleKind::Embedding);
        let lora = self.plan.spec.lora.as_ref()?;
        let path = self.plan.tape.scope_path(self.scope);
        (!self.is_copied() && lora::is_target(lora, &path, true))
            .then(|| self.target([rows, width], base(), true))
    }

    /// Whether the linear layer at this place gets an adapter.
    pub(crate) fn is_adapted(&self) -> bool {
        let lora = self.plan.spec.lora.as_ref();
        let path = || self.plan.tape.scope_path(self.scope);
        lora.is_some_and(|lora| lora::is_target(lora, &path(), false))
    }

    fn target(&self, [inputs, outputs]: [u64; 2], base: BaseWeight, is_table: bool) -> Slot {
        let rank = self.plan.spec.lora.as_ref().map_or(0, |lora| lora.r);
        let dtype = match &base {
            BaseWeight::Full(weight) | BaseWeight::Transposed(weight) => weight.dtype(),
            // `_get_base_layer_device_and_dtype`, `tuners/tuners_utils.py`, peft 0.21.
            BaseWeight::FourBit(weight, _) if self.facts().transformers == Transformers::V5 => {
                weight.dtype
            }
            BaseWeight::FourBit(..) | BaseWeight::EightBit(_) => DType::Float32,
            BaseWeight::Nf4(weight) => weight.dtype,
        };
        let division = if is_table {
            None
        } else {
            self.division(outputs)
        };
        let rows = division
            .as_ref()
            .map_or(outputs, |division| division.own_of(outputs));
        self.place(Target {
            slot: Slot::default(),
            scope: self.scope,
            shapes: [[rank, inputs].into(), [rows, rank].into()],
            dtype,
            base: Some(base),
            division,
            is_table,
            elsewhere: self.plan.tape.is_elsewhere(),
        })
    }

    /// The place of an adapter with A and B of these shapes beside the weight of the module.
    pub(crate) fn adapter_beside(&self, weight: &Tensor, shapes: [Shape; 2]) -> Slot {
        self.place(Target {
            slot: Slot::default(),
            scope: self.scope,
            shapes,
            dtype: weight.dtype(),
            base: Some(BaseWeight::Full(weight.clone())),
            division: None,
            is_table: false,
            elsewhere: false,
        })
    }

    fn place(&self, target: Target) -> Slot {
        let slot = Slot::clone(&target.slot);
        self.plan.targets.borrow_mut().push(target);
        slot
    }

    /// The place for the adapter of the module's parameter `name`, if it is to get one: matrices of
    /// experts `[E, outputs, inputs]`, or `transposed`, or one `[outputs, inputs]`
    /// (`ParamWrapper.update_layer`, `tuners/lora/layer.py`, peft 0.21).
    pub(crate) fn parameter_adapter(
        &self,
        name: &'static str,
        shape: Shape,
        dtype: DType,
        transposed: bool,
    ) -> Option<Slot> {
        self.is_a(ModuleKind::Matrices);
        let lora = self.plan.spec.lora.as_ref()?;
        if lora.target_parameters.is_empty() {
            return None;
        }
        let path = self.plan.tape.scope_path(self.scope) + "." + name;
        let rank = lora.rank_of_parameter(&path)?;
        let (outputs, inputs) = (shape.dim(-2), shape.dim(-1));
        let [inputs, outputs] = if transposed {
            [outputs, inputs]
        } else {
            [inputs, outputs]
        };
        let rows = rank * shape.numel() / (inputs * outputs).max(1);
        Some(self.place(Target {
            slot: Slot::default(),
            scope: self.scope,
            shapes: [[rows, inputs].into(), [outputs, rows].into()],
            dtype,
            base: None,
            division: None,
            is_table: false,
            elsewhere: self.plan.tape.is_elsewhere(),
        }))
    }
}

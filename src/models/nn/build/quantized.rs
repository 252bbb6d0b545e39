//! The plan of a quantized model: how each layer is held, and what loading takes.

use super::builder::Builder;
use crate::ask::QuantizationType;
use crate::model::{Architecture, Family, QuantizedSupport, Transformers};
use crate::tape::{Category, Tensor};
use crate::units::{DType, Shape};

/// The heads of masked language models with a bias of their own, to which the last layer's is tied.
const BIASED_HEADS: [&str; 3] = ["lm_head.", "cls.predictions.", "predictions."];

impl Builder<'_> {
    /// How the linear layer at this place is held. Beside the output layer, and modules tied to it, transformers keeps
    /// some layers whole (`get_modules_to_not_convert`): the layers that a family names, and the layer of a model's
    /// last parameter. That layer is inside the last block where norms have no parameters and nothing of the head comes
    /// after the block. Before transformers 5 the last parameter is the head's, which is tied later; a bias counts, too
    /// (the last layer of classifiers), as does a tied parameter, for which the whole head is kept.
    pub(crate) fn held(&self) -> QuantizationType {
        let spec = self.plan.spec;
        let quantized = spec.quantization.is_on();
        let whole = |family: &&Family| self.is_whole(&family.quantized_support);
        if quantized && spec.architecture.family().as_ref().is_some_and(whole) {
            QuantizationType::None
        } else {
            spec.quantization.kind
        }
    }

    /// Whether the linear layer at this place stays whole in a quantized model.
    fn is_whole(&self, support: &QuantizedSupport) -> bool {
        let spec = self.plan.spec;
        let is_called = |name: &str| self.plan.tape.scope_path(self.scope).ends_with(name);
        let is_within = |name: &&str| self.plan.tape.scope_path(self.scope).starts_with(name);
        let of_head = support.whole_heads.has(spec.framework)
            && (is_called("classifier")
                || is_called("qa_outputs")
                || BIASED_HEADS.iter().any(is_within));
        let is_last = || match &spec.architecture {
            Architecture::Decoder(config) if config.tie_word_embeddings => {
                self.differs();
                is_called(&format!(
                    "layers.{}.mlp.down_proj",
                    config.num_hidden_layers - 1
                ))
            }
            _ => false,
        };
        support.whole_linear.has(spec.framework)
            || support.adapted_alone && !self.is_adapted()
            || support.whole.iter().any(|name| is_called(name))
            || of_head
            || support.whole_last.has(spec.framework) && is_last()
    }

    /// The dtype of layers that transformers keeps whole for being narrow in half precision
    /// (`_keep_in_fp32_modules`), where the model is quantized.
    pub(crate) fn kept_dtype(&self) -> DType {
        let always = self.facts().transformers != Transformers::V5;
        if self.quantization().is_on() && (always || self.dtype() == DType::Float16) {
            DType::Float32
        } else {
            self.dtype()
        }
    }

    /// Part of a quantized weight, whose memory comes when that is loaded.
    pub(crate) fn quantized_part(&self, shape: Shape, dtype: DType) -> Tensor {
        self.plan.tape.without_storage(shape, dtype)
    }

    /// A quantized weight of `bytes` bytes, held as a parameter of this dtype, whose memory comes when it is loaded.
    pub(crate) fn packed_weight(&self, bytes: u64, dtype: DType) -> Tensor {
        let t = self.plan.tape;
        let shape = Shape::from([bytes.div_ceil(dtype.size())]);
        t.in_scope(self.scope, || {
            t.frozen_parameter_without_storage(shape, dtype)
        })
    }

    /// The table of `values` values that all quantized scales share, which is made once, and its category.
    pub(crate) fn scale_code(&self, values: u64) -> (Tensor, Category) {
        let make = || self.quantized_part(Shape::from([values]), DType::Float32);
        let category = if self.facts().scale_code_is_shared {
            Category::Parameters
        } else {
            self.plan.own_scale_codes.borrow_mut().push(self.scope);
            Category::Buffers
        };
        (self.plan.scale_code.get_or_init(make).clone(), category)
    }
}

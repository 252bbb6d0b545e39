//! Features that a family supports, and deviations from most families.

use super::Architecture;
use crate::ask::{Attention, Finding, Framework, LigerKernel, Message, Scenario};

/// A check of a family's own. Errors are pushed to the findings.
pub type SupportCheck = fn(&Scenario, &Architecture, &mut Vec<Finding>);

/// The versions of transformers in which something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    /// In none.
    None,
    /// In all.
    All,
    /// In those before 5.
    Before5,
    /// In 5 and later.
    Since5,
}

impl Versions {
    /// Whether it is so in this version.
    pub fn has(self, framework: Framework) -> bool {
        let recent = framework.has_transformers_5();
        match self {
            Self::None => false,
            Self::All => true,
            Self::Before5 => !recent,
            Self::Since5 => recent,
        }
    }
}

/// Liger's kernels for a family (`transformers/monkey_patch.py`, liger-kernel 0.8.5 with transformers 5
/// and 0.5.10 with transformers 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LigerSupport {
    /// The versions of transformers with which it is estimated.
    pub versions: Versions,
    /// The gated product that it replaces.
    pub gated: Option<LigerKernel>,
    /// The loss that is its own without arguments.
    pub loss: LigerKernel,
    /// The kernel that its patch refuses (`NotImplementedError`).
    pub lacks: Option<LigerKernel>,
    /// Whether its patch of the loss from logits is of one that transformers does not call.
    pub misses_loss: bool,
    /// Whether its norms write gradients in place (`LigerRMSNorm` and its classes for families): not where
    /// a layer has norms behind its parts, too, whose gradients a residual reads.
    pub norms_in_place: bool,
}

impl LigerSupport {
    /// Gated products with `silu`, in all versions.
    pub const SWIGLU: Self = Self {
        versions: Versions::All,
        gated: Some(LigerKernel::Swiglu),
        loss: LigerKernel::FusedLinearCrossEntropy,
        lacks: None,
        misses_loss: false,
        norms_in_place: true,
    };
    /// `SwiGLU` since transformers 5.
    pub const SWIGLU_SINCE_5: Self = Self {
        versions: Versions::Since5,
        ..Self::SWIGLU
    };
    /// Gated products with `gelu`, in all versions.
    pub const GEGLU: Self = Self {
        gated: Some(LigerKernel::Geglu),
        ..Self::SWIGLU
    };

    /// The kernels that do something for the model, each by one name.
    pub fn kernels(self) -> impl Iterator<Item = LigerKernel> {
        let all = LigerKernel::ALL.iter().copied();
        all.filter(move |kernel| {
            let again = matches!(kernel, LigerKernel::Layers | LigerKernel::Glu);
            !again && !self.ignores(*kernel) && self.lacks != Some(*kernel)
        })
    }

    /// The usual kernels without those of the loss.
    pub fn of_layers(self) -> impl Iterator<Item = LigerKernel> {
        let losses = [
            LigerKernel::CrossEntropy,
            LigerKernel::FusedLinearCrossEntropy,
        ];
        let is_loss = move |kernel: &LigerKernel| losses.contains(kernel);
        self.usual().filter(move |kernel| !is_loss(kernel))
    }

    /// The kernels of `apply_liger_kernel_to_*` without arguments.
    pub fn usual(self) -> impl Iterator<Item = LigerKernel> {
        let losses = [
            LigerKernel::CrossEntropy,
            LigerKernel::FusedLinearCrossEntropy,
        ];
        self.kernels().filter(move |kernel| {
            *kernel != LigerKernel::All && (*kernel == self.loss || !losses.contains(kernel))
        })
    }

    /// Whether the model has nothing that the kernel replaces.
    pub fn ignores(self, kernel: LigerKernel) -> bool {
        match kernel {
            LigerKernel::Swiglu | LigerKernel::Geglu => self.gated != Some(kernel),
            LigerKernel::Glu => self.gated.is_none(),
            LigerKernel::CrossEntropy => self.misses_loss,
            _ => false,
        }
    }
}

/// Why the flash-attn package is refused.
#[derive(Clone, Copy, Debug)]
pub enum FlashRefusal {
    /// transformers writes the attention of this model, by its name in texts, in one way only.
    OneWay(&'static str),
    /// It has no attention sinks: transformers takes another kernel in its place.
    Sinks,
    /// transformers does not run it where attention chooses its keys.
    ChosenKeys,
    /// For a reason of the family's own.
    Because {
        /// Why.
        why: fn() -> Message,
        /// The implementation that can be asked for in its place.
        instead: Attention,
    },
}

/// The implementations of attention that a family has, and the masks that they are given.
#[derive(Clone, Copy, Debug)]
pub struct AttentionSupport {
    /// Whether anything attends.
    pub attends: bool,
    /// Versions in which transformers uses eager attention in place of sdpa, which the family does not have.
    pub eager_only: Versions,
    /// Versions in which transformers has not written flash-attention for it.
    pub without_flash: Versions,
    /// Why the flash-attn package is refused in all versions, if it is.
    pub flash_refused: Option<FlashRefusal>,
    /// The attention that is estimated in place of the flash-attn package, if only the estimate lacks that.
    pub flash_stand_in: Option<Attention>,
    /// Versions in which sdpa is given a mask, or a bias of scores, whether or not samples are padded.
    pub masked: Versions,
    /// Whether sdpa is given a mask of padding.
    pub pads: bool,
    /// Whether a mask of tokens by tokens is made however attention is computed.
    pub holds_mask: bool,
    /// Versions in which heads of keys, of which there are fewer, are left to PyTorch to be broadcast.
    pub broadcasts_keys: Versions,
    /// Whether indices computed from a batch's padding mask stay for the next batches.
    pub keeps_masks: bool,
    /// A check of its own.
    pub check: Option<SupportCheck>,
}

impl AttentionSupport {
    /// All implementations, given masks of padding and windows alone.
    pub const ALL: Self = Self {
        attends: true,
        eager_only: Versions::None,
        without_flash: Versions::None,
        flash_refused: None,
        flash_stand_in: None,
        masked: Versions::None,
        pads: true,
        holds_mask: false,
        broadcasts_keys: Versions::None,
        keeps_masks: false,
        check: None,
    };
    /// Eager attention alone.
    pub const EAGER: Self = Self {
        eager_only: Versions::All,
        ..Self::ALL
    };
    /// Eager attention with attention sinks, or kernels of the Hub that take them.
    pub const SINKS: Self = Self {
        flash_refused: Some(FlashRefusal::Sinks),
        ..Self::EAGER
    };
    /// Attention that chooses its keys, by a mask.
    pub const CHOSEN_KEYS: Self = Self {
        flash_refused: Some(FlashRefusal::ChosenKeys),
        masked: Versions::All,
        ..Self::ALL
    };
    /// Attention that is given no mask.
    pub const UNMASKED: Self = Self {
        pads: false,
        ..Self::ALL
    };
    /// No attention.
    pub const NOTHING: Self = Self {
        attends: false,
        ..Self::UNMASKED
    };
    /// Attention of encoders that transformers 4 has without flash-attention.
    pub const FLASH_SINCE_5: Self = Self {
        without_flash: Versions::Before5,
        ..Self::ALL
    };
    /// Attention of flash-linear-attention, which keeps what it finds in a mask.
    pub const KEPT_MASKS: Self = Self {
        keeps_masks: true,
        ..Self::ALL
    };
    /// Attention of encoders that have an eager implementation only.
    pub const fn one_way(name: &'static str) -> Self {
        Self {
            eager_only: Versions::All,
            flash_refused: Some(FlashRefusal::OneWay(name)),
            ..Self::FLASH_SINCE_5
        }
    }
}

/// The effect of checkpointing and of the cache of keys and values on training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSupport {
    /// Whether training fills a cache that is asked for.
    pub trained: bool,
    /// Versions in which training fills it with checkpointed layers, too.
    pub checkpointed: Versions,
    /// Whether the cache knows without attention how many tokens it holds.
    pub counts: bool,
    /// Whether `Trainer.evaluate` takes the cache for a prediction.
    pub predicted: bool,
}

impl CacheSupport {
    /// As most have it.
    pub const USUAL: Self = Self {
        trained: true,
        checkpointed: Versions::None,
        counts: false,
        predicted: false,
    };
    /// No training fills it.
    pub const EVALUATED: Self = Self {
        trained: false,
        ..Self::USUAL
    };
    /// The states of a model without attention, `cache_params`.
    pub const STATES: Self = Self {
        predicted: true,
        ..Self::EVALUATED
    };
}

/// PEFT's treatment of a family's layers.
#[derive(Clone, Copy, Debug)]
pub struct AdapterSupport {
    /// Whether it refuses adapters of `out_proj`, which kernels would leave out
    /// (`_check_lora_target_modules_mamba`, `tuners/tuners_utils.py`, peft 0.21).
    pub refuses_out_proj: bool,
    /// Whether `all-linear` takes routers, too: modules that are derived from `nn.Linear`, but return several tensors.
    pub linear_routers: bool,
    /// Whether the module of the token embeddings multiplies what it looks up, so that adapters of it are
    /// not estimated.
    pub scaled_table: bool,
    /// Names of layers of experts and their router in transformers 4, of the models whose targets
    /// PEFT takes for the parameters that transformers 5 has made of them: the router, the two of one
    /// parameter, and the last (`_MOE_TARGET_MODULE_MAPPING`, `utils/transformers_weight_conversion.py`,
    /// peft 0.21; `_MODEL_TO_CONVERSION_PATTERN`, `conversion_mapping.py`, transformers 5.23).
    pub former_experts: Option<&'static [&'static str; 4]>,
    /// A check of its own.
    pub check: Option<SupportCheck>,
}

impl AdapterSupport {
    /// As most have it.
    pub const USUAL: Self = Self {
        refuses_out_proj: false,
        linear_routers: false,
        scaled_table: false,
        former_experts: None,
        check: None,
    };
    /// Adapters of all layers but `out_proj`.
    pub const WITHOUT_OUT_PROJ: Self = Self {
        refuses_out_proj: true,
        ..Self::USUAL
    };
    /// Routers that `all-linear` takes for layers.
    pub const LINEAR_ROUTERS: Self = Self {
        linear_routers: true,
        ..Self::USUAL
    };
    /// Token embeddings without adapters.
    pub const SCALED_TABLE: Self = Self {
        scaled_table: true,
        ..Self::USUAL
    };
    /// Experts that were called as Mixtral's were.
    pub const EXPERTS_OF_MIXTRAL: Self = Self {
        former_experts: Some(&["gate", "w1", "w3", "w2"]),
        ..Self::USUAL
    };
    /// Experts that were gated MLPs as Llama's are.
    pub const EXPERTS_OF_LAYERS: Self = Self {
        former_experts: Some(&["gate", "gate_proj", "up_proj", "down_proj"]),
        ..Self::USUAL
    };
}

/// Linear layers that stay whole when a model is quantized, beside the output layer and layers tied
/// to it (`get_modules_to_not_convert`).
#[derive(Clone, Copy, Debug)]
pub struct QuantizedSupport {
    /// Ends of the paths of layers that do.
    pub whole: &'static [&'static str],
    /// Versions in which all do, as of classes derived from `nn.Linear` (`replace_with_bnb_linear`).
    pub whole_linear: Versions,
    /// Versions in which heads do that end in a parameter which is a bias or tied.
    pub whole_heads: Versions,
    /// Versions in which the last layer of a model with tied embeddings does, whose norms have no parameters.
    pub whole_last: Versions,
    /// Whether all do that get no adapter.
    pub adapted_alone: bool,
    /// A check of its own.
    pub check: Option<SupportCheck>,
}

impl QuantizedSupport {
    /// As most have it.
    pub const USUAL: Self = Self {
        whole: &[],
        whole_linear: Versions::None,
        whole_heads: Versions::None,
        whole_last: Versions::None,
        adapted_alone: false,
        check: None,
    };
    /// Layers without adapters stay whole.
    pub const ADAPTED_ALONE: Self = Self {
        adapted_alone: true,
        ..Self::USUAL
    };
    /// Encoders whose heads stay whole in transformers 4.
    pub const WHOLE_HEADS: Self = Self {
        whole_heads: Versions::Before5,
        ..Self::USUAL
    };
    /// These layers stay whole.
    pub const fn whole(ends: &'static [&'static str]) -> Self {
        Self {
            whole: ends,
            ..Self::USUAL
        }
    }
}

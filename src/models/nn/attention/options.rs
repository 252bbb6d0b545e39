//! How attention computes scores, in a run.

use crate::ask::{Attention, ContextParallelKind, RotateMethod, SdpaBackend};
use crate::model::ResolvedSpec;
use crate::nn::build::Facts;
use crate::tape::{Ring, SdpaKernel};
use crate::units::DType;

/// How attention sees a sequence that is divided among ranks.
#[derive(Clone, Copy)]
pub(crate) enum Divided {
    /// Keys and values go around a ring of ranks.
    Ring(Ring),
    /// This number of ranks exchange pieces of the sequence for heads.
    Heads(u64),
}

impl Divided {
    fn of(spec: &ResolvedSpec) -> Option<Self> {
        let cp = &spec.parallelism.cp;
        let size = spec.mesh.cp;
        (size > 1).then(|| match cp.kind {
            ContextParallelKind::Ring => Self::Ring(Ring {
                rank: spec.mesh.rank.cp,
                size,
                gathers: cp.rotate == RotateMethod::AllGather,
            }),
            ContextParallelKind::Ulysses => Self::Heads(size),
        })
    }
}

/// How scores are computed.
#[derive(Clone, Copy)]
pub(crate) struct AttentionOptions {
    pub(crate) implementation: Attention,
    pub(crate) forced: Option<SdpaKernel>,
    /// Whether scores are capped by a tanh; eager attention only.
    pub(crate) softcap: bool,
    /// Whether attention probabilities are dropped in training.
    pub(crate) dropout: bool,
    /// Whether the weights of eager attention keep the dtype of the scores.
    pub(crate) narrow_softmax: bool,
    /// The dtype in which the flash-attn package computes what comes in float32.
    pub(crate) flash_dtype: DType,
    /// Whether attention is given the positions of tokens.
    pub(crate) positions_given: bool,
    /// Sequences in each row.
    pub(crate) packed: u64,
    /// Whether tokens see later ones, too.
    pub(crate) bidirectional: bool,
    /// Whether queries, keys and values are made contiguous for a mask only (transformers 4, where
    /// attention is written out once more for sdpa).
    pub(crate) contiguous_for_mask: bool,
    /// Whether Liger rotates queries and keys.
    pub(crate) liger_rope: bool,
    /// Whether this rank has a part of the sequence.
    pub(crate) divided: Option<Divided>,
    pub(crate) facts: Facts,
}

impl AttentionOptions {
    pub(crate) fn of(spec: &ResolvedSpec, facts: Facts) -> Self {
        let forced = spec.sdpa_backend.map(|backend| match backend {
            SdpaBackend::Flash => SdpaKernel::Flash,
            SdpaBackend::Efficient => SdpaKernel::Efficient,
            SdpaBackend::Math => SdpaKernel::Math,
        });
        Self {
            implementation: spec.attention,
            forced,
            softcap: false,
            dropout: false,
            narrow_softmax: false,
            flash_dtype: if spec.quantization.is_on() {
                spec.quantization.compute_dtype.dtype()
            } else {
                spec.weights
            },
            positions_given: true,
            packed: if spec.packing.is_on() {
                spec.packing.sequences
            } else {
                1
            },
            bidirectional: false,
            contiguous_for_mask: false,
            liger_rope: spec.liger.rope,
            divided: Divided::of(spec),
            facts,
        }
    }

    /// The ring that keys and values go around, if they do.
    pub(crate) fn ring(&self) -> Option<Ring> {
        match self.divided {
            Some(Divided::Ring(ring)) => Some(ring),
            Some(Divided::Heads(_)) | None => None,
        }
    }

    /// The options of an encoder, whose positions do not come with the batch and whose probabilities are dropped out if
    /// `dropout`.
    pub(crate) fn of_encoder(dropout: bool, spec: &ResolvedSpec, facts: Facts) -> Self {
        Self {
            dropout,
            positions_given: false,
            packed: 1,
            ..Self::of(spec, facts)
        }
    }
}

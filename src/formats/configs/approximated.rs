//! Settings of a job that nothing here models: what the job asks for, what the estimate uses instead, and which way it
//! errs by that.

use super::{Differs, Ignored, Lack, Matters, Note};
use serde_json::Value;

/// The direction in which an estimate errs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The estimate is less than the job takes.
    Less,
    /// The estimate is more than the job takes.
    More,
    /// The estimate is less or more than the job takes.
    Either,
}

impl Effect {
    /// Its stable name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Less => "less",
            Self::More => "more",
            Self::Either => "either",
        }
    }
}

/// A setting that is estimated as the nearest that is modelled.
#[derive(Clone, Debug, PartialEq)]
pub struct Approximation {
    /// The setting: the file's own key, or the scenario's where the scenario has one.
    pub key: String,
    /// Its value in the job.
    pub asked: Value,
    /// The value or the behavior that is estimated.
    pub used: Value,
    /// The direction in which the estimate errs.
    pub effect: Effect,
    /// The value of the scenario's setting `key` with which the job takes the most, where the difference can be
    /// estimated.
    pub otherwise: Option<Value>,
}

/// How sure an estimate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// Everything that the job asks for is modelled, and compared with PyTorch.
    Measured,
    /// The job takes at most as much, or as much as with other values that are estimated, too.
    Bounded,
    /// Some settings are estimated as the nearest that is modelled.
    Approximated,
}

impl Certainty {
    /// The certainty of an estimate with these approximations.
    pub fn of<'a>(approximated: impl IntoIterator<Item = &'a Approximation>) -> Self {
        let mut certainty = Self::Measured;
        for own in approximated {
            if !own.has_bound() {
                return Self::Approximated;
            }
            certainty = Self::Bounded;
        }
        certainty
    }

    /// Its stable name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Bounded => "bounded",
            Self::Approximated => "approximated",
        }
    }
}

impl Approximation {
    /// The approximation of a scenario's setting, which the job has as `asked`, and the estimate as `used`.
    pub fn of_setting(key: &'static str, asked: Value, used: Value) -> Self {
        Self {
            key: key.to_owned(),
            asked,
            used,
            effect: effect_of_setting(key),
            otherwise: None,
        }
    }

    /// Whether the most that the job takes can be estimated.
    pub fn has_bound(&self) -> bool {
        self.effect == Effect::More || self.otherwise.is_some()
    }

    /// The approximation of something that a trainer does and the estimate does not.
    pub fn of_note(note: &Note) -> Option<Self> {
        match note {
            Note::AllLogits { .. } => instead_of_trainer(Differs::AllInFp32),
            Note::Differs { how, .. } => instead_of_trainer(*how),
            Note::Earlier {
                framework,
                since,
                key,
                value,
            } => Some(Self {
                key: (*key).to_owned(),
                asked: format!("any version of {framework}").into(),
                used: format!("{framework} {since} or later").into(),
                effect: Effect::Less,
                otherwise: Some(value.clone()),
            }),
            _ => None,
        }
    }

    /// The approximation of a file's key that no scenario follows, if it matters.
    pub fn of_key(own: &Ignored) -> Option<Self> {
        let (used, effect) = match own.matters {
            Matters::No | Matters::Maybe => return None,
            Matters::Value | Matters::Computed => ("the default", Effect::Either),
            Matters::Yes(lack) => instead(lack),
        };
        Some(Self {
            key: own.key.clone(),
            asked: own.value.clone(),
            used: used.into(),
            effect,
            otherwise: None,
        })
    }
}

/// The setting, the behavior of a framework's own trainer, and the behavior that is estimated in its place; `None`
/// where the estimate is the same.
fn instead_of_trainer(how: Differs) -> Option<Approximation> {
    use Effect::{Less, More};
    const OBJECTIVE: &str = "objective.kind";
    const CHUNKS: &str = "TRL's loss, which needs no logits of all tokens";
    let (key, asked, used, effect) = match how {
        Differs::TwoLosses => ("loss", "two losses of the same logits", "one loss", Less),
        Differs::AllInFp32 => (OBJECTIVE, "logits of all tokens in fp32", CHUNKS, Less),
        Differs::AllIn16Bits => (OBJECTIVE, "logits of all tokens in 16 bits", CHUNKS, Less),
        Differs::Unpadded => (
            "packing.kind",
            "rows without padding",
            "samples of full length",
            More,
        ),
        Differs::HostReference => (
            OBJECTIVE,
            "a reference that is moved layer by layer",
            "no reference",
            Less,
        ),
        Differs::FrozenHalf => (
            "weights",
            "layers that are not trained in 16 bits",
            "all weights in fp32",
            More,
        ),
        Differs::Rotations => ("lora.r", "rotations of inputs", "LoRA", Less),
        Differs::Critic => (
            OBJECTIVE,
            "a critic beside the model",
            "the model alone",
            Less,
        ),
        Differs::OtherLoss => ("loss", "flash-attn's kernel", "PyTorch's loss", More),
        Differs::Rollout | Differs::Stops => return None,
    };
    Some(Approximation {
        key: key.to_owned(),
        asked: asked.into(),
        used: used.into(),
        effect,
        otherwise: None,
    })
}

/// The direction in which an estimate errs that leaves a scenario's setting out.
fn effect_of_setting(key: &str) -> Effect {
    match key {
        // Parameters are divided all the same, activations are not; what could wait on the host or be computed
        // again stays on the device.
        "parallelism.tp.size"
        | "parallelism.dp.cpu_offload"
        | "activation_offload.kind"
        | "activation_checkpointing"
        | "liger_kernel" => Effect::More,
        // Work besides training, and further models and outputs, are not counted.
        "evaluation.kind" | "around.loading" | "around.saving" | "objective.kind" => Effect::Less,
        _ => Effect::Either,
    }
}

/// The behavior that is estimated in the place of one that no scenario can say, and which way that errs.
const fn instead(lack: Lack) -> (&'static str, Effect) {
    match lack {
        Lack::Packing => ("rows of full length", Effect::Either),
        Lack::Loss => ("the usual loss", Effect::Either),
        Lack::Optimizer => ("the optimizer's usual form, or adamw", Effect::Either),
        Lack::Decomposition => ("adamw", Effect::Either),
        Lack::Attention => ("flash_attention_2 or sdpa", Effect::Either),
        Lack::Offload => ("the GPU's memory", Effect::More),
        Lack::Checkpointing => ("activations are kept", Effect::More),
        Lack::Compile => ("eager execution", Effect::Either),
        Lack::Fp8 => ("16 bits", Effect::Either),
        Lack::Preference => ("usual training", Effect::Less),
        Lack::Generation => ("no server on the GPU", Effect::Less),
        Lack::Adapter => ("LoRA by names, or none", Effect::Either),
        Lack::Quantization => ("weights that are not quantized", Effect::More),
        Lack::Kernel => ("the model's own modules", Effect::More),
        Lack::Frozen => ("the parts that frozen names", Effect::Either),
        Lack::Parallelism => ("the parallelism that is left", Effect::Either),
        Lack::Model => ("the published model", Effect::Either),
        // A layer's stacked weights are unpacked at once, those of a list one after the other.
        Lack::LinearExperts => ("stacked experts, quantized alike", Effect::More),
        Lack::Lengths => ("seq_len for all samples", Effect::More),
        Lack::Data => ("the scenario's own lengths and sizes", Effect::Either),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(effects: &[Effect]) -> Vec<Approximation> {
        let one = |&effect: &Effect| Approximation {
            key: "fp8".to_owned(),
            asked: true.into(),
            used: "16 bits".into(),
            effect,
            otherwise: None,
        };
        effects.iter().map(one).collect()
    }

    #[test]
    fn an_estimate_has_a_bound_only_where_each_approximation_has_one() {
        use Effect::{Less, More};
        assert_eq!(Certainty::of(&[]), Certainty::Measured);
        assert_eq!(Certainty::of(&with(&[More, More])), Certainty::Bounded);
        assert_eq!(Certainty::of(&with(&[More, Less])), Certainty::Approximated);
        let mut versions = with(&[More, Less]);
        versions[1].otherwise = Some(false.into());
        assert_eq!(Certainty::of(&versions), Certainty::Bounded);
    }
}

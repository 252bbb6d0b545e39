//! The tables of keys: what each key of a format says of memory.

use super::value;
use serde_json::{Number, Value};

/// One key of a format, by its dotted name, and what it says.
pub(super) type Row = (&'static str, Does);

/// The meaning of a key.
#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    /// It sets this setting of a scenario.
    Sets(&'static str, As),
    /// Together with other keys it decides these settings; the format's `finish` reads it.
    Decides(&'static str),
    /// The same, of one setting that is written as it is.
    Reads(&'static str, As),
    /// It matters, and no scenario can say it; a value that turns it off matters not.
    Lacks(Lack),
    /// It names another file of the job.
    File,
}

/// How a value is turned into that of a setting, and back.
#[derive(Clone, Copy, Debug)]
pub(super) enum As {
    /// A whole number.
    Count,
    /// A number.
    Real,
    /// Yes or no.
    Flag,
    /// Yes or no, the other way round.
    Not,
    /// Yes for a number above zero.
    Positive,
    /// Texts: a list, or one text with commas or spaces between.
    List,
    /// One of some names, each with the setting's own.
    Name(&'static [(&'static str, &'static str)]),
    /// Yes for this name, no for another one, which is written for no.
    Is(&'static str, &'static str),
    /// The whole number of this name in a text of options such as `rank=64,scale=1.0`.
    Within(&'static str),
}

/// A feature that no scenario can say yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Packed sequences elsewhere than in the rows that are trained.
    Packing,
    /// A loss that is computed in another way.
    Loss,
    /// An optimizer.
    Optimizer,
    /// An optimizer that decomposes gradients by a library whose workspace nobody has published.
    Decomposition,
    /// An attention kernel.
    Attention,
    /// Tensors that wait on the host.
    Offload,
    /// Checkpointing of parts of layers.
    Checkpointing,
    /// Compiled graphs.
    Compile,
    /// Eight bits in computation.
    Fp8,
    /// Training by preferences or rewards, with further models.
    Preference,
    /// Another program on the same GPU that generates.
    Generation,
    /// Adapters beyond `LoRA`.
    Adapter,
    /// Weights in fewer bits, otherwise than by bitsandbytes.
    Quantization,
    /// Kernels in the place of modules.
    Kernel,
    /// Parts of a model that are trained and parts that are not.
    Frozen,
    /// A way to divide the job among GPUs.
    Parallelism,
    /// A model that is changed before it is trained.
    Model,
    /// Experts as a list of linear layers where transformers stacks their weights.
    LinearExperts,
    /// How long samples are, which is in the data.
    Lengths,
    /// An evaluation or a loader of another kind.
    Data,
}

impl Lack {
    /// Its stable name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Packing => "packing",
            Self::Loss => "loss",
            Self::Optimizer => "optimizer",
            Self::Decomposition => "decomposition",
            Self::Attention => "attention",
            Self::Offload => "offload",
            Self::Checkpointing => "checkpointing",
            Self::Compile => "compile",
            Self::Fp8 => "fp8",
            Self::Preference => "preference",
            Self::Generation => "generation",
            Self::Adapter => "adapter",
            Self::Quantization => "quantization",
            Self::Kernel => "kernel",
            Self::Frozen => "frozen",
            Self::Parallelism => "parallelism",
            Self::Model => "model",
            Self::LinearExperts => "linear_experts",
            Self::Lengths => "lengths",
            Self::Data => "data",
        }
    }
}

impl As {
    /// The setting's value, where this is one.
    pub(super) fn read(self, given: &Value) -> Option<Value> {
        match self {
            Self::Count => value::count(given).map(Value::from),
            Self::Real => value::real(given)
                .and_then(Number::from_f64)
                .map(Value::Number),
            Self::Flag => value::flag(given).map(Value::from),
            Self::Not => value::flag(given).map(|flag| Value::from(!flag)),
            Self::Positive => match value::flag(given) {
                Some(flag) => Some(flag.into()),
                None => value::real(given).map(|number| Value::from(number > 0.0)),
            },
            Self::List => {
                let list = value::list(given);
                (!list.is_empty()).then(|| list.into())
            }
            Self::Name(names) => {
                let text = value::text(given)?;
                let mut names = names.iter();
                let found = names.find(|(name, _)| name.eq_ignore_ascii_case(&text));
                found.map(|(_, own)| (*own).into())
            }
            Self::Is(name, _) => value::text(given).map(|text| Value::from(text == name)),
            Self::Within(name) => value::option(given, name)
                .and_then(|word| value::count(&word.into()))
                .map(Value::from),
        }
    }

    /// The value of the format for that of a setting.
    pub(super) fn write(self, own: &Value) -> Option<Value> {
        match self {
            Self::Count | Self::Real | Self::Flag | Self::List => Some(own.clone()),
            Self::Not => own.as_bool().map(|flag| Value::from(!flag)),
            Self::Positive => own
                .as_bool()
                .map(|flag| if flag { 1.0 } else { 0.0 }.into()),
            Self::Name(names) => {
                let found = names.iter().find(|(_, name)| own == name);
                found.map(|(name, _)| (*name).into())
            }
            Self::Is(name, other) => own
                .as_bool()
                .map(|flag| if flag { name } else { other }.into()),
            Self::Within(name) => own.as_u64().map(|count| format!("{name}={count}").into()),
        }
    }
}

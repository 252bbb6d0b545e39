//! Options of PEFT.

use super::omitted::{is_false, is_true, is_zero};
use crate::units::names;
use serde::{Deserialize, Serialize};

/// PEFT's word for every linear layer but the output layer.
pub const ALL_LINEAR: &str = "all-linear";

/// The matrices of all experts that gates and inputs share.
pub const FUSED: &str = "gate_up_proj";

/// A part of a target's name that matches any number.
pub const ANY_NUMBER: &str = "\0";

names! {
    /// The dtype of adapters over a base in 16 bits (`autocast_adapter_dtype` of `get_peft_model`).
    AdapterDtype {
        /// float32, as PEFT makes them.
        Fp32 = "fp32",
        /// The dtype of the base.
        Base = "base",
    }
}

names! {
    /// Kernels that run layers together with their adapters (axolotl's `lora_*_kernel`).
    LoraKernel {
        /// The gated MLP as one function.
        Mlp = "mlp",
        /// Projections of queries, keys and values as one function.
        Qkv = "qkv",
        /// The projection of what attention gives.
        Output = "o",
    }
}

/// PEFT's `LoraConfig`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lora {
    /// Rank.
    pub r: u64,
    /// Names of the linear layers that get adapters.
    pub target_modules: Vec<String>,
    /// A regular expression that the paths of these layers match as a whole, in the place of names: PEFT's
    /// `target_modules` that is one text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_pattern: Option<String>,
    /// Dropout before the adapters; 0 means none.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropout: f64,
    /// Whether the length of each row of the adapted weight is learnt, too (`DoRA`).
    #[serde(skip_serializing_if = "is_false")]
    pub use_dora: bool,
    /// Names of modules that are trained as a whole beside the adapters, in a copy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modules_to_save: Vec<String>,
    /// Names of parameters that get adapters themselves, as the stacked matrices of experts do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub target_parameters: Vec<String>,
    /// The dtype of the adapters.
    #[serde(skip_serializing_if = "is_usual")]
    pub adapter_dtype: AdapterDtype,
    /// Names of kernels that run layers together with their adapters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<String>,
    /// Whether the result of the input embedding is made to require a gradient whatever is checkpointed
    /// (`enable_input_require_grads`).
    #[serde(skip_serializing_if = "is_false")]
    pub input_requires_grad: bool,
    /// Whether names of layers that experts and routers had in transformers 4 are those of the parameters that transformers
    /// 5 has made of them (`_convert_peft_config_moe`): so in PEFT 0.19 and later.
    #[serde(skip_serializing_if = "is_true")]
    pub convert_experts: bool,
    /// Whether gates and inputs of experts share one adapter of twice the rank: so where names of both
    /// were given as layers, of which transformers 5 has made one parameter.
    #[serde(skip)]
    pub fused: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_usual(dtype: &AdapterDtype) -> bool {
    *dtype == AdapterDtype::Fp32
}

impl Default for Lora {
    fn default() -> Self {
        Self {
            r: 16,
            target_modules: vec!["q_proj".to_owned(), "v_proj".to_owned()],
            target_pattern: None,
            dropout: 0.0,
            use_dora: false,
            modules_to_save: Vec::new(),
            target_parameters: Vec::new(),
            adapter_dtype: AdapterDtype::Fp32,
            kernels: Vec::new(),
            input_requires_grad: false,
            convert_experts: true,
            fused: false,
        }
    }
}

impl Lora {
    /// Whether a kernel runs layers together with their adapters. There is none for `DoRA` here.
    pub fn runs(&self, kernel: LoraKernel) -> bool {
        !self.use_dora && self.kernels.iter().any(|name| name == kernel.name())
    }

    /// Whether one of the target modules is the whole path or its end.
    pub fn names_module(&self, path: &str) -> bool {
        self.target_modules.iter().any(|name| is_called(path, name))
    }

    /// Whether the module at `path` is trained as a whole (`_set_trainable`, `utils/other.py`, peft
    /// 0.21): its name ends so, or that of a module it is in.
    pub fn saves(&self, path: &str) -> bool {
        let ends = |path: &str| {
            let mut names = self.modules_to_save.iter();
            names.any(|name| path.ends_with(name.as_str()))
        };
        let mut dots = path.match_indices('.');
        ends(path) || dots.any(|(at, _)| ends(&path[..at]))
    }

    /// The rank of the adapter of the parameter at `path`, if it gets one (`_inject_parameters`,
    /// `tuners/tuners_utils.py`, peft 0.21).
    pub fn rank_of_parameter(&self, path: &str) -> Option<u64> {
        let mut names = self.target_parameters.iter();
        names.any(|name| is_called(path, name)).then(|| {
            let fused = self.fused && is_called(path, FUSED);
            self.r * if fused { 2 } else { 1 }
        })
    }
}

/// Whether `name` is the whole of a path or its end, as PEFT matches targets.
pub fn is_called(path: &str, name: &str) -> bool {
    if name.contains(ANY_NUMBER) {
        let mut parts = path.rsplit('.');
        let is_meant = |name: &str, part: &str| {
            name == part || (name == ANY_NUMBER && part.parse::<u32>().is_ok())
        };
        let mut names = name.rsplit('.');
        return names.all(|name| parts.next().is_some_and(|part| is_meant(name, part)));
    }
    let rest = path.strip_suffix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

//! Phases around the steps: the model's way to the device, and checkpoints.

use crate::units::names;
use serde::{Deserialize, Serialize};

names! {
    /// How a model comes from its checkpoint to the device, where that is part of what is estimated.
    ModelLoading {
        /// It is not: the steps begin with a model that is there.
        None = "none",
        /// `from_pretrained` onto the host, adapters beside it, then `model.to`, as `Trainer` does.
        Cpu = "cpu",
        /// `from_pretrained(device_map=...)`: straight to the device.
        DeviceMap = "device_map",
        /// `from_pretrained` within `deepspeed.zero.Init`, once transformers knows of a configuration of `ZeRO` 3:
        /// module by module, of which each rank keeps its part.
        ZeroInit = "zero_init",
    }
}

impl ModelLoading {
    /// Whether modules are made first, and their weights then come to the device.
    pub const fn fills_modules(self) -> bool {
        matches!(self, Self::DeviceMap | Self::ZeroInit)
    }
}

/// Phases of a run before its first step and after each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Around {
    /// How the model is loaded.
    pub loading: ModelLoading,
    /// Whether a checkpoint is saved after the step.
    pub saving: bool,
}

impl Default for Around {
    fn default() -> Self {
        Self {
            loading: ModelLoading::None,
            saving: false,
        }
    }
}

impl Around {
    /// Whether loading is part of the estimate.
    pub const fn loads(&self) -> bool {
        !matches!(self.loading, ModelLoading::None)
    }
}

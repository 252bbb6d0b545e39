//! Liger kernels in the place of modules.

use crate::units::names;

names! {
    /// The kernels, named as the arguments of `apply_liger_kernel_to_*` are.
    LigerKernel {
        /// All that the model has, as `apply_liger_kernel_to_*` without arguments.
        All = "all",
        /// All of these that stand in for layers, none for the loss.
        Layers = "layers",
        /// The gated product that the model has.
        Glu = "glu",
        /// Rotary embeddings, in place.
        Rope = "rope",
        /// RMS norms that keep their input only.
        RmsNorm = "rms_norm",
        /// The gated product of `SiLU`.
        Swiglu = "swiglu",
        /// The gated product of `GELU`.
        Geglu = "geglu",
        /// A loss whose gradient takes the place of the logits.
        CrossEntropy = "cross_entropy",
        /// A loss that computes logits piece by piece.
        FusedLinearCrossEntropy = "fused_linear_cross_entropy",
    }
}

names! {
    /// Versions of Liger before that of the newest framework (0.8.5) whose loss takes other memory.
    LigerVersion {
        /// 0.6 to 0.8.2: beside the gradient of the head's weight the loss holds that of a piece in 16 and in 32 bits.
        V081 = "0.8.1",
    }
}

/// The kernels that a run uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a kernel by itself")]
pub struct LigerKernels {
    /// Rotary embeddings.
    pub rope: bool,
    /// RMS norms.
    pub rms_norm: bool,
    /// Gated products.
    pub gated: bool,
    /// The loss from logits.
    pub cross_entropy: bool,
    /// The loss from hidden states.
    pub fused_linear_cross_entropy: bool,
}

impl LigerKernels {
    /// Adds a kernel, or a group of kernels.
    pub fn add(&mut self, kernel: LigerKernel) {
        match kernel {
            LigerKernel::All | LigerKernel::Layers => {}
            LigerKernel::Rope => self.rope = true,
            LigerKernel::RmsNorm => self.rms_norm = true,
            LigerKernel::Swiglu | LigerKernel::Geglu | LigerKernel::Glu => self.gated = true,
            LigerKernel::CrossEntropy => self.cross_entropy = true,
            LigerKernel::FusedLinearCrossEntropy => self.fused_linear_cross_entropy = true,
        }
    }
}

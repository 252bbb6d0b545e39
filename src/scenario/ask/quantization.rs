//! How a frozen base is held in 8 or 4 bits (bitsandbytes).

use crate::units::{DType, names};
use serde::{Deserialize, Serialize};

names! {
    /// How the weights of linear layers are held.
    QuantizationType {
        /// As they are.
        None = "none",
        /// Four bits, normal float.
        Nf4 = "nf4",
        /// Four bits, float.
        Fp4 = "fp4",
        /// Eight bits, with outliers apart (`LLM.int8()`).
        Int8 = "int8",
    }
}

names! {
    /// The dtype that quantized layers compute in.
    ComputeDtype {
        /// bfloat16.
        Bf16 = "bf16",
        /// float16.
        Fp16 = "fp16",
        /// float32.
        Fp32 = "fp32",
    }
}

names! {
    /// The dtype that packed weights are called (`bnb_4bit_quant_storage`). It decides what can be sharded
    /// beside them; they take the same bytes.
    QuantizationStorage {
        /// Bytes.
        Uint8 = "uint8",
        /// bfloat16.
        Bf16 = "bfloat16",
        /// float16.
        Fp16 = "float16",
        /// float32.
        Fp32 = "float32",
    }
}

impl ComputeDtype {
    /// The dtype.
    pub fn dtype(self) -> DType {
        match self {
            Self::Bf16 => DType::BFloat16,
            Self::Fp16 => DType::Float16,
            Self::Fp32 => DType::Float32,
        }
    }
}

impl QuantizationStorage {
    /// The dtype.
    pub fn dtype(self) -> DType {
        match self {
            Self::Uint8 => DType::UInt8,
            Self::Bf16 => DType::BFloat16,
            Self::Fp16 => DType::Float16,
            Self::Fp32 => DType::Float32,
        }
    }
}

/// transformers' `BitsAndBytesConfig`, with what PEFT does to the rest of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quantization {
    /// How the weights of linear layers are held; the output layer and the embeddings stay.
    #[serde(rename = "type")]
    pub kind: QuantizationType,
    /// Whether the scales of blocks are quantized too (`bnb_4bit_use_double_quant`).
    pub double: bool,
    /// The dtype that quantized layers compute in, and that the model is loaded in.
    pub compute_dtype: ComputeDtype,
    /// Whether what is not quantized is made float32 (`prepare_model_for_kbit_training`).
    pub prepare_for_kbit_training: bool,
    /// Whether norms, token embeddings and the output layer are cast back to `compute_dtype` after
    /// `prepare_model_for_kbit_training`, as axolotl does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cast_back: bool,
    /// Whether stacked weights of experts are quantized, too, as axolotl's `quantize_moe_experts` does;
    /// transformers quantizes linear layers alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub experts: bool,
    /// The dtype that packed weights are called.
    #[serde(skip_serializing_if = "is_bytes")]
    pub storage: QuantizationStorage,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_bytes(storage: &QuantizationStorage) -> bool {
    *storage == QuantizationStorage::Uint8
}

impl Default for Quantization {
    fn default() -> Self {
        Self {
            kind: QuantizationType::None,
            double: false,
            compute_dtype: ComputeDtype::Bf16,
            prepare_for_kbit_training: true,
            cast_back: false,
            experts: false,
            storage: QuantizationStorage::Uint8,
        }
    }
}

impl Quantization {
    /// Whether weights are quantized at all.
    pub fn is_on(&self) -> bool {
        self.kind != QuantizationType::None
    }

    /// The dtype of weights that are not quantized.
    pub fn unquantized_dtype(&self) -> DType {
        if self.prepare_for_kbit_training {
            DType::Float32
        } else {
            self.compute_dtype.dtype()
        }
    }

    /// The dtype of norms, token embeddings and the output layer.
    pub fn embedding_dtype(&self) -> DType {
        if self.cast_back {
            self.compute_dtype.dtype()
        } else {
            self.unquantized_dtype()
        }
    }

    /// Whether norms, token embeddings and the output layer become float32 and are cast back.
    pub fn casts_back(&self) -> bool {
        let narrow = self.compute_dtype != ComputeDtype::Fp32;
        self.is_on() && self.prepare_for_kbit_training && self.cast_back && narrow
    }
}

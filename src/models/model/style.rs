//! How the parts of a causal language model around its layers are put together, as data.

use super::parts::Grids;
use super::versions::Transformers;

/// Modules around the layers of a family. A record has the differences from Llama: `..Style::LLAMA`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The norm between its parts.
    pub norm: NormKind,
    /// Whether the last norm is also applied before the first layer.
    pub norm_before: bool,
    /// The factor of the embedding.
    pub embedding_scale: EmbeddingScale,
    /// Whether cosines and sines stay in float32.
    pub wide_rotary: bool,
    /// Whether layers that do not attend are given no cosines and sines.
    pub turns_alone: bool,
    /// Whether there is a cosine for each pair of a head's columns, not for each column.
    pub rotary_by_pair: bool,
    /// Whether angles are complex numbers.
    pub complex_rotary: bool,
    /// How angles are made for a token's place in time, height and width, which are the same in text.
    pub grids: Grids,
    /// Whether the frequencies of angles are made in each forward pass.
    pub remade_rotary: bool,
    /// Whether the loss takes logits in the dtype that they have.
    pub narrow_loss: bool,
    /// Whether the head reads the hidden states without indexing them.
    pub whole_head: bool,
    /// Whether the head has a bias, whatever the config says.
    pub head_bias: bool,
    /// Whether logits are cast to float32.
    pub wide_logits: bool,
    /// Whether logits are cast to float32 where there are labels.
    pub widened_for_loss: bool,
    /// Whether logits are multiplied by a number.
    pub scaled_logits: bool,
    /// Whether the head reads hidden states divided by a number.
    pub scaled_hidden: bool,
    /// The masks that are made.
    pub masks: Masks,
    /// Whether one mask is made, not both, if no layer has a window.
    pub only_needed_masks: bool,
    /// Whether they are made without positions, by which packed sequences are told apart.
    pub blind_masks: bool,
    /// The masks that transformers 4 makes.
    pub masks_in_4: Masks,
    /// How transformers 4 makes them.
    pub masking_in_4: MaskingIn4,
    /// Whether windowed layers have rotary embeddings of their own.
    pub local_rotary: bool,
    /// Whether layers return something beside hidden states (transformers 5).
    pub returns_several: bool,
    /// Whether layers are checkpointed where that is asked for.
    pub checkpoints: bool,
    /// Whether layers are given the positions of tokens, which they only hold.
    pub passes_positions: bool,
    /// Whether the mask is looked through for layers without attention.
    pub looks_for_padding: bool,
    /// How many times what hidden states take Liger's loss takes for logits (`chunk_mem_const`,
    /// `transformers/model/*.py` of liger-kernel 0.8.5).
    pub liger_loss_budget: u64,
}

impl Style {
    /// Llama's, which most families differ from in little.
    pub const LLAMA: Self = Self {
        norm: NormKind::Root,
        norm_before: false,
        embedding_scale: EmbeddingScale::None,
        wide_rotary: false,
        turns_alone: false,
        rotary_by_pair: false,
        complex_rotary: false,
        grids: Grids::None,
        remade_rotary: false,
        narrow_loss: false,
        whole_head: false,
        head_bias: false,
        wide_logits: false,
        widened_for_loss: false,
        scaled_logits: false,
        scaled_hidden: false,
        masks: Masks::One,
        only_needed_masks: false,
        blind_masks: false,
        returns_several: false,
        masks_in_4: Masks::One,
        masking_in_4: MaskingIn4::Triangle,
        local_rotary: false,
        checkpoints: true,
        passes_positions: true,
        looks_for_padding: false,
        liger_loss_budget: 1,
    };

    /// The masks that a version makes for layers of which some see a window only, or none.
    pub fn masks(&self, version: Transformers, windowed: bool) -> Masks {
        match version {
            Transformers::V5 if self.only_needed_masks && !windowed => Masks::One,
            Transformers::V5 => self.masks,
            _ => self.masks_in_4,
        }
    }

    /// How a version makes the masks of a model that has a window or none.
    pub fn masking(&self, version: Transformers, has_window: bool) -> MaskStyle {
        match (version, self.masking_in_4) {
            (Transformers::V5, _) => MaskStyle::Boolean,
            (_, MaskingIn4::Triangle) | (Transformers::V448, MaskingIn4::WindowSince451) => {
                MaskStyle::Triangle
            }
            (_, MaskingIn4::Compared) if !has_window => MaskStyle::Compared,
            (_, MaskingIn4::Compared | MaskingIn4::Window | MaskingIn4::WindowSince451) => {
                MaskStyle::Window
            }
        }
    }
}

/// The norm of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormKind {
    /// By the root mean square; the weight is applied after the cast back (`LlamaRMSNorm`).
    Root,
    /// The same, of which nothing is held but the result of the cast (`Llama4TextRMSNorm`).
    CastRoot,
    /// The weight is applied in float32 (`Olmo2RMSNorm`).
    WideRoot,
    /// One plus the weight is applied in float32 (`GemmaRMSNorm`).
    OnePlusRoot,
    /// `torch.nn.RMSNorm`.
    Functional,
    /// `torch.nn.functional.rms_norm` of the input cast to float32, cast back (torchtune's `RMSNorm`).
    FunctionalRoot,
    /// The weight is cast to float32 and applied (`HeliumRMSNorm`).
    WidenedRoot,
    /// `torch.nn.LayerNorm`.
    Layer,
    /// One plus the weight is applied, in the precision of autocast (`NemotronLayerNorm1P`).
    OnePlusLayer,
    /// In float32 and without weights (`OlmoLayerNorm`).
    BareLayer,
    /// Written out in float32, without a bias (`CohereLayerNorm`).
    WideLayer,
    /// The root is a power, and the weight is cast to float32 and applied (`Gemma4RMSNorm`).
    Power,
    /// The root is a power, without a weight.
    BarePower,
    /// As the first, without a weight (`NanoChatRMSNorm`).
    BareRoot,
}

/// The factor of an embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingScale {
    /// Nothing.
    None,
    /// A number in a buffer.
    Buffer,
    /// A number on the host.
    Number,
    /// A number on the host, after positions and masks are made; the embedding stays.
    Late,
    /// The same, and the embedding goes.
    Replaced,
}

/// The masks that a model makes for its layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masks {
    /// One, windowed if the config has a window.
    One,
    /// One, whether attention could do without it or not.
    Always,
    /// One for full and one for windowed layers, whether there are such layers or not.
    Both,
    /// One for full layers and one for layers that see a chunk.
    Chunked,
    /// One without a window, which is always made; windowed layers make theirs from it.
    Narrowed,
}

/// How transformers 4 makes a family's masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskingIn4 {
    /// From an upper triangle.
    Triangle,
    /// By comparing positions with each other, and with the window of a config that has one.
    Compared,
    /// By comparing positions with each other and with a window.
    Window,
    /// Like `Window` since 4.51, like `Triangle` before.
    WindowSince451,
}

/// How masks are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskStyle {
    /// transformers 5: boolean masks for sdpa.
    Boolean,
    /// transformers 4: masks that are added to the scores, in the dtype of the hidden states, made from an upper
    /// triangle.
    Triangle,
    /// transformers 4: added masks, made by comparing positions with each other.
    Compared,
    /// As `Compared`, for as many keys as there are tokens.
    Exact,
    /// transformers 4: added masks, made by comparing positions with each other and with a sliding window.
    Window,
}

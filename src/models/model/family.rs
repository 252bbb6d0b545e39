//! A family of models: all that is known of it besides how it computes, as one record.

use super::config_fields::{AttributeMap, ConfigFields};
use super::division::TensorPlan;
use super::expert_rule::ExpertRule;
use super::latent::Latent;
use super::layer_names::LayerNames;
use super::options::Options;
use super::parts::{Parts, PutTogether};
use super::programs::{Check, Generation, ImageSides, QUANTIZED_HEADS, Since};
use super::sizes::Sizes;
use super::style::Style;
use super::support::{
    AdapterSupport, AttentionSupport, CacheSupport, LigerSupport, QuantizedSupport,
};
use super::window::Window;
use super::{Architecture, DecoderConfig};
use crate::ask::{Framework, Task};
use std::marker::PhantomData;

/// The reader of a config. It pushes problems to the fields.
#[derive(Clone, Copy, Debug)]
pub enum Reader {
    /// A decoder's.
    Decoder(fn(&'static Family, &mut ConfigFields<'_>) -> DecoderConfig),
    /// Any other's, for a task if one is chosen.
    Model(fn(&'static Family, Option<Task>, &mut ConfigFields<'_>) -> Architecture),
}

/// The parts of a model that its config describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigParts {
    /// One, or all in one.
    One,
    /// One for texts and one for images, read together.
    Pair,
    /// A decoder of texts and what sees images among them, which are read together as transformers 5 has them.
    Images {
        /// The first of the versions before that has the model.
        since: Option<Framework>,
    },
}

/// A family of models. A record says what differs from its parent's: `..LLAMA`.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its names in configs (`model_type`), as transformers has them.
    pub model_types: &'static [&'static str],
    /// Its file in transformers, and the version that was read.
    pub source: &'static str,
    /// The reader of its configs.
    pub read: Reader,
    /// The parts of its configs.
    pub parts: ConfigParts,
    /// The decoder whose fields a config of images and texts has beside its others, where it has no
    /// `text_config`.
    pub flat_text: Option<&'static Family>,
    /// Names in its configs of fields that others have under the first name.
    pub attribute_map: AttributeMap,
    // Sizes and options.
    /// The defaults of a decoder's sizes.
    pub sizes: Sizes,
    /// The rules of a decoder's options.
    pub options: Options,
    /// A decoder's sliding window.
    pub window: Window,
    /// A decoder's mixture of experts, where a rule tells of it.
    pub experts: Option<ExpertRule>,
    /// The defaults of the sizes of multi-head latent attention, with a rotary embedding of neighbours where
    /// `rope_interleave` decides.
    pub latent: Option<Latent>,
    // Names.
    /// The name of the model without a head within one that has it (`base_model_prefix`).
    pub base_model: &'static str,
    /// Names of its modules.
    pub names: LayerNames,
    // Parts.
    /// How the modules around its layers are put together.
    pub style: Style,
    /// How its layers are put together.
    pub layers: Parts,
    /// Changes of both by a config or by transformers 4.
    pub put_together: PutTogether,
    // Programs.
    /// The oldest of the versions of transformers in which it is estimated.
    pub since: Since,
    /// Its tasks, its own first.
    pub tasks: &'static [Task],
    /// The tasks of these that came later than the family.
    pub later_tasks: &'static [(Task, Since)],
    /// Tasks whose heads, which PEFT trains as a whole, have layers that transformers quantizes.
    pub quantized_heads: &'static [(Task, Since)],
    /// How it generates.
    pub generation: Generation,
    /// How large images are that it sees among tokens.
    pub image_sides: Option<ImageSides>,
    /// Checks of this family alone.
    pub check: Option<Check>,
    // Support.
    /// Liger's kernels for it.
    pub liger: Option<LigerSupport>,
    /// Whether logits are the head's result for the hidden states as it is.
    pub plain_logits: bool,
    /// Its implementations of attention.
    pub attention_support: AttentionSupport,
    /// Its cache of keys and values while it trains and is evaluated.
    pub training_cache: CacheSupport,
    /// Its name in texts, where transformers has no activation checkpointing for it
    /// (`supports_gradient_checkpointing`).
    pub without_checkpointing: Option<&'static str>,
    /// PEFT's treatment of its layers.
    pub adapter_support: AdapterSupport,
    /// Layers that stay whole when it is quantized.
    pub quantized_support: QuantizedSupport,
    /// How ranks that see the same data divide its modules.
    pub tensor_plan: TensorPlan,
    /// Whether transformers says how FSDP2 groups the head of its language model (`_fsdp_plan`).
    pub groups_head: bool,
    /// Whether ranks divide its experts whole, and nothing else for them (`base_model_ep_plan`).
    pub divides_experts: bool,
    /// Whether the loss that balances experts reads what every layer gives, logits or not (transformers 4).
    pub balances_every_layer: bool,
    /// The files of `tests/fixtures` that hold measured cases of it.
    pub fixtures: Proof<&'static str>,
    /// Models of the catalog with the numbers of parameters that their repositories state.
    pub published: Proof<(&'static str, u64)>,
}

impl Family {
    /// A family with nothing out of the ordinary, whose configs `read` reads.
    pub const fn new(
        read: fn(&'static Family, Option<Task>, &mut ConfigFields<'_>) -> Architecture,
    ) -> Self {
        Self::with(Reader::Model(read))
    }

    /// A decoder with nothing out of the ordinary, whose configs `read` reads.
    pub const fn of_decoder(
        read: fn(&'static Family, &mut ConfigFields<'_>) -> DecoderConfig,
    ) -> Self {
        Self::with(Reader::Decoder(read))
    }

    const fn with(read: Reader) -> Self {
        Self {
            model_types: &[],
            source: "",
            read,
            parts: ConfigParts::One,
            flat_text: None,
            attribute_map: &[],
            // Sizes and options.
            sizes: Sizes::NONE,
            options: Options::PLAIN,
            window: Window::NONE,
            experts: None,
            latent: None,
            // Names.
            base_model: "model",
            names: LayerNames::LLAMA,
            // Parts.
            style: Style::LLAMA,
            layers: Parts::LLAMA,
            put_together: |_, _, _, _| {},
            // Programs.
            since: Since::V5,
            tasks: &[],
            later_tasks: &[],
            quantized_heads: QUANTIZED_HEADS,
            generation: Generation::NONE,
            image_sides: None,
            check: None,
            // Support.
            liger: None,
            plain_logits: true,
            attention_support: AttentionSupport::ALL,
            training_cache: CacheSupport::USUAL,
            without_checkpointing: None,
            adapter_support: AdapterSupport::USUAL,
            quantized_support: QuantizedSupport::USUAL,
            tensor_plan: &[],
            groups_head: true,
            divides_experts: true,
            balances_every_layer: false,
            fixtures: Proof::NONE,
            published: Proof::NONE,
        }
    }

    /// The field that says how wide an expert is.
    pub fn expert_width_field(&self) -> &'static str {
        self.experts
            .map_or("moe_intermediate_size", |rule| rule.width_field())
    }
}

/// Facts of a record that tests alone read: the page's program has none of them.
#[derive(Clone, Copy, Debug)]
pub struct Proof<T: 'static> {
    #[cfg(not(target_arch = "wasm32"))]
    facts: &'static [T],
    what: PhantomData<T>,
}

impl<T> Proof<T> {
    /// No facts.
    pub const NONE: Self = Self::of(&[]);

    /// These facts.
    pub const fn of(facts: &'static [T]) -> Self {
        #[cfg(target_arch = "wasm32")]
        let _ = facts;
        Self {
            #[cfg(not(target_arch = "wasm32"))]
            facts,
            what: PhantomData,
        }
    }

    /// All of them.
    #[cfg(not(target_arch = "wasm32"))]
    pub const fn facts(self) -> &'static [T] {
        self.facts
    }
}

impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.model_types == other.model_types
    }
}

impl Eq for Family {}

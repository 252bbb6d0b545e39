//! Images as patches with positions through a transformer (`CLIPVisionModel`, `SiglipVisionModel`).

use super::patches::Patches;
use super::pooling_head::PoolingHead;
use super::tower::Tower;
use crate::model::DualConfig;
use crate::nn::attention::AttentionOptions;
use crate::nn::build::{Builder, Embedding, LayerNorm};
use crate::nn::decoder::Shell;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `CLIPVisionModel`.
pub(crate) struct Vision {
    class: Option<Tensor>,
    patches: Patches,
    positions: Embedding,
    position_ids: Tensor,
    first_norm: Option<LayerNorm>,
    tower: Tower,
    last_norm: LayerNorm,
    head: Option<PoolingHead>,
}

/// The features that [`Vision`] makes of images.
pub(crate) struct SeenImages {
    /// The last hidden states `[N, tokens, H]`.
    pub(crate) last: Tensor,
    /// A feature for each image.
    pub(crate) pooled: Option<Tensor>,
    /// The hidden states of the layer that was asked for.
    pub(crate) kept: Option<Tensor>,
}

impl Vision {
    /// Of a model that reads tokens, too, or sees images alone; the layers stand at a path, of which
    /// one may be unlike the others.
    pub(crate) fn new(
        b: &Builder,
        c: &DualConfig,
        (layers, tokens): ((&'static str, bool), bool),
        options: AttentionOptions,
    ) -> Self {
        let clip = c.kind.has_class();
        let hidden = c.vision.hidden_size;
        let embeddings = b.at("embeddings");
        let class = clip.then(|| embeddings.parameter("class_embedding", [hidden]));
        let sizes = [hidden, c.num_channels, c.patch_size];
        let patches = embeddings.at("patch_embedding");
        let required = patches.input_requires_gradient(tokens);
        let patches = Patches::new(&patches, sizes, !clip).with_gradient(required);
        let rows = c.image_tokens();
        let norm = |name| LayerNorm::new(&b.at(name), hidden);
        Self {
            class,
            patches,
            positions: Embedding::new(&embeddings.at("position_embedding"), rows, hidden),
            position_ids: numbers(&embeddings, rows),
            first_norm: clip.then(|| norm("pre_layrnorm")),
            tower: Tower::new(b, layers, (c.kind, &c.vision), options),
            last_norm: norm("post_layernorm"),
            head: (c.pools).then(|| PoolingHead::new(&b.at("head"), &c.vision)),
        }
    }

    /// How many layers see images.
    pub(crate) fn layers(&self) -> u64 {
        self.tower.layers()
    }

    /// Images `[N, C, I, I]` to hidden states, those before the `after` last layers besides, if that is
    /// asked for.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        shell: &Shell,
        images: &Tensor,
        after: Option<u64>,
    ) -> SeenImages {
        let embedded = {
            let patches = {
                let pixels = t.to(images, shell.dtype());
                self.patches.forward(t, &pixels)
            };
            let tokens = match &self.class {
                Some(class) => {
                    let shape = [patches.dim(0), 1, patches.dim(2)];
                    t.cat(&[&t.expand(class, shape), &patches], 1)
                }
                None => patches.clone(),
            };
            let positions = self.positions.forward(t, &self.position_ids);
            let sum = t.add(&tokens, &positions);
            drop(positions);
            drop(tokens);
            drop(patches);
            sum
        };
        let embedded = match &self.first_norm {
            Some(norm) => {
                let normed = norm.forward(t, &embedded);
                drop(embedded);
                normed
            }
            None => embedded,
        };
        let given = (None, false);
        let (hidden, kept) = self
            .tower
            .forward_keeping(t, shell, &embedded, &given, after);
        if self.first_norm.is_none() {
            let last = self.last_norm.forward(t, &hidden);
            let head = self.head.as_ref();
            let pooled =
                head.map(|head| t.scoped("vision_model.head", None, || head.forward(t, &last)));
            // Where nobody asks for the pooled output, the head's weight copies go before autocast's end.
            t.classify_autocast_copies();
            drop((hidden, embedded));
            return SeenImages { last, pooled, kept };
        }
        let rows = shell.facts.index_all(t, &hidden, 1);
        let first = shell.facts.index_all(t, &t.select(&rows, 1), 1);
        let pooled = self.last_norm.forward(t, &first);
        drop(embedded);
        SeenImages {
            last: hidden,
            pooled: Some(pooled),
            kept,
        }
    }
}

/// The numbers of positions `[1, n]`.
pub(crate) fn numbers(b: &Builder, n: u64) -> Tensor {
    b.buffer("position_ids", [1, n], DType::Int64)
}

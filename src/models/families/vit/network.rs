//! Vision transformers with a classifier (`models/{vit,deit,dinov2,dinov2_with_registers,vit_msn,
//! audio_spectrogram_transformer}/modeling_*.py`).

use super::layer::VitLayer;
use crate::families::network::{Encoder, Net};
use crate::model::{ResolvedSpec, Transformers, VitConfig, VitKind};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::Shell;
use crate::nn::heads::loss;
use crate::nn::vision::Patches;
use crate::tape::{Tape, Tensor};
use crate::units::DType;
use std::rc::Rc;

/// `ViTForImageClassification` and its like.
pub(crate) struct Vit {
    kind: VitKind,
    /// The name of the model without its head.
    base: &'static str,
    /// The token of the class, and that of a teacher.
    tokens: Vec<Tensor>,
    _mask_token: Option<Tensor>,
    position_embeddings: Tensor,
    /// Tokens that stand for nothing.
    registers: Option<Tensor>,
    projection: Patches,
    layers: Vec<Rc<VitLayer>>,
    layernorm: LayerNorm,
    /// The norm before the classifier of a model that reads spectrograms.
    last_norm: Option<LayerNorm>,
    classifier: Linear,
    dropout: bool,
    dtype: DType,
    shell: Shell,
}

impl Vit {
    pub(crate) fn new(b: &Builder, c: &VitConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            ..AttentionOptions::of(spec, facts)
        };
        let (hidden, patch) = (c.hidden_size, c.patch_size);
        let vit = b.at(c.family.base_model);
        let embeddings = vit.at("embeddings");
        let token = |name| embeddings.parameter(name, [1, 1, hidden]);
        let mut tokens = vec![token("cls_token")];
        let mask_token = (c.mask_token).then(|| embeddings.parameter("mask_token", [1, hidden]));
        let position_embeddings =
            embeddings.parameter("position_embeddings", [1, c.positions(), hidden]);
        let registers = (c.registers > 0)
            .then(|| embeddings.parameter("register_tokens", [1, c.registers, hidden]));
        tokens.extend((c.kind.has_teacher()).then(|| token("distillation_token")));
        let projection = embeddings.at("patch_embeddings").at("projection");
        let required = projection.input_requires_gradient(false);
        let projection = Patches::new(&projection, [hidden, c.num_channels, patch], true)
            .with_gradient(required);
        let projection = match c.spectrogram {
            Some(seen) => projection.with_strides(seen.strides),
            None => projection,
        };
        let names = c.kind.layer_names(facts.transformers == Transformers::V5);
        let [inside, name] = names.layers;
        let list = if inside.is_empty() {
            vit.same()
        } else {
            vit.at(inside)
        };
        let read = if c.kind.of_dino() { 2 * hidden } else { hidden };
        let layers = list.items(name, c.num_hidden_layers, |b| {
            Rc::new(VitLayer::new(b, c, options))
        });
        let layernorm = LayerNorm::new(&vit.at("layernorm"), hidden);
        let mut last = b.at("classifier");
        let last_norm = (c.spectrogram.is_some()).then(|| {
            let norm = LayerNorm::new(&last.at("layernorm"), hidden);
            last = last.at("dense");
            norm
        });
        let classifier = Linear::new(&last, read, c.num_labels, true);
        Self {
            kind: c.kind,
            base: c.family.base_model,
            tokens,
            _mask_token: mask_token,
            position_embeddings,
            registers,
            projection,
            layers,
            layernorm,
            last_norm,
            classifier,
            dropout: c.dropout.embedding,
            dtype: b.dtype(),
            shell: Shell::new(b, spec, facts),
        }
    }

    /// The classes by the mean of the first two tokens.
    fn heard(
        &self,
        t: &Tape,
        norm: &LayerNorm,
        encoded: Tensor,
        labels: Option<&Tensor>,
    ) -> Output {
        let pooled = {
            // sequence_output[:, 0] + sequence_output[:, 1]
            let token = || t.select(&self.shell.facts.index_all(t, &encoded, 1), 1);
            let sum = t.add(&token(), &token());
            t.div_scalar(&sum)
        };
        let logits = t.scoped("classifier", None, || {
            let normed = norm.forward(t, &pooled);
            self.classifier.forward(t, &normed)
        });
        let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
        drop((pooled, encoded));
        Output::of(logits, loss)
    }

    /// `ViTModel`: `[B, tokens, H]`.
    fn encode(&self, t: &Tape, images: &Tensor) -> Tensor {
        let images = match self.last_norm {
            Some(_) => &t.transpose(&t.unsqueeze(images, 1), 2, 3),
            None => images,
        };
        let pixels = t.to(images, self.dtype);
        let embedded = t.scoped("embeddings", None, || self.embed(t, &pixels));
        // The patches' layer casts them itself.
        let pixels = Some(pixels).filter(|_| !self.kind.of_dino());
        let list = match (self.shell.facts.transformers, self.kind) {
            (Transformers::V5, kind) if !kind.of_dino() => "layers",
            _ => "encoder.layer",
        };
        let mut hidden = embedded.clone();
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped(list, Some(i), || self.shell.run(t, layer, &hidden, &()));
        }
        let out = t.scoped("layernorm", None, || self.layernorm.forward(t, &hidden));
        drop((hidden, embedded, pixels));
        out
    }

    /// `ViTEmbeddings`.
    fn embed(&self, t: &Tape, pixels: &Tensor) -> Tensor {
        let patches = self.projection.forward(t, pixels);
        let first = |token: &Tensor| t.expand(token, [patches.dim(0), 1, patches.dim(2)]);
        let firsts: Vec<Tensor> = self.tokens.iter().map(first).collect();
        let parts: Vec<&Tensor> = firsts.iter().chain([&patches]).collect();
        let tokens = t.cat(&parts, 1);
        drop(patches);
        let mut sum = t.add(&tokens, &self.position_embeddings);
        drop(tokens);
        if let Some(registers) = &self.registers {
            let first = t.slice(&sum, 1, 0, 1);
            let registers = t.expand(registers, [sum.dim(0), registers.dim(1), sum.dim(2)]);
            let patches = t.slice(&sum, 1, 1, sum.dim(1));
            sum = t.cat(&[&first, &registers, &patches], 1);
        }
        dropped(t, sum, self.dropout)
    }
}

impl Encoder for Vit {
    /// Images `[B, C, I, I]` to logits `[B, classes]` and, from labels `[B]`, the loss.
    fn forward(&self, t: &Tape, images: &Tensor, labels: Option<&Tensor>) -> Output {
        let facts = self.shell.facts;
        let encoded = t.scoped(self.base, None, || self.encode(t, images));
        if let Some(norm) = &self.last_norm {
            return self.heard(t, norm, encoded, labels);
        }
        // sequence_output[:, 0, :]
        let rows = facts.index_all(t, &encoded, 1);
        let mut read = facts.index_all(t, &t.select(&rows, 1), 1);
        if self.kind.of_dino() {
            let first = 1 + self.registers.as_ref().map_or(0, |tokens| tokens.dim(1));
            let patches = t.slice(&encoded, 1, first, encoded.dim(1));
            let mean = t.mean_of_rows(&patches);
            read = t.cat(&[&read, &mean], 1);
        }
        let logits = t.scoped("classifier", None, || self.classifier.forward(t, &read));
        let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
        drop((rows, read, encoded));
        Output::of(logits, loss)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(Vit::new(b, spec.config(), spec, facts))
}

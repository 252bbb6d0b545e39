//! CLIP and `SigLIP` (`models/{clip,siglip}/modeling_*.py`): images and texts that are compared with each
//! other, or classes of images.

use crate::ask::Attention;
use crate::families::network::{Compares, Net};
use crate::model::{DualConfig, DualKind, MaskStyle, ResolvedSpec, TextTower};
use crate::nn::attention::AttentionOptions;
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::Shell;
use crate::nn::heads::loss;
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::nn::vision::{SeenImages, Tower, Vision, numbers};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `CLIPModel` or `CLIPForImageClassification`, or the same classes of `SigLIP`.
pub(crate) struct Dual {
    kind: DualKind,
    vision: Vision,
    aim: Aim,
    shell: Shell,
}

/// The purpose of seeing images.
enum Aim {
    Classes(Linear),
    Pairs(Box<Pairs>),
}

/// The parts that compare images with texts.
struct Pairs {
    text: Text,
    /// CLIP's, of images and of texts.
    projections: Option<[Linear; 2]>,
    scale: Tensor,
    bias: Option<Tensor>,
}

/// `CLIPTextModel`.
struct Text {
    tokens: Embedding,
    positions: Embedding,
    position_ids: Tensor,
    tower: Tower,
    norm: LayerNorm,
    head: Option<Linear>,
    ends_with_largest: bool,
    attention: Attention,
}

impl Text {
    fn new(b: &Builder, c: &DualConfig, text: &TextTower, options: AttentionOptions) -> Self {
        let hidden = text.tower.hidden_size;
        let embeddings = b.at("embeddings");
        let positions = text.max_position_embeddings;
        Self {
            tokens: Embedding::of_input(&embeddings.at("token_embedding"), text.vocab_size, hidden),
            positions: Embedding::new(&embeddings.at("position_embedding"), positions, hidden),
            position_ids: numbers(&embeddings, positions),
            tower: Tower::new(
                b,
                ("text_model.encoder.layers", false),
                (c.kind, &text.tower),
                options,
            ),
            norm: LayerNorm::new(&b.at("final_layer_norm"), hidden),
            head: (c.kind == DualKind::Siglip)
                .then(|| Linear::new(&b.at("head"), hidden, c.projection, true)),
            ends_with_largest: text.ends_with_largest,
            attention: options.implementation,
        }
    }

    /// Token ids `[B, S]` to the last hidden states `[B, S, H]` and the pooled state of each text.
    fn forward(&self, t: &Tape, kind: DualKind, shell: &Shell, ids: &Tensor) -> [Tensor; 2] {
        let size = BatchShape::of(ids);
        let embedded = {
            let words = self.tokens.forward(t, ids);
            let positions = t.slice(&self.position_ids, 1, 0, size.s);
            let positions = self.positions.forward(t, &positions);
            let sum = t.add(&words, &positions);
            drop((words, positions));
            sum
        };
        let clip = kind == DualKind::Clip;
        let mask = if clip {
            shell.causal_mask(t, ids, None, MaskStyle::Boolean)
        } else {
            shell
                .padding_mask
                .then(|| mask::of_encoder(t, size, self.attention, shell.dtype()))
        };
        let given = (mask, clip);
        let hidden = self.tower.forward(t, shell, &embedded, &given);
        let last = self.norm.forward(t, &hidden);
        let pooled = match &self.head {
            Some(head) => {
                let rows = shell.facts.index_all(t, &last, 1);
                let end = shell.facts.index_all(t, &t.select(&rows, 1), 1);
                head.forward(t, &end)
            }
            None => self.at_end(t, ids, &last),
        };
        drop((hidden, given, embedded));
        [last, pooled]
    }

    /// The hidden states `[B, H]` of the token that ends each text.
    fn at_end(&self, t: &Tape, ids: &Tensor, hidden: &Tensor) -> Tensor {
        let rows = t.empty("arange", Shape::from([ids.dim(0)]), DType::Int64);
        let whole = |op| t.empty(op, *ids.shape(), DType::Int32);
        let mut found = whole("_to_copy");
        if !self.ends_with_largest {
            let is_end = t.empty("eq", *ids.shape(), DType::Bool);
            drop(found);
            found = whole("_to_copy");
            drop(is_end);
        }
        let place = t.argmax_last(&found);
        drop(found);
        t.index_elements(hidden, &[rows, place])
    }
}

impl Dual {
    pub(crate) fn new(b: &Builder, c: &DualConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions::of(spec, facts);
        let path = (("vision_model.encoder.layers", false), c.text.is_some());
        let vision = || Vision::new(&b.at("vision_model"), c, path, options);
        let (vision, aim) = match &c.text {
            None => {
                let vision = vision();
                let hidden = c.vision.hidden_size;
                let classifier = Linear::new(&b.at("classifier"), hidden, c.num_labels, true);
                (vision, Aim::Classes(classifier))
            }
            Some(text) => {
                let number: Shape = match c.kind {
                    DualKind::Clip => Shape::new(&[]),
                    _ => Shape::from([1]),
                };
                let towers = || {
                    let text = Text::new(&b.at("text_model"), c, text, options);
                    (text, vision())
                };
                let (scale, (bias, (text, vision), projections)) =
                    b.parameter_after("logit_scale", number, || match c.kind {
                        DualKind::Clip => {
                            let towers = towers();
                            let sizes = [c.vision.hidden_size, text.tower.hidden_size];
                            let of_images = b.at("visual_projection");
                            let of_texts = b.at("text_projection");
                            let made = [
                                Linear::new(&of_images, sizes[0], c.projection, false),
                                Linear::new(&of_texts, sizes[1], c.projection, false),
                            ];
                            (None, towers, Some(made))
                        }
                        DualKind::Siglip | DualKind::Idefics3 => {
                            let (bias, towers) = b.parameter_after("logit_bias", number, towers);
                            (Some(bias), towers, None)
                        }
                    });
                let pairs = Pairs {
                    text,
                    projections,
                    scale,
                    bias,
                };
                (vision, Aim::Pairs(Box::new(pairs)))
            }
        };
        Self {
            kind: c.kind,
            vision,
            aim,
            shell: Shell::new(b, spec, facts),
        }
    }

    fn classify(
        &self,
        t: &Tape,
        classifier: &Linear,
        images: &Tensor,
        labels: Option<&Tensor>,
    ) -> Output {
        let SeenImages {
            last: hidden,
            pooled,
            ..
        } = self.vision.forward(t, &self.shell, images, None);
        let read = if self.kind == DualKind::Clip {
            let patches = t.slice(&hidden, 1, 1, hidden.dim(1));
            let patches = self.shell.facts.index_all(t, &patches, 1);
            t.mean_of_rows(&patches)
        } else {
            t.mean_of_rows(&hidden)
        };
        let logits = t.scoped("classifier", None, || classifier.forward(t, &read));
        let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
        drop((read, pooled, hidden));
        Output::of(logits, loss)
    }

    fn compare(
        &self,
        t: &Tape,
        pairs: &Pairs,
        ids: &Tensor,
        (images, asked): (&Tensor, bool),
    ) -> Output {
        let project = |which: usize, pooled: Tensor| match &pairs.projections {
            Some(projections) => projections[which].forward(t, &pooled),
            None => pooled,
        };
        // It is built behind the other tower, and runs before it.
        t.count_regions_from(pairs.text.tower.layers());
        let seen = self.vision.forward(t, &self.shell, images, None);
        t.count_regions_from(0);
        let (seen, image) = (seen.last, seen.pooled);
        let image = project(0, image.expect("a model that compares images pools them"));
        let [read, text] = pairs.text.forward(t, self.kind, &self.shell, ids);
        let text = project(1, text);
        let normalized = |x: &Tensor| {
            let length = match self.kind {
                DualKind::Clip => {
                    let square = t.square(x);
                    let sum = t.sum_dim(&square, 1, true);
                    let length = t.pow(&sum);
                    drop((square, sum));
                    length
                }
                _ => t.length_last(x),
            };
            t.div(x, &length)
        };
        let image_embeds = normalized(&image);
        let text_embeds = normalized(&text);
        let scores = t.matmul(&text_embeds, &t.t(&image_embeds));
        let mut logits = {
            let scale = t.exp(&pairs.scale);
            t.mul(&scores, &scale)
        };
        if let Some(bias) = &pairs.bias {
            logits = t.add(&logits, bias);
        }
        drop(scores);
        let loss = asked.then(|| {
            t.scoped("loss", None, || match self.kind {
                DualKind::Clip => loss::of_pairs(t, &logits),
                _ => loss::of_each_pair(t, &logits),
            })
        });
        Output {
            logits: Some(logits),
            loss,
            encoded: None,
            beside: vec![text_embeds, image_embeds, read, text, seen, image],
        }
    }
}

impl Compares for Dual {
    /// Images `[B, C, I, I]` to logits `[B, classes]` and, from labels `[B]`, the loss; or token ids
    /// `[B, S]` with images to logits `[B, B]` and, where it is asked for, the loss.
    fn forward(
        &self,
        t: &Tape,
        input: &Tensor,
        images: Option<&(Tensor, bool)>,
        labels: Option<&Tensor>,
    ) -> Output {
        match (&self.aim, images) {
            (Aim::Pairs(pairs), Some((images, loss))) => {
                self.compare(t, pairs, input, (images, *loss))
            }
            (Aim::Classes(classifier), _) => self.classify(t, classifier, input, labels),
            (Aim::Pairs(_), None) => unreachable!("a batch of pairs has images"),
        }
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::pairs(Dual::new(b, spec.config(), spec, facts))
}

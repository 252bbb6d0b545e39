//! BERT, `RoBERTa`, `Data2VecText`, ERNIE, ELECTRA and ALBERT
//! (`models/{bert,roberta,data2vec,ernie,electra,albert}/modeling_*.py`), predicting
//! masked tokens or classes.

use super::layer::BertLayer;
use crate::ask::{Attention, Task};
use crate::families::network::{Encoder, Net};
use crate::model::{Activation, BertConfig, BertKind, ResolvedSpec, Transformers};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::Shell;
use crate::nn::heads::{Head, Reads, Transform};
use crate::nn::masks::BatchShape;
use crate::nn::masks::{mask, triangle as mask_triangle};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `BertForMaskedLM` or `BertForSequenceClassification`.
pub(crate) struct Bert {
    embeddings: Embeddings,
    /// From the columns of the embeddings to those of the layers (ELECTRA).
    projection: Option<Linear>,
    layers: Vec<Rc<BertLayer>>,
    /// How often each of them is used.
    uses: u64,
    /// The transform of the first token by `BertModel`.
    pooler: Option<Transform>,
    head: Head,
    /// The names of the embeddings and of the list of layers.
    names: [&'static str; 2],
    options: AttentionOptions,
    dtype: DType,
    shell: Shell,
}

const BERT: [&str; 2] = ["bert.embeddings", "bert.encoder.layer"];

const ELECTRA: [&str; 2] = ["electra.embeddings", "electra.encoder.layer"];

const ERNIE: [&str; 2] = ["ernie.embeddings", "ernie.encoder.layer"];

const DATA2VEC: [&str; 2] = ["data2vec_text.embeddings", "data2vec_text.encoder.layer"];

const ROBERTA: [&str; 2] = ["roberta.embeddings", "roberta.encoder.layer"];

const ALBERT: [&str; 2] = ["albert.embeddings", "albert.encoder"];

/// `BertEmbeddings`.
pub(crate) struct Embeddings {
    pub(crate) words: Embedding,
    /// None where attention sees them (`RoFormer`).
    positions: Option<Embedding>,
    segments: Embedding,
    /// The embedding of tasks (ERNIE).
    tasks: Option<Embedding>,
    layer_norm: Option<LayerNorm>,
    position_ids: Option<Tensor>,
    /// None where the model makes them each time (Megatron, `RemBERT`, `RoFormer`).
    segment_ids: Option<Tensor>,
    dropout: bool,
    recent: bool,
    roberta: bool,
}

/// A class of the whole text.
pub(crate) fn of_class(b: &Builder, c: &BertConfig) -> Head {
    let (hidden, dropout) = (c.hidden_size, c.classifier_dropout);
    let classifier = b.at("classifier");
    let linear = |at: &Builder, n| Linear::new(at, hidden, n, true);
    if c.kind.pools() {
        return Head::plain("classifier", linear(&classifier, c.num_labels), dropout);
    }
    // `RobertaClassificationHead` and `ElectraClassificationHead`.
    let transform = Transform {
        dense: linear(&classifier.at("dense"), hidden),
        activation: match c.kind {
            BertKind::Electra | BertKind::RoFormer => Activation::Gelu,
            _ => Activation::Tanh,
        },
        norm: None,
    };
    let output = linear(&classifier.at("out_proj"), c.num_labels);
    Head {
        reads: Reads::FirstColumns,
        drops_first: dropout,
        transform: Some(transform),
        holds: false,
        ..Head::plain("classifier", output, dropout)
    }
}

/// Tokens, by the table `words` of the embedding.
pub(crate) fn of_tokens(b: &Builder, c: &BertConfig, words: &Tensor) -> Head {
    let roberta = c.kind.of_roberta() || c.kind == BertKind::Mpnet;
    let (name, b) = if roberta {
        ("lm_head", b.at("lm_head"))
    } else {
        ("cls.predictions", b.at("cls").at("predictions"))
    };
    let norm = if roberta || c.kind == BertKind::Nomic {
        "layer_norm"
    } else {
        "LayerNorm"
    };
    let bias = b.parameter("bias", [c.vocab_size]);
    let at = if roberta { b.same() } else { b.at("transform") };
    let transform = Transform {
        dense: Linear::new(&at.at("dense"), c.hidden_size, c.embedding_size, true),
        activation: c.activation,
        norm: Some(LayerNorm::new(&at.at(norm), c.embedding_size)),
    };
    let decoder = b.at("decoder");
    decoder.untied([c.vocab_size, c.embedding_size]);
    Head::of_tokens(name, transform, Linear::sharing(&decoder, words, bias))
}

/// The head of ELECTRA's generator (`ElectraGeneratorPredictions`).
fn of_electra(b: &Builder, c: &BertConfig, words: &Tensor) -> Head {
    let at = b.at("generator_predictions");
    let norm = Some(LayerNorm::new(&at.at("LayerNorm"), c.embedding_size));
    let transform = Transform {
        dense: Linear::new(&at.at("dense"), c.hidden_size, c.embedding_size, true),
        activation: Activation::Gelu,
        norm,
    };
    let head = b.at("generator_lm_head");
    head.untied([c.vocab_size, c.embedding_size]);
    let bias = head.parameter("bias", [c.vocab_size]);
    let output = Linear::sharing(&head, words, bias);
    Head::of_tokens("generator_lm_head", transform, output)
}

/// The head of ALBERT (`AlbertMLMHead`).
fn of_albert(b: &Builder, c: &BertConfig, words: &Tensor) -> Head {
    let at = b.at("predictions");
    let norm = Some(LayerNorm::new(&at.at("LayerNorm"), c.embedding_size));
    let bias = at.parameter("bias", [c.vocab_size]);
    let transform = Transform {
        dense: Linear::new(&at.at("dense"), c.hidden_size, c.embedding_size, true),
        activation: c.activation,
        norm,
    };
    let decoder = at.at("decoder");
    decoder.untied([c.vocab_size, c.embedding_size]);
    decoder.untied([c.vocab_size]);
    Head::of_tokens(
        "predictions",
        transform,
        Linear::sharing(&decoder, words, bias),
    )
}

/// `BertPooler` of a model that pools what a class is made of.
pub(crate) fn pooler(base: &Builder, c: &BertConfig, task: Task) -> Option<Transform> {
    let pools = task == Task::SequenceClassification && c.kind.pools();
    pools.then(|| {
        let at = base.at("pooler");
        let at = match c.kind {
            BertKind::Albert => at,
            _ => at.at("dense"),
        };
        Transform {
            dense: Linear::new(&at, c.hidden_size, c.hidden_size, true),
            activation: Activation::Tanh,
            norm: None,
        }
    })
}

/// The head of a task.
pub(crate) fn head(b: &Builder, c: &BertConfig, task: Task, words: &Tensor) -> Head {
    let sizes = [c.hidden_size, c.num_labels];
    match task {
        Task::SequenceClassification => of_class(b, c),
        Task::TokenClassification => Head::of_each(b, task, sizes, c.classifier_dropout),
        Task::QuestionAnswering => Head::of_each(b, task, sizes, false),
        _ if c.kind == BertKind::Electra => of_electra(b, c, words),
        _ if c.kind == BertKind::Albert => of_albert(b, c, words),
        _ => of_tokens(b, c, words),
    }
}

/// The answer of a head to hidden states `[B, S, H]`, or to pooled ones.
pub(crate) fn answered(
    t: &Tape,
    facts: Facts,
    (pooler, head): (Option<&Transform>, &Head),
    hidden: &Tensor,
    labels: Option<&Tensor>,
) -> Output {
    let pooled = pooler.map(|pooler| pooled(t, facts, pooler, hidden));
    let read = pooled.as_ref().unwrap_or(hidden);
    head.forward(t, facts, (read, None), labels)
}

/// The pooled part of hidden states `[B, S, H]`.
pub(crate) fn pooled(t: &Tape, facts: Facts, pooler: &Transform, hidden: &Tensor) -> Tensor {
    t.scoped("bert.pooler", None, || {
        let (first, _) = Reads::First.of(t, facts, hidden, None);
        pooler.forward(t, first)
    })
}

impl Bert {
    pub(crate) fn new(b: &Builder, c: &BertConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions::of_encoder(c.dropout.attention, spec, facts);
        let bert = b.at(c.family.base_model);
        let embeddings = Embeddings::new(&bert.at("embeddings"), c, facts);
        let albert = c.kind == BertKind::Albert;
        let encoder = bert.at("encoder");
        let projection = (albert || c.embedding_size != c.hidden_size).then(|| {
            let at = if albert {
                encoder.at("embedding_hidden_mapping_in")
            } else {
                bert.at("embeddings_project")
            };
            Linear::new(&at, c.embedding_size, c.hidden_size, true)
        });
        let layer = |b: &Builder| Rc::new(BertLayer::new(b, c, options));
        let (layers, uses) = if albert {
            let group = encoder.item("albert_layer_groups", 0);
            let shared = layer(&group.item("albert_layers", 0));
            (vec![shared], c.num_hidden_layers)
        } else {
            (encoder.items("layer", c.num_hidden_layers, layer), 1)
        };
        let words = &embeddings.words.weight;
        let pooler = pooler(&bert, c, spec.task);
        let head = head(b, c, spec.task, words);
        Self {
            embeddings,
            projection,
            layers,
            uses,
            pooler,
            head,
            names: match c.kind {
                BertKind::Ernie => ERNIE,
                BertKind::Roberta => ROBERTA,
                BertKind::Data2Vec => DATA2VEC,
                BertKind::Electra => ELECTRA,
                BertKind::Albert => ALBERT,
                _ => BERT,
            },
            options,
            dtype: b.dtype(),
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `BertModel`: the last hidden state and, for a class, what the pooler makes of its first token.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> (Tensor, Option<Tensor>) {
        let size = BatchShape::of(input_ids);
        let recent = self.options.facts.transformers == Transformers::V5;
        if !recent && !self.shell.padding_mask {
            mask::looks_like_padding(t, size.b);
        }
        let [embeddings, list] = self.names;
        // `ElectraModel` of transformers 4 makes its mask first, `AlbertModel` before it projects.
        let albert = self.names == ALBERT;
        let first = !recent && self.names == ELECTRA;
        let mut masks = first.then(|| self.masks(t, size, self.dtype));
        let mut embedded = t.scoped(embeddings, None, || self.embeddings.forward(t, input_ids));
        let (mut hidden, dtype) = (embedded.clone(), embedded.dtype());
        if albert {
            masks = Some(self.masks(t, size, dtype));
        }
        if let Some(projection) = &self.projection {
            hidden = projection.forward(t, &embedded);
            if !albert {
                embedded = hidden.clone();
            }
        }
        let (mask, locals) = masks.unwrap_or_else(|| self.masks(t, size, dtype));
        let uses = self
            .layers
            .iter()
            .flat_map(|layer| (0..self.uses).map(move |_| layer));
        for (i, layer) in (0..).zip(uses) {
            hidden = t.scoped(list, Some(i), || self.shell.run(t, layer, &hidden, &mask));
        }
        let facts = self.options.facts;
        let pooler = self.pooler.as_ref();
        let pooled = pooler.map(|pooler| pooled(t, facts, pooler, &hidden));
        drop((mask, locals, embedded));
        (hidden, pooled)
    }

    /// The mask of its layers, in the `dtype` of the embeddings, and another tensor that the function holds.
    fn masks(&self, t: &Tape, size: BatchShape, dtype: DType) -> (Option<Tensor>, Option<Tensor>) {
        if self.options.facts.transformers != Transformers::V5 {
            return self.mask_of_four(t, size, dtype);
        }
        let attention = self.options.implementation;
        let padded = self.shell.padding_mask;
        (
            padded.then(|| mask::of_encoder(t, size, attention, dtype)),
            None,
        )
    }

    /// The mask of transformers 4, with the padding mask that the model makes for itself. sdpa gets no mask where
    /// nothing is padding, which reading the mask's values tells, else the mask in the `dtype` of the embeddings.
    fn mask_of_four(
        &self,
        t: &Tape,
        size: BatchShape,
        dtype: DType,
    ) -> (Option<Tensor>, Option<Tensor>) {
        let (given, ones) = if self.shell.padding_mask {
            (DType::Int64, None)
        } else {
            let ones = t.empty("ones", size.into(), DType::Float32);
            (DType::Float32, Some(ones))
        };
        if self.options.implementation == Attention::Eager {
            return (Some(mask::inverted(t, size, given, self.dtype)), ones);
        }
        mask::looks_for_padding(t, size);
        let mask = self
            .shell
            .padding_mask
            .then(|| mask_triangle::expanded(t, size.scores(), DType::Int64, dtype));
        (mask, ones)
    }
}

impl Encoder for Bert {
    /// Token ids `[B, S]` to logits `[B, S, V]` or `[B, classes]` and, from labels, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let (hidden, pooled) = self.encode(t, input_ids);
        let read = pooled.as_ref().unwrap_or(&hidden);
        self.head
            .forward(t, self.options.facts, (read, None), labels)
    }
}

/// `create_position_ids_from_input_ids`: positions `[B, S]` that count tokens other than padding,
/// on from those of a cache where models add how many `after_others`.
pub(crate) fn position_ids(t: &Tape, size: BatchShape, after_others: bool) -> Tensor {
    let ids = |op, dtype| t.empty(op, size.into(), dtype);
    let mask = {
        let _other = ids("ne", DType::Bool);
        ids("_to_copy", DType::Int32)
    };
    let counted = {
        let sum = ids("cumsum", DType::Int64);
        let copy = ids("cumsum", DType::Int64);
        t.scan_alone(*sum.shape(), DType::Int64);
        drop(copy);
        let narrow = ids("_to_copy", DType::Int32);
        drop(sum);
        let shifted = if after_others {
            t.add_scalar(&narrow)
        } else {
            narrow.clone()
        };
        drop(narrow);
        let counted = ids("mul", DType::Int32);
        drop(shifted);
        counted
    };
    let wide = ids("_to_copy", DType::Int64);
    let positions = t.add_scalar(&wide);
    drop(wide);
    drop((mask, counted));
    positions
}

impl Embeddings {
    pub(crate) fn new(b: &Builder, c: &BertConfig, facts: Facts) -> Self {
        let (width, roberta) = (c.embedding_size, c.kind.of_roberta());
        let table = |name, rows| Embedding::new(&b.at(name), rows, width);
        let words = Embedding::of_input(&b.at("word_embeddings"), c.vocab_size, width);
        let added = c.kind != BertKind::RoFormer;
        let position_table =
            || added.then(|| table("position_embeddings", c.max_position_embeddings));
        let rest = || {
            let segments = table("token_type_embeddings", c.type_vocab_size);
            let normed = c.kind.norms_embeddings();
            let layer_norm = normed.then(|| LayerNorm::new(&b.at("LayerNorm"), width));
            (segments, layer_norm)
        };
        let ids = || {
            let ids = |name| b.buffer(name, [1, c.max_position_embeddings], DType::Int64);
            let positions = added.then(|| ids("position_ids"));
            let kept = !c.kind.writes_attention_out();
            (positions, kept.then(|| ids("token_type_ids")))
        };
        let recent = facts.transformers == Transformers::V5;
        let (positions, (segments, layer_norm), (position_ids, segment_ids)) =
            match (roberta, recent) {
                (true, true) => {
                    let (rest, ids) = (rest(), ids());
                    (position_table(), rest, ids)
                }
                (true, false) => {
                    let (positions, (rest, ids)) = Embedding::made_again(
                        &b.at("position_embeddings"),
                        c.max_position_embeddings,
                        width,
                        || (rest(), ids()),
                    );
                    (Some(positions), rest, ids)
                }
                (false, _) => (position_table(), rest(), ids()),
            };
        let tasks = (c.task_type_vocab_size > 0)
            .then(|| table("task_type_embeddings", c.task_type_vocab_size));
        Self {
            words,
            positions,
            segments,
            tasks,
            layer_norm,
            position_ids,
            segment_ids,
            dropout: c.dropout.embedding,
            recent: recent && !c.kind.writes_attention_out(),
            roberta,
        }
    }

    fn forward(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        self.forward_with_segments(t, input_ids).0
    }

    /// The same, with the ids of segments, which some models make before.
    pub(crate) fn forward_with_segments(&self, t: &Tape, input_ids: &Tensor) -> (Tensor, Tensor) {
        let size = BatchShape::of(input_ids);
        let BatchShape { b, s } = size;
        let position_ids = match &self.position_ids {
            Some(_) if self.roberta => Some(position_ids(t, size, true)),
            ids => ids.as_ref().map(|ids| t.slice(ids, 1, 0, s)),
        };
        let segment_ids = match &self.segment_ids {
            None => t.empty("zeros", Shape::from([b, s]), DType::Int64),
            Some(_) if self.recent => {
                let rows = if self.roberta { b } else { 1 };
                t.empty("gather", Shape::from([rows, s]), DType::Int64)
            }
            Some(kept) => t.slice(kept, 1, 0, s),
        };
        let segment_ids = t.expand(&segment_ids, [b, s]);
        let words = self.words.forward(t, input_ids);
        let segments = self.segments.forward(t, &segment_ids);
        let mut sum = t.add(&words, &segments);
        let positions = self.positions.as_ref().zip(position_ids.as_ref());
        let positions = positions.map(|(table, ids)| table.forward(t, ids));
        sum = match &positions {
            Some(positions) if self.recent => t.add(&sum, positions),
            Some(positions) => t.add_in_place(sum, positions),
            None => sum,
        };
        let tasks = self.tasks.as_ref().map(|tasks| {
            let ids = t.empty("zeros", Shape::from([b, s]), DType::Int64);
            (tasks.forward(t, &ids), ids)
        });
        if let Some((tasks, _)) = &tasks {
            sum = t.add_in_place(sum, tasks);
        }
        if let Some(norm) = &self.layer_norm {
            sum = norm.forward(t, &sum);
        }
        let out = dropped(t, sum, self.dropout);
        drop((words, segments, positions, tasks));
        (out, segment_ids)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(Bert::new(b, spec.config(), spec, facts))
}

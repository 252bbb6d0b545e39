//! The model, or a part of it (`core/models/gpt/gpt_model.py`).

use super::config::{StageLayers, TransformerConfig};
use super::embedding::Embedding;
use super::layer::{Layer, run};
use super::linear::ColumnParallel;
use super::memory::GlobalMemory;
use super::modules::{MadeWide, ModuleParameter, Modules, Norm};
use super::rotary::Rotary;
use crate::tape::{Category, Tape, Tensor};
use std::cell::RefCell;
use std::rc::Rc;

/// `GPTModel`: a chunk of layers, with the embedding before the first and norm and head after the last.
pub struct GptModel {
    config: Rc<TransformerConfig>,
    embedding: Option<Embedding>,
    rotary: Rotary,
    layers: Vec<Rc<Layer>>,
    head: Option<(Norm, ColumnParallel)>,
    parameters: Vec<ModuleParameter>,
    wide: RefCell<Vec<MadeWide>>,
}

impl GptModel {
    /// The chunks of a rank, in the order in which they are built.
    pub fn chunks(t: &Tape, config: &TransformerConfig, stages: &[StageLayers]) -> Vec<Self> {
        let (config, memory) = (Rc::new(config.clone()), GlobalMemory::default());
        let whole = |stage: &StageLayers| stage.is_first && stage.is_last;
        let apart = stages.iter().all(|stage| !whole(stage));
        let build = |stage: &StageLayers| {
            let m = Modules::new(t, Rc::clone(&config), memory.clone());
            Self::new(m, *stage, apart)
        };
        stages.iter().map(build).collect()
    }

    /// Builds the model of a stage, whose embedding is on ranks `apart` if the first and the last stage share it.
    fn new(m: Modules, stage: StageLayers, apart: bool) -> Self {
        let (t, config) = (m.tape, Rc::clone(&m.config));
        let shares = config.shares_embedding;
        let embedding = stage.is_first.then(|| {
            t.scoped("embedding.word_embeddings", None, || {
                let embedding = Embedding::new(&m);
                m.mark(|made| made.is_shared_embedding = shares && apart);
                embedding
            })
        });
        let rotary = t.scoped("rotary_pos_emb", None, || Rotary::new(&m));
        let layer = |index: u64| {
            let index = u32::try_from(index).ok();
            t.scoped("decoder.layers", index, || Rc::new(Layer::new(&m)))
        };
        let layers = (stage.first..stage.first + stage.layers).map(layer);
        let layers = layers.collect();
        let head = stage.is_last.then(|| {
            let norm = t.scoped("decoder.final_layernorm", None, || {
                Norm::new(&m, config.hidden_size)
            });
            let head = t.scoped("output_layer", None, || match &embedding {
                Some(embedding) if shares => ColumnParallel::of(&m, embedding.weight.clone()),
                _ => {
                    let head = ColumnParallel::new(&m, [config.hidden_size, config.vocab_size]);
                    m.mark(|made| {
                        made.is_shared_embedding = shares;
                        made.is_copy = shares;
                    });
                    head
                }
            });
            (norm, head)
        });
        let (parameters, wide) = m.finish();
        Self {
            config,
            embedding,
            rotary,
            layers,
            head,
            parameters,
            wide: RefCell::new(wide),
        }
    }

    /// `Float16Module`: casts parameters that were made in float32 to the dtype that the model is trained in.
    pub fn narrow(&self, t: &Tape) {
        for (weight, wide) in self.wide.take() {
            t.give_storage("_to_copy", &weight);
            drop(wide);
        }
    }

    /// Its parameters, in the order in which they were made.
    pub fn parameters(&self) -> &[ModuleParameter] {
        &self.parameters
    }

    /// Token ids `[B, S]`, or what the stage before gave, to what the next stage reads.
    pub fn forward(&self, t: &Tape, input: &Tensor) -> Tensor {
        let hidden = match &self.embedding {
            Some(embedding) => embedding.forward(t, input),
            None => input.clone(),
        };
        let tokens = hidden.dim(0) * self.config.sequence_parts();
        let angles = self.rotary.forward(t, tokens);
        let hidden = run(t, &self.config, &self.layers, hidden, &angles);
        match &self.head {
            Some((norm, _)) => norm.forward(t, &hidden),
            None => hidden,
        }
    }

    /// `compute_language_model_loss` of what [`Self::forward`] gives and labels `[B, S]`: losses `[B, S]`.
    pub fn loss(&self, t: &Tape, hidden: Tensor, labels: &Tensor) -> Option<Tensor> {
        let (_, head) = self.head.as_ref()?;
        t.scoped("output_layer", None, || {
            let logits = head.forward(t, &hidden);
            logits.set_category(Category::Logits);
            let labels = t.contiguous(&t.transpose(labels, 0, 1));
            let losses = t.parallel_cross_entropy(&logits, &labels);
            let losses = t.contiguous(&t.transpose(&{ losses }, 0, 1));
            drop(labels);
            drop(logits);
            drop(hidden);
            Some(losses)
        })
    }
}

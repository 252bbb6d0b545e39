//! Experts that run one after the other, each over the tokens that are sent to it.
//!
//! Source: transformers 4.51 and 4.48, `models/{mixtral,olmoe,qwen2_moe,qwen3_moe,deepseek_v3}/
//! modeling_*.py`. How many tokens an expert gets depends on what the router has learned; here they
//! are spread as evenly as can be.

use crate::ask::EvaluationKind;
use crate::model::{DecoderConfig, Experts, LayerNames, ResolvedSpec};
use crate::nn::build::Builder;
use crate::nn::mlp::GatedMlp;
use crate::tape::{ListId, Tape, Tensor};
use crate::units::{DType, Shape};

/// The experts of one layer.
pub(crate) struct ExpertLoop {
    parts: Vec<Part>,
    count: u64,
    /// Whether weights are read first and experts without tokens left out (`DeepseekV3MoE.moe`).
    weights_first: bool,
}

/// Consecutive experts that get equally many tokens.
struct Part {
    list: ListId,
    /// The index after its last expert.
    end: u64,
    /// All of them, or the few that represent them.
    experts: Vec<GatedMlp>,
}

/// The indices of experts at which the number of tokens per expert may change: in training, in an evaluation, or in a
/// generation of one token after another, the first experts may get one token more than the rest.
fn borders(spec: &ResolvedSpec, experts: &Experts) -> Vec<u64> {
    let evaluation = &spec.evaluation;
    let samples = evaluation.micro_batch_size.unwrap_or(spec.micro_batch_size);
    let passes = [
        Some(spec.micro_batch_size * spec.seq_len),
        (evaluation.kind != EvaluationKind::None).then_some(samples * spec.seq_len),
        (evaluation.kind == EvaluationKind::Generate).then_some(samples * evaluation.num_beams),
    ];
    let more = |tokens: u64| tokens * experts.per_token % experts.count;
    let mut borders: Vec<u64> = passes.into_iter().flatten().map(more).collect();
    borders.extend([0, experts.count]);
    borders.sort_unstable();
    borders.dedup();
    borders
}

/// The variables of a loop that has run.
pub(crate) type Held = (Tensor, [Option<Tensor>; 5]);

impl ExpertLoop {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, experts: &Experts) -> Self {
        let sizes = [c.hidden_size, experts.intermediate_size];
        let numbered = LayerNames::of(c).numbers_experts(true);
        let part = |border: &[u64]| {
            let list = ListId {
                first: u32::try_from(border[0]).unwrap_or(u32::MAX),
                within: true,
                ..ListId::whole(b.scope, "experts")
            };
            let experts = b.layers_within(list, border[1] - border[0], |b| {
                if numbered {
                    GatedMlp::numbered(b, sizes, Tape::silu)
                } else {
                    GatedMlp::new(b, sizes[0], sizes[1], Tape::silu)
                }
            });
            Part {
                list,
                end: border[1],
                experts,
            }
        };
        Self {
            parts: borders(b.plan.spec, experts).windows(2).map(part).collect(),
            count: experts.count,
            weights_first: c.family.layers.sums_by_weights_in_4,
        }
    }

    /// Tokens `[N, H]` through the experts `[N, K]` that were chosen for them, weighted,
    /// with what the loop's variables refer to in the end.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        tokens: &Tensor,
        chosen: &Tensor,
        weights: &Tensor,
    ) -> (Tensor, Held) {
        let (n, k) = (chosen.dim(0), chosen.dim(1));
        let count = self.count;
        let more = n * k % count;
        let dtype = if self.weights_first {
            weights.dtype()
        } else {
            tokens.dtype()
        };
        let mut out = t.empty("zeros", *tokens.shape(), dtype);
        let mask = t.empty("one_hot", Shape::from([n, k, count]), DType::Int64);
        let order = if self.weights_first { [n, k] } else { [k, n] };
        // The variables of a step, which live until the next step.
        let mut held: [Option<Tensor>; 5] = Default::default();
        let mut run = |index: usize, expert: &GatedMlp, out: &Tensor| {
            let share = n * k / count + u64::from((index as u64) < more);
            let at = t.where_set(order, share);
            held[0] = Some(at.clone());
            if self.weights_first && share == 0 {
                return out.clone();
            }
            let rows = t.select(&at, 0);
            let read = || {
                let at = [rows.clone(), rows.clone()];
                if self.weights_first {
                    t.index_elements(weights, &at)
                } else {
                    t.index_elements(&t.unsqueeze(weights, 2), &at)
                }
            };
            if self.weights_first {
                held[1] = Some(read());
            }
            let input = if self.weights_first {
                t.index_rows(tokens, &rows)
            } else {
                let found = t.index_along(&t.unsqueeze(tokens, 0), 1, &rows);
                t.view(&found, [rows.numel(), tokens.dim(1)])
            };
            held[2] = Some(input.clone());
            let mut result = Some(expert.forward(t, &input));
            if self.weights_first {
                held[3].clone_from(&result);
            }
            let weighted = {
                let first = held[1].as_ref().map(|weights| t.unsqueeze(weights, 1));
                let weights = first.unwrap_or_else(read);
                let result = result.take();
                result.map(|result| t.mul(&result, &weights))
            };
            held[4].clone_from(&weighted);
            match weighted {
                Some(weighted) => t.index_add_in_place(out.clone(), &rows, &t.to(&weighted, dtype)),
                None => out.clone(),
            }
        };
        for part in &self.parts {
            let alike = more <= part.list.first.into() || more >= part.end;
            out = t.through_part(part.list, alike, &part.experts, out, &mut run);
        }
        (t.to(&out, tokens.dtype()), (mask, held))
    }
}

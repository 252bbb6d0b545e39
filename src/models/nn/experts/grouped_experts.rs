//! Experts whose weights are one tensor each, run as grouped products over tokens that are sorted by
//! expert.
//!
//! Source: transformers 5.23, `integrations/moe.py` and `models/gpt_oss/modeling_gpt_oss.py`; Liger's
//! where it is named.

use super::on_ranks::OnRanks;
use crate::model::{ExpertForm, Experts};
use crate::nn::adapters::{Opened, Wrapped};
use crate::nn::build::{Builder, Call};
use crate::nn::mlp::activated;
use crate::tape::{Called, Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// The weights of all experts, and how tokens run through them.
pub(crate) struct GroupedExperts {
    gate_up_proj: Wrapped,
    down_proj: Wrapped,
    /// A row for each expert, if the experts have biases.
    biases: Option<[Tensor; 2]>,
    form: ExpertForm,
    count: u64,
    /// Whether ranks have a part of each expert.
    divided: bool,
    /// How ranks divide the experts, if they do.
    on_ranks: Option<OnRanks>,
    /// Whether they are Liger's.
    liger: bool,
    call: Rc<Call>,
}

impl GroupedExperts {
    pub(crate) fn new(b: &Builder, hidden: u64, experts: &Experts) -> Self {
        let on_ranks = OnRanks::of(b, experts);
        let divided = on_ranks.is_none() && b.division(hidden).is_some();
        let b = &b.of_experts().stored_as(experts.stored);
        let (count, intermediate) = (experts.count, experts.intermediate_size);
        let both = 2 * intermediate;
        let stack = |name, outputs, inputs| Wrapped::new(b, name, [count, outputs, inputs]);
        let (gate_up_proj, down_proj, biases) = match experts.form {
            ExpertForm::Gated | ExpertForm::GatedBy(_) => (
                stack("gate_up_proj", both, hidden),
                stack("down_proj", hidden, intermediate),
                None,
            ),
            ExpertForm::Clamped => {
                let rotated =
                    |name, shape: [u64; 3]| Wrapped::new_in(b, name, shape, b.dtype(), true);
                let gate_up_proj = rotated("gate_up_proj", [count, hidden, both]);
                let gate_up_bias = b.parameter("gate_up_proj_bias", [count, both]);
                let down_proj = rotated("down_proj", [count, intermediate, hidden]);
                let down_bias = b.parameter("down_proj_bias", [count, hidden]);
                (gate_up_proj, down_proj, Some([gate_up_bias, down_bias]))
            }
            ExpertForm::Plain(_) => {
                let columns = experts.latent_size.unwrap_or(hidden);
                (
                    stack("up_proj", intermediate, columns),
                    stack("down_proj", columns, intermediate),
                    None,
                )
            }
        };
        Self {
            gate_up_proj,
            down_proj,
            biases,
            form: experts.form,
            count: on_ranks.as_ref().map_or(count, OnRanks::own),
            divided,
            on_ranks,
            liger: b.liger().gated,
            call: b.call(),
        }
    }

    /// `_grouped_linear`.
    fn linear(
        &self,
        t: &Tape,
        x: &Tensor,
        weight: &Tensor,
        bias: Option<&Tensor>,
        offsets: &Tensor,
    ) -> Tensor {
        // Autocast leaves the product alone.
        let x = &t.to(x, weight.dtype());
        let out = match self.form {
            ExpertForm::Gated | ExpertForm::GatedBy(_) | ExpertForm::Plain(_) => {
                t.grouped_mm(x, &t.transpose(weight, 1, 2), offsets)
            }
            ExpertForm::Clamped => t.grouped_mm(x, weight, offsets),
        };
        match bias {
            Some(bias) => t.add_in_place(out, bias),
            None => out,
        }
    }

    /// The activation between both products.
    fn activated(&self, t: &Tape, both: Tensor) -> Tensor {
        match self.form {
            ExpertForm::Gated | ExpertForm::GatedBy(_) => self.gated(t, both),
            ExpertForm::Clamped => clamped(t, &both),
            ExpertForm::Plain(activation) => activated(t, activation, both),
        }
    }

    /// `act(gate) * up`, where both are halves of the columns of one product.
    fn gated(&self, t: &Tape, both: Tensor) -> Tensor {
        let [gate, up] = t.split(&both, [both.dim(-1) / 2; 2], -1);
        let active = match self.form {
            ExpertForm::GatedBy(activation) => activated(t, activation, gate),
            _ => t.silu(&gate),
        };
        let product = t.mul(&active, &up);
        drop(both);
        product
    }

    /// Tokens `[N, H]` through the experts `[N, K]` that were chosen for them, weighted.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        tokens: &Tensor,
        chosen: &Tensor,
        weights: &Tensor,
    ) -> Tensor {
        let mut given = [tokens, weights].map(Tensor::clone);
        // Adapters of the second product are around those of the first.
        let [down, up] = {
            let [tokens, weights] = &mut given;
            [&self.down_proj, &self.gate_up_proj]
                .map(|weight| weight.open(t, &mut [tokens, weights]))
        };
        let weight = [up, down];
        let [up, down] = [&self.gate_up_proj, &self.down_proj].map(|weight| Some(weight.own()));
        let [up_bias, down_bias] = match &self.biases {
            Some([up, down]) => [Some(up), Some(down)],
            None => [None, None],
        };
        let own = [up, down, up_bias, down_bias];
        let away = weight.each_ref().map(Opened::away);
        let module = Called {
            away: &away,
            ..Called::with("experts", &own)
        };
        if self.divided {
            // Gradients are summed in place, as the result is.
            given = given.map(|x| t.own_part(&x, t.tensor_ranks()));
        }
        {
            let [tokens, weights] = &mut given;
            t.before_part(&mut [tokens, weights]);
            t.enter(&module, &mut [tokens, weights]);
        }
        let [tokens, weights] = &given;
        let (mut out, weight) = self.called(t, weight, tokens, [chosen, weights]);
        if self.divided {
            t.sums_on_ranks(&out);
        }
        t.leave(&module, &mut [&mut out]);
        t.after_part(&mut [&mut out]);
        let [up, down] = weight;
        up.close_in(down, t, &mut [&mut out]);
        out
    }

    /// Tokens through the experts, with what they computed with.
    fn called<'a>(
        &self,
        t: &Tape,
        weight: [Opened<'a>; 2],
        tokens: &Tensor,
        [chosen, weights]: [&Tensor; 2],
    ) -> (Tensor, [Opened<'a>; 2]) {
        let out = if self.liger {
            liger(t, &weight, tokens, [chosen, weights])
        } else if self.call.batches_experts() {
            self.batched(t, &weight, tokens, [chosen, weights])
        } else if let Some(ranks) = &self.on_ranks {
            let weight = weight.map(|weight| weight.of_this_rank(t));
            let biases = self.biases.as_ref();
            let biases = biases.map(|all| all.each_ref().map(|bias| t.part_of_ranks(bias)));
            let run = |tokens: &Tensor, [chosen, weights]: [&Tensor; 2]| {
                self.grouped(t, &weight, biases.as_ref(), tokens, [chosen, weights])
            };
            let out = ranks.forward(t, tokens, [chosen, weights], run);
            return (out, weight);
        } else {
            self.grouped(t, &weight, self.biases.as_ref(), tokens, [chosen, weights])
        };
        (out, weight)
    }

    /// `grouped_mm_experts_forward`.
    fn grouped(
        &self,
        t: &Tape,
        [up, down]: &[Opened; 2],
        biases: Option<&[Tensor; 2]>,
        tokens: &Tensor,
        [chosen, weights]: [&Tensor; 2],
    ) -> Tensor {
        let (n, k) = (chosen.dim(0), chosen.dim(1));
        let weights = t.reshape(weights, [n * k]);
        let (sorted, order) = t.sort(&t.view(chosen, [n * k]));
        let selected = {
            let rows = t.empty("floor_divide", *order.shape(), order.dtype());
            t.index_rows(tokens, &rows)
        };
        let weights = t.index_rows(&weights, &order);
        let [narrow, counts, offsets] = t.group_offsets(&sorted, self.count);
        // Rows of other ranks' experts.
        let elsewhere =
            (self.on_ranks.as_ref()).map(|_| t.empty("ge", Shape::from([n * k, 1]), DType::Bool));
        let without = |x: Tensor| match &elsewhere {
            Some(elsewhere) => t.masked_fill(&x, elsewhere),
            None => x,
        };
        let linear = |x: &Tensor, weight, bias: &Option<Tensor>| {
            self.linear(t, x, weight, bias.as_ref(), &offsets)
        };
        let up = up.get(t);
        let mut bias = bias_of(t, biases, 0, &sorted);
        let selected = match &elsewhere {
            Some(elsewhere) => t.fill_where(selected, elsewhere),
            None => selected,
        };
        let product = {
            let both = without(linear(&selected, up, &bias));
            let hidden = self.activated(t, both);
            let down = down.get(t);
            bias = bias_of(t, biases, 1, &sorted);
            without(linear(&hidden, down, &bias))
        };
        let weighted = t.mul(&product, &t.unsqueeze(&weights, 1));
        let back = t.empty("empty_like", *order.shape(), order.dtype());
        drop(t.empty("arange", *order.shape(), DType::Int64));
        let restored = t.index_rows(&weighted, &back);
        drop(weighted);
        let by_token = t.view(&restored, Shape::from([n, k, tokens.dim(1)]));
        let sum = t.sum_dim(&by_token, 1, false);
        let out = t.to(&sum, tokens.dtype());
        drop((
            selected, sorted, order, narrow, counts, offsets, product, back,
        ));
        drop((restored, by_token, sum, bias, elsewhere));
        out
    }

    /// `batched_mm_experts_forward`: the same with a copy of the expert's weights for each token and
    /// expert that it goes to.
    fn batched(
        &self,
        t: &Tape,
        [up, down]: &[Opened; 2],
        tokens: &Tensor,
        [chosen, weights]: [&Tensor; 2],
    ) -> Tensor {
        let (n, k, hidden) = (chosen.dim(0), chosen.dim(1), tokens.dim(1));
        let selected = t.empty("clone", Shape::from([n * k, hidden]), tokens.dtype());
        let weights = t.reshape(weights, [n * k]);
        let chosen = t.view(chosen, [n * k]);
        let through = |x: &Tensor, weights: &Tensor, bias: Option<&Tensor>| {
            let out = match self.form {
                ExpertForm::Gated | ExpertForm::GatedBy(_) | ExpertForm::Plain(_) => {
                    t.batched(weights, &t.unsqueeze(x, 2))
                }
                ExpertForm::Clamped => t.batched(&t.unsqueeze(x, 1), weights),
            };
            let out = t.view(&out, [n * k, out.numel() / (n * k)]);
            match bias {
                Some(bias) => t.add_in_place(out, bias),
                None => out,
            }
        };
        let up = t.index_rows(up.get(t), &chosen);
        let mut bias = bias_of(t, self.biases.as_ref(), 0, &chosen);
        let active = self.activated(t, through(&selected, &up, bias.as_ref()));
        let down = t.index_rows(down.get(t), &chosen);
        drop(up);
        bias = bias_of(t, self.biases.as_ref(), 1, &chosen);
        let product = through(&active, &down, bias.as_ref());
        drop(active);
        let weighted = t.mul(&product, &t.unsqueeze(&weights, 1));
        let by_token = t.view(&weighted, Shape::from([n, k, hidden]));
        let sum = t.sum_dim(&by_token, 1, false);
        let out = t.to(&sum, tokens.dtype());
        drop((selected, down, bias, product, weighted, sum));
        out
    }
}

/// The bias that layer `index` adds to each row.
fn bias_of(
    t: &Tape,
    biases: Option<&[Tensor; 2]>,
    index: usize,
    sorted: &Tensor,
) -> Option<Tensor> {
    biases.map(|biases| t.index_rows(&biases[index], sorted))
}

/// `LigerExperts.forward` (`transformers/swiglu.py`, liger-kernel 0.8.5).
fn liger(
    t: &Tape,
    [up, down]: &[Opened; 2],
    tokens: &Tensor,
    [chosen, weights]: [&Tensor; 2],
) -> Tensor {
    let chosen = t.to(chosen, DType::Int32);
    t.liger_experts(tokens, [up.get(t), down.get(t)], [&chosen, weights])
}

/// `GptOssExperts._apply_gate`: `(up + 1) * gate * sigmoid(gate)`, where both are every second column of
/// one product, cut to a range.
fn clamped(t: &Tape, both: &Tensor) -> Tensor {
    let [gate, up] = [(); 2].map(|()| t.every_second(both, -1));
    let (gate, up) = (t.clamp(&gate, 1), t.clamp(&up, 2));
    let glu = {
        let share = {
            let scaled = t.mul_scalar(&gate);
            t.sigmoid(&scaled)
        };
        t.mul(&gate, &share)
    };
    let shifted = t.add_scalar(&up);
    t.mul(&shifted, &glu)
}

//! Routers: which experts each token goes through, and with which weights.
//!
//! Source: transformers 5.23, `models/{mixtral,olmoe,deepseek_v2,deepseek_v3}/modeling_*.py`.

use super::router_gate::{Gate, OpenGate};
use super::sparse_mixer;
use crate::model::{Correction, Experts, Groups, LogitsDtype, Routing, Transformers};
use crate::nn::build::{Builder, Call, Linear};
use crate::tape::{Called, Tape, Tensor};
use crate::units::DType;
use std::rc::Rc;

/// Experts of each group whose scores are added up to that of the group.
const BEST_OF_GROUP: u64 = 2;

/// `MixtralTopKRouter` and its like: a score for each expert.
pub(crate) struct Router {
    gate: Gate,
    /// The correction of the scores before experts are chosen, `[E]`.
    correction: Option<Tensor>,
    per_token: u64,
    normalized: bool,
    routing: Routing,
    /// Whether the weights take the dtype of the tokens, not that of the logits (transformers 4).
    follows_tokens: bool,
    /// Whether the scores of all experts go as soon as some are chosen (transformers 4).
    frees_scores: bool,
    /// Whether tokens become float32 before a gate of that type, which a quantized one is not.
    widens_tokens: bool,
    call: Rc<Call>,
}

/// The results of a router for N tokens.
pub(crate) struct Routed {
    /// Logits `[N, E]`, which the caller holds, where it gets them.
    pub(crate) logits: Option<Tensor>,
    /// Weights of the chosen experts `[N, K]`.
    pub(crate) weights: Tensor,
    /// The chosen experts `[N, K]`.
    pub(crate) chosen: Tensor,
}

impl Routed {
    /// The results that gradients flow to.
    fn results(&mut self) -> Vec<&mut Tensor> {
        self.logits.iter_mut().chain([&mut self.weights]).collect()
    }
}

impl Router {
    /// For tokens of `hidden` columns. The weight of the scores is a linear layer of its own in
    /// transformers 4 but for `DeepSeek`'s.
    pub(crate) fn new(b: &Builder, hidden: u64, experts: &Experts) -> Self {
        let corrected = matches!(experts.routing, Routing::Corrected(_));
        let four = b.facts().transformers != Transformers::V5;
        let sizes = [hidden, experts.count];
        let wide = DType::Float32;
        let gate = match experts.routing {
            Routing::WideGate => Gate::Layer(Linear::new_in(&b.at("wg"), sizes, false, wide)),
            Routing::Static => Gate::new(b, sizes, wide, false),
            Routing::Sigmoids(scores) if scores.logits == LogitsDtype::WideBehindGate => {
                let (at, count) = (b.at("gate"), experts.count);
                if b.quantization().is_on() {
                    Gate::Layer(Linear::new(&at, hidden, count, false))
                } else {
                    Gate::new(&at, sizes, b.dtype(), false)
                }
            }
            _ if experts.run_in_turn(four) => {
                Gate::Layer(Linear::new(&b.at("layer"), hidden, experts.count, false))
            }
            _ if four && !corrected => Gate::Layer(Linear::new(b, hidden, experts.count, false)),
            Routing::Largest { biased } => Gate::new(b, sizes, b.dtype(), biased),
            _ => Gate::new(b, sizes, b.dtype(), false),
        };
        let name = "e_score_correction_bias";
        let correction = [b.loaded_dtype(), wide][usize::from(experts.wide_correction)];
        Self {
            gate,
            correction: match experts.routing {
                Routing::Corrected(_) => Some(b.buffer(name, [experts.count], correction)),
                Routing::Static => Some(b.at("moe_statics").fixed(name, [1, experts.count], wide)),
                _ => None,
            },
            per_token: experts.per_token,
            normalized: experts.normalized,
            routing: experts.routing,
            follows_tokens: four || experts.routing == Routing::SoftmaxOfTokens,
            frees_scores: four,
            widens_tokens: experts.routing == Routing::WideGate && !b.quantization().is_on(),
            call: b.call(),
        }
    }

    /// Gives the router the correction that the mixture at `b` has, where that has one.
    pub(crate) fn correct_by(&mut self, b: &Builder, experts: &Experts) {
        let shape = [experts.count];
        let correction = match self.routing {
            Routing::CorrectedOutside => Correction::Buffer,
            Routing::Sigmoids(scores) => scores.correction,
            _ => Correction::None,
        };
        self.correction = match correction {
            Correction::None => return,
            Correction::Buffer => {
                Some(b.buffer("e_score_correction_bias", shape, b.loaded_dtype()))
            }
            Correction::WideBuffer => Some(b.buffer("expert_bias", shape, DType::Float32)),
            Correction::Fixed => Some(b.fixed("expert_bias", shape, b.dtype())),
        };
    }

    /// Tokens `[N, H]` to the experts that they go through.
    pub(crate) fn forward(&self, t: &Tape, tokens: &Tensor) -> Routed {
        let mut tokens = tokens.clone();
        let gate = self.gate.open(t, &mut tokens);
        let own = self.gate.own();
        if own[0].is_none() {
            return self.routed(t, &gate, &tokens);
        }
        let away = [gate.away()];
        let module = Called {
            away: &away,
            ..Called::with("router", &own)
        };
        t.enter(&module, &mut [&mut tokens]);
        let mut routed = self.routed(t, &gate, &tokens);
        t.leave(&module, &mut routed.results());
        gate.close(t, &mut routed.results());
        routed
    }

    fn routed(&self, t: &Tape, gate: &OpenGate, tokens: &Tensor) -> Routed {
        let tokens = t.view(tokens, [tokens.numel() / tokens.dim(-1), tokens.dim(-1)]);
        let routed = match self.routing {
            _ if self.widens_tokens => {
                let wide = t.to(&tokens, DType::Float32);
                self.softmax(t, gate, &wide, false)
            }
            Routing::Softmax | Routing::SoftmaxOfTokens | Routing::WideGate => {
                self.softmax(t, gate, &tokens, false)
            }
            Routing::WideSoftmax => self.softmax(t, gate, &tokens, !self.follows_tokens),
            Routing::Static => self.with_statics(t, gate, &tokens),
            Routing::Drawn { .. } => {
                let logits = gate.forward(t, &tokens);
                let [weights, chosen] = sparse_mixer::choose(t, &logits);
                Routed {
                    logits: Some(logits),
                    weights,
                    chosen,
                }
            }
            Routing::Sigmoid => self.sigmoid(t, gate, &tokens),
            Routing::Largest { biased } => self.largest(t, gate, &tokens, biased),
            Routing::Sorted => self.largest(t, gate, &tokens, false),
            Routing::Scaled(groups) => self.scaled(t, gate, &tokens, groups),
            Routing::Corrected(groups) => {
                let logits = gate.wide_logits(t, &tokens);
                let scores = t.sigmoid(&logits);
                self.in_groups(t, (logits, scores), groups)
            }
            Routing::Chosen { sigmoid } => self.of_chosen(t, gate, &tokens, sigmoid),
            Routing::Grouped(groups) => {
                let logits = gate.forward(t, &tokens);
                let scores = t.softmax(&logits, None);
                self.in_groups(t, (logits, scores), groups)
            }
            Routing::CorrectedOutside => self.corrected_outside(t, gate, &tokens),
            Routing::Sigmoids(scores) => self.by_sigmoids(t, gate, &tokens, scores.logits),
        };
        self.record(routed.logits.as_ref());
        routed
    }

    /// The largest probabilities, which stay in float32 if `wide` says so.
    fn softmax(&self, t: &Tape, gate: &OpenGate, tokens: &Tensor, wide: bool) -> Routed {
        let logits = gate.forward(t, tokens);
        let scores = if wide {
            let logits = t.to(&logits, DType::Float32);
            t.softmax(&logits, None)
        } else {
            t.softmax(&logits, Some(DType::Float32))
        };
        let (mut weights, chosen) = t.chosen(&scores, self.per_token);
        let _held = (!self.frees_scores).then_some(scores);
        if self.normalized {
            let sum = t.sum_dim(&weights, 1, true);
            weights = t.div_in_place(weights, &sum);
        }
        if !wide {
            let like = if self.follows_tokens { tokens } else { &logits };
            weights = t.to(&weights, like.dtype());
        }
        Routed {
            logits: Some(logits),
            weights,
            chosen,
        }
    }

    /// The probabilities of the largest logits among each other (gpt-oss, or with logits in float32
    /// Granite).
    fn largest(&self, t: &Tape, gate: &OpenGate, tokens: &Tensor, biased: bool) -> Routed {
        self.of_largest(t, gate, tokens, biased).0
    }

    /// The probabilities of the largest logits among each other in transformers 4's Granite, and these logits, which it
    /// holds.
    pub(crate) fn holding_largest(&self, t: &Tape, tokens: &Tensor) -> (Routed, Tensor) {
        let (routed, largest) =
            self.of_largest(t, &self.gate.open(t, &mut tokens.clone()), tokens, false);
        self.record(routed.logits.as_ref());
        (routed, largest)
    }

    /// Hands logits to what balances the experts.
    pub(crate) fn record(&self, logits: Option<&Tensor>) {
        if let Some(logits) = logits {
            self.call.routed(logits);
        }
    }

    fn of_largest(
        &self,
        t: &Tape,
        gate: &OpenGate,
        tokens: &Tensor,
        biased: bool,
    ) -> (Routed, Tensor) {
        let mut logits = gate.forward(t, tokens);
        if !biased {
            logits = t.to(&logits, DType::Float32);
        }
        let (values, chosen) = t.chosen(&logits, self.per_token);
        let weights = t.softmax(&values, Some(logits.dtype()));
        let weights = if biased {
            weights
        } else {
            t.to(&weights, tokens.dtype())
        };
        let routed = Routed {
            logits: Some(logits),
            weights,
            chosen,
        };
        (routed, values)
    }

    /// `Cohere2MoeTopKRouter`: what the largest logits make, as they are or over their sum.
    fn of_chosen(&self, t: &Tape, gate: &OpenGate, tokens: &Tensor, sigmoid: bool) -> Routed {
        let logits = gate.forward(t, tokens);
        let (mut weights, chosen) = t.chosen(&logits, self.per_token);
        weights = if sigmoid {
            t.sigmoid(&weights)
        } else {
            t.softmax(&weights, Some(DType::Float32))
        };
        if sigmoid && self.normalized {
            let sum = t.sum_dim(&weights, 1, true);
            weights = t.div(&weights, &sum);
        }
        Routed {
            weights: t.to(&weights, tokens.dtype()),
            logits: Some(logits),
            chosen,
        }
    }

    /// `Llama4Router`: the sigmoids of the largest logits, and zeros for all others, are the weights
    /// `[N, E]` of all experts.
    fn sigmoid(&self, t: &Tape, gate: &OpenGate, tokens: &Tensor) -> Routed {
        let logits = gate.forward(t, tokens);
        let (values, chosen) = t.chosen(&logits, self.per_token);
        let scores = {
            let scattered = {
                let base = t.empty("full_like", *logits.shape(), logits.dtype());
                t.scatter_in_place(&base, &chosen, &values)
            };
            let scores = {
                let wide = t.to(&scattered, DType::Float32);
                t.sigmoid(&wide)
            };
            t.to(&scores, scattered.dtype())
        };
        drop(values);
        Routed {
            logits: Some(logits),
            weights: scores,
            chosen,
        }
    }

    /// `Ernie4_5_MoeTopKRouter`: probabilities in float32 whatever autocast says, chosen by their sum
    /// with a correction.
    fn with_statics(&self, t: &Tape, gate: &OpenGate, tokens: &Tensor) -> Routed {
        let (logits, weights, chosen, values) = t.without_autocast(|| {
            let logits = gate.wide_logits(t, tokens);
            let scores = t.softmax(&logits, Some(DType::Float32));
            let choice = match &self.correction {
                Some(correction) => {
                    let row = t.view(correction, [correction.numel()]);
                    t.add(&scores, &row)
                }
                None => scores.clone(),
            };
            let (values, chosen) = t.chosen(&choice, self.per_token);
            drop(choice);
            let weights = t.gather(&scores, &chosen);
            drop(scores);
            let least = {
                let sum = t.sum_dim(&weights, 1, true);
                t.clamp(&sum, 1)
            };
            (logits, t.div(&weights, &least), chosen, values)
        });
        let weights = t.to(&weights, tokens.dtype());
        drop(values);
        Routed {
            logits: Some(logits),
            weights,
            chosen,
        }
    }

    /// The largest probabilities, of all experts or of those of the best groups (`DeepSeek-V2`).
    fn scaled(&self, t: &Tape, gate: &OpenGate, tokens: &Tensor, groups: Option<Groups>) -> Routed {
        let logits = gate.wide_logits(t, tokens);
        let mut scores = t.softmax(&logits, Some(DType::Float32));
        let mut held = None;
        if let Some(groups) = groups {
            let grouped = t.view(&scores, groups.of(&scores));
            let best = t.max_last(&grouped);
            let (mask, locals) = groups.mask(t, &best, scores.dim(1));
            scores = only(t, &scores, &mask);
            held = Some((grouped, best, mask, locals));
        }
        let (values, chosen) = t.chosen(&scores, self.per_token);
        let weights = t.mul_scalar(&values);
        drop((values, held));
        Routed {
            logits: Some(logits),
            weights,
            chosen,
        }
    }

    /// Scores of logits, chosen by their sum with a correction, if there is one, among the best groups
    /// (`DeepSeek-V3`, Mistral Small 4).
    fn in_groups(&self, t: &Tape, (logits, scores): (Tensor, Tensor), groups: Groups) -> Routed {
        // In transformers 4 a function of its own chooses, without gradients, and logits are not returned.
        let seen = if self.follows_tokens {
            scores.detach()
        } else {
            scores.clone()
        };
        let mut choice = match &self.correction {
            Some(correction) => t.add(&seen, correction),
            None => seen,
        };
        let best = {
            let grouped = t.view(&choice, groups.of(&choice));
            let (values, _) = t.chosen(&grouped, BEST_OF_GROUP);
            t.sum_dim(&values, 2, false)
        };
        let (mask, locals) = groups.mask(t, &best, scores.dim(1));
        choice = only(t, &choice, &mask);
        let (_, chosen) = t.topk(&choice, self.per_token);
        let held = Some((choice, mask, locals, best)).filter(|_| !self.follows_tokens);
        let mut weights = t.gather(&scores, &chosen);
        let mut denominator = None;
        if self.normalized {
            let sum = {
                let sum = t.sum_dim(&weights, 1, true);
                t.add_scalar(&sum)
            };
            weights = t.div_in_place(weights, &sum);
            denominator = Some(sum);
        }
        let weights = t.mul_scalar(&weights);
        drop((denominator, held, scores));
        Routed {
            logits: Some(logits).filter(|_| !self.follows_tokens),
            weights,
            chosen,
        }
    }

    /// `MiniMaxM2TopKRouter`: sigmoids of logits in float32, chosen by their sum with a correction,
    /// over their sum.
    fn corrected_outside(&self, t: &Tape, gate: &OpenGate, tokens: &Tensor) -> Routed {
        let logits = gate.logits_in_its_dtype(t, tokens);
        let scores = {
            let wide = t.to(&logits, DType::Float32);
            t.sigmoid(&wide)
        };
        let choice = match &self.correction {
            Some(correction) => t.add(&scores, correction),
            None => scores.clone(),
        };
        let (values, chosen) = t.topk(&choice, self.per_token);
        let weights = {
            let weights = t.gather(&scores, &chosen);
            let sum = t.sum_dim(&weights, 1, true);
            t.div_in_place(weights, &sum)
        };
        drop((values, choice, scores));
        Routed {
            logits: Some(logits),
            weights,
            chosen,
        }
    }
}

impl Router {
    /// `HYV3TopKRouter`, `AfmoeTokenChoiceRouter` and `Lfm2MoeTopKRouter`: sigmoids, chosen by their sum
    /// with a correction if there is one, over their sum if they are to be, and scaled.
    fn by_sigmoids(
        &self,
        t: &Tape,
        gate: &OpenGate,
        tokens: &Tensor,
        dtype: LogitsDtype,
    ) -> Routed {
        let logits = match dtype {
            LogitsDtype::WideProduct => gate.wide_logits(t, tokens),
            LogitsDtype::Tokens => gate.forward(t, tokens),
            LogitsDtype::WideBehindGate => {
                let narrow = gate.forward(t, tokens);
                t.to(&narrow, DType::Float32)
            }
        };
        let scores = t.sigmoid(&logits);
        let mut held = None;
        let (mut weights, chosen) = match &self.correction {
            Some(correction) => {
                let choice = t.add(&scores, correction);
                let (values, chosen) = t.topk(&choice, self.per_token);
                // The sum is no local variable behind a gate.
                let choice = Some(choice).filter(|_| dtype != LogitsDtype::WideBehindGate);
                let weights = t.gather(&scores, &chosen);
                held = Some((choice, values));
                (weights, chosen)
            }
            None => t.chosen(&scores, self.per_token),
        };
        if self.normalized {
            let sum = {
                let sum = t.sum_dim(&weights, 1, true);
                t.add_scalar(&sum)
            };
            weights = t.div(&weights, &sum);
        }
        let weights = t.mul_scalar(&weights);
        drop((held, scores));
        Routed {
            logits: Some(logits),
            weights,
            chosen,
        }
    }
}

impl Groups {
    /// The shape of scores `[N, E]` parted into groups.
    fn of(self, scores: &Tensor) -> [u64; 3] {
        let (n, experts) = (scores.dim(0), scores.dim(1));
        [n, self.count, experts / self.count]
    }

    /// From the scores of groups `[N, G]` to the mask of experts `[N, E]`, with what stays in local
    /// variables.
    fn mask(self, t: &Tape, best: &Tensor, experts: u64) -> (Tensor, [Tensor; 2]) {
        let n = best.dim(0);
        let (_, chosen) = t.topk(best, self.kept);
        let of_groups = t.empty("zeros_like", *best.shape(), best.dtype());
        let expanded = t.expand(
            &t.unsqueeze(&of_groups, 2),
            [n, self.count, experts / self.count],
        );
        let mask = t.reshape(&expanded, [n, experts]);
        (mask, [chosen, of_groups])
    }
}

/// Scores `[N, E]` where the mask allows them.
fn only(t: &Tape, scores: &Tensor, mask: &Tensor) -> Tensor {
    let refused = {
        let _allowed = t.empty("_to_copy", *mask.shape(), DType::Bool);
        t.empty("bitwise_not", *mask.shape(), DType::Bool)
    };
    t.masked_fill(scores, &refused)
}

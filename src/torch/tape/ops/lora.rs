//! Layers with adapters as single functions: axolotl's kernels of `LoRA`, which keep a layer's input alone.
//!
//! Source: `LoRA_MLP`, `LoRA_QKV`, `LoRA_O` and `matmul_lora` of `kernels/lora.py`, axolotl 0.19; `kernels/quantize.py`.

use super::quantized::FourBit;
use crate::tape::checkpoint::Saved;
use crate::tape::graph::{Backward, Grads};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The frozen weight `[outputs, inputs]` of a layer.
#[derive(Clone)]
pub enum LoraWeight {
    /// As it is.
    Full(Tensor),
    /// In four bits, brought back to full width for each product.
    FourBit(FourBit),
}

/// A layer and its adapter.
#[derive(Clone)]
pub struct LoraLayer {
    /// The frozen weight.
    pub weight: LoraWeight,
    /// Columns of the result.
    pub outputs: u64,
    /// The factors A `[r, inputs]` and B `[outputs, r]`.
    pub factors: [Tensor; 2],
}

/// The input of layers, and the input of their adapters, where it is dropped out.
#[derive(Clone, Copy)]
pub struct LoraInput<'a> {
    /// `[B, S, inputs]`.
    pub x: &'a Tensor,
    /// The input dropped out.
    pub dropped: Option<&'a Tensor>,
}

/// The results of a backward pass for one layer.
struct FactorGradients {
    /// The gradient times B, `[T, r]`.
    _narrow: Tensor,
    /// The factors A and B, transposed, in the dtype of the input.
    factors: [Tensor; 2],
}

impl LoraWeight {
    /// The weight at full width.
    fn unpacked(&self, t: &Tape) -> Tensor {
        match self {
            Self::Full(weight) => weight.clone(),
            Self::FourBit(weight) if weight.double => {
                let shape = Shape::from([weight.outputs, weight.inputs]);
                let full = t.empty("nf4_dequantize", shape, weight.dtype);
                let scales = Shape::from([weight.blocks()]);
                drop(t.empty("nf4_dequantize", scales, DType::Float32));
                full
            }
            Self::FourBit(weight) => t.dequantize_4bit(*weight),
        }
    }
}

/// `[B, S, n]` as `[T, n]`.
fn flat(t: &Tape, x: &Tensor) -> Tensor {
    let columns = x.dim(-1);
    t.reshape(x, [x.numel() / columns.max(1), columns])
}

/// `matmul_lora`: `x` `[T, inputs]` by the weight, or by its transpose, to which the adapter's part is added in place.
fn product(
    t: &Tape,
    [x, read]: [&Tensor; 2],
    layer: &LoraLayer,
    [a, b]: [&Tensor; 2],
    transposed: bool,
) -> Tensor {
    let out = {
        let full = layer.weight.unpacked(t);
        if transposed {
            t.mm(x, &full)
        } else {
            t.mm(x, &t.t(&full))
        }
    };
    let (a, b) = (t.to(a, x.dtype()), t.to(b, x.dtype()));
    let narrow = if transposed {
        t.mm(read, &b)
    } else {
        t.mm(read, &t.t(&a))
    };
    t.computes(&[narrow.dim(0), narrow.dim(1), out.dim(1)]);
    out
}

/// An input `[T, inputs]`, and the adapter's input, through a layer and its adapter.
fn through(t: &Tape, read: [&Tensor; 2], layer: &LoraLayer) -> Tensor {
    product(t, read, layer, layer.factors.each_ref(), false)
}

/// Gradients of the factors, of an input `x` `[T, inputs]` and a gradient `[T, outputs]`.
fn factor_gradients(t: &Tape, x: &Tensor, g: &Tensor, [a, b]: [&Tensor; 2]) -> FactorGradients {
    let narrow = t.mm(g, b);
    let turned = |factor: &Tensor| {
        let shape = Shape::from([factor.dim(1), factor.dim(0)]);
        t.empty("empty_like", shape, factor.dtype())
    };
    let factors = [turned(a), turned(b)];
    drop(t.mm(a, &t.t(x)));
    FactorGradients {
        _narrow: narrow,
        factors,
    }
}

/// Gradients of factors as autograd takes them: turned, in the dtype of the factors.
fn taken(t: &Tape, gradients: FactorGradients, dtypes: [DType; 2]) -> [Tensor; 2] {
    let [a, b] = gradients.factors;
    let taken = |gradient: Tensor, dtype| t.to(&t.t(&gradient), dtype);
    [taken(a, dtypes[0]), taken(b, dtypes[1])]
}

/// Saved tensors of a function: the input, the adapters' input, others, and factors in the input's dtype.
struct Kept {
    input: [Saved; 2],
    others: Vec<Saved>,
    factors: Vec<[Saved; 2]>,
}

impl Kept {
    fn of(t: &Tape, input: LoraInput<'_>, others: &[&Tensor], layers: &[&LoraLayer]) -> Self {
        let read = input.dropped.unwrap_or(input.x);
        let dtype = input.x.dtype();
        let narrowed: Vec<[Tensor; 2]> = (layers.iter())
            .map(|layer| {
                let [a, b] = &layer.factors;
                t.unrecorded(|| [t.to(a, dtype), t.to(b, dtype)])
            })
            .collect();
        Self {
            input: [input.x, read].map(|x| t.save(x)),
            others: others.iter().map(|x| t.save(x)).collect(),
            factors: narrowed
                .iter()
                .map(|factors| factors.each_ref().map(|factor| t.save(factor)))
                .collect(),
        }
    }
}

/// Inputs of a function in their order.
fn inputs<'a>(input: LoraInput<'a>, layers: &[&'a LoraLayer]) -> Vec<&'a Tensor> {
    let factors = layers.iter().flat_map(|layer| layer.factors.iter());
    [input.x]
        .into_iter()
        .chain(input.dropped)
        .chain(factors)
        .collect()
}

/// The dtypes of the factors of layers.
fn dtypes(layers: &[&LoraLayer]) -> Vec<[DType; 2]> {
    let of = |layer: &&LoraLayer| layer.factors.each_ref().map(Tensor::dtype);
    layers.iter().map(of).collect()
}

impl Tape {
    /// Layers over one input, `LoRA_QKV` of queries, keys and values and `LoRA_O` of one: `[B, S, inputs]` to `[B, S, outputs]`
    /// each. Saves the input, dropped out or not, and the factors in its dtype.
    pub fn lora_projections<const N: usize>(
        &self,
        input: LoraInput<'_>,
        layers: &[LoraLayer; N],
    ) -> [Tensor; N] {
        let given = layers.each_ref();
        let all = inputs(input, &given);
        let records = self.records(&all);
        let [rows, columns] = [input.x.dim(0), input.x.dim(1)];
        let outputs = self.unrecorded(|| {
            let both = [input.x, input.dropped.unwrap_or(input.x)].map(|x| flat(self, x));
            layers.each_ref().map(|layer| {
                let out = through(self, both.each_ref(), layer);
                self.view(&out, [rows, columns, layer.outputs])
            })
        });
        if !records {
            return outputs;
        }
        let kept = Kept::of(self, input, &[], &given);
        let (drops, dtypes, shape) = (input.dropped.is_some(), dtypes(&given), *input.x.shape());
        let own = layers.clone();
        let backward: Backward = Box::new(move |t, gradients| {
            let [_x, read] = kept.input.each_ref().map(|saved| saved.unpack(t));
            let read = flat(t, &read);
            let mut factors = Vec::with_capacity(N);
            let g: Vec<Option<Tensor>> = (0..N)
                .map(|i| {
                    gradients
                        .get(i)
                        .and_then(Option::as_ref)
                        .map(|g| flat(t, g))
                })
                .collect();
            for (g, saved) in g.iter().zip(&kept.factors) {
                let [a, b] = saved.each_ref().map(|saved| saved.unpack(t));
                factors.push(g.as_ref().map(|g| factor_gradients(t, &read, g, [&a, &b])));
            }
            let mut of_input = None;
            for (g, layer) in g.iter().zip(&own) {
                let (Some(g), full) = (g, layer.weight.unpacked(t)) else {
                    continue;
                };
                // The first is a product, the others are added to it in place.
                match &of_input {
                    None => of_input = Some(t.mm(g, &full)),
                    Some(_) => t.computes(&[g.dim(0), g.dim(1), full.dim(1)]),
                }
            }
            let of_dropped = drops.then(|| t.empty("zeros_like", shape, read.dtype()));
            let mut given = Grads::new();
            given.push(of_input.map(|x| t.view(&x, shape)));
            if drops {
                given.push(of_dropped);
            }
            for (gradients, dtypes) in factors.into_iter().zip(&dtypes) {
                match gradients {
                    Some(gradients) => given.extend(taken(t, gradients, *dtypes).map(Some)),
                    None => given.extend([None, None]),
                }
            }
            given
        });
        self.function(&all, outputs, backward)
    }

    /// `LoRA_MLP`: `down(act(gate(x)) * up(x))`, `[B, S, H]` to the same. Saves the input, gate, up, and the factors in the
    /// input's dtype; its backward writes over gate and up.
    pub fn lora_mlp(&self, input: LoraInput<'_>, layers: &[LoraLayer; 3]) -> Tensor {
        let given = layers.each_ref();
        let all = inputs(input, &given);
        let records = self.records(&all);
        let [rows, columns] = [input.x.dim(0), input.x.dim(1)];
        let [gate, up, down] = given;
        let (out, [gated, upped]) = self.unrecorded(|| {
            let both = [input.x, input.dropped.unwrap_or(input.x)].map(|x| flat(self, x));
            let parts = [gate, up].map(|layer| through(self, both.each_ref(), layer));
            let hidden = self.empty("swiglu_fwd", *parts[0].shape(), parts[0].dtype());
            let out = through(self, [&hidden; 2], down);
            (self.view(&out, [rows, columns, down.outputs]), parts)
        });
        if !records {
            return out;
        }
        let kept = Kept::of(self, input, &[&gated, &upped], &given);
        drop((gated, upped));
        let (drops, dtypes, shape) = (input.dropped.is_some(), dtypes(&given), *input.x.shape());
        let needs_input = input.x.requires_grad();
        let own = layers.clone();
        let backward: Backward = Box::new(move |t, gradients| {
            let Some(g) = gradients.first().and_then(Option::as_ref) else {
                return Grads::new();
            };
            let [_x, read] = kept.input.each_ref().map(|saved| saved.unpack(t));
            let parts: Vec<Tensor> = kept.others.iter().map(|saved| saved.unpack(t)).collect();
            let factors: Vec<[Tensor; 2]> = (kept.factors.iter())
                .map(|saved| saved.each_ref().map(|saved| saved.unpack(t)))
                .collect();
            let (g, read) = (flat(t, g), flat(t, &read));
            let [gate, up, down] = own.each_ref();
            // Becomes the product of gate and up, as those become their gradients.
            let hidden = product(t, [&g; 2], down, factors[2].each_ref(), true);
            let of_down = factor_gradients(t, &hidden, &g, factors[2].each_ref());
            let of_up = factor_gradients(t, &read, &parts[1], factors[1].each_ref());
            let of_gate = factor_gradients(t, &read, &parts[0], factors[0].each_ref());
            let of_input = needs_input.then(|| {
                let of_input = {
                    let full = up.weight.unpacked(t);
                    t.mm(&parts[1], &full)
                };
                let full = gate.weight.unpacked(t);
                t.computes(&[of_input.dim(0), gate.outputs, of_input.dim(1)]);
                drop(full);
                of_input
            });
            let of_dropped =
                (drops && needs_input).then(|| t.empty("zeros_like", shape, read.dtype()));
            drop(hidden);
            let mut given = Grads::new();
            given.push(of_input.map(|x| t.view(&x, shape)));
            if drops {
                given.push(of_dropped);
            }
            for (gradients, dtypes) in [of_gate, of_up, of_down].into_iter().zip(&dtypes) {
                given.extend(taken(t, gradients, *dtypes).map(Some));
            }
            given
        });
        let [out] = self.function(&all, [out], backward);
        out
    }
}

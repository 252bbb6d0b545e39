//! Recurrent layers step by step, as where cuDNN is off (`aten/src/ATen/native/{RNN.cpp,cuda/RNN.cu}`, torch 2.15).

use crate::tape::graph::{Edge, Grads};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;
use std::rc::Rc;

/// The weights of a layer: of its input and of its state, with their biases.
#[derive(Clone)]
pub struct RecurrentLayer {
    /// Weights `[gates x H, in]` and `[gates x H, H]`.
    pub weights: [Tensor; 2],
    /// Biases `[gates x H]`.
    pub biases: Option<[Tensor; 2]>,
}

/// Options of a recurrent layer.
#[derive(Clone, Copy, Debug)]
pub struct Recurrence {
    /// Whether it has a cell state (LSTM), or none (GRU).
    pub with_cell: bool,
    /// Whether dropout is between layers.
    pub dropout: bool,
}

impl Tape {
    /// `torch.lstm` or `torch.gru` over `[T, B, in]` from states `[layers, B, H]`: the outputs `[T, B, H]` and the last
    /// states of all layers.
    pub fn recur(
        &self,
        x: &Tensor,
        states: &[Tensor],
        layers: &[RecurrentLayer],
        options: Recurrence,
    ) -> Vec<Tensor> {
        let mut input = x.clone();
        let begun: Vec<Vec<Tensor>> = states.iter().map(|state| self.unbound(state, 0)).collect();
        let mut ended: Vec<Vec<Tensor>> = vec![Vec::new(); states.len()];
        for (at, layer) in layers.iter().enumerate() {
            let mut state: Vec<Tensor> = begun
                .iter()
                .filter_map(|all| all.get(at).cloned())
                .collect();
            let mut outputs = Vec::new();
            for step in self.unbound(&input, 0) {
                state = self.recurrent_step(&step, &state, layer, options);
                outputs.extend(state.first().cloned());
            }
            let parts: Vec<&Tensor> = outputs.iter().collect();
            input = self.stacked(&parts, 0);
            for (all, last) in ended.iter_mut().zip(state) {
                all.push(last);
            }
            if options.dropout && at + 1 < layers.len() {
                input = self.dropout(&input);
            }
        }
        let last = ended.iter().map(|all| {
            let parts: Vec<&Tensor> = all.iter().collect();
            self.stacked(&parts, 0)
        });
        let last: Vec<Tensor> = last.collect();
        std::iter::once(input).chain(last).collect()
    }

    fn recurrent_step(
        &self,
        x: &Tensor,
        state: &[Tensor],
        layer: &RecurrentLayer,
        options: Recurrence,
    ) -> Vec<Tensor> {
        let product = |x: &Tensor, weight: &Tensor| {
            let weight = self.t(weight);
            let (weight, x) = (self.cast_down(&weight), self.cast_down(x));
            self.without_autocast(|| self.mm(&x, &weight))
        };
        let Some(hidden) = state.first() else {
            return Vec::new();
        };
        let of_input = product(x, &layer.weights[0]);
        let of_state = product(hidden, &layer.weights[1]);
        let kept = if options.with_cell {
            state.get(1).unwrap_or(hidden)
        } else {
            hidden
        };
        let biases = layer.biases.as_ref();
        self.fused_cell([&of_input, &of_state, kept], biases, options)
    }

    /// `_thnn_fused_lstm_cell` or `_thnn_fused_gru_cell` of gates of the input, gates of the state and a state
    /// `[B, H]`: the next states. Saves all three, the new cell and what the kernel leaves.
    fn fused_cell(
        &self,
        given: [&Tensor; 3],
        biases: Option<&[Tensor; 2]>,
        options: Recurrence,
    ) -> Vec<Tensor> {
        const OP: &str = "_thnn_fused_lstm_cell";
        const BACKWARD: &str = "_thnn_fused_lstm_cell_backward";
        let biases = biases.map(|both| both.each_ref().map(|bias| self.cast_down(bias)));
        let given = given.map(|x| self.cast_down(x));
        let inputs: Vec<&Tensor> = given.iter().chain(biases.iter().flatten()).collect();
        let records = self.records(&inputs);
        let saved = records.then(|| given.each_ref().map(|x| self.save(x)));
        let [gates, _, state] = &given;
        let dtype = gates.dtype();
        let left = if options.with_cell {
            *gates.shape()
        } else {
            Shape::from([state.dim(0), 5 * state.dim(1)])
        };
        let workspace = self.empty(OP, left, dtype);
        let count = if options.with_cell { 2 } else { 1 };
        let made: Vec<Tensor> = (0..count)
            .map(|_| self.empty(OP, *state.shape(), dtype))
            .collect();
        let Some(saved) = saved else { return made };
        let workspace = self.save(&workspace);
        let cell = made.get(1).map(|cell| self.save(&cell.detach()));
        let (of_gates, of_state) = (*gates.shape(), *state.shape());
        let bias = biases.as_ref().map(|both| *both[0].shape());
        let node = self.node(
            &inputs,
            Box::new(move |t, g| {
                if g.iter().all(Option::is_none) {
                    return Grads::new();
                }
                let _saved = saved.each_ref().map(|saved| saved.unpack(t));
                let _left = (
                    workspace.unpack(t),
                    cell.as_ref().map(|cell| cell.unpack(t)),
                );
                let made = |shape| t.empty(BACKWARD, shape, dtype);
                let grad = made(of_gates);
                let other = if options.with_cell {
                    grad.clone()
                } else {
                    made(of_gates)
                };
                let grad_state = made(of_state);
                let mut grads: Grads =
                    smallvec![Some(grad.clone()), Some(other.clone()), Some(grad_state)];
                if let Some(bias) = bias {
                    let sum = |x: &Tensor| {
                        let row = t.reduce("sum", x, Shape::from([1, bias.numel()]), dtype);
                        row.detach_as(bias, Shape::from([1]))
                    };
                    let first = sum(&grad);
                    let second = if options.with_cell {
                        first.clone()
                    } else {
                        sum(&other)
                    };
                    grads.extend([Some(first), Some(second)]);
                }
                grads
            }),
        );
        let outputs = (0..).zip(made);
        outputs
            .map(|(nr, x)| x.with_edge(Edge::Node(Rc::clone(&node), nr)))
            .collect()
    }
}

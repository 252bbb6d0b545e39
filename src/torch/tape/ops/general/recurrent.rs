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

/// The kinds of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecurrentCell {
    /// A cell with a cell state beside the hidden state: LSTM.
    Lstm,
    /// GRU.
    Gru,
    /// A sum and tanh or relu of it.
    Simple,
}

/// Options of a recurrent layer.
#[derive(Clone, Copy, Debug)]
pub struct Recurrence {
    /// The kind of its cells.
    pub cell: RecurrentCell,
    /// Whether dropout is between layers.
    pub dropout: bool,
    /// Whether each layer runs from both ends.
    pub two_ways: bool,
}

impl Tape {
    /// `torch.lstm`, `torch.gru` or `torch.rnn_tanh` over `[T, B, in]` from states `[layers, B, H]`: the outputs
    /// `[T, B, H]` and the last states of all layers. Of layers that run from both ends, states and weights are in
    /// turns: of the one way, of the other.
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
        let ways = if options.two_ways { 2 } else { 1 };
        for (at, layer) in (0..).zip(layers.chunks(ways)) {
            let steps = self.unbound(&input, 0);
            let mut kept = Vec::new();
            let mut stacked = Vec::new();
            for (way, weights) in layer.iter().enumerate() {
                let begun = begun.iter();
                let state = begun.filter_map(|all| all.get(at * ways + way).cloned());
                let mut state: Vec<Tensor> = state.collect();
                let mut outputs = Vec::new();
                for step in &steps {
                    state = self.recurrent_step(step, &state, weights, options.cell);
                    outputs.extend(state.first().cloned());
                }
                let parts: Vec<&Tensor> = outputs.iter().collect();
                stacked.push(self.stacked(&parts, 0));
                for (all, last) in ended.iter_mut().zip(state) {
                    all.push(last);
                }
                kept.push(outputs);
            }
            input = match &stacked[..] {
                [one] => one.clone(),
                _ => self.cat(&stacked.iter().collect::<Vec<_>>(), -1),
            };
            drop((stacked, kept, steps));
            if options.dropout && (at + 1) * ways < layers.len() {
                input = self.dropout(&input);
            }
        }
        drop(begun);
        let last = ended.iter().map(|all| {
            let parts: Vec<&Tensor> = all.iter().collect();
            self.stacked(&parts, 0)
        });
        let last: Vec<Tensor> = last.collect();
        std::iter::once(input).chain(last).collect()
    }

    /// One step of a cell (`torch.lstm_cell` and its like) of `[B, in]` and its states `[B, H]`: the next states.
    pub fn recurrent_step(
        &self,
        x: &Tensor,
        state: &[Tensor],
        layer: &RecurrentLayer,
        cell: RecurrentCell,
    ) -> Vec<Tensor> {
        let Some(hidden) = state.first() else {
            return Vec::new();
        };
        if cell == RecurrentCell::Simple {
            return vec![self.simple_cell(x, hidden, layer)];
        }
        let product = |x: &Tensor, weight: &Tensor| {
            let weight = self.t(weight);
            let (weight, x) = (self.cast_down(&weight), self.cast_down(x));
            self.without_autocast(|| self.mm(&x, &weight))
        };
        let of_input = product(x, &layer.weights[0]);
        let of_state = product(hidden, &layer.weights[1]);
        let kept = match cell {
            RecurrentCell::Lstm => state.get(1).unwrap_or(hidden),
            _ => hidden,
        };
        let biases = layer.biases.as_ref();
        self.fused_cell(
            [&of_input, &of_state, kept],
            biases,
            cell == RecurrentCell::Lstm,
        )
    }

    /// `tanh(linear(x) + linear(hidden))`, or relu of it: the gradient of both is one kernel over the saved result.
    fn simple_cell(&self, x: &Tensor, hidden: &Tensor, layer: &RecurrentLayer) -> Tensor {
        let biases = layer.biases.as_ref();
        let of_state = self.linear(hidden, &layer.weights[1], biases.map(|both| &both[1]));
        let of_input = self.linear(x, &layer.weights[0], biases.map(|both| &both[0]));
        let sum = self.add(&of_input, &of_state);
        self.tanh(&sum)
    }

    /// `_thnn_fused_lstm_cell` or `_thnn_fused_gru_cell` of gates of the input, gates of the state and a state
    /// `[B, H]`: the next states. Saves all three, the new cell and the kernel's workspace.
    fn fused_cell(
        &self,
        given: [&Tensor; 3],
        biases: Option<&[Tensor; 2]>,
        with_cell: bool,
    ) -> Vec<Tensor> {
        const OP: &str = "_thnn_fused_lstm_cell";
        const BACKWARD: &str = "_thnn_fused_lstm_cell_backward";
        let biases = biases.map(|both| both.each_ref().map(|bias| self.cast_down(bias)));
        let given = given.map(|x| self.cast_down(x));
        let inputs: Vec<&Tensor> = given.iter().chain(biases.iter().flatten()).collect();
        let records = self.records(&inputs);
        // The backward that is differentiable itself is said to need the biases.
        let saved = records.then(|| {
            let kept: Vec<_> = inputs.iter().map(|x| self.save(x)).collect();
            kept
        });
        let [gates, _, state] = &given;
        let dtype = gates.dtype();
        let left = if with_cell {
            *gates.shape()
        } else {
            Shape::from([state.dim(0), 5 * state.dim(1)])
        };
        let workspace = self.empty(OP, left, dtype);
        let count = if with_cell { 2 } else { 1 };
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
                let _saved: Vec<Tensor> = saved.iter().map(|saved| saved.unpack(t)).collect();
                let _left = (
                    workspace.unpack(t),
                    cell.as_ref().map(|cell| cell.unpack(t)),
                );
                let made = |shape| t.empty(BACKWARD, shape, dtype);
                let grad = made(of_gates);
                let other = if with_cell {
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
                    let second = if with_cell {
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

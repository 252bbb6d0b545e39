//! Adafactor, in PyTorch's and in transformers' form. Both go through the parameters one by one
//! and keep, for a matrix, a column and a row in place of the second moment.

use super::state::{Optimizer, State, for_each_gradient, state_at, state_of, temporary};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `shape` with dimension `-back` reduced to one.
fn reduced(shape: &Shape, back: usize) -> Shape {
    let mut shape = *shape;
    let at = shape.rank() - back;
    shape.dims_mut()[at] = 1;
    shape
}

/// `tensor.norm(2)`.
fn norm(t: &Tape, x: &Tensor) -> Tensor {
    t.reduce("linalg_vector_norm", x, Shape::new(&[]), x.dtype())
}

/// `tensor.norm(2) / number`.
fn rms(t: &Tape, x: &Tensor) -> Tensor {
    let norm = norm(t, x);
    temporary(t, "div", &norm)
}

/// The shapes of a matrix' row and column as transformers' Adafactor keeps them; nothing of a vector.
fn factors(shape: &Shape) -> Option<[Shape; 2]> {
    let rows = shape.rank().checked_sub(1).filter(|&rows| rows > 0)?;
    let dims = shape.dims();
    let mut columns = Shape::new(&dims[..rows]);
    columns.dims_mut()[rows - 1] = dims[rows];
    Some([Shape::new(&dims[..rows]), columns])
}

/// The shapes of factors as PyTorch's Adafactor keeps them.
fn wide_factors(shape: &Shape) -> Option<[Shape; 2]> {
    (shape.rank() > 1).then(|| [reduced(shape, 1), reduced(shape, 2)])
}

/// The state of a parameter: second moments, or their factors.
fn kept(
    t: &Tape,
    op: &'static str,
    parameter: &Tensor,
    dtype: DType,
    factors: Option<[Shape; 2]>,
) -> State {
    let shapes = factors.map_or(vec![*parameter.shape()], Vec::from);
    let kept = shapes.iter();
    kept.map(|shape| state_of(t, op, shape.dims(), dtype))
        .collect()
}

impl Optimizer {
    /// `torch.optim.Adafactor` (`foreach` unset or false: one parameter after the other). The
    /// estimate of the variance becomes the update in place and, like every local variable, lives
    /// until the next parameter's takes its name.
    pub(super) fn adafactor(&mut self, t: &Tape) {
        self.init(t, |parameter| {
            let factors = wide_factors(parameter.shape());
            kept(t, "new_zeros", parameter, parameter.dtype(), factors)
        });
        let (mut row_mean, mut column_mean, mut squared, mut update) = (None, None, None, None);
        for_each_gradient(t, |_, parameter, grad| {
            drop(norm(t, parameter));
            let shape = grad.shape();
            if let Some(factors) = wide_factors(shape) {
                let [row, column] =
                    &factors.map(|shape| t.without_storage(shape, parameter.dtype()));
                let mean = |back| {
                    let shape = reduced(shape, back);
                    t.reduce("linalg_vector_norm", grad, shape, grad.dtype())
                };
                row_mean = Some(mean(1));
                column_mean = Some(mean(2));
                let variance = outer(t, row, column);
                let mean = reduced(row.shape(), 2);
                drop(t.reduce("mean", row, mean, row.dtype()));
                update = Some(variance);
            } else {
                squared = Some(temporary(t, "mul", grad));
                update = Some(temporary(t, "clone", grad));
            }
            if let Some(update) = &update {
                drop(norm(t, update));
            }
        });
        drop((row_mean, column_mean, squared, update));
    }

    /// `transformers.optimization.Adafactor`. Half precision weights and gradients are copied to
    /// float32, one parameter at a time.
    ///
    /// With `relative_step` the learning rate is `max(eps, RMS)`; the comparison is a tensor.
    pub(super) fn adafactor_transformers(&mut self, t: &Tape) {
        let (states, scales) = (&mut self.states, &mut self.kept);
        let relative = self.options.relative_step;
        let (mut full_grad, mut full_parameter, mut update) = (None, None, None);
        t.for_each_parameter(|i, parameter, grad| {
            let Some(grad) = grad else { return };
            let full = |x: &Tensor| {
                let half = x.dtype().is_half();
                half.then(|| t.empty("_to_copy", *x.shape(), DType::Float32))
            };
            full_grad = None;
            full_grad = full(grad);
            let grad = full_grad.as_ref().unwrap_or(grad);
            let factors = factors(parameter.shape());
            let state = state_at(states, i);
            if state.is_empty() {
                *state = kept(t, "_to_copy", parameter, DType::Float32, factors);
            }
            full_parameter = None;
            full_parameter = full(parameter);
            let parameter = full_parameter.as_ref().unwrap_or(parameter);
            let norm = norm(t, parameter);
            let scale = state_of(t, "div", norm.shape().dims(), norm.dtype());
            *state_at(scales, i) = Some(scale);
            drop(norm);
            if relative {
                drop(t.empty("gt", Shape::new(&[]), DType::Bool));
            }
            let square = temporary(t, "pow", grad);
            let shifted = temporary(t, "add", &square);
            drop(square);
            update = Some(shifted.clone());
            update = if let Some(factors) = factors {
                let [row, column] = &factors.map(|shape| t.without_storage(shape, DType::Float32));
                let mean = |back| {
                    t.reduce(
                        "mean",
                        &shifted,
                        reduced(grad.shape(), back),
                        DType::Float32,
                    )
                };
                drop(mean(1));
                drop(mean(2));
                let mean = t.reduce("mean", row, reduced(row.shape(), 1), DType::Float32);
                let rows = temporary(t, "div", row);
                drop(mean);
                let columns = temporary(t, "rsqrt", column);
                let product = temporary(t, "mul", grad);
                drop((rows, columns));
                Some(product)
            } else {
                Some(temporary(t, "rsqrt", grad))
            };
            drop(shifted);
            if let Some(update) = &update {
                let norm = rms(t, update);
                let clipped = temporary(t, "div", &norm);
                drop(norm);
                drop(clipped);
                drop(temporary(t, "neg", update));
            }
        });
        drop((full_grad, full_parameter, update));
    }
}

/// `row @ column`: a matrix product, batched when there are more than two dimensions, over all but the
/// last two.
fn outer(t: &Tape, row: &Tensor, column: &Tensor) -> Tensor {
    if row.shape().rank() == 2 {
        return t.mm(row, column);
    }
    let (rows, columns) = (row.dim(-2), column.dim(-1));
    let batch = row.numel() / rows.max(1);
    let row = t.view(row, [batch, rows, 1]);
    t.bmm(&row, &t.view(column, [batch, 1, columns]))
}

//! Activation functions, those included that transformers writes out in Python.

use crate::model::Activation;
use crate::tape::{Tape, Tensor};

/// `NewGELUActivation`: 0.5 x (1 + tanh(c (x + d x^3))).
pub(crate) fn gelu_new(t: &Tape, x: Tensor) -> Tensor {
    let half = t.mul_scalar(&x);
    let one_plus = {
        let bent = {
            let sum = {
                let scaled = {
                    let cube = t.pow(&x);
                    t.mul_scalar(&cube)
                };
                t.add(&x, &scaled)
            };
            let scaled = t.mul_scalar(&sum);
            drop(sum);
            t.tanh(&scaled)
        };
        t.add_scalar(&bent)
    };
    let out = t.mul(&half, &one_plus);
    drop(x);
    out
}

/// `FastGELUActivation`, and `bloom_gelu_forward`: 0.5 x (1 + tanh(c x (1 + d x x))).
pub(crate) fn gelu_fast(t: &Tape, x: &Tensor) -> Tensor {
    let half = t.mul_scalar(x);
    let one_plus = {
        let bent = tanh_in_gelu(t, x);
        t.add_scalar(&bent)
    };
    t.mul(&half, &one_plus)
}

/// tanh(c x (1 + d x x)).
pub(crate) fn tanh_in_gelu(t: &Tape, x: &Tensor) -> Tensor {
    let product = {
        let scaled = t.mul_scalar(x);
        let one_plus = {
            let square = {
                let scaled = t.mul_scalar(x);
                t.mul(&scaled, x)
            };
            t.add_scalar(&square)
        };
        t.mul(&scaled, &one_plus)
    };
    t.tanh(&product)
}

/// The function `activation` of x, which nobody else holds.
pub(crate) fn activated(t: &Tape, activation: Activation, x: Tensor) -> Tensor {
    match activation {
        Activation::Relu => t.relu(&x),
        Activation::Gelu => t.gelu(&x),
        Activation::Silu => t.silu(&x),
        Activation::Tanh => t.tanh(&x),
        Activation::GeluNew => gelu_new(t, x),
        Activation::GeluFast => gelu_fast(t, &x),
        Activation::GeluErf => gelu_erf(t, x),
        Activation::QuickGelu => quick_gelu(t, &x),
        Activation::Relu2 => relu_squared(t, &x),
    }
}

/// `gelu` (`models/esm/modeling_esm.py`): x 0.5 (1 + erf(x / c)).
fn gelu_erf(t: &Tape, x: Tensor) -> Tensor {
    let half = t.mul_scalar(&x);
    let one_plus = {
        let bent = {
            let scaled = t.div_scalar(&x);
            t.erf(&scaled)
        };
        t.add_scalar(&bent)
    };
    let out = t.mul(&half, &one_plus);
    drop(x);
    out
}

/// `QuickGELUActivation`: x sigmoid(c x).
fn quick_gelu(t: &Tape, x: &Tensor) -> Tensor {
    let gate = {
        let scaled = t.mul_scalar(x);
        t.sigmoid(&scaled)
    };
    t.mul(x, &gate)
}

/// `ReLUSquaredActivation`.
pub(crate) fn relu_squared(t: &Tape, x: &Tensor) -> Tensor {
    let positive = t.relu(x);
    t.square(&positive)
}

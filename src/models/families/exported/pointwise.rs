//! Elementwise operations.

use super::call::{Arm, Call, Results, one};
use crate::tape::{Kept, Tape, Tensor};
use crate::units::DType;

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "add" => add,
        "sub" | "subtract" => sub,
        "rsub" => rsub,
        "mul" | "multiply" => mul,
        "div" | "divide" | "true_divide" => div,
        "remainder" | "fmod" => remainder,
        "pow" => pow,
        "square" => square,
        "neg" | "negative" => |call| one(call.t.neg(&call.x()?)),
        "abs" | "absolute" => |call| kept(call, "abs", Kept::Input, 1),
        "sqrt" => |call| one(call.t.sqrt(&call.x()?)),
        "rsqrt" => |call| one(call.t.rsqrt(&call.x()?)),
        "reciprocal" => |call| widened(call, "reciprocal", Kept::Result, 2),
        "exp" => |call| one(call.t.exp(&call.x()?)),
        "expm1" => |call| one(call.t.expm1(&call.x()?)),
        "log" | "log2" | "log10" => |call| one(call.t.log(&call.x()?)),
        "log1p" => |call| one(call.t.log1p(&call.x()?)),
        "erf" => |call| one(call.t.erf(&call.x()?)),
        "sin" => |call| kept(call, "sin", Kept::Input, 1),
        "cos" => |call| kept(call, "cos", Kept::Input, 2),
        "tan" => |call| widened(call, "tan", Kept::Result, 2),
        "atan" | "asin" | "acos" => |call| widened(call, "atan", Kept::Input, 2),
        "sinh" | "cosh" => |call| widened(call, "sinh", Kept::Input, 1),
        "tanh" => |call| one(call.t.tanh(&call.x()?)),
        "sigmoid" => |call| one(call.t.sigmoid(&call.x()?)),
        "relu" => |call| one(call.t.relu(&call.x()?)),
        "silu" => |call| one(call.t.silu(&call.x()?)),
        "gelu" => |call| one(call.t.gelu(&call.x()?)),
        "log_sigmoid" => |call| one(call.t.logsigmoid(&call.x()?)),
        "softplus" => |call| one(call.t.softplus(&call.x()?)),
        "leaky_relu" => |call| kept(call, "leaky_relu", Kept::Input, 0),
        "elu" | "celu" | "selu" => |call| kept(call, "elu", Kept::Input, 0),
        "mish" => |call| kept(call, "mish", Kept::Input, 0),
        "hardswish" => |call| kept(call, "hardswish", Kept::Input, 0),
        "hardsigmoid" => |call| kept(call, "hardsigmoid", Kept::Input, 0),
        "hardtanh" | "relu6" => |call| kept(call, "hardtanh", Kept::Input, 0),
        "softshrink" | "hardshrink" | "threshold" => |call| kept(call, "shrink", Kept::Input, 0),
        "glu" => glu,
        "floor" | "ceil" | "round" | "trunc" | "sign" | "sgn" => {
            |call| one(call.t.step_function("floor", &call.x()?))
        }
        "clamp" | "clip" | "clamp_min" | "clamp_max" => clamp,
        "maximum" | "minimum" => extreme,
        "where" => choose,
        "masked_fill" => masked_fill,
        "dropout" => dropout,
        "feature_dropout" => feature_dropout,
        "addcmul" => addcmul,
        "to" | "_to_copy" => to,
        "type_as" => |call| {
            let (x, other) = (call.x()?, call.tensor("other")?);
            one(call.t.to(&x, other.dtype()))
        },
        "float" => |call| one(call.t.to(&call.x()?, DType::Float32)),
        "clone" => clone,
        "contiguous" => |call| one(call.t.contiguous(&call.x()?)),
        _ => return None,
    })
}

fn kept(call: &Call, op: &'static str, kept: Kept, temporaries: usize) -> Results {
    one(call.t.function_of(op, &call.x()?, kept, temporaries))
}

/// A function that autocast computes in float32.
fn widened(call: &Call, op: &'static str, kept: Kept, temporaries: usize) -> Results {
    let x = call.t.widened(&call.x()?);
    one(call.t.function_of(op, &x, kept, temporaries))
}

/// The first argument or the second one, whichever is a tensor, where the other is a number.
fn against_number(call: &Call) -> Option<Tensor> {
    call.x().or_else(|| call.tensor("other"))
}

/// x times a number, or with one added, whose dtype a number that is not whole makes a float's.
fn floating(call: &Call, x: Tensor) -> Tensor {
    let wanted = call.result(0).map(|(_, dtype)| dtype);
    match wanted {
        Some(dtype) if dtype.is_float() && !x.dtype().is_float() => {
            call.t.outside("_to_copy", &[&x], dtype).detach()
        }
        _ => x,
    }
}

/// Applies a function of x and a number, whose result is a float where the number makes it one.
fn with_number(call: &Call, f: impl FnOnce(&Tape, &Tensor) -> Tensor) -> Results {
    let x = against_number(call)?;
    let wanted = call.result(0).map(|(_, dtype)| dtype);
    match wanted {
        Some(dtype) if dtype.is_float() && !x.dtype().is_float() => {
            one(call.t.outside("mul", &[&x], dtype))
        }
        _ => one(f(call.t, &x)),
    }
}

fn add(call: &Call) -> Results {
    match (call.x(), call.tensor("other")) {
        (Some(a), Some(b)) if call.has("alpha") && call.float("alpha", 1.0).ne(&1.0) => {
            one(call.t.add_scaled(&a, &b))
        }
        (Some(a), Some(b)) => one(call.t.add(&a, &b)),
        _ => with_number(call, Tape::add_scalar),
    }
}

fn sub(call: &Call) -> Results {
    match (call.x(), call.tensor("other")) {
        (Some(a), Some(b)) => one(call.t.sub(&a, &b)),
        (Some(_), None) => with_number(call, Tape::add_scalar),
        _ => with_number(call, Tape::rsub_scalar),
    }
}

fn rsub(call: &Call) -> Results {
    match (call.x(), call.tensor("other")) {
        (Some(a), Some(b)) => one(call.t.sub(&b, &a)),
        _ => with_number(call, Tape::rsub_scalar),
    }
}

fn mul(call: &Call) -> Results {
    match (call.x(), call.tensor("other")) {
        (Some(a), Some(b)) => one(call.t.mul(&a, &b)),
        _ => with_number(call, Tape::mul_scalar),
    }
}

fn div(call: &Call) -> Results {
    if call.has("rounding_mode") {
        let x = against_number(call)?;
        let (shape, dtype) = call.result(0)?;
        let dtype = if dtype.is_float() { x.dtype() } else { dtype };
        return one(call.t.empty("div", shape, dtype));
    }
    match (call.x(), call.tensor("other")) {
        (Some(a), Some(b)) if a.dtype().is_float() || b.dtype().is_float() => {
            one(call.t.quotient(&a, &b))
        }
        (Some(a), Some(b)) => one(call.t.outside("div", &[&a, &b], DType::Float32)),
        (Some(_), None) => with_number(call, Tape::div_scalar),
        _ => {
            // A number divided by x.
            let x = call.t.widened(&call.tensor("other")?);
            let inverse = call.t.function_of("reciprocal", &x, Kept::Result, 2);
            one(call.t.mul_scalar(&inverse))
        }
    }
}

fn remainder(call: &Call) -> Results {
    let x = against_number(call)?;
    one(call.t.with_gradient_passed("remainder", &x))
}

fn pow(call: &Call) -> Results {
    match (call.x(), call.tensor("exponent")) {
        (Some(x), Some(exponent)) => one(call.t.power_of(&x, &exponent)),
        (Some(x), None) => {
            if !x.dtype().is_float() {
                let (shape, dtype) = call.result(0)?;
                return one(call.t.empty("pow", shape, dtype));
            }
            one(call.t.pow(&x))
        }
        (None, exponent) => {
            let exponent = call.t.widened(&exponent?);
            one(call.t.function_of("pow", &exponent, Kept::Result, 1))
        }
    }
}

fn square(call: &Call) -> Results {
    one(call.t.square(&call.x()?))
}

fn glu(call: &Call) -> Results {
    let x = call.x()?;
    let dim = call.axis_or(&x, "dim", -1)?;
    (x.shape().rank() > 0).then(|| vec![call.t.gated_linear_unit(&x, dim)])
}

fn clamp(call: &Call) -> Results {
    let x = call.x()?;
    let given = ["min", "max"].iter().filter(|name| call.has(name)).count();
    one(call.t.clamp(&x, given.max(1)))
}

fn extreme(call: &Call) -> Results {
    let (a, b) = (call.x()?, call.tensor("other")?);
    let op = if call.name() == "maximum" {
        "maximum"
    } else {
        "minimum"
    };
    one(call.t.chosen_of(op, &a, &b))
}

fn choose(call: &Call) -> Results {
    let t = call.t;
    let condition = call.tensor("condition")?;
    let (a, b) = (call.tensor("self"), call.tensor("other"));
    let dtype = a.as_ref().or(b.as_ref()).map_or_else(
        || call.result(0).map(|(_, dtype)| dtype),
        |x| Some(x.dtype()),
    )?;
    let number = |given: Option<Tensor>| given.unwrap_or_else(|| t.number(dtype));
    let (a, b) = (number(a), number(b));
    one(t.where_either(&condition, &a, &b))
}

fn masked_fill(call: &Call) -> Results {
    let (x, mask) = (call.x()?, call.tensor("mask")?);
    if call.shape()? != *x.shape() {
        return None;
    }
    one(call.t.masked_fill(&x, &mask))
}

/// Runs `f` where modules are in training mode or not, as an argument says.
pub(super) fn in_mode<R>(t: &Tape, training: bool, f: impl FnOnce() -> R) -> R {
    let before = t.is_training();
    t.train(training);
    let result = f();
    t.train(before);
    result
}

fn dropout(call: &Call) -> Results {
    let x = call.x()?;
    let drops = call.trains("train")? && call.float("p", 0.5) > 0.0;
    if !drops {
        return one(x);
    }
    one(in_mode(call.t, true, || call.t.dropout(&x)))
}

fn feature_dropout(call: &Call) -> Results {
    let x = call.x()?;
    if !(call.trains("train")? && call.float("p", 0.5) > 0.0) {
        return one(x);
    }
    let noise = made_noise(call, &x, true);
    one(call.t.mul(&x, &noise))
}

/// Noise of x's shape, or of its samples and channels.
pub(super) fn made_noise(call: &Call, x: &Tensor, of_channels: bool) -> Tensor {
    let mut shape = *x.shape();
    if of_channels {
        shape
            .dims_mut()
            .iter_mut()
            .skip(2)
            .for_each(|size| *size = 1);
    }
    call.t.empty("bernoulli", shape, x.dtype())
}

fn addcmul(call: &Call) -> Results {
    let all = [call.x()?, call.tensor("tensor1")?, call.tensor("tensor2")?];
    let all = call.t.promoted(&all);
    let [x, a, b] = all.try_into().ok()?;
    one(call.t.addcmul(&x, &a, &b))
}

fn to(call: &Call) -> Results {
    let x = call.x()?;
    let other = call.tensor("other").map(|other| other.dtype());
    let dtype = call.dtype("dtype").or(other).unwrap_or(x.dtype());
    let follows = || call.cast_follows().unwrap_or(dtype);
    let dtype = if dtype == DType::Float32 {
        follows()
    } else {
        dtype
    };
    if dtype == x.dtype() && call.flag("copy", false) == Some(true) {
        return one(call.t.cloned(&x));
    }
    if !dtype.is_float() || !x.dtype().is_float() {
        return one(if dtype == x.dtype() {
            x
        } else {
            call.t.outside("_to_copy", &[&x], dtype)
        });
    }
    one(call.t.to(&x, dtype))
}

fn clone(call: &Call) -> Results {
    // The memory format, where one is given, is the usual one.
    let x = call.x()?;
    one(if call.has("memory_format") {
        call.t.clone_contiguous(&x)
    } else {
        call.t.cloned(&floating(call, x))
    })
}

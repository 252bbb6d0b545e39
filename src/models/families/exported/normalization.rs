//! Normalization.

use super::call::{Arm, Call, Results, one};
use crate::tape::Tensor;
use crate::units::Shape;

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "batch_norm" => batch_norm,
        "instance_norm" => instance_norm,
        "layer_norm" => layer_norm,
        "group_norm" => group_norm,
        "rms_norm" => rms_norm,
        "prelu" => |call| one(call.t.prelu(&call.x()?, &call.tensor("weight")?)),
        _ => return None,
    })
}

fn batch_norm(call: &Call) -> Results {
    let x = call.x()?;
    if x.shape().rank() < 2 {
        return None;
    }
    let (weight, bias) = (call.tensor("weight"), call.tensor("bias"));
    let training = call.trains("training")?;
    one(call
        .t
        .normalize_channels(&x, [weight.as_ref(), bias.as_ref()], training))
}

/// Each sample's channels are channels of one sample (`instance_norm`, `Normalization.cpp`, torch 2.15).
fn instance_norm(call: &Call) -> Results {
    let (t, x) = (call.t, call.x()?);
    let dims = x.shape().dims();
    let (&samples, &channels) = (dims.first()?, dims.get(1)?);
    let seen = [&[1, samples * channels], &dims[2..]].concat();
    let repeated = |name| {
        call.tensor(name)
            .map(|parameter| t.repeated_to(&parameter, Shape::from([samples * channels])))
    };
    let (weight, bias) = (repeated("weight"), repeated("bias"));
    let whole = t.contiguous(&x);
    let rows = t.view(&whole, Shape::new(&seen));
    let out = t.normalize_channels(&rows, [weight.as_ref(), bias.as_ref()], true);
    one(t.view(&out, *x.shape()))
}

fn layer_norm(call: &Call) -> Results {
    let x = call.x()?;
    let dimensions = call.ints("normalized_shape")?.len();
    if dimensions == 0 || dimensions > x.shape().rank() {
        return None;
    }
    let (weight, bias) = (call.tensor("weight"), call.tensor("bias"));
    let dims = x.shape().dims();
    let normalized: u64 = dims[dims.len() - dimensions..].iter().product();
    let fits = |part: &Tensor| part.numel() == normalized;
    let whole = [&weight, &bias].into_iter().flatten().all(fits);
    whole.then_some(())?;
    one(call
        .t
        .normalize_last(&x, [weight.as_ref(), bias.as_ref()], dimensions))
}

fn group_norm(call: &Call) -> Results {
    let x = call.x()?;
    let groups = u64::try_from(call.int("num_groups")?)
        .ok()
        .filter(|n| *n > 0)?;
    let (weight, bias) = (call.tensor("weight")?, call.tensor("bias")?);
    (x.shape().rank() >= 2).then(|| vec![call.t.group_norm(&x, groups, &weight, &bias)])
}

fn rms_norm(call: &Call) -> Results {
    let x = call.x()?;
    let weight = call.tensor("weight");
    (call.ints("normalized_shape")?.len() == 1).then(|| vec![call.t.rms_norm(&x, weight.as_ref())])
}

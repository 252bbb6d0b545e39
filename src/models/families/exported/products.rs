//! Matrix products.

use super::call::{Arm, Call, Results, one};
use crate::tape::Tensor;

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "linear" => linear,
        "matmul" | "mm" | "mv" => |call| {
            let other = ["other", "mat2", "vec"]
                .iter()
                .find_map(|name| call.tensor(name))?;
            Some(vec![call.t.multiplied(&call.x()?, &other)?])
        },
        "bmm" => |call| {
            let (a, b) = (call.x()?, call.tensor("mat2")?);
            fits(&a, &b).then(|| vec![call.t.batched(&a, &b)])
        },
        "addmm" => |call| {
            let (bias, a, b) = (call.x()?, call.tensor("mat1")?, call.tensor("mat2")?);
            (fits(&a, &b) && a.shape().rank() == 2).then(|| vec![call.t.affine(&a, &b, &bias)])
        },
        "baddbmm" => |call| {
            let (bias, a, b) = (call.x()?, call.tensor("batch1")?, call.tensor("batch2")?);
            (fits(&a, &b) && bias.shape() == &call.shape()?)
                .then(|| vec![call.t.biased_products(&bias, &a, &b)])
        },
        "outer" => |call| {
            let (a, b) = (call.x()?, call.tensor("vec2")?);
            let column = call.t.unsqueeze(&a, 1);
            one(call.t.mul(&column, &b))
        },
        "cdist" => |call| {
            let (a, b) = (call.tensor("x1")?, call.tensor("x2")?);
            let fits = a.shape().rank() == b.shape().rank() && a.shape().rank() >= 2;
            fits.then_some(())?;
            let by_product = a.dim(-2).max(b.dim(-2)) > DIRECT_ROWS;
            let squares = call.float("p", 2.0).to_bits() == 2.0_f64.to_bits();
            (by_product && squares && !call.has("compute_mode"))
                .then(|| call.t.distances(&a, &b).map(|made| vec![made]))?
        },
        "einsum" => einsum,
        _ => return None,
    })
}

/// Up to this many rows distances are computed without a product (`cdist_impl`, `Distance.cpp`, torch 2.15).
const DIRECT_ROWS: u64 = 25;

fn fits(a: &Tensor, b: &Tensor) -> bool {
    let (n, m) = (a.shape().rank(), b.shape().rank());
    n == m && n >= 2 && a.dim(-1) == b.dim(-2)
}

fn linear(call: &Call) -> Results {
    if let Some(layer) = call.quantized() {
        return one(layer.forward(call.t, &call.x()?));
    }
    let (x, weight) = (call.x()?, call.tensor("weight")?);
    let bias = call.tensor("bias");
    let fits = weight.shape().rank() == 2 && x.shape().rank() > 1 && x.dim(-1) == weight.dim(1);
    fits.then_some(())?;
    let out = call.t.linear(&x, &weight, bias.as_ref());
    one(match call.adapter() {
        Some(adapter) => adapter.forward(call.t, &x, out, bias.as_ref()),
        None => out,
    })
}

/// `torch.einsum` of one tensor, which is permuted, or of two of which one label is summed.
fn einsum(call: &Call) -> Results {
    let equation: String = call
        .text("equation")?
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let (inputs, output) = equation.split_once("->")?;
    let labels: Vec<Vec<char>> = inputs
        .split(',')
        .map(|part| part.chars().collect())
        .collect();
    let output: Vec<char> = output.chars().collect();
    let all = call.tensors("tensors")?;
    let plain = |labels: &Vec<char>| labels.iter().all(char::is_ascii_alphabetic);
    if labels.len() != all.len() || !labels.iter().all(plain) {
        return None;
    }
    let of_rank = labels
        .iter()
        .zip(&all)
        .all(|(labels, x)| labels.len() == x.shape().rank());
    if !of_rank {
        return None;
    }
    match (&labels[..], &all[..]) {
        ([of], [x]) => {
            let order = output
                .iter()
                .map(|label| of.iter().position(|own| own == label));
            let order: Vec<usize> = order.collect::<Option<_>>()?;
            (order.len() == of.len()).then(|| vec![call.t.permute(x, &order)])
        }
        ([of_a, of_b], [a, b]) => contracted(call, [(a, of_a), (b, of_b)], &output),
        _ => None,
    }
}

fn contracted(
    call: &Call,
    [(a, of_a), (b, of_b)]: [(&Tensor, &Vec<char>); 2],
    output: &[char],
) -> Results {
    let both = |label: &&char| of_a.contains(label) && of_b.contains(label);
    let batch: Vec<char> = output.iter().filter(both).copied().collect();
    let summed: Vec<char> = of_a
        .iter()
        .filter(|label| of_b.contains(label) && !output.contains(label))
        .copied()
        .collect();
    let only = |of: &[char], other: &[char]| -> Vec<char> {
        output
            .iter()
            .filter(|l| of.contains(l) && !other.contains(l))
            .copied()
            .collect()
    };
    let (own_a, own_b) = (only(of_a, of_b), only(of_b, of_a));
    let places = |of: &[char], parts: &[&[char]]| -> Option<Vec<usize>> {
        let wanted = parts.iter().flat_map(|part| part.iter());
        wanted
            .map(|label| of.iter().position(|own| own == label))
            .collect()
    };
    let order_a = places(of_a, &[&batch, &own_a, &summed])?;
    let order_b = places(of_b, &[&batch, &summed, &own_b])?;
    if summed.len() != 1 || order_a.len() != of_a.len() || order_b.len() != of_b.len() {
        return None;
    }
    let product = call
        .t
        .contracted((a, &order_a), (b, &order_b), batch.len(), false);
    let made: Vec<char> = [&batch[..], &own_a, &own_b].concat();
    let order = places(&made, &[output])?;
    if order.iter().copied().eq(0..order.len()) {
        return one(product);
    }
    one(call.t.permute(&product, &order))
}

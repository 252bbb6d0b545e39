//! Matrix products.

use crate::tape::graph::Grads;
use crate::tape::kept_operations::Operation;
use crate::tape::layout::Strides;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// The result `[.., n, m]` of a matrix product that sums over `k`, and the library workspace around it.
    fn gemm(&self, op: &'static str, (shape, k): (Shape, u64), factors: [&Tensor; 2]) -> Tensor {
        let run = || self.batch_gemm(op, (shape, k), factors);
        if !matches!(op, "mm" | "addmm") {
            return run();
        }
        let [out] = self.kept_operation(Operation::Product, || [run()]);
        out
    }

    /// A matrix product that sums over `k`, outside of the graph.
    pub fn product(&self, op: &'static str, (shape, k): (Shape, u64), dtype: DType) -> Tensor {
        self.computes(&[shape.numel(), k]);
        let out = self.empty(op, shape, dtype);
        self.gemm_workspace(op);
        out
    }

    /// The result of `torch.addmm` and the library workspace around it: cuBLASLt adds the bias, unless
    /// the second factor is a single row or column, or the bias a matrix before torch 2.15
    /// (`addmm_out_cuda_impl`, `cuda/Blas.cpp`).
    fn gemm_with_bias(&self, shape: Shape, [bias, a, b]: [&Tensor; 3]) -> Tensor {
        const OP: &str = "addmm";
        let matrix = bias.shape().rank() > 1 && !self.backend.bias_may_be_matrix;
        if b.dim(0) <= 1 || b.dim(1) <= 1 || matrix {
            return self.gemm(OP, (shape, b.dim(0)), [a, b]);
        }
        let [out] = self.kept_operation(Operation::Product, || {
            self.computes(&[shape.numel(), b.dim(0)]);
            let out = self.empty(OP, shape, a.dtype());
            let _copies = [a, b].map(|factor| self.as_matrix(OP, factor));
            self.gemm_bias_workspace(OP);
            [out]
        });
        out
    }

    /// `torch.mm(a, b)` of `[n, k]` and `[k, m]`. Saves each factor that the gradient of the other
    /// needs.
    pub fn mm(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let shape = Shape::from([a.dim(0), b.dim(1)]);
        if !self.records(&[a, b]) {
            return self.gemm("mm", (shape, a.dim(1)), [a, b]);
        }
        let saved_a = b.requires_grad().then(|| self.save(a));
        let saved_b = a.requires_grad().then(|| self.save(b));
        let out = self.gemm("mm", (shape, a.dim(1)), [a, b]);
        let (shape_a, shape_b, order_b) = (*a.shape(), *b.shape(), transposed(b));
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let b = saved_b.as_ref().map(|s| s.unpack(t));
                let a = saved_a.as_ref().map(|s| s.unpack(t));
                let of_b = a.as_ref().filter(|_| t.asks(1));
                let grad_b =
                    of_b.map(|a| seen_as(t.gemm("mm", (shape_b, g.dim(0)), [a, g]), order_b));
                let of_a = b.as_ref().filter(|_| t.asks(0));
                let grad_a = of_a.map(|b| t.gemm("mm", (shape_a, g.dim(1)), [g, b]));
                smallvec![grad_a, grad_b]
            }),
        )
    }

    /// `torch.addmm(bias, a, b)`. Saves as [`Tape::mm`] does.
    pub fn addmm(&self, bias: &Tensor, a: &Tensor, b: &Tensor) -> Tensor {
        let shape = Shape::from([a.dim(0), b.dim(1)]);
        if !self.records(&[bias, a, b]) {
            return self.gemm_with_bias(shape, [bias, a, b]);
        }
        let saved_a = b.requires_grad().then(|| self.save(a));
        let saved_b = a.requires_grad().then(|| self.save(b));
        let out = self.gemm_with_bias(shape, [bias, a, b]);
        let (shape_a, shape_b, order_b) = (*a.shape(), *b.shape(), transposed(b));
        let need_bias = bias.requires_grad();
        self.attach(
            &[bias, a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let a = saved_a.as_ref().map(|s| s.unpack(t));
                let b = saved_b.as_ref().map(|s| s.unpack(t));
                let of_a = b.as_ref().filter(|_| t.asks(1));
                let grad_a = of_a.map(|b| t.gemm("mm", (shape_a, g.dim(1)), [g, b]));
                let of_b = a.as_ref().filter(|_| t.asks(2));
                let grad_b =
                    of_b.map(|a| seen_as(t.gemm("mm", (shape_b, g.dim(0)), [a, g]), order_b));
                smallvec![need_bias.then(|| g.clone()), grad_a, grad_b]
            }),
        )
    }

    /// `torch.addmm(bias, x, weight)` as a model calls it: autocast casts all three.
    pub fn affine(&self, x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
        // C++ evaluates the casts from the last argument to the first.
        let weight = self.cast_down(weight);
        let x = self.cast_down(x);
        let bias = self.cast_down(bias);
        self.without_autocast(|| self.addmm(&bias, &x, &weight))
    }

    /// A batch of products that each sum over `k`. Since torch 2.15 an outer product is a kernel of
    /// Triton, without a library (`torch/_native/ops/bmm_outer_product`).
    fn gemm_of(&self, k: u64, shape: Shape, factors: [&Tensor; 2]) -> Tensor {
        const OP: &str = "bmm";
        if k == 1 && !self.backend.gemm_workspace_persistent {
            self.computes(&[shape.numel(), k]);
            return self.empty(OP, shape, factors[0].dtype());
        }
        self.gemm(OP, (shape, k), factors)
    }

    /// `torch.bmm(a, b)` of `[b, n, k]` and `[b, k, m]`. Saves as [`Tape::mm`] does.
    pub fn bmm(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let shape = Shape::from([a.dim(0), a.dim(1), b.dim(2)]);
        if !self.records(&[a, b]) {
            return self.gemm_of(a.dim(2), shape, [a, b]);
        }
        let saved_a = b.requires_grad().then(|| self.save(a));
        let saved_b = a.requires_grad().then(|| self.save(b));
        let out = self.gemm_of(a.dim(2), shape, [a, b]);
        let (shape_a, shape_b) = (*a.shape(), *b.shape());
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let b = saved_b.as_ref().map(|s| s.unpack(t));
                let a = saved_a.as_ref().map(|s| s.unpack(t));
                let of_b = a.as_ref().filter(|_| t.asks(1));
                let grad_b = of_b.map(|a| t.gemm_of(g.dim(1), shape_b, [a, g]));
                let of_a = b.as_ref().filter(|_| t.asks(0));
                let grad_a = of_a.map(|b| t.gemm_of(g.dim(2), shape_a, [g, b]));
                smallvec![grad_a, grad_b]
            }),
        )
    }

    /// `torch.bmm(a, b)` as a model calls it: autocast casts both.
    pub fn batched(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let (b, a) = (self.cast_down(b), self.cast_down(a));
        self.without_autocast(|| self.bmm(&a, &b))
    }

    /// `torch.matmul(a, b)` of `[.., n, k]` and `[.., k, m]` with as many leading dimensions; b is
    /// expanded to those of a.
    pub fn matmul(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let (b, a) = (self.cast_down(b), self.cast_down(a));
        self.without_autocast(|| {
            let (n, k, m) = (a.dim(-2), a.dim(-1), b.dim(-1));
            let batch = a.numel() / (n * k).max(1);
            let mut shape = *a.shape();
            let last = shape.rank() - 1;
            shape.dims_mut()[last] = m;
            let a = self.expand(&a, *a.shape());
            let a3 = self.reshape(&a, [batch, n, k]);
            let mut expanded = *a.shape();
            expanded.dims_mut()[last - 1] = k;
            expanded.dims_mut()[last] = m;
            let b = self.expand(&b, expanded);
            let b3 = self.reshape(&b, [batch, k, m]);
            let out = self.bmm(&a3, &b3);
            self.unsafe_view(&out, shape)
        })
    }

    /// `torch.einsum` of two tensors as one batch of matrix products (`sumproduct_pair`,
    /// `aten/src/ATen/native/Linear.cpp`, torch 2.15): the left one permuted to `batch` dimensions, its own dimension
    /// and the summed one, the right one to the batch's dimensions, the summed one and its own. The result has them in
    /// the order batch, left, right. `right_first` says that the equation names the right one first.
    pub fn contracted(
        &self,
        (left, left_order): (&Tensor, &[usize]),
        (right, right_order): (&Tensor, &[usize]),
        batch: usize,
        right_first: bool,
    ) -> Tensor {
        let [left, right] = &if right_first {
            let right = self.cast_down(right);
            [self.cast_down(left), right]
        } else {
            [left, right].map(|x| self.cast_down(x))
        };
        // Both are permuted to the labels' order first, then each to that of the product.
        let left = self.permute(left, left_order);
        let right = self.permute(right, right_order);
        let sizes = |x: &Tensor| smallvec::SmallVec::<[u64; 6]>::from(x.shape().dims());
        let (l, r) = (sizes(&left), sizes(&right));
        let count = |sizes: &[u64]| sizes.iter().product::<u64>();
        let (own, sum) = l[batch..].split_at(l.len() - batch - 1);
        let (samples, columns) = (count(&l[..batch]), &r[batch + 1..]);
        let matrices = |x: &Tensor, rows, columns| {
            let same: smallvec::SmallVec<[usize; 6]> = (0..x.shape().rank()).collect();
            self.reshape(&self.permute(x, &same), [samples, rows, columns])
        };
        let a = matrices(&left, count(own), sum[0]);
        let b = matrices(&right, sum[0], count(columns));
        let product = self.without_autocast(|| self.bmm(&a, &b));
        drop((b, a));
        let shape: smallvec::SmallVec<[u64; 6]> = l[..batch]
            .iter()
            .chain(own)
            .chain(columns)
            .copied()
            .collect();
        self.view(&product, Shape::new(&shape))
    }

    /// `torch.matmul(a, x)` of a matrix `[n, k]` and `[B, k, m]`. A matrix that gets a gradient is
    /// multiplied with all samples at once, which copies the result (`should_fold`,
    /// `aten/src/ATen/native/LinearAlgebra.cpp`, torch 2.15).
    pub fn matmul_from_left(&self, a: &Tensor, x: &Tensor) -> Tensor {
        if self.records(&[a]) {
            let columns = self.linear(&self.transpose(x, 1, 2), a, None);
            return self.contiguous(&self.transpose(&columns, 1, 2));
        }
        let (x, a) = (self.cast_down(x), self.cast_down(a));
        self.without_autocast(|| {
            let each = self.expand(&a, [x.dim(0), a.dim(0), a.dim(1)]);
            self.bmm(&each, &x)
        })
    }

    /// `x @ weight.T`: `[.., in]` and `[out, in]` to `[.., out]`. Under autocast the transposed
    /// weight, which is no leaf, is cast anew for each use.
    pub fn matmul_transposed(&self, x: &Tensor, weight: &Tensor) -> Tensor {
        let transposed = self.t(weight);
        // C++ evaluates the casts from the last argument to the first.
        let transposed = self.cast_down(&transposed);
        let x = self.cast_down(x);
        self.without_autocast(|| {
            let mut shape = *x.shape();
            let last = shape.rank() - 1;
            shape.dims_mut()[last] = transposed.dim(1);
            let flat = self.reshape(&x, [x.numel() / x.dim(-1).max(1), x.dim(-1)]);
            let out = self.mm(&flat, &transposed);
            self.unsafe_view(&out, shape)
        })
    }

    /// `x @ weight`: `[.., in]` and `[in, out]` to `[rows, out]`, of rows that are copied where they do
    /// not lie one after the other. Autocast casts both before.
    pub fn rows_product(&self, x: &Tensor, weight: &Tensor) -> Tensor {
        let (weight, x) = (self.cast_down(weight), self.cast_down(x));
        let columns = weight.dim(0);
        self.without_autocast(|| {
            let rows = self.reshape(&x, [x.numel() / columns, columns]);
            self.mm(&rows, &weight)
        })
    }

    /// `a @ b` of two matrices as a model calls it: autocast casts both.
    pub fn matrix_product(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let (b, a) = (self.cast_down(b), self.cast_down(a));
        self.without_autocast(|| self.mm(&a, &b))
    }

    /// `torch.baddbmm(bias, a, b)` of `[b, n, m]`, `[b, n, k]` and `[b, k, m]`, which all get gradients.
    /// Saves as [`Tape::bmm`] does.
    pub fn biased_products(&self, bias: &Tensor, a: &Tensor, b: &Tensor) -> Tensor {
        // C++ evaluates the casts from the last argument to the first.
        let (b, a, bias) = (self.cast_down(b), self.cast_down(a), self.cast_down(bias));
        self.products_onto(Some(&bias), [&a, &b])
    }

    /// A batch of products, whose factors are copied where matrices of theirs are neither rows nor
    /// columns one after the other (`prepare_batch_matrix_for_cublas`, `cuda/Blas.cpp`, torch 2.15).
    fn batch_gemm(
        &self,
        op: &'static str,
        (shape, k): (Shape, u64),
        factors: [&Tensor; 2],
    ) -> Tensor {
        self.computes(&[shape.numel(), k]);
        let out = self.empty(op, shape, factors[0].dtype());
        let _copies = factors.map(|factor| self.as_matrix(op, factor));
        self.gemm_workspace(op);
        out
    }

    /// A copy of a factor whose matrices are neither rows nor columns one after the other.
    fn as_matrix(&self, op: &'static str, x: &Tensor) -> Option<Tensor> {
        let strides = x.strides();
        let ([.., n, m], [.., down, right]) = (x.shape().dims(), strides.dims()) else {
            return None;
        };
        let is_one = x.is_contiguous()
            || (*right == 1 && down >= m)
            || (*down == 1 && right >= n)
            || (x.shape().rank() == 2 && x.is_dense());
        (!is_one).then(|| self.empty(op, *x.shape(), x.dtype()))
    }

    /// `bias.baddbmm(a, b, alpha=number)` of `[b, n, k]` and `[b, k, m]`, with a bias that gets no
    /// gradient. Saves as [`Tape::bmm`] does; each gradient is scaled.
    pub fn baddbmm(&self, bias: &Tensor, a: &Tensor, b: &Tensor) -> Tensor {
        // C++ evaluates the casts from the last argument to the first.
        let (b, a) = (self.cast_down(b), self.cast_down(a));
        let _bias = self.cast_down(bias);
        self.products_onto(None, [&a, &b])
    }

    /// Products added to a `bias` that gets a gradient; scaled, as their gradients are, where there is none.
    fn products_onto(&self, bias: Option<&Tensor>, [a, b]: [&Tensor; 2]) -> Tensor {
        let shape = Shape::from([a.dim(0), a.dim(1), b.dim(2)]);
        let out = self.batch_gemm("baddbmm", (shape, a.dim(2)), [a, b]);
        let inputs: Vec<&Tensor> = bias.into_iter().chain([a, b]).collect();
        if !self.records(&inputs) {
            return out;
        }
        let saved_a = b.requires_grad().then(|| self.save(a));
        let saved_b = a.requires_grad().then(|| self.save(b));
        let (shape_a, shape_b, scales) = (*a.shape(), *b.shape(), bias.is_none());
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let product = |sizes, factor: &Tensor| {
                    let product = t.batch_gemm("bmm", sizes, [g, factor]);
                    if scales {
                        t.like("mul", &product)
                    } else {
                        product
                    }
                };
                let a = saved_a.as_ref().map(|s| s.unpack(t));
                let b = saved_b.as_ref().map(|s| s.unpack(t));
                let of_a = b.as_ref().filter(|_| t.asks(usize::from(!scales)));
                let grad_a = of_a.map(|b| product((shape_a, g.dim(2)), b));
                let of_b = a.as_ref().filter(|_| t.asks(1 + usize::from(!scales)));
                let grad_b = of_b.map(|a| product((shape_b, g.dim(1)), a));
                let grad_bias = (!scales).then(|| Some(g.clone()));
                grad_bias.into_iter().chain([grad_a, grad_b]).collect()
            }),
        )
    }

    /// `torch.nn.functional.linear(x, weight, bias)`: `[.., in]` and `[out, in]` to `[.., out]`.
    /// Under autocast each call casts its own input; weights' casts are cached.
    pub fn linear(&self, x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Tensor {
        if self.wraps_parameters() {
            return self.linear_function(x, weight, bias);
        }
        self.plain_linear(x, weight, bias)
    }

    /// A linear layer as ATen computes it.
    pub(in crate::tape) fn plain_linear(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: Option<&Tensor>,
    ) -> Tensor {
        // C++ evaluates the casts from the last argument to the first.
        let bias = bias.map(|b| self.cast_down(b));
        let weight = self.cast_down(weight);
        let x = self.cast_down(x);
        self.without_autocast(|| {
            // Rows that do not lie one after the other are multiplied first (torch 2.6).
            if let Some(bias) = bias
                .as_ref()
                .filter(|_| x.shape().rank() > 2 && !x.is_contiguous())
            {
                let product = self.plain_linear(&x, &weight, None);
                return self.add_in_place(product, bias);
            }
            // The order in which the views are made decides which gradient is handed on first:
            // the weight is transposed before the input is flattened only without a bias
            // (`aten/src/ATen/native/Linear.cpp`, torch 2.15).
            let early = bias.is_none().then(|| self.t(&weight));
            if let Some(weight) = early.as_ref().filter(|_| keeps_samples(&x, &weight)) {
                return self.matmul(&x, weight);
            }
            let mut shape = *x.shape();
            let last = shape.rank() - 1;
            shape.dims_mut()[last] = weight.dim(0);
            let flat = if x.shape().rank() == 2 {
                x.clone()
            } else {
                self.reshape(&x, [x.numel() / x.dim(-1).max(1), x.dim(-1)])
            };
            let transposed = early.unwrap_or_else(|| self.t(&weight));
            let out = match &bias {
                Some(bias) => self.addmm(bias, &flat, &transposed),
                None => self.mm(&flat, &transposed),
            };
            if shape.rank() == 2 {
                out
            } else if bias.is_some() {
                self.view(&out, shape)
            } else {
                self.unsafe_view(&out, shape)
            }
        })
    }
}

/// Whether `torch.matmul` of x with a transposed weight does without one matrix of all rows: it
/// would have to be copied, and the weight is none that gets a gradient (`should_fold`,
/// `aten/src/ATen/native/LinearAlgebra.cpp`, torch 2.15).
fn keeps_samples(x: &Tensor, weight: &Tensor) -> bool {
    let strides = x.strides();
    let (sizes, strides) = (x.shape().dims(), strides.dims());
    let follows = |d: usize| strides[d] == strides[d + 1] * sizes[d + 1];
    let rank = sizes.len();
    rank > 2 && x.numel() > 0 && !weight.requires_grad() && !(0..rank - 2).all(follows)
}

/// The strides of a factor that is a transposed view.
fn transposed(factor: &Tensor) -> Option<Strides> {
    (!factor.is_contiguous() && factor.is_dense()).then(|| factor.strides())
}

/// The gradient of a transposed factor is computed transposed and seen through a transpose
/// (`mm_mat2_backward`), so that a weight's gradient is row-major.
fn seen_as(grad: Tensor, order: Option<Strides>) -> Tensor {
    match order {
        Some(strides) => grad.view_with(*grad.shape(), strides, None),
        None => grad,
    }
}

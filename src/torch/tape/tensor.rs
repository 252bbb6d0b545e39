//! Tensors: a shape over a storage, with a place in the graph.

use super::graph::{Edge, GradientDType, Leaf, ParameterId};
use super::layout::{self, Strides};
use super::recorder::Storage;
use super::{Category, Placement};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// A tensor without its numbers. Cloning it is a second reference, as in Python; when the last
/// one is dropped its storage is freed, unless another tensor is a view of it.
#[derive(Clone)]
pub struct Tensor(Rc<Impl>);

/// Dropped in this order: the graph goes before the storage (`TensorImpl::release_resources`).
struct Impl {
    edge: Option<Edge>,
    storage: Rc<Storage>,
    shape: Shape,
    /// None where elements lie in row-major order, as in most tensors: models have hundreds of
    /// thousands.
    strides: Option<Box<Strides>>,
    dtype: DType,
    view: bool,
    placement: Placement,
    /// Elements of the storage before its own (of more than four billion the rest of a division), by which views are told apart.
    offset: u32,
}

impl Impl {
    fn row_major(storage: Rc<Storage>, shape: Shape, dtype: DType) -> Self {
        Self {
            storage,
            shape,
            strides: None,
            dtype,
            edge: None,
            view: false,
            placement: Placement::Local,
            offset: 0,
        }
    }

    /// A tensor with this storage and these sizes outside of the graph, in row-major order.
    fn outside(&self) -> Self {
        Self {
            view: self.view,
            placement: self.placement,
            offset: self.offset,
            ..Self::row_major(Rc::clone(&self.storage), self.shape, self.dtype)
        }
    }
}

/// A tensor but for its storage, outside of the graph.
#[derive(Clone)]
pub(super) struct Like {
    shape: Shape,
    strides: Option<Box<Strides>>,
    dtype: DType,
    placement: Placement,
}

impl Like {
    /// A tensor like this over `storage`. Reuses the allocation of `there` if nobody else holds it.
    pub(super) fn over<'a>(
        &self,
        storage: &Rc<Storage>,
        there: &'a mut Option<Tensor>,
    ) -> &'a Tensor {
        let tensor = Impl {
            strides: self.strides.clone(),
            placement: self.placement,
            ..Impl::row_major(Rc::clone(storage), self.shape, self.dtype)
        };
        match there.take() {
            Some(mut before) => {
                match Rc::get_mut(&mut before.0) {
                    Some(inner) => *inner = tensor,
                    None => before = Tensor(Rc::new(tensor)),
                }
                there.insert(before)
            }
            None => there.insert(Tensor(Rc::new(tensor))),
        }
    }
}

/// Strides as a tensor keeps them.
fn kept(shape: &Shape, strides: Strides) -> Option<Box<Strides>> {
    (strides != layout::contiguous(shape)).then(|| Box::new(strides))
}

impl Tensor {
    pub(super) fn new(storage: Rc<Storage>, shape: Shape, strides: Strides, dtype: DType) -> Self {
        let strides = kept(&shape, strides);
        Self(Rc::new(Impl {
            strides,
            ..Impl::row_major(storage, shape, dtype)
        }))
    }

    /// A tensor whose elements lie in row-major order.
    pub(super) fn row_major(storage: Rc<Storage>, shape: Shape, dtype: DType) -> Self {
        Self(Rc::new(Impl::row_major(storage, shape, dtype)))
    }

    /// A view of this storage with another shape. Like PyTorch's views it keeps its base alive, so the autograd engine
    /// never accumulates into it in place.
    pub(super) fn view_with(&self, shape: Shape, strides: Strides, edge: Option<Edge>) -> Self {
        Self(Rc::new(Impl {
            shape,
            strides: kept(&shape, strides),
            edge,
            view: true,
            ..self.0.outside()
        }))
    }

    /// This view, moved on by `elements` elements in the storage.
    pub(super) fn beginning(mut self, elements: u64) -> Self {
        if let Some(inner) = Rc::get_mut(&mut self.0) {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it tells views apart, no more"
            )]
            let further = elements as u32;
            inner.offset = inner.offset.wrapping_add(further);
        }
        self
    }

    /// Elements of the storage before its own.
    pub(super) fn offset(&self) -> u32 {
        self.0.offset
    }

    /// The tensor but for its storage.
    pub(super) fn like(&self) -> Like {
        Like {
            shape: self.0.shape,
            strides: self.0.strides.clone(),
            dtype: self.0.dtype,
            placement: self.0.placement,
        }
    }

    /// Whether this is the same tensor, not only another of its numbers (`is` of Python).
    pub fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// A number that no other living tensor has (`id` of Python).
    pub fn identity(&self) -> usize {
        Rc::as_ptr(&self.0).addr()
    }

    /// A fresh tensor, put into the graph.
    pub(super) fn with_edge(mut self, edge: Edge) -> Self {
        if let Some(inner) = Rc::get_mut(&mut self.0) {
            inner.edge = Some(edge);
            return self;
        }
        let mut copy = self.detach();
        if let Some(inner) = Rc::get_mut(&mut copy.0) {
            inner.edge = Some(edge);
        }
        copy
    }

    /// `Tensor.detach()`: the same storage outside of the graph.
    pub fn detach(&self) -> Self {
        Self(Rc::new(Impl {
            strides: self.0.strides.clone(),
            ..self.0.outside()
        }))
    }

    /// A tensor with this layout over another storage, outside of the graph.
    pub(super) fn detach_over(&self, storage: &Rc<Storage>) -> Self {
        Self(Rc::new(Impl {
            storage: Rc::clone(storage),
            strides: self.0.strides.clone(),
            ..self.0.outside()
        }))
    }

    /// A tensor with this storage outside of the graph, with another shape.
    pub(super) fn detach_as(&self, shape: Shape, strides: Strides) -> Self {
        Self(Rc::new(Impl {
            shape,
            strides: kept(&shape, strides),
            ..self.0.outside()
        }))
    }

    /// A tensor with this storage outside of the graph, with this placement.
    pub fn placed(&self, placement: Placement) -> Self {
        Self(Rc::new(Impl {
            strides: self.0.strides.clone(),
            placement,
            ..self.0.outside()
        }))
    }

    /// How a parameter is placed among ranks.
    pub fn placement(&self) -> Placement {
        self.0.placement
    }

    /// The sizes.
    pub fn shape(&self) -> &Shape {
        &self.0.shape
    }

    /// Size of dimension `i`, counted from the end when negative.
    pub fn dim(&self, i: isize) -> u64 {
        self.0.shape.dim(i)
    }

    pub(super) fn strides(&self) -> Strides {
        let kept = self.0.strides.as_deref();
        kept.map_or_else(|| layout::contiguous(&self.0.shape), |strides| *strides)
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// Elements.
    pub fn numel(&self) -> u64 {
        self.0.shape.numel()
    }

    /// Bytes of the elements.
    pub fn nbytes(&self) -> u64 {
        self.numel() * self.0.dtype.size()
    }

    /// Whether a gradient flows to it.
    pub fn requires_grad(&self) -> bool {
        match &self.0.edge {
            Some(Edge::Redirected(place)) => place.borrow().is_some(),
            edge => edge.is_some(),
        }
    }

    pub(super) fn edge(&self) -> Option<&Edge> {
        self.0.edge.as_ref()
    }

    /// Notes that this parameter is the weight of an `nn.Embedding`.
    pub fn note_embedding(&self) {
        if let Some(Edge::Leaf(leaf)) = self.edge() {
            leaf.of_embedding.set(true);
        }
    }

    /// Whether it is the weight of an `nn.Embedding` that gets a gradient.
    pub fn is_embedding(&self) -> bool {
        matches!(self.edge(), Some(Edge::Leaf(leaf)) if leaf.of_embedding.get())
    }

    /// The parameter this tensor is, if it is one.
    pub(super) fn parameter(&self) -> Option<ParameterId> {
        match &self.0.edge {
            Some(Edge::Leaf(leaf)) if !self.0.view => leaf.parameter.get(),
            _ => None,
        }
    }

    /// The leaf that this input is, if it is one.
    pub(super) fn input(&self) -> Option<&Rc<Leaf>> {
        match &self.0.edge {
            Some(Edge::Leaf(leaf)) if !self.0.view && leaf.input.is_some() => Some(leaf),
            _ => None,
        }
    }

    /// The gradient of a leaf, which gives it up.
    pub fn take_gradient(&self) -> Option<Self> {
        match &self.0.edge {
            Some(Edge::Leaf(leaf)) => leaf.grad.take(),
            _ => None,
        }
    }

    /// The gradient of a leaf.
    pub fn gradient(&self) -> Option<Self> {
        match &self.0.edge {
            Some(Edge::Leaf(leaf)) => leaf.grad.borrow().clone(),
            _ => None,
        }
    }

    /// Sets the dtype in which a leaf takes its gradients.
    pub fn set_gradient_dtype(&self, dtype: GradientDType) {
        if let Some(Edge::Leaf(leaf)) = &self.0.edge {
            leaf.gradient_dtype.set(dtype);
        }
    }

    /// Puts a gradient in the place of that of a leaf, which goes.
    pub fn set_gradient(&self, gradient: Option<Self>) {
        if let Some(Edge::Leaf(leaf)) = &self.0.edge {
            leaf.grad.replace(gradient);
        }
    }

    /// A part of this storage with another shape, row-major and outside of the graph.
    pub fn part(&self, shape: Shape) -> Self {
        self.view_with(shape, layout::contiguous(&shape), None)
    }

    /// Whether elements lie in row-major order.
    pub fn is_contiguous(&self) -> bool {
        let kept = self.0.strides.as_deref();
        kept.is_none_or(|strides| layout::is_contiguous(&self.0.shape, strides))
    }

    pub(super) fn is_dense(&self) -> bool {
        let kept = self.0.strides.as_deref();
        kept.is_none_or(|strides| layout::is_dense(&self.0.shape, strides))
    }

    /// Whether nobody else holds this tensor or its storage, so that the engine may add to it in
    /// place (`can_accumulate_inplace`, `torch/csrc/autograd/input_buffer.cpp`, torch 2.15).
    pub(super) fn is_exclusive(&self) -> bool {
        !self.0.view
            && Rc::strong_count(&self.0) == 1
            && Rc::strong_count(&self.0.storage) == 1
            && self.is_dense()
    }

    /// The number that its storage had before the record was unfolded.
    pub(super) fn folded_id(&self) -> u32 {
        self.0.storage.id()
    }

    /// How many hold this very tensor.
    pub(super) fn use_count(&self) -> usize {
        Rc::strong_count(&self.0)
    }

    /// Sets the category of the storage.
    pub fn set_category(&self, category: Category) {
        self.0.storage.set_category(category);
    }

    /// Stands for the given storage from here on.
    pub fn take_storage(&self, storage: &Storage) {
        self.0.storage.become_other(storage);
    }

    /// The storage of the tensor that it is a view of.
    pub(super) fn storage_of_base(&self) -> Option<&Rc<Storage>> {
        self.0.view.then_some(&self.0.storage)
    }

    /// Its storage.
    pub(super) fn storage(&self) -> &Rc<Storage> {
        &self.0.storage
    }

    /// The storage's purpose, as far as it is known.
    pub(super) fn category(&self) -> Category {
        self.0.storage.category()
    }

    /// Its storage's place in [`super::Tape::with_storages`].
    pub fn storage_id(&self) -> u32 {
        self.0.storage.place()
    }

    /// Whether it has no storage, or one that nobody records.
    pub fn has_no_storage(&self) -> bool {
        self.0.storage.is_nothing()
    }

    /// Its storage is gone already.
    pub(super) fn forget_storage(&self) {
        self.0.storage.forget();
    }

    /// Frees the storage, whoever holds it.
    pub fn free_storage(&self) {
        self.0.storage.free();
    }
}

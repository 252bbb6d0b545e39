//! The shape-only autograd: PyTorch without the numbers.
//!
//! A model is written with the methods of [`Tape`] the way its PyTorch module reads. Each
//! operation is defined once, in `ops`: what it returns, what it saves, what it allocates for a
//! moment and how its gradient is computed. Dropping the last reference of a tensor frees its
//! storage; [`Tape::backward`] derives the backward pass from the graph. What comes out is a
//! record of every allocation and free in program order, each storage with the stream it is for
//! ([`Tape::on_stream`]).
//!
//! The room knows no model, no optimizer and no allocator.
//!
//! Invariants: no floating point, no clock, no iteration over hash maps: the same program gives
//! the same record everywhere. Every free is of a storage that is alive. After a backward pass
//! nothing is alive that the caller does not hold, but the gradients of parameters.

mod autocast;
mod cache;
mod cache_kind;
mod category;
mod checkpoint;
mod details;
mod engine;
mod event;
mod fixed_cache;
mod folds;
mod graph;
mod hooks;
mod kept_operations;
mod later;
mod layer_states;
mod layout;
mod left_out;
mod levels;
mod on_host;
mod ops;
mod parameters;
mod partial;
mod placement;
mod placing;
mod record;
mod recorded;
mod recorder;
mod repeats;
mod runs;
mod scopes;
mod steps;
mod storages;
mod streams;
mod sweeps;
mod tensor;
mod turns;
mod unfold;
mod work;

pub use category::Category;
pub use checkpoint::{Function, Region, Results};
pub use details::Details;
pub use event::{Awaited, Event};
pub use folds::{Built, ListId};
pub use graph::{BackwardHook, GradientDType};
pub use hooks::{Called, Hooked, ModuleHooks, OwnHooks, ParameterHooks};
pub use kept_operations::KeptOperations;
pub use on_host::HostCopies;
pub use ops::{
    Divergence, EightBit, FlaVersion, FourBit, Gathered, Headed, Kept, LigerRelease, LoraInput,
    LoraLayer, LoraWeight, Nf4, Packed, Recurrence, RecurrentCell, RecurrentLayer, Reduction, Ring,
    Sdpa, SdpaKernel, Steps, TokenOutputs, Transcripts, Window, Windows,
};
pub use partial::{GradientEdge, ParameterGroup};
pub use record::{Piece, Record, RecordedEvent};
pub use recorder::Storage;
pub use runs::Run;
pub use scopes::Scopes;
pub use steps::StepBegins;
pub use storages::{Asked, RawStorage, Storages};
pub use tensor::Tensor;
pub use turns::Turns;
pub use work::{Collective, Pass, Work};
pub use {fixed_cache::Places, left_out::Whole, levels::Which, placement::Placement};

use crate::units::{DType, Shape};
use autocast::Autocast;
use checkpoint::{Frame, Recompute};
use graph::Edge;
use parameters::Parameter;
pub use parameters::{Registered, Role, by_module};
use recorder::Recorder;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
pub use {cache::KeyValueCache, cache_kind::CacheKind};

/// Facts of the machine and the framework version below the level of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backend {
    /// Bytes of cuBLAS workspace that a matrix product takes from the caching allocator.
    pub gemm_workspace: u64,
    /// Bytes of cuBLASLt workspace that a product with a bias takes.
    pub gemm_bias_workspace: u64,
    /// Whether the cuBLAS workspace is taken once a thread and kept (torch 2.6 and 2.11), or taken and
    /// returned around each product (torch 2.15).
    pub gemm_workspace_persistent: bool,
    /// Whether the cuBLASLt workspace is kept in the same way (torch 2.11).
    pub gemm_bias_workspace_persistent: bool,
    /// Whether cuBLASLt adds a matrix as it adds a bias (torch 2.15).
    pub bias_may_be_matrix: bool,
    /// Streaming multiprocessors; reductions and flash attention size their scratch by them.
    pub multiprocessors: u64,
    /// Threads that one of them runs at once.
    pub threads_per_multiprocessor: u64,
    /// Whether the radix sort looks only at the bits that keys can have (torch 2.15).
    pub sorts_by_needed_bits: bool,
    /// Whether `topk` sums its digits over blocks and `multinomial` holds the extremes that it looks at
    /// (torch 2.15).
    pub sampling_is_recent: bool,
    /// Whether sdpa's fused kernels take fewer heads of keys and values than of queries without
    /// being told (torch 2.15).
    pub sdpa_broadcasts_heads: bool,
    /// Whether `FlashAttention` keeps the random generator's state on the device (torch 2.11 and 2.15).
    pub flash_keeps_generator: bool,
    /// Whether the memory-efficient kernel does (torch 2.15).
    pub efficient_keeps_generator: bool,
    /// Whether the multi-tensor norm keeps one number a chunk (torch 2.15) or as many for each
    /// tensor as the largest one has chunks (torch 2.6).
    pub foreach_norm_packs_chunks: bool,
    /// Whether a `torch.autograd.Function` drops its incoming gradients before the gradients that it returns are
    /// checked (torch 2.15).
    pub functions_release_gradients: bool,
    /// Whether the copies of parameters that autocast keeps get gradients even if they are made where
    /// none are asked for (`cached_cast`, `aten/src/ATen/autocast_mode.cpp`).
    pub kept_casts_get_gradients: bool,
    /// Whether the host reads where groups end for `grouped_mm` of bf16, as it does of others (not on Hopper and datacenter
    /// Blackwell).
    pub grouped_mm_waits: bool,
    /// Whether `rms_norm` is one kernel (torch 2.15).
    pub rms_norm_is_fused: bool,
    /// The version of flash-linear-attention.
    pub fla: FlaVersion,
    /// The version of Liger.
    pub liger: LigerRelease,
}

/// The libraries whose workspaces a thread may keep.
#[derive(Clone, Copy)]
enum Library {
    Blas,
    BlasLt,
}

/// A function that runs whenever a parameter has its gradient.
type GradientHook = Rc<dyn Fn(&Tape)>;

/// Records a program of tensor operations.
pub struct Tape {
    recorder: Rc<Recorder>,
    backend: Backend,
    grad_enabled: Cell<bool>,
    in_backward: Cell<bool>,
    /// The inputs that the node which goes backward is asked gradients of, if not all.
    asked: RefCell<Option<partial::AskedInputs>>,
    seq: Cell<u32>,
    pass: Cell<u32>,
    parameters: RefCell<Vec<Parameter>>,
    shown: Cell<parameters::Shown>,
    gradient_hook: RefCell<Option<GradientHook>>,
    hooks: hooks::Hooks,
    /// Data of parameters that views in the graph keep.
    viewed: later::Viewed,
    /// Every parameter, trained or not, where a wrapper asks for them, and whether it redirects them.
    registered: RefCell<Option<(bool, Vec<Registered>)>>,
    once_made: RefCell<Option<parameters::OnceMade>>,
    /// The dtype of tensors that take the memory of another dtype, and that one.
    kept: Cell<Option<[DType; 2]>>,
    /// Whether parameters that are made get no memory.
    parameters_elsewhere: Cell<bool>,
    autocast: RefCell<Option<Autocast>>,
    placing: placing::Placing,
    /// Whether modules are in training mode.
    training: Cell<bool>,
    /// Keys and values that attention keeps between forward passes.
    cache: RefCell<Option<KeyValueCache>>,
    /// Lists of modules that repeat.
    repeats: RefCell<repeats::Repeats>,
    /// Masks that flash-linear-attention keeps.
    packing: ops::Packing,
    /// Tensors that are kept on the host.
    on_host: on_host::State,
    /// Operations whose results checkpointed regions keep.
    kept_operations: Cell<Option<KeptOperations>>,
    /// Whether the running operations are parts of one operation of a library.
    in_operation: Cell<bool>,
    /// `n`: every `n`-th region is checkpointed; `regions` counts those of this forward pass.
    checkpoint_every: Cell<(u64, bool)>,
    regions: Cell<u64>,
    /// The checkpointed region that is running forward for the first time.
    checkpoint: RefCell<Option<Rc<Frame>>>,
    /// The checkpointed region that is being recomputed.
    recompute: RefCell<Option<Rc<Recompute>>>,
    /// Workspaces of cuBLAS and of cuBLASLt that stay: of the main thread and of autograd's.
    workspaces: RefCell<[[Option<recorder::Storage>; 2]; 2]>,
}

impl Tape {
    /// An empty record.
    pub fn new(backend: Backend) -> Self {
        Self {
            recorder: Recorder::new(),
            backend,
            grad_enabled: Cell::new(true),
            in_backward: Cell::new(false),
            asked: RefCell::default(),
            seq: Cell::new(0),
            pass: Cell::new(0),
            parameters: RefCell::default(),
            shown: Cell::default(),
            gradient_hook: RefCell::default(),
            hooks: hooks::Hooks::default(),
            viewed: later::Viewed::default(),
            registered: RefCell::default(),
            once_made: RefCell::default(),
            kept: Cell::new(None),
            parameters_elsewhere: Cell::new(false),
            autocast: RefCell::default(),
            placing: placing::Placing::default(),
            training: Cell::new(true),
            on_host: on_host::State::default(),
            kept_operations: Cell::default(),
            in_operation: Cell::new(false),
            checkpoint_every: Cell::new((1, false)),
            regions: Cell::new(0),
            cache: RefCell::default(),
            repeats: RefCell::default(),
            packing: ops::Packing::default(),
            checkpoint: RefCell::default(),
            recompute: RefCell::default(),
            workspaces: RefCell::default(),
        }
    }

    /// An empty record that also keeps the operations that made the storages.
    pub fn with_details(backend: Backend) -> Self {
        let tape = Self::new(backend);
        tape.recorder.keep_details();
        tape
    }

    /// A tape that records nothing, for a model that is built and never run.
    pub fn silent() -> Self {
        let tape = Self::new(Backend::default());
        tape.recorder.mute(true);
        tape
    }

    /// The machine and framework version.
    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// A new storage with its tensor, row-major and outside of the graph.
    pub fn empty(&self, op: &'static str, shape: Shape, dtype: DType) -> Tensor {
        self.allocate(op, shape, dtype, Category::Temporaries)
    }

    fn empty_strided(
        &self,
        op: &'static str,
        shape: Shape,
        strides: Shape,
        dtype: DType,
    ) -> Tensor {
        let storage = self.hold(op, &shape, dtype, Category::Temporaries);
        Tensor::new(Rc::new(storage), shape, strides, dtype)
    }

    /// A new tensor that is known from the start to be for `category`.
    pub fn allocate(
        &self,
        op: &'static str,
        shape: Shape,
        dtype: DType,
        category: Category,
    ) -> Tensor {
        let storage = self.hold(op, &shape, dtype, category);
        Tensor::row_major(Rc::new(storage), shape, dtype)
    }

    /// Memory that an operation takes for a moment, in bytes; drop it to return it.
    fn scratch(&self, op: &'static str, bytes: u64) -> recorder::Storage {
        self.recorder.alloc(bytes, Category::Temporaries, op)
    }

    /// Memory for a moment, as much as `x` takes, that nothing reads; drop it to return it.
    pub fn scratch_like(&self, op: &'static str, x: &Tensor) -> Storage {
        self.hold(op, x.shape(), x.dtype(), Category::Temporaries)
    }

    /// Memory of a tensor that is never looked at; drop it to return it.
    pub fn hold(
        &self,
        op: &'static str,
        shape: &Shape,
        dtype: DType,
        category: Category,
    ) -> Storage {
        let bytes = shape.numel() * self.kept_as(dtype).size();
        let storage = self.recorder.alloc(bytes, category, op);
        self.recorder.describe(&storage, shape, dtype);
        storage
    }

    /// Runs `build`, in which tensors of the first dtype take the memory of the second: they are cast to the
    /// first before they are computed with.
    pub fn with_memory_of<R>(&self, dtypes: [DType; 2], build: impl FnOnce() -> R) -> R {
        self.kept.set(Some(dtypes));
        let built = build();
        self.kept.set(None);
        built
    }

    /// Runs `build`, whose parameters get no memory: those of a model on the host.
    pub fn with_parameters_elsewhere<R>(&self, build: impl FnOnce() -> R) -> R {
        self.parameters_elsewhere.set(true);
        let built = build();
        self.parameters_elsewhere.set(false);
        built
    }

    /// The dtype that the memory of a tensor of this one is for.
    pub fn kept_as(&self, dtype: DType) -> DType {
        match self.kept.get() {
            Some([computed, kept]) if computed == dtype => kept,
            _ => dtype,
        }
    }

    fn next_pass(&self) -> u32 {
        self.pass.set(self.pass.get() + 1);
        self.pass.get()
    }

    /// The library workspace around a matrix product (`getCUDABlasLtWorkspace` and
    /// `getNewWorkspace`, `aten/src/ATen/cuda/CublasHandlePool.cpp`): taken and returned in torch
    /// 2.15, kept for each thread that multiplies before.
    fn gemm_workspace(&self, op: &'static str) {
        let bytes = self.backend.gemm_workspace;
        if self.backend.gemm_workspace_persistent {
            self.keep_workspace(Library::Blas, bytes, op);
        } else {
            drop(self.recorder.alloc(bytes, Category::Workspaces, op));
        }
    }

    /// The workspace of a product with a bias, which cuBLASLt computes. The handle comes with the
    /// workspace that torch 2.6 and 2.11 keep for it.
    fn gemm_bias_workspace(&self, op: &'static str) {
        let bytes = self.backend.gemm_bias_workspace;
        if self.backend.gemm_bias_workspace_persistent {
            self.gemm_workspace(op);
            self.keep_workspace(Library::BlasLt, bytes, op);
            return;
        }
        let own = self.recorder.alloc(bytes, Category::Workspaces, op);
        if self.backend.gemm_workspace_persistent {
            self.gemm_workspace(op);
        }
        drop(own);
    }

    /// A workspace that this thread keeps from its first product on.
    fn keep_workspace(&self, of: Library, bytes: u64, op: &'static str) {
        if self.recorder.is_muted() {
            return;
        }
        let mut workspaces = self.workspaces.borrow_mut();
        workspaces[of as usize][usize::from(self.in_backward.get())]
            .get_or_insert_with(|| self.recorder.alloc(bytes, Category::Workspaces, op));
    }

    /// `x.detach().requires_grad_()`: the same storage as the beginning of a graph. Its gradient is
    /// kept as long as it, or a graph that leads to it, lives.
    pub fn input_leaf(&self, x: &Tensor) -> Tensor {
        x.detach().with_edge(Edge::of_input(x.detach()))
    }

    /// Sets whether operations are recorded for backward and returns the former setting.
    pub fn set_grad_enabled(&self, enabled: bool) -> bool {
        self.grad_enabled.replace(enabled)
    }

    /// A forward pass of a model begins.
    pub fn begin_forward(&self) {
        self.rewind_cache();
        self.regions.set(0);
    }

    /// `model.train(training)`: whether dropout drops anything.
    pub fn train(&self, training: bool) {
        self.training.set(training);
    }

    /// Whether modules are in training mode.
    pub fn is_training(&self) -> bool {
        self.training.get()
    }

    /// Runs `f` in the scope `name` below the current one.
    pub fn scoped<R>(&self, name: &'static str, index: Option<u32>, f: impl FnOnce() -> R) -> R {
        let scope = self.recorder.child(self.recorder.scope(), name, index);
        self.in_scope(scope, f)
    }

    /// The current scope.
    pub fn scope(&self) -> u32 {
        self.recorder.scope()
    }

    /// The scope `name` (with its index, when it is one of several) below `parent`.
    pub fn child_scope(&self, parent: u32, name: &'static str, index: Option<u32>) -> u32 {
        self.recorder.child(parent, name, index)
    }

    /// The path of a scope, as in `model.layers.3.mlp`.
    pub fn scope_path(&self, scope: u32) -> String {
        self.recorder.path(scope)
    }

    /// The layer that a scope is, or is in: its index in the outermost list of modules.
    pub fn layer_of(&self, scope: u32) -> Option<u64> {
        let layer = self.recorder.outermost_item(scope)?;
        self.recorder.index_of(layer).map(u64::from)
    }

    /// The outermost element of a list of modules that a scope is, or is in.
    pub fn outermost_item(&self, scope: u32) -> Option<u32> {
        self.recorder.outermost_item(scope)
    }

    /// Whether one scope is another one or within it.
    pub fn is_within(&self, scope: u32, outer: u32) -> bool {
        self.recorder.is_within(scope, outer)
    }

    /// Runs `build`, whose tensors get no memory (`torch.device("meta")`).
    pub fn without_memory<R>(&self, build: impl FnOnce() -> R) -> R {
        let before = self.recorder.is_muted();
        self.recorder.mute(true);
        let built = build();
        self.recorder.mute(before);
        built
    }

    /// Runs `build`, whose tensors another rank has: they get no memory, and neither the optimizer nor a
    /// wrapper comes to them.
    pub fn elsewhere<R>(&self, build: impl FnOnce() -> R) -> R {
        let registered = self.registered.take();
        let built = self
            .placing
            .elsewhere(|| self.without_memory(|| self.with_own_parameters(build)));
        self.registered.replace(registered);
        built
    }

    /// Whether a backward pass is going on.
    pub fn is_in_backward(&self) -> bool {
        self.in_backward.get()
    }

    /// Runs `f` in `scope`.
    pub fn in_scope<R>(&self, scope: u32, f: impl FnOnce() -> R) -> R {
        let before = self.recorder.scope();
        self.recorder.set_scope(scope);
        let result = f();
        self.recorder.set_scope(before);
        result
    }

    /// The scope in which the tensor's storage was made.
    pub fn scope_of(&self, x: &Tensor) -> u32 {
        self.recorder.scope_of(x.storage_id())
    }

    /// Writes a mark into the record.
    pub fn mark(&self, mark: u32) {
        self.recorder.note(Event::Mark(mark));
    }

    /// `torch.cuda.empty_cache()`.
    pub fn empty_cache(&self) {
        self.recorder.note(Event::EmptyCache);
    }

    /// Calls `f` with the written storages so far; two repetitions represent all where storages repeat.
    pub fn with_storages<R>(&self, f: impl FnOnce(&mut Storages) -> R) -> R {
        f(self.recorder.record_mut().written_mut())
    }

    /// How many storages there have been.
    pub fn storage_count(&self) -> usize {
        self.recorder.count()
    }
}

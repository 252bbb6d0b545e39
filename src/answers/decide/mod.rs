//! Questions that many estimates answer: how far a setting can go, and which settings fit at what cost.
//!
//! A [`Solver`] looks for the value of one [`Axis`] of a scenario that only just fits: the largest micro-batch,
//! the longest sequence, the fewest GPUs, the smallest GPU of the catalog; [`solve`] has found it. [`gpus_curve`] says what a rank needs
//! against the number of GPUs, [`sweep`] what each phase needs against the micro-batch size, a [`StopSweeper`] what binds at
//! the stops of a slider, a [`MemoryMap`]
//! what a run needs over two numbers. [`long_batches`] says how often batches come that are longer than what fits. A [`Planner`] looks
//! for the settings that fit and that no others dominate. An [`Adviser`] says what to change where a run does not
//! fit, and what there is room for where it does. A [`BindingStage`] is the stage of a pipeline that needs most. [`MeasuredCases`] says how many cases like a
//! scenario were measured, and how far off the estimates were.
//!
//! Each is a [`Question`]: it goes on by one estimate at a time and asks an [`Estimator`] for it, so that a page can
//! spread them over frames, and have them made side by side elsewhere.
//!
//! Nothing here knows how an estimate is made or shown: every value was estimated by the report's [`estimate`],
//! whose verdict (GPU memory as PyTorch gives cached segments back, and host RAM) is the only judge.
//!
//! Invariants: a solution fits; the value after it does not, or is refused; a value that is refused is stepped
//! over and never taken as too large.
//!
//! # Known limitations
//! - What does not fit need not fit when it is larger, but now and then it does: kernels and the allocator like
//!   some sizes better than the ones before. The solver looks at multiples of powers of two right after the
//!   first value that does not fit, not at all that come later (see [`Solver`]).
//! - The verdict is that of the rank which an estimate looks at: the binding stage of a pipeline, the named rank
//!   of data parallelism.
//!
//! [`estimate`]: crate::report::estimate

mod advice;
mod axis;
mod binding;
mod curve;
mod gpus;
mod listed;
mod long_batches;
mod long_steps;
mod map;
mod measured;
mod method;
mod number;
mod pixels;
mod plan;
mod question;
mod ranks;
mod search;
mod solver;
mod stops;
mod sweep;

pub use advice::{
    Advice, AdviceGroup, AdviceTable, Adviser, Beyond, Outcome, Price, ReadyKind, ReadyPlan,
    Remedy, RemedyKind, Room, RoomKind, Step, WayOut, advice, first_remedy, plan_beyond, ways_out,
};
pub use axis::Axis;
pub use binding::BindingStage;
pub use curve::{GpusCurve, GpusCurves, GpusPoint, Sharding, gpus_curve};
pub use gpus::{gpus_of, with_gpus};
pub use long_batches::{LongBatches, Quantile, long_batches};
pub use long_steps::{LongSteps, LongStepsSearch, OutOfMemoryAt, SegmentsRun, long_steps};
pub use map::{CellCounts, MapCell, MapEdge, MemoryMap};
pub use measured::{
    CaseErrors, CaseKey, CaseKind, Divided, MeasuredCases, MeasuredOn, Near, Runs, Trained,
};
pub use method::{Method, on_gpus};
pub use plan::{
    Adapters, Altered, Freedom, GpuModel, Gpus, Looked, LookedPart, NearMiss, Nearest, PlanColumn,
    PlanOptions, PlanOrder, PlanTable, Planner, Plans, Rejection, RunPlan, Why, plans,
};
pub use question::{Answer, AtOnce, Estimator, Grid, Progress, Question, Survey};
pub use solver::{Solution, Solver, solve};
pub use stops::{Stop, StopRun, StopSweeper, with_value};
pub use sweep::{Sweeper, sweep};

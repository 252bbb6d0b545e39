//! Figures as plain data: what a report looks like when it is shown, before anything is drawn.
//!
//! Bars with their parts as shares of a scale, the table of phases, and a snapshot beside an estimate. It knows no words, no
//! colours and no page; the views show what they find here and do no arithmetic of their own.
//!
//! Invariants: parts come in the one order that every figure uses; shares are between 0 and 1;
//! the counted parts of a bar add up to its total.

mod bar;
mod compare;
mod device;
mod explained;
mod held;
mod host;
mod peaks;
mod purposes;
mod ribbon;
mod table;
mod tensors;
mod zoom;

pub use bar::{CapacityBar, Part, SMALL, Standing, parted};
pub use compare::{Comparison, Pair, compare_device, compare_host, on_one_device};
pub use device::{DevicePart, binding_step, cached_with_room, device_bar, device_parts};
pub use explained::Explained;
pub use held::Held;
pub use host::{HostBarPart, NodeRow, host_bar, host_parts, node_rows};
pub use peaks::{PhasePeak, phase_peaks};
pub use purposes::{PurposeRow, purpose_color, purpose_rows};
pub use ribbon::{Ribbon, RibbonLimit, RibbonPart, RibbonTick, crossed};
pub use table::{HostTable, PhaseTable, host_table, phase_table};
pub use tensors::{TensorGroup, tensor_groups};
pub use zoom::zoomed;

//! The host's bar.

use super::CapacityBar;
use crate::host::{HostEstimate, HostPart};
use crate::units::Bytes;

/// A part of the host's memory as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostBarPart {
    /// Memory in use.
    Used(HostPart),
    /// Parts too small to be shown one by one.
    Small,
    /// Page cache: the kernel gives it up when memory is needed.
    PageCache,
}

impl HostBarPart {
    /// A stable name for style sheets.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Used(part) => part.name(),
            Self::Small => "small",
            Self::PageCache => "page_cache",
        }
    }
}

/// Host memory at its own peak, against the RAM of the node.
pub fn host_bar(host: &HostEstimate, ram: Bytes) -> CapacityBar<HostBarPart> {
    let parts = host
        .peak
        .composition
        .iter()
        .map(|&(part, bytes)| (HostBarPart::Used(part), bytes));
    CapacityBar::folded(parts, HostBarPart::Small, ram)
        .with_uncounted(HostBarPart::PageCache, host.page_cache)
}

//! A snapshot in few numbers, as it is shown, without its events.

use super::{AllocatorState, Device, Guess, Largest, Moment, Peak, Snapshot};
use serde::{Deserialize, Serialize};

/// The parts of a snapshot that are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    /// Its devices, by number.
    pub devices: Vec<DeviceOverview>,
}

/// The parts that are shown of one device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceOverview {
    /// Its number.
    pub device: usize,
    /// The most that tensors held.
    pub peak_allocated: Peak,
    /// The most that segments took.
    pub peak_reserved: Peak,
    /// The largest blocks at the peak of the allocated, the largest first.
    pub largest: Vec<Largest>,
    /// The phase of the program at the peak and when the largest blocks were made, and the purposes of blocks, if
    /// frames allow a guess.
    pub guess: Option<Guess>,
    /// Its segments at the peak, or when a request failed.
    pub state: AllocatorState,
    /// Memory over time.
    pub timeline: Vec<Moment>,
}

/// Number of moments of the memory held over time.
const MOMENTS: usize = 480;

impl Overview {
    /// The device on which tensors held most.
    pub fn fullest(&self) -> Option<&DeviceOverview> {
        let devices = self.devices.iter();
        devices.max_by_key(|device| device.peak_allocated.bytes)
    }
}

impl From<&Snapshot> for Overview {
    fn from(snapshot: &Snapshot) -> Self {
        Self {
            devices: snapshot.devices.iter().map(DeviceOverview::from).collect(),
        }
    }
}

impl From<&Device> for DeviceOverview {
    fn from(device: &Device) -> Self {
        let made = device
            .largest
            .iter()
            .filter_map(|largest| largest.block.since);
        let events = made.chain([device.peak_allocated.position]);
        let guess = device.guess.as_ref();
        Self {
            device: device.device,
            peak_allocated: device.peak_allocated,
            peak_reserved: device.peak_reserved,
            largest: device.largest.clone(),
            guess: guess.map(|guess| guess.of_events(events)),
            state: device.state.clone(),
            timeline: device.timeline(MOMENTS),
        }
    }
}

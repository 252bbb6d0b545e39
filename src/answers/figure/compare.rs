//! Two configurations side by side.

use super::device::device_parts;
use super::{CapacityBar, DevicePart, HostBarPart, device_bar, host_bar};
use crate::report::{Fit, Report};
use crate::units::{Bytes, sort_short};

/// A part below the `SMALL`-th share of the larger total in both is small.
const SMALL: u64 = 200;

/// A part of memory in both configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<K> {
    /// Its key.
    pub key: K,
    /// How much of it A needs.
    pub a: Bytes,
    /// How much of it B needs.
    pub b: Bytes,
}

/// A memory of two configurations: their bars on one scale, and the differences by part.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison<K> {
    /// A's bar.
    pub a: CapacityBar<K>,
    /// B's bar.
    pub b: CapacityBar<K>,
    /// The parts, the largest difference first; parts that are small in both come last as one.
    pub parts: Vec<Pair<K>>,
}

impl<K: Copy + PartialEq> Comparison<K> {
    fn new(
        a: CapacityBar<K>,
        b: CapacityBar<K>,
        small: K,
        [of_a, of_b]: [Vec<(K, Bytes)>; 2],
    ) -> Self {
        let mut parts: Vec<Pair<K>> = Vec::new();
        let limit = a.total.max(b.total).get() / SMALL;
        let key = |key| Pair {
            key,
            a: Bytes::ZERO,
            b: Bytes::ZERO,
        };
        for (is_a, (part, bytes)) in of_a
            .into_iter()
            .map(|part| (true, part))
            .chain(of_b.into_iter().map(|part| (false, part)))
        {
            let at = parts
                .iter()
                .position(|pair| pair.key == part)
                .unwrap_or_else(|| {
                    parts.push(key(part));
                    parts.len() - 1
                });
            let side = if is_a {
                &mut parts[at].a
            } else {
                &mut parts[at].b
            };
            *side += bytes;
        }
        let (few, mut parts): (Vec<_>, Vec<_>) = parts
            .into_iter()
            .partition(|pair| pair.a.max(pair.b).get() < limit.max(1));
        sort_short(&mut parts, |pair| {
            std::cmp::Reverse(pair.a.max(pair.b) - pair.a.min(pair.b))
        });
        let rest = few.into_iter().fold(key(small), |rest, pair| Pair {
            a: rest.a + pair.a,
            b: rest.b + pair.b,
            ..rest
        });
        if rest.a.max(rest.b) > Bytes::ZERO {
            parts.push(rest);
        }
        let [a, b] = a.beside(b);
        Self { a, b, parts }
    }
}

/// GPU memory of two configurations.
pub fn compare_device(a: &Report, b: &Report) -> Comparison<DevicePart> {
    let parts = [a, b].map(|report| device_parts(&report.device));
    let (a, b) = (device_bar(&a.device), device_bar(&b.device));
    Comparison::new(a, b, DevicePart::Small, parts)
}

/// Both as jobs on one GPU, each with its own CUDA context, taken to peak together; nothing where their GPUs
/// differ.
pub fn on_one_device(a: &Report, b: &Report) -> Option<Fit> {
    let (a, b) = (&a.device, &b.device);
    let alike = (&a.name, a.usable, a.in_use) == (&b.name, b.usable, b.in_use);
    alike.then(|| Fit::new(a.total + b.total - a.in_use, a.usable))
}

/// Host RAM of two configurations.
pub fn compare_host(a: &Report, b: &Report) -> Comparison<HostBarPart> {
    let bar = |report: &Report| host_bar(&report.host, report.verdict.host.capacity);
    let parts = [a, b].map(|report| {
        let all = report.host.peak.composition.iter();
        all.map(|&(part, bytes)| (HostBarPart::Used(part), bytes))
            .collect()
    });
    Comparison::new(bar(a), bar(b), HostBarPart::Small, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use crate::report::estimate;

    fn report(micro_batch_size: u64, gpu: &str) -> Report {
        let mut scenario = Scenario {
            micro_batch_size,
            ..Scenario::default()
        };
        scenario.hardware.gpu = gpu.to_owned();
        estimate(&scenario).expect("an answer").report
    }

    #[test]
    fn differences_of_the_parts_add_up_to_that_of_the_totals() {
        let (a, b) = (report(2, "a100-80gb"), report(16, "rtx-4090"));
        let both = compare_device(&a, &b);
        let sum = |pick: fn(&Pair<DevicePart>) -> Bytes| both.parts.iter().map(pick).sum::<Bytes>();
        assert_eq!(sum(|pair| pair.a), a.device.total);
        assert_eq!(sum(|pair| pair.b), b.device.total);
        let host = compare_host(&a, &b);
        let of_b: Bytes = host.parts.iter().map(|pair| pair.b).sum();
        assert_eq!(of_b, b.host.peak.total);
    }

    #[test]
    fn two_jobs_on_one_gpu_need_the_sum_of_both() {
        let (a, b) = (report(2, "rtx-4090"), report(1, "rtx-4090"));
        let both = on_one_device(&a, &b).expect("the GPU is the same");
        assert_eq!(both.needed, a.device.total + b.device.total);
        assert_eq!(both.capacity, a.device.usable);
        assert_eq!(on_one_device(&a, &report(2, "a100-80gb")), None);
    }

    #[test]
    fn what_another_job_holds_is_added_and_leaves_less() {
        let beside = |in_use: Bytes, micro_batch_size| {
            let mut scenario = Scenario {
                micro_batch_size,
                ..Scenario::default()
            };
            scenario.hardware.gpu = "a100-80gb".to_owned();
            scenario.hardware.gpu_memory_in_use = in_use.get();
            estimate(&scenario).expect("an answer").report
        };
        let (other, alone) = (report(1, "a100-80gb"), report(2, "a100-80gb"));
        let together = beside(other.device.total, 2);
        assert_eq!(
            together.device.total,
            alone.device.total + other.device.total
        );
        assert_eq!(Some(together.verdict.device), on_one_device(&alone, &other));
        let full = beside(alone.device.usable - Bytes::mib(1), 2);
        assert!(alone.verdict.device.fits && !full.verdict.device.fits);
    }

    #[test]
    fn both_bars_are_on_one_scale() {
        let (a, b) = (report(2, "a100-80gb"), report(16, "rtx-4090"));
        let both = compare_device(&a, &b);
        let width = |bar: &CapacityBar<DevicePart>| bar.parts.iter().map(|p| p.width).sum::<f64>();
        let per_byte = |bar: &CapacityBar<DevicePart>| width(bar) / bar.total.get() as f64;
        assert!((per_byte(&both.a) / per_byte(&both.b) - 1.0).abs() < 1e-9);
        assert!(both.a.capacity_at > both.b.capacity_at);
        assert!(both.a.at(both.a.total) < 1.0);
    }
}

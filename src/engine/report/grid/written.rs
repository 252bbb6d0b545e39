//! A survey as text, for another thread.

use super::Surveyed;
use crate::report::SweepPoint;
use crate::sim::Phase;
use crate::units::Bytes;

/// The numbers of a cell, none of a refused one: micro-batch, total, usable bytes, peak, verdict, whether the total is a
/// lower bound, the binding phase, and of each phase its number and its peak.
type Numbers = Vec<u64>;

impl Surveyed {
    /// Cells as text; `None` where they cannot be written.
    pub fn written(cells: &[Self]) -> Option<String> {
        let numbers: Vec<Numbers> = cells.iter().map(Self::numbers).collect();
        serde_json::to_string(&numbers).ok()
    }

    /// Reads what another thread has written.
    pub fn read(text: &str) -> Option<Vec<Self>> {
        let numbers: Vec<Numbers> = serde_json::from_str(text).ok()?;
        numbers.iter().map(|numbers| Self::of(numbers)).collect()
    }

    fn numbers(&self) -> Numbers {
        let Self::Needs {
            point,
            peak,
            is_lower_bound,
        } = self
        else {
            return Numbers::new();
        };
        let mut numbers = vec![
            point.micro_batch_size,
            point.total.get(),
            point.usable.get(),
            peak.get(),
            point.fits.into(),
            (*is_lower_bound).into(),
            point.binding as u64,
        ];
        let phases = point.phases.iter();
        numbers.extend(phases.flat_map(|&(phase, peak)| [phase as u64, peak.get()]));
        numbers
    }

    fn of(numbers: &[u64]) -> Option<Self> {
        let &[
            batch,
            total,
            usable,
            peak,
            fits,
            is_lower_bound,
            binding,
            ref phases @ ..,
        ] = numbers
        else {
            return numbers.is_empty().then_some(Self::Refused);
        };
        let phase = |number: u64| Phase::ALL.get(usize::try_from(number).ok()?).copied();
        let phases = phases.chunks_exact(2);
        let phases = phases.map(|pair| Some((phase(pair[0])?, Bytes(pair[1]))));
        Some(Self::Needs {
            point: SweepPoint {
                micro_batch_size: batch,
                phases: phases.collect::<Option<_>>()?,
                binding: phase(binding)?,
                total: Bytes(total),
                usable: Bytes(usable),
                fits: fits != 0,
            },
            peak: Bytes(peak),
            is_lower_bound: is_lower_bound != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_survey_is_read_as_it_was_written() {
        let point = SweepPoint {
            micro_batch_size: 3,
            phases: vec![(Phase::Forward, Bytes(5)), (Phase::Backward, Bytes(7))],
            binding: Phase::Backward,
            total: Bytes(11),
            usable: Bytes(13),
            fits: true,
        };
        let cells = [
            Surveyed::Refused,
            Surveyed::Needs {
                point,
                peak: Bytes(8),
                is_lower_bound: true,
            },
        ];
        let text = Surveyed::written(&cells).expect("text");
        assert_eq!(Surveyed::read(&text).as_deref(), Some(cells.as_slice()));
        assert_eq!(Surveyed::read("[[1,2]]"), None);
    }
}

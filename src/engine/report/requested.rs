//! Tensors that a failed request may have been for.

use super::rank_run::of_binding_rank;
use crate::ask::{Finding, Scenario};
use crate::device::segment_size;
use crate::sim::{Event, Mark, Phase, Trace, simulate_in_detail};
use crate::tape::Category;
use crate::units::{Bytes, MIB};
use std::collections::BTreeMap;

/// Tensors of one operation of alike modules in one phase, each of which asks the driver for as much as a
/// message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requested {
    /// The phase.
    pub phase: Phase,
    /// The operation, by its `ATen` name.
    pub operation: &'static str,
    /// Its purpose.
    pub category: Category,
    /// The module, with `*` for a number in its path.
    pub module: String,
    /// Bytes of the tensor.
    pub bytes: Bytes,
    /// How many there are in a step.
    pub times: u32,
}

/// The tensors of a scenario for which the allocator asks the driver for `printed` bytes, in the order of the step.
///
/// A message prints the segment that was asked for (`get_allocation_size`, `CUDACachingAllocator.cpp`, torch 1.8 to
/// 2.15) with two digits after the point, in MiB below a GiB. Segments of 2 and 20 MiB are for tensors of any size
/// below; nothing is found for them.
///
/// # Errors
/// The findings about the scenario, most serious first.
pub fn requested(scenario: &Scenario, printed: Bytes) -> Result<Vec<Requested>, Vec<Finding>> {
    let resolution = crate::resolve::resolve(scenario);
    let spec = resolution.spec.ok_or(resolution.findings)?;
    // A tensor of this size is the smallest with a segment of its own.
    if printed.get() <= segment_size(2 * MIB) {
        return Ok(Vec::new());
    }
    let trace = simulate_in_detail(&of_binding_rank(spec));
    Ok(found(&trace, printed.get()))
}

fn found(trace: &Trace, printed: u64) -> Vec<Requested> {
    let digit = if printed < 1024 * MIB {
        MIB
    } else {
        1024 * MIB
    } / 200;
    let mut all: Vec<Requested> = Vec::new();
    let mut places = BTreeMap::new();
    let mut mark: Option<Mark> = None;
    for event in trace.events() {
        let id = match event {
            Event::Mark(at) => {
                mark = Some(trace.marks[at as usize]);
                continue;
            }
            Event::Alloc(id) => id,
            _ => continue,
        };
        let (Some(mark), Some(storage)) = (mark, trace.record.storage(id)) else {
            continue;
        };
        if segment_size(storage.bytes).abs_diff(printed) > digit {
            continue;
        }
        let (phase, operation, category) = (mark.phase, trace.op(id), storage.category);
        let module = alike(&trace.module(&storage));
        let key = (phase.name(), operation, category.name(), module.clone());
        let (at, first_step) = *places.entry(key).or_insert((all.len(), mark.step));
        if at == all.len() {
            all.push(Requested {
                phase,
                operation,
                category,
                module,
                bytes: Bytes(storage.bytes),
                times: 0,
            });
        }
        if mark.step == first_step {
            all[at].times += 1;
        }
    }
    all
}

/// A module's path with `*` for each number.
fn alike(path: &str) -> String {
    let part = |part: &str| match part.parse::<u32>() {
        Ok(_) => "*".to_owned(),
        Err(_) => part.to_owned(),
    };
    path.split('.').map(part).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(bytes: u64) -> Vec<Requested> {
        let asked = json!({"model": "llama-2-7b", "precision": "fp32", "seq_len": 128, "micro_batch_size": 1});
        let scenario = serde_json::from_value(asked).expect("a scenario");
        requested(&scenario, Bytes(bytes)).expect("estimated")
    }

    #[test]
    fn a_gate_s_gradient_is_found_by_its_size() {
        let all = of(11008 * 4096 * 4);
        let gate = |found: &&Requested| {
            found.phase == Phase::Backward && found.module.ends_with("layers.*.mlp")
        };
        let gate = all
            .iter()
            .find(gate)
            .expect("the gradients of gate, up and down");
        assert_eq!((gate.bytes, gate.times), (Bytes(180_355_072), 3 * 32));
    }

    #[test]
    fn small_segments_and_sizes_that_nothing_has_tell_nothing() {
        assert_eq!(of(2 << 20), []);
        assert_eq!(of(20 << 20), []);
        assert_eq!(of(177 << 20), []);
    }
}

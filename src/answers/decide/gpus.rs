//! A scenario on another number of GPUs.

use crate::ask::{Hardware, Scenario};

/// GPUs of a machine, when nothing says how many it has.
const GPUS_OF_A_NODE: u64 = 8;

/// The most GPUs that are looked at.
const MOST: u64 = 4096;

/// Numbers of GPUs that a job can be on: any up to those of a node, then whole nodes; always as many as its
/// axes of tensor, pipeline and context parallelism divide.
pub(super) fn counts(scenario: &Scenario) -> Vec<u64> {
    let node = of_a_node(&scenario.hardware);
    let nodes = (2..=MOST / node.clamp(1, MOST)).map(|nodes| nodes * node);
    let ranks = scenario.parallelism.model_ranks();
    let divided = |gpus: &u64| gpus.is_multiple_of(ranks);
    (1..=node).chain(nodes).filter(divided).collect()
}

/// GPUs that a scenario is on.
pub fn gpus_of(scenario: &Scenario) -> u64 {
    let hardware = &scenario.hardware;
    let said = hardware.nodes.saturating_mul(hardware.gpus_per_node);
    said.max(scenario.parallelism.world())
}

/// GPUs of one machine: what the scenario says, or as many as machines mostly have.
fn of_a_node(hardware: &Hardware) -> u64 {
    let said = hardware.nodes > 1 || hardware.gpus_per_node > 1;
    if said {
        hardware.gpus_per_node.clamp(1, MOST)
    } else {
        GPUS_OF_A_NODE
    }
}

/// The scenario on `gpus` GPUs. Tensor, pipeline and context parallelism stay, data parallelism takes what they
/// leave: the global batch grows with the GPUs. Of groups with a size and a number the size stays.
pub fn with_gpus(scenario: &Scenario, gpus: u64) -> Scenario {
    let mut to = scenario.clone();
    let node = of_a_node(&scenario.hardware).max(1);
    to.hardware.gpus_per_node = gpus.min(node);
    to.hardware.nodes = gpus.div_ceil(node);
    let dp = &mut to.parallelism.dp;
    dp.size = None;
    if dp.shard_size.is_some() {
        dp.replicate_size = None;
    }
    let ranks = gpus / scenario.parallelism.model_ranks();
    dp.rank = dp.rank.min(ranks.saturating_sub(1));
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn on(hardware: &serde_json::Value, parallelism: &serde_json::Value) -> Scenario {
        let scenario = json!({"hardware": hardware, "parallelism": parallelism});
        serde_json::from_value(scenario).expect("a scenario")
    }

    #[test]
    fn beyond_one_node_there_are_whole_nodes() {
        let counts = counts(&Scenario::default());
        assert_eq!(counts[..10], [1, 2, 3, 4, 5, 6, 7, 8, 16, 24]);
        assert_eq!(counts.last(), Some(&MOST));
    }

    #[test]
    fn other_axes_keep_their_ranks() {
        let scenario = on(
            &json!({"gpus_per_node": 4, "nodes": 2}),
            &json!({"tp": {"size": 2}, "dp": {"kind": "fsdp2", "size": 4, "rank": 3}}),
        );
        assert_eq!(counts(&scenario)[..4], [2, 4, 8, 12]);
        assert_eq!(gpus_of(&scenario), 8);
        let fewer = with_gpus(&scenario, 2);
        assert_eq!([fewer.hardware.nodes, fewer.hardware.gpus_per_node], [1, 2]);
        assert_eq!(
            (fewer.parallelism.dp.size, fewer.parallelism.dp.rank),
            (None, 0)
        );
        assert_eq!(fewer.parallelism.tp.size, 2);
        let more = with_gpus(&scenario, 12);
        assert_eq!([more.hardware.nodes, more.hardware.gpus_per_node], [3, 4]);
    }
}

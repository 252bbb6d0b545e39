//! Values that a scenario leaves to its mesh of ranks and to its framework.

use crate::ask::{Framework, Hardware, Parallelism, Scenario};
use std::borrow::Cow;

/// GPUs that a machine has at most, when nothing says how many it has.
const GPUS_OF_A_NODE: u64 = 8;

/// The scenario with GPUs for all ranks that it asks for, if it does not say how many there are; with its setting for
/// tied embeddings among the config's fields; and with the framework versions that a library with models of its own
/// builds on.
pub(crate) fn complete(scenario: &Scenario) -> Cow<'_, Scenario> {
    let mut complete = Cow::Borrowed(scenario);
    if let Some([per_node, nodes]) = gpus(&scenario.hardware, &scenario.parallelism) {
        let hardware = &mut complete.to_mut().hardware;
        hardware.gpus_per_node = per_node;
        hardware.nodes = nodes;
    }
    if let Some(tied) = scenario.tied_embeddings {
        let overrides = &mut complete.to_mut().model_overrides;
        overrides.insert("tie_word_embeddings".to_owned(), tied.into());
    }
    if scenario.framework == Framework::Torch215MegatronCore016 {
        complete.to_mut().framework = Framework::Torch215Transformers523;
    }
    complete
}

/// GPUs of a node, and nodes, for the ranks that are asked for: as many GPUs of a node as divide them, up to
/// eight. None where one rank is asked for, or where the hardware says more than one GPU.
fn gpus(hardware: &Hardware, parallelism: &Parallelism) -> Option<[u64; 2]> {
    let said = hardware.gpus_per_node != 1 || hardware.nodes != 1;
    let ranks = parallelism.world();
    if said || ranks <= 1 {
        return None;
    }
    let divides = |per_node: &u64| ranks.is_multiple_of(*per_node);
    let per_node = (1..=GPUS_OF_A_NODE).rev().find(divides)?;
    Some([per_node, ranks / per_node])
}

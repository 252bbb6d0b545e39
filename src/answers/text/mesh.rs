//! The mesh of a job in words.

use super::Language;
use crate::ask::{DataParallelKind, Scenario};

/// A job's GPUs as the product of its axes, as `8 GPUs = 2 data x 4 tensor`; nothing where there is one.
pub fn mesh_words(scenario: &Scenario, language: Language) -> Option<String> {
    let hardware = &scenario.hardware;
    let mesh = scenario.parallelism.mesh(hardware);
    let gpus = mesh.world();
    if gpus <= 1 {
        return None;
    }
    let axes = [
        (mesh.dp, ("data", "数据")),
        (mesh.pp, ("pipeline", "流水线")),
        (mesh.cp, ("context", "上下文")),
        (mesh.tp, ("tensor", "张量")),
    ];
    let axes = axes.into_iter().filter(|(ranks, _)| *ranks > 1);
    let axes = axes.map(|(ranks, name)| format!("{ranks} {}", language.of(name)));
    let product = axes.collect::<Vec<_>>().join(" \u{d7} ");
    let (sharded, copies) = (mesh.shard, mesh.replicate);
    let hybrid = copies > 1
        && sharded > 1
        && matches!(
            scenario.parallelism.dp.kind,
            DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2
        );
    Some(match language {
        Language::English if hybrid => {
            format!("{gpus} GPUs = {product}; {copies} copies of the parameters, each on {sharded}")
        }
        Language::English => format!("{gpus} GPUs = {product}"),
        Language::Chinese if hybrid => {
            format!("{gpus} 块 GPU = {product}；{copies} 份参数副本，每份切分到 {sharded} 块")
        }
        Language::Chinese => format!("{gpus} 块 GPU = {product}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn words(parallelism: &Value) -> Option<String> {
        let scenario = json!({"hardware": {"gpus_per_node": 8}, "parallelism": parallelism});
        let scenario = serde_json::from_value(scenario).expect("a scenario");
        mesh_words(&scenario, Language::English)
    }

    #[test]
    fn a_mesh_is_said_as_the_product_of_its_axes() {
        assert_eq!(words(&json!({})).as_deref(), Some("8 GPUs = 8 data"));
        let tensor = json!({"tp": {"size": 4}, "dp": {"kind": "fsdp2"}});
        assert_eq!(
            words(&tensor).as_deref(),
            Some("8 GPUs = 2 data \u{d7} 4 tensor")
        );
        let hybrid = json!({"dp": {"kind": "fsdp2", "replicate_size": 2}});
        assert_eq!(
            words(&hybrid).as_deref(),
            Some("8 GPUs = 8 data; 2 copies of the parameters, each on 4")
        );
        assert_eq!(
            mesh_words(&Scenario::default(), Language::English),
            None,
            "one GPU needs no words"
        );
    }
}

//! A scenario as a configuration that trainers, launchers and batch systems read.

use super::job::without_refused;
use super::json::{decode_json, encode_json};
use super::model::{Known, config_of, published};
use super::setting::values;
use crate::ask::{DataParallelKind, MasterWeights, ModelRef, Scenario};
use crate::configs::{self, Exported, Target};
use serde_json::Value;

/// A batch job's script.
const SLURM: &str = "slurm";
/// Environment variables.
const VARIABLES: &str = "env";

/// Why a scenario is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// There is no such format.
    NoFormat,
    /// It has nothing that the format would say.
    NothingToSay,
}

/// The names of the formats that are written: most of the formats that are read, and two others.
pub fn written_formats() -> impl Iterator<Item = &'static str> {
    let written = configs::FORMATS
        .iter()
        .filter(|format| configs::is_written(format));
    let written = written.map(|format| format.name);
    written.chain([SLURM, VARIABLES])
}

/// A scenario in a format, with lines of a comment where the format has comments.
///
/// # Errors
/// Why there is none.
pub fn write_job(scenario: &Scenario, to: &str, comment: &[String]) -> Result<Exported, Unwritten> {
    let all = serde_json::from_str(&encode_json(scenario)).unwrap_or_default();
    let all = values(&named(&all));
    let complete = |read: &Value| values(&named(read));
    let estimated = |read: &Value| values(&without_refused(named(read)).0);
    let beside = |text: String| Exported {
        text,
        unsaid: Vec::new(),
    };
    let dp = scenario.parallelism.dp.kind;
    let lacks = match to {
        SLURM => return Ok(beside(configs::slurm(&all, comment))),
        VARIABLES => return Ok(beside(configs::variables(&all, comment))),
        "peft" => scenario.lora.is_none(),
        "deepspeed" => {
            dp != DataParallelKind::DeepSpeedZero
                && scenario.optimizer.master_weights != MasterWeights::DeepSpeed
        }
        "megatron" => dp != DataParallelKind::Megatron,
        _ => false,
    };
    if lacks {
        return Err(Unwritten::NothingToSay);
    }
    let format = configs::format(to).filter(|format| configs::is_written(format));
    let format = format.ok_or(Unwritten::NoFormat)?;
    let name = all["model"].as_str().and_then(published);
    let config = config_of(&all["model"]);
    let target = Target {
        values: &all,
        repository: name.map(|names| names.repository),
        config: config.as_ref(),
        complete: &complete,
        estimated: &estimated,
        models: &Known,
        comment,
    };
    Ok(configs::export(format, &target))
}

/// A scenario with its model by its name in the catalog.
fn named(scenario: &Value) -> Scenario {
    let (mut scenario, _) = decode_json(&scenario.to_string());
    if let ModelRef::Catalog(name) = &mut scenario.model
        && let Some(names) = published(name)
    {
        names.id.clone_into(name);
    }
    scenario
}

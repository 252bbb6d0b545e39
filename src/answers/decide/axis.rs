//! Axes that can be solved for.

use super::number::is_of_hundredths;
use super::pixels::MAX_PIXELS;
use crate::ask::{Message, Scenario, closest, message};
use crate::codec::{KEYS, Key, Kind};
use crate::resolve::{Idle, idle};

/// The quantity that varies, while the rest of the scenario stays.
#[derive(Clone, Debug)]
pub(super) enum Along {
    /// A number of which more takes more memory: the largest is looked for.
    Largest(&'static Key),
    /// A number of which more makes room: the least is looked for.
    Least(&'static Key),
    /// A size that an exported graph leaves open, by its name, as `s2` or `x.2`: the largest is looked for.
    Symbol(String),
    /// The number of GPUs: the fewest are looked for.
    Gpus,
    /// The GPU: the one of the catalog with the least memory is looked for.
    Gpu,
    /// The model: the largest published one of the same type is looked for.
    Model,
}

/// An axis to solve for, under the name that it was asked for by.
#[derive(Clone, Debug)]
pub struct Axis {
    name: String,
    pub(super) along: Along,
}

/// The number of GPUs, which is no key of a scenario: nodes and GPUs of a node say it together.
const GPUS: &str = "gpus";

/// The key of the GPU.
pub(super) const GPU: &str = "hardware.gpu";

/// The key of the model.
pub(super) const MODEL: &str = "model";

/// The key of sizes that an exported graph leaves open.
pub(super) const SYMBOLS: &str = "symbols";

/// The most common axes, for those who ask for something else.
const USUAL: [&str; 7] = [
    "micro_batch_size",
    "seq_len",
    "lora.r",
    MAX_PIXELS,
    MODEL,
    GPUS,
    GPU,
];

/// Numbers of which more takes less memory of a GPU, or is more memory.
const ROOM: [&str; 14] = [
    "hardware.gpu_memory",
    "hardware.gpus_per_node",
    "hardware.host_ram",
    "hardware.nodes",
    "memory_limit",
    "parallelism.cp.size",
    "parallelism.dp.shard_size",
    "parallelism.dp.size",
    "parallelism.dp.stage",
    "parallelism.dp.zero_hpz_partition_size",
    "parallelism.ep.size",
    "parallelism.pp.size",
    "parallelism.tp.size",
    "recompute.num_layers",
];

impl Axis {
    /// The axis of this name: a number of a scenario by its key (`lora.r`) or the key's last part where no other
    /// ends so (`r`), `gpus`, `hardware.gpu` or `gpu`, or `model`; of an exported graph a size that it leaves open by
    /// its symbol (`s2`) or by an input and a dimension (`x.2`).
    ///
    /// # Errors
    /// Where there is none, what it may have been meant to be.
    pub fn named(name: &str) -> Result<Self, Message> {
        let along = along(name).ok_or_else(|| unknown(name))?;
        let name = name.to_owned();
        Ok(Self { name, along })
    }

    /// The axes that are asked for most.
    pub fn usual() -> Vec<Self> {
        USUAL
            .iter()
            .filter_map(|name| Self::named(name).ok())
            .collect()
    }

    /// The numbers of a scenario.
    pub fn numbers() -> Vec<Self> {
        let named = |key: &'static Key| Self::named(key.path).ok();
        numbers().filter_map(named).collect()
    }

    /// Why it has no effect in a scenario, if it has none.
    pub fn idle(&self, scenario: &Scenario) -> Option<Idle> {
        idle(scenario, self.in_the_way())
    }

    /// The name that it was asked for by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key of the setting that it changes.
    pub fn setting(&self) -> &'static str {
        match &self.along {
            Along::Largest(key) | Along::Least(key) => key.path,
            Along::Symbol(_) => SYMBOLS,
            Along::Gpus => "hardware.gpus_per_node",
            Along::Gpu => GPU,
            Along::Model => MODEL,
        }
    }

    /// The key without whose effect it has none.
    pub(super) fn in_the_way(&self) -> &'static str {
        match self.along {
            // The setting that would keep jobs from being on more GPUs.
            Along::Gpus => "hardware.processes_per_gpu",
            _ => self.setting(),
        }
    }

    /// The scenario's key that findings about it name.
    pub(super) fn key(&self) -> String {
        match &self.along {
            Along::Symbol(name) => format!("{SYMBOLS}.{name}"),
            _ => self.setting().to_owned(),
        }
    }
}

/// The keys that hold whole numbers or hundredths, without the keys of the estimated rank.
fn numbers() -> impl Iterator<Item = &'static Key> {
    let is_number = |key: &&Key| {
        matches!(key.kind, Kind::Count | Kind::Tokens | Kind::Bytes) || is_of_hundredths(key)
    };
    let is_rank = |key: &&Key| key.path.rsplit('.').next() == Some("rank");
    KEYS.iter()
        .filter(move |key| is_number(key) && !is_rank(key))
}

fn along(name: &str) -> Option<Along> {
    match name {
        GPUS => return Some(Along::Gpus),
        GPU | "gpu" => return Some(Along::Gpu),
        MODEL => return Some(Along::Model),
        _ => {}
    }
    let ending = format!(".{name}");
    let mut same = numbers().filter(|key| key.path.ends_with(&ending));
    let exact = numbers().find(|key| key.path == name);
    let key = exact.or_else(|| same.next().filter(|_| same.next().is_none()));
    let Some(key) = key else {
        return symbol(name).map(Along::Symbol);
    };
    let makes_room = ROOM.contains(&key.path);
    Some(if makes_room {
        Along::Least(key)
    } else {
        Along::Largest(key)
    })
}

/// The size of an exported graph that a name means: a symbol of `torch.export`, or an input with a dimension.
fn symbol(name: &str) -> Option<String> {
    let own = name.strip_prefix("symbols.").unwrap_or(name);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_symbol = own.strip_prefix(['s', 'u']).is_some_and(is_number);
    let is_dimension = own
        .rsplit_once('.')
        .is_some_and(|(input, dimension)| !input.is_empty() && is_number(dimension));
    (is_symbol || is_dimension).then(|| own.to_owned())
}

fn unknown(name: &str) -> Message {
    const LONGEST: usize = 60;
    let shown: String = name.chars().take(LONGEST).collect();
    let nearest = closest(name, USUAL).or_else(|| closest(name, numbers().map(|key| key.path)));
    let hint = nearest.map(|nearest| message!(codec::did_you_mean, nearest));
    let usual = USUAL.as_slice();
    message!(decide::unknown_axis, shown, hint, usual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Argument;

    fn key(name: &str) -> Option<String> {
        Axis::named(name).ok().map(|axis| axis.key())
    }

    #[test]
    fn an_axis_is_named_by_its_key_or_by_the_end_of_one() {
        assert_eq!(key("micro_batch_size").as_deref(), Some("micro_batch_size"));
        assert_eq!(key("lora.r").as_deref(), Some("lora.r"));
        assert_eq!(key("r").as_deref(), Some("lora.r"));
        assert_eq!(key("gpu").as_deref(), Some("hardware.gpu"));
        assert_eq!(key("model").as_deref(), Some("model"));
        assert_eq!(key("size"), None, "many keys end so");
        assert_eq!(key("s2").as_deref(), Some("symbols.s2"));
        assert_eq!(key("x.2").as_deref(), Some("symbols.x.2"));
        assert_eq!(key("symbols.u0").as_deref(), Some("symbols.u0"));
        assert_eq!(key("seq"), None, "it is no symbol");
    }

    #[test]
    fn what_makes_room_is_a_number_of_a_scenario() {
        for path in ROOM {
            assert!(numbers().any(|key| key.path == path), "{path}");
        }
    }

    #[test]
    fn what_is_no_axis_is_told_the_nearest() {
        for (name, nearest) in [
            ("batch_size", Some("micro_batch_size")),
            ("seqlen", Some("seq_len")),
            ("max_new_token", Some("evaluation.max_new_tokens")),
            ("zzzz", None),
        ] {
            let message = Axis::named(name).expect_err(name);
            assert_eq!(message.code, "decide.unknown_axis");
            let hint = match &message.values[1].1 {
                Argument::Message(hint) => Some(hint.clone()),
                _ => None,
            };
            let nearest = nearest.map(|nearest| message!(codec::did_you_mean, nearest));
            assert_eq!(hint, nearest, "{name}");
        }
        assert!(Axis::named("precision").is_err(), "it is no number");
    }
}

//! Sizes that a graph leaves open, for whoever offers them.

use super::reader::{asked, batch_symbol, named, with_ties};
use crate::ask::{ModelRef, Scenario};
use crate::exported::{Graph, InputKind, Size};

/// A size that a scenario's graph leaves open: not that of the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSize {
    /// Its name, which is its key in `symbols`.
    pub name: String,
    /// Dimensions of inputs that it is, as `x.2`: keys in `symbols`, too.
    pub places: Vec<String>,
    /// Its value; none where it depends on values of tensors and nobody says it.
    pub value: Option<i64>,
    /// The least and the largest value; none where it has no limit.
    pub range: [Option<i64>; 2],
    /// Values to choose from, smallest first.
    pub stops: Vec<i64>,
}

/// Sizes that people use: of images, of sequences, of lists.
const SIZES: [i64; 35] = [
    1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 160, 192, 224, 256, 288, 320, 384, 448, 512, 576, 640,
    768, 896, 1024, 1280, 1536, 2048, 3072, 4096, 8192, 16_384, 65_536, 262_144, 1_048_576,
];

/// Sizes that the graph of a scenario leaves open; none where it has no graph.
pub fn open_sizes(scenario: &Scenario) -> Vec<OpenSize> {
    let ModelRef::Exported(model) = &scenario.model else {
        return Vec::new();
    };
    let Some(graph) = &model.graph else {
        return Vec::new();
    };
    let batch = batch_symbol(graph).and_then(Result::ok);
    let values = with_ties(graph, &asked(graph, scenario));
    let all = graph.symbols.iter().zip(0_u32..).zip(values);
    let open = all.filter(|((_, at), _)| is_shown(graph, scenario, batch, *at));
    let open = open.map(|((symbol, at), value)| {
        let example = hint(graph, at);
        let [low, high] = symbol.range;
        // What torch writes where there is no limit.
        let high = high.filter(|high| *high < i64::MAX - 1);
        let allowed = |size: &i64| {
            low.is_none_or(|low| low <= *size) && high.is_none_or(|high| *size <= high)
        };
        let mut stops: Vec<i64> = SIZES.into_iter().chain(example).filter(allowed).collect();
        stops.sort_unstable();
        stops.dedup();
        OpenSize {
            name: symbol.name.clone(),
            places: places(graph, at),
            value,
            range: [low, high],
            stops,
        }
    });
    open.collect()
}

/// Whether a symbol has a control: not the batch, nor what follows it or an earlier symbol since it was equal in the
/// example, unless the scenario says it.
fn is_shown(graph: &Graph, scenario: &Scenario, batch: Option<u32>, at: u32) -> bool {
    if batch == Some(at) {
        return false;
    }
    if scenario
        .symbols
        .keys()
        .any(|key| named(graph, key) == Some(at))
    {
        return true;
    }
    let mut before = batch.into_iter().chain(0..at);
    let own = hint(graph, at);
    own.is_none() || before.all(|other| hint(graph, other) != own)
}

/// Dimensions of inputs that are a symbol, or follow it.
fn places(graph: &Graph, at: u32) -> Vec<String> {
    let users = graph.inputs.iter();
    let users = users.filter(|input| input.kind == InputKind::User);
    let mut places = Vec::new();
    for input in users {
        let Some(value) = graph.values.get(input.value as usize) else {
            continue;
        };
        let sizes = value.tensor.iter().flat_map(|meta| &meta.sizes);
        for (dimension, size) in sizes.enumerate() {
            let Size::Symbol(own) = size else { continue };
            let follows = hint(graph, at).is_some() && hint(graph, *own) == hint(graph, at);
            if *own == at || follows {
                places.push(format!("{}.{dimension}", value.name));
            }
        }
    }
    places
}

/// A symbol's value in the example; none where it depends on values of tensors.
fn hint(graph: &Graph, at: u32) -> Option<i64> {
    let symbol = graph.symbols.get(at as usize)?;
    symbol.hint.filter(|_| !symbol.unbacked)
}

//! From a scenario to a graph with all its sizes.

use crate::ask::{Convolutions, ExportedModel, Finding, Scenario, Severity, TENSOR_BYTES, message};
use crate::exported::{Graph, InputKind, Size};
use crate::model::{Architecture, ExportedConfig};
use crate::units::MAX_DIMS;
use serde_json::Value;
use std::sync::Arc;

/// Bytes of the widest element.
const ELEMENT: u64 = 8;

/// The architecture of a graph; errors are pushed to `findings`.
pub(crate) fn read(
    model: &ExportedModel,
    scenario: &Scenario,
    findings: &mut Vec<Finding>,
) -> Option<(String, Architecture)> {
    let path = &model.exported;
    let Some(graph) = &model.graph else {
        let said = match &model.digest {
            Some(digest) => message!(exported::awaited, path, digest),
            None => message!(exported::not_read, path),
        };
        findings.push(Finding::error("model", said));
        return None;
    };
    let before = findings.len();
    let symbols = values(graph, scenario, findings);
    let config = ExportedConfig {
        graph: Arc::clone(graph),
        symbols,
        native_convolutions: scenario.convolutions == Convolutions::Native,
    };
    check_sizes(&config, findings);
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = name.strip_suffix(".pt2").unwrap_or(name).to_owned();
    let refused = |finding: &Finding| finding.severity == Severity::Error;
    let refused = findings[before..].iter().any(refused);
    (!refused).then_some((name, Architecture::Exported(config)))
}

/// The symbol of the batch: dimension 0 of the first tensor that the caller gives.
pub(super) fn batch_symbol(graph: &Graph) -> Option<Result<u32, i64>> {
    let mut users = graph
        .inputs
        .iter()
        .filter(|input| input.kind == InputKind::User);
    let first = graph.tensor(users.next()?.value)?;
    match first.sizes.first()? {
        Size::Symbol(at) => Some(Ok(*at)),
        Size::Number(n) => Some(Err(*n)),
        _ => None,
    }
}

/// The symbol that a key of `symbols` names: by its own name, or as `input.dimension`.
pub(super) fn named(graph: &Graph, key: &str) -> Option<u32> {
    let by_name = graph.symbols.iter().position(|symbol| symbol.name == key);
    if let Some(at) = by_name {
        return u32::try_from(at).ok();
    }
    let (input, dimension) = key.rsplit_once('.')?;
    let dimension: usize = dimension.parse().ok()?;
    let value = graph.inputs.iter().find(|of| {
        let value = graph.values.get(of.value as usize);
        of.kind == InputKind::User && value.is_some_and(|value| value.name == input)
    })?;
    match graph.tensor(value.value)?.sizes.get(dimension)? {
        Size::Symbol(at) => Some(*at),
        _ => None,
    }
}

/// The values of the graph's symbols: the scenario's, the batch size, else the values of the example.
fn values(graph: &Graph, scenario: &Scenario, findings: &mut Vec<Finding>) -> Vec<Option<i64>> {
    let samples = i64::try_from(scenario.micro_batch_size).unwrap_or(i64::MAX);
    if let Some(Err(fixed)) = batch_symbol(graph)
        && fixed != samples
    {
        let of = u64::try_from(fixed).unwrap_or(1);
        findings.push(
            Finding::error(
                "micro_batch_size",
                message!(exported::fixed_batch, fixed = of),
            )
            .with_fix("micro_batch_size", of),
        );
    }
    for (key, value) in &scenario.symbols {
        let place = format!("symbols.{key}");
        if named(graph, key).is_none() {
            let names: Vec<&str> = graph
                .symbols
                .iter()
                .map(|symbol| symbol.name.as_str())
                .collect();
            let names = names.join(", ");
            findings.push(
                Finding::error(&place, message!(exported::no_symbol, key, names))
                    .with_fix(&place, Value::Null),
            );
        } else if value.as_i64().is_none() {
            findings.push(Finding::error(&place, message!(exported::no_number, key)));
        }
    }
    let values = with_ties(graph, &asked(graph, scenario));
    let batch = batch_symbol(graph).and_then(Result::ok);
    for ((symbol, value), at) in graph.symbols.iter().zip(&values).zip(0_u32..) {
        let name = &symbol.name;
        let is_named = |key: &String| named(graph, key) == Some(at);
        let place = if batch == Some(at) && !scenario.symbols.keys().any(is_named) {
            "micro_batch_size".to_owned()
        } else {
            format!("symbols.{name}")
        };
        let Some(value) = *value else {
            findings.push(unbacked(graph, name, &place));
            continue;
        };
        let [low, high] = symbol.range;
        if low.is_some_and(|low| value < low) || high.is_some_and(|high| value > high) {
            let nearest = value.clamp(
                low.unwrap_or(value),
                high.unwrap_or(value).max(low.unwrap_or(value)),
            );
            let low = low.unwrap_or(0).to_string();
            let high = high.map_or_else(|| "∞".to_owned(), |high| high.to_string());
            let (number, value) = (value, value.to_string());
            let message = message!(exported::outside_range, name, value, low, high);
            // Beyond the range the module may take another branch; only the exported operations are known.
            let finding = if number < 1 {
                Finding::error(&place, message)
            } else {
                Finding::warning(&place, message)
            };
            findings.push(finding.with_fix(&place, nearest));
        }
    }
    values
}

/// Values of symbols that a scenario says: by name, and that of the batch.
pub(super) fn asked(graph: &Graph, scenario: &Scenario) -> Vec<Option<i64>> {
    let mut asked = vec![None; graph.symbols.len()];
    if let Some(Ok(at)) = batch_symbol(graph) {
        asked[at as usize] = i64::try_from(scenario.micro_batch_size).ok();
    }
    for (key, value) in &scenario.symbols {
        if let (Some(at), Some(n)) = (named(graph, key), value.as_i64()) {
            asked[at as usize] = Some(n);
        }
    }
    asked
}

/// All values, where some are asked for: the example's, but one size where two were equal in the example. Inputs that
/// only together make sense, as ids and their targets, have symbols of their own each.
pub(super) fn with_ties(graph: &Graph, asked: &[Option<i64>]) -> Vec<Option<i64>> {
    let hints = graph.symbols.iter();
    let hints = hints.map(|symbol| symbol.hint.filter(|_| !symbol.unbacked));
    let hints: Vec<Option<i64>> = hints.collect();
    let value = |own: Option<i64>, hint: Option<i64>| {
        let hint_or_tied = || {
            let mut alike = hints.iter().zip(asked);
            let tied = alike.find_map(|(other, asked)| asked.filter(|_| *other == hint));
            tied.or(hint)
        };
        own.or_else(|| hint.and_then(|_| hint_or_tied()))
    };
    let each = asked.iter().zip(&hints);
    each.map(|(&own, &hint)| value(own, hint)).collect()
}

/// A size that depends on values: the node that makes it.
fn unbacked(graph: &Graph, name: &str, place: &str) -> Finding {
    let at = graph.symbols.iter().position(|symbol| symbol.name == name);
    let at = at.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX);
    let makes = graph.nodes().into_iter().find(|node| {
        let mut outputs = node.outputs.iter().flatten();
        outputs.any(|id| {
            let meta = graph.tensor(*id);
            meta.is_some_and(|meta| meta.sizes.iter().any(|size| size.has(at)))
        })
    });
    let operation = makes.map_or("", |node| node.target.as_str());
    let module = makes.and_then(|node| graph.modules.get(*node.stack.last()? as usize));
    let module = module.map_or("", |module| module.path.as_str());
    Finding::error(
        place,
        message!(exported::depends_on_values, name, operation, module),
    )
}

/// Refuses tensors that no accelerator could hold, or of which a size is not known.
fn check_sizes(config: &ExportedConfig, findings: &mut Vec<Finding>) {
    if config.symbols.iter().any(Option::is_none) {
        return;
    }
    for value in &config.graph.values {
        let Some(meta) = &value.tensor else { continue };
        let name = &value.name;
        if meta.sizes.len() > MAX_DIMS {
            let most = MAX_DIMS;
            findings.push(Finding::error(
                "model",
                message!(exported::too_many_dimensions, name, most),
            ));
            return;
        }
        let mut bytes = Some(ELEMENT);
        for size in &meta.sizes {
            let size = config.number(size).and_then(|n| u64::try_from(n).ok());
            let Some(size) = size else {
                findings.push(Finding::error("symbols", message!(exported::no_size, name)));
                return;
            };
            bytes = bytes.and_then(|bytes| bytes.checked_mul(size.max(1)));
        }
        if bytes.is_none_or(|bytes| bytes > TENSOR_BYTES) {
            findings.push(Finding::error(
                "symbols",
                message!(exported::too_large, name),
            ));
            return;
        }
    }
}

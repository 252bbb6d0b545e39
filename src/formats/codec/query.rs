//! The query string of a link.

use super::flat;
use super::keys::{KEYS, Key, Kind};
use super::meant::finish;
use super::number::{parse_bytes, parse_count, parse_tokens, write_bytes};
use super::percent;
use super::tree::{Builder, differing, shortened};
use super::view::{Language, Panel, Theme, ViewOptions, WidgetControls, WidgetPanels};
use crate::ask::{
    ExportedModel, Finding, ModelRef, SampleLengths, Scenario, Severity, closest, message,
};
use crate::families::essential_config;
use serde::Deserialize;
use serde_json::{Value, json};
use std::iter;

/// Names of a link for the forms of a model other than a catalog id.
const CONFIG: &str = "config";
const LINEAR: &str = "linear";
const PARAMETERS: &str = "params";
const GRAPH: &str = "graph";
/// Between the name of a graph's file and its digest.
const DIGEST: char = '~';
/// The end of the name of a linear layer without bias.
const NO_BIAS: &str = "-nobias";
/// The format version's name.
const VERSION: &str = "v";
/// Names of view options.
const EMBED: &str = "embed";
const THEME: &str = "theme";
const LANG: &str = "lang";
const CONTROLS: &str = "controls";
const PANELS: &str = "panels";
/// The query of the configuration that this one is compared with.
const AGAINST: &str = "a";
/// The value of `controls` and of `panels` that names none.
const NONE_OF_THEM: &str = "none";
/// Some of the controls that a widget can have.
const SOME_CONTROLS: &str = "mb, seq, gpu, ...";
/// Names that others append to links, which say nothing to us.
const FOREIGN: &[&str] = &["utm_", "fbclid", "gclid", "ref"];

/// Writes a scenario as a query string without `?`: the version, then what differs from the
/// default in the order of [`KEYS`], then the view's options. Of a config the link keeps the
/// fields that decide something.
pub fn encode_query(scenario: &Scenario, view: &ViewOptions) -> String {
    let mut pairs = vec![(VERSION, scenario.v.to_string())];
    for (key, value) in differing(scenario) {
        pairs.push(match key.kind {
            Kind::Model if key.path == "model" => write_model(&scenario.model),
            kind => (key.query, write_value(kind, &value)),
        });
    }
    if view.embed {
        pairs.push((EMBED, "1".to_owned()));
    }
    pairs.extend(view.theme.map(|theme| (THEME, theme.name().to_owned())));
    pairs.extend(view.lang.map(|lang| (LANG, lang.name().to_owned())));
    if view.controls != WidgetControls::default() {
        pairs.push((CONTROLS, write_controls(&view.controls)));
    }
    if view.panels != WidgetPanels::default() {
        pairs.push((PANELS, write_panels(view.panels)));
    }
    if let Some(against) = &view.against {
        pairs.push((AGAINST, encode_query(against, &ViewOptions::default())));
    }
    let written = pairs
        .iter()
        .map(|(name, value)| format!("{name}={}", percent::encode(value)));
    written.collect::<Vec<_>>().join("&")
}

fn write_controls(controls: &WidgetControls) -> String {
    let shown = controls.keys().iter();
    let shown = shown.filter_map(|path| KEYS.iter().find(|key| key.path == *path));
    let names: Vec<&str> = shown.map(|key| key.query).collect();
    names_or_none(&names)
}

fn write_panels(panels: WidgetPanels) -> String {
    let shown = Panel::ALL.iter().filter(|&&panel| panels.has(panel));
    let names: Vec<&str> = shown.map(|panel| panel.name()).collect();
    names_or_none(&names)
}

fn names_or_none(names: &[&str]) -> String {
    if names.is_empty() {
        return NONE_OF_THEM.to_owned();
    }
    names.join(".")
}

/// Names between dots or commas.
fn split_names(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split(['.', ',']);
    names.filter(|&name| name != NONE_OF_THEM && !name.is_empty())
}

/// Panels by their names, between dots or commas; unknown names are reported and left out.
fn read_panels(text: &str, builder: &mut Builder) -> WidgetPanels {
    let mut panels = WidgetPanels::NONE;
    for name in split_names(text) {
        let panel = read_view(PANELS, Panel::ALL, Panel::name, name, builder);
        panels = panel.map_or(panels, |panel| panels.with(panel, true));
    }
    panels
}

/// Settings by their names in links, between dots or commas; unknown names are reported and left out.
fn read_controls(text: &str, builder: &mut Builder) -> WidgetControls {
    let mut controls = WidgetControls::NONE;
    for name in split_names(text) {
        if let Some(key) = KEYS.iter().find(|key| key.query == name) {
            controls = controls.with(key.path, true);
        } else {
            let shown = shortened(name);
            let names = closest(name, KEYS.iter().map(|key| key.query));
            let names = names.unwrap_or(SOME_CONTROLS);
            let said = message!(codec::unknown_view, option = CONTROLS, shown, names);
            builder.push(|| Finding::notice(CONTROLS, said));
        }
    }
    controls
}

fn write_model(model: &ModelRef) -> (&'static str, String) {
    match model {
        ModelRef::Catalog(id) => ("model", id.clone()),
        ModelRef::HfConfig { hf_config } => {
            (CONFIG, flat::write_fields(&essential_config(hf_config)))
        }
        ModelRef::Linear { linear } => {
            let bias = if linear.bias { "" } else { NO_BIAS };
            (
                LINEAR,
                format!("{}x{}{bias}", linear.in_features, linear.out_features),
            )
        }
        ModelRef::Exported(model) => (GRAPH, write_graph(model)),
        ModelRef::NumParameters { num_parameters } => (PARAMETERS, num_parameters.to_string()),
    }
}

/// The name of a graph's file, and its digest.
fn write_graph(model: &ExportedModel) -> String {
    let digest = model.digest.iter();
    let digest = digest.flat_map(|digest| [DIGEST.to_string(), digest.clone()]);
    iter::once(model.exported.clone()).chain(digest).collect()
}

/// A graph by its file's name and what follows it: 16 hexadecimal digits are a digest.
fn read_graph(text: &str) -> Value {
    let is_digest = |digest: &str| {
        let is_digit = |c: char| c.is_ascii_hexdigit() && !c.is_ascii_uppercase();
        digest.len() == 16 && digest.chars().all(is_digit)
    };
    let parts = text.rsplit_once(DIGEST);
    match parts.filter(|(_, digest)| is_digest(digest)) {
        Some((name, digest)) => json!({"exported": name, "digest": digest}),
        None => json!({"exported": text}),
    }
}

/// Whether a model beside the trained one is written as JSON: any but a plain name.
fn is_json(text: &str) -> bool {
    text.starts_with(['{', '"'])
}

pub(super) fn write_value(kind: Kind, value: &Value) -> String {
    match (kind, value) {
        (_, Value::Null) => String::new(),
        (Kind::Flag, Value::Bool(flag)) => if *flag { "1" } else { "0" }.to_owned(),
        (Kind::Model, Value::String(id)) if is_json(id) => value.to_string(),
        (Kind::Bytes, Value::Number(bytes)) => bytes.as_u64().map_or(String::new(), write_bytes),
        (Kind::List, Value::Array(items)) => flat::write_list(items),
        (Kind::Fields, Value::Object(fields)) => flat::write_fields(fields),
        (Kind::Lengths, lengths) => {
            let read = SampleLengths::deserialize(lengths);
            read.map_or(String::new(), |lengths| lengths.write())
        }
        (_, Value::String(text)) => text.clone(),
        (_, other) => other.to_string(),
    }
}

/// The content of a link.
pub struct Link {
    /// The configuration.
    pub scenario: Scenario,
    /// How the page shows it.
    pub view: ViewOptions,
    /// Its problems.
    pub findings: Vec<Finding>,
}

/// Reads a query string, with or without `?` and what surrounds it in an address. What cannot be
/// read is reported as a warning and left at its default, so that a link never shows nothing.
pub fn decode_query(query: &str) -> Link {
    let mut against = None;
    let mut link = read_query(query, &mut |query| {
        against = Some(read_query(query, &mut |_| {}));
    });
    if let Some(other) = against {
        link.view.against = Some(Box::new(other.scenario));
        // They are not about what this configuration's own settings say.
        let found = other.findings.into_iter();
        link.findings.extend(found.map(|finding| Finding {
            key: AGAINST.to_owned(),
            fix: None,
            ..finding
        }));
    }
    link
}

/// The same; the query of the configuration to compare with is handed on.
fn read_query(query: &str, against: &mut dyn FnMut(&str)) -> Link {
    let query = query.split_once('?').map_or(query, |(_, rest)| rest);
    let query = query.split_once('#').map_or(query, |(before, _)| before);
    let mut builder = Builder::new(Severity::Warning);
    let mut view = ViewOptions::default();
    let pairs = || {
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (percent::decode(name), percent::decode(value))
        })
    };
    for (_, version) in pairs().filter(|(name, _)| name == VERSION) {
        let number = version.parse::<u32>();
        builder.set_version(&number.map_or_else(|_| json!(version), Value::from));
    }
    for (name, value) in pairs().filter(|(name, _)| name != VERSION) {
        if name == AGAINST {
            against(&value);
        } else {
            read_pair(&name, &value, &mut builder, &mut view);
        }
    }
    let (scenario, findings) = finish(builder);
    Link {
        scenario,
        view,
        findings,
    }
}

fn read_pair(name: &str, value: &str, builder: &mut Builder, view: &mut ViewOptions) {
    match name {
        CONFIG => set_model(
            flat::read_fields(value).map(|config| json!({"hf_config": config})),
            value,
            builder,
        ),
        LINEAR => set_model(read_linear(value), value, builder),
        GRAPH => set_model(Some(read_graph(value)), value, builder),
        PARAMETERS => {
            let number = parse_count(value).ok();
            set_model(
                number.map(|number| json!({"num_parameters": number})),
                value,
                builder,
            );
        }
        EMBED => view.embed = read_flag(value).unwrap_or(false),
        THEME => view.theme = read_view(THEME, Theme::ALL, Theme::name, value, builder),
        LANG => view.lang = read_view(LANG, Language::ALL, Language::name, value, builder),
        CONTROLS => view.controls = read_controls(value, builder),
        PANELS => view.panels = read_panels(value, builder),
        _ => match KEYS.iter().find(|key| key.query == name) {
            Some(key) => read_key(key, value, builder),
            None if FOREIGN.iter().any(|foreign| name.starts_with(foreign)) => {}
            None => builder.push(|| unknown(name)),
        },
    }
}

fn set_model(model: Option<Value>, text: &str, builder: &mut Builder) {
    match model {
        Some(model) => builder.set("model", Kind::Model, &model),
        None => builder.refuse("model", Kind::Model, &shortened(text)),
    }
}

/// `10000x50000`, with `-nobias` where there is none.
fn read_linear(text: &str) -> Option<Value> {
    let (sizes, bias) = match text.strip_suffix(NO_BIAS) {
        Some(sizes) => (sizes, false),
        None => (text, true),
    };
    let (columns_in, columns_out) = sizes.split_once(['x', '×'])?;
    let (inputs, outputs) = (
        parse_count(columns_in).ok()?,
        parse_count(columns_out).ok()?,
    );
    Some(json!({"linear": {"in_features": inputs, "out_features": outputs, "bias": bias}}))
}

fn read_key(key: &'static Key, text: &str, builder: &mut Builder) {
    let optional_without_value = text.is_empty()
        && !matches!(
            key.kind,
            Kind::Model | Kind::Text | Kind::Sides | Kind::List | Kind::Fields
        );
    if optional_without_value {
        builder.clear(key.path);
        return;
    }
    // The trained model is given by its name alone; configs have keys of their own.
    let value = match key.path {
        "model" => Some(text.into()),
        _ => read_value(key.kind, text),
    };
    match value {
        Some(value) => builder.set(key.path, key.kind, &value),
        None => builder.refuse(key.path, key.kind, &shortened(text)),
    }
}

pub(super) fn read_value(kind: Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::Model if is_json(text) => serde_json::from_str(text).ok(),
        Kind::Model | Kind::Name(_) | Kind::Text | Kind::Sides | Kind::Lengths => Some(text.into()),
        Kind::Divisions if text.starts_with('[') => Some(text.into()),
        Kind::Count | Kind::Divisions => parse_count(text).ok().map(Value::from),
        Kind::Tokens => parse_tokens(text).ok().map(Value::from),
        Kind::Bytes => parse_bytes(text).ok().map(Value::from),
        Kind::Real => read_real(text),
        Kind::Flag => read_flag(text).map(Value::from),
        Kind::List => flat::read_list(text),
        Kind::Fields => flat::read_fields(text).map(Value::Object),
    }
}

/// Reads a number as JSON has it, or without digits before its point. The reader of JSON is linked anyway; that of the
/// standard library would bring tables of ten kilobytes.
fn read_real(text: &str) -> Option<Value> {
    let whole = if text.starts_with('.') { "0" } else { "" };
    let number: Value = serde_json::from_str(&format!("{whole}{text}")).ok()?;
    number.as_f64().map(Value::from)
}

fn read_flag(text: &str) -> Option<bool> {
    match text {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn read_view<T: Copy>(
    option: &str,
    all: &[T],
    name: fn(T) -> &'static str,
    text: &str,
    builder: &mut Builder,
) -> Option<T> {
    let found = all.iter().copied().find(|value| name(*value) == text);
    if found.is_none() && !text.is_empty() {
        let names = all
            .iter()
            .map(|value| name(*value))
            .collect::<Vec<_>>()
            .join(", ");
        let shown = shortened(text);
        builder
            .push(|| Finding::notice(option, message!(codec::unknown_view, option, shown, names)));
    }
    found
}

fn unknown(name: &str) -> Finding {
    let others = [
        CONFIG, LINEAR, PARAMETERS, EMBED, THEME, LANG, CONTROLS, AGAINST,
    ];
    let names = KEYS.iter().map(|key| key.query).chain(others);
    let hint = closest(name, names).map(|nearest| message!(codec::did_you_mean, nearest));
    let shown = shortened(name);
    Finding::notice(&shown, message!(codec::unknown_in_link, shown, hint))
}

//! GPU memory and host RAM against their capacities.

use super::peak::held;
use crate::app::{Store, Target, use_store};
use crate::figure::{
    CapacityBar, DevicePart, HostBarPart, Part, cached_with_room, device_bar, host_bar,
};
use crate::host::HostPart;
use crate::report::DeviceReport;
use crate::tape::Category;
use crate::text::{
    Scale, Word, amount, bar_name, device_part_name, difference, exact_bytes, given_back,
    host_bar_part_name,
};
use crate::units::Bytes;
use crate::widgets::{Bar, Legend, Mark, Segment};
use leptos::prelude::*;

/// A colour and texture of the figures' theme.
#[derive(Clone, Copy)]
pub(super) struct Ink {
    kind: &'static str,
    name: &'static str,
}

impl Ink {
    /// The ink of a name among the theme's categories, parts or others.
    pub(super) const fn new(kind: &'static str, name: &'static str) -> Self {
        Self { kind, name }
    }
}

/// A part of a bar: its key, label, color and target.
pub(super) trait Shown: Copy + Send + Sync + PartialEq + 'static {
    fn key(self) -> &'static str;
    fn label(self, store: Store) -> &'static str;
    fn ink(self) -> Ink;
    fn target(self) -> Target;
}

impl Shown for DevicePart {
    fn key(self) -> &'static str {
        self.name()
    }

    fn label(self, store: Store) -> &'static str {
        device_part_name(self, store.language.get())
    }

    fn ink(self) -> Ink {
        match self {
            Self::Category(category) => Ink::new("category", category.name()),
            other => Ink::new("other", other.name()),
        }
    }

    fn target(self) -> Target {
        match self {
            Self::Category(category) => Target::Category(category),
            other => Target::Other(other.name()),
        }
    }
}

impl Shown for HostBarPart {
    fn key(self) -> &'static str {
        self.name()
    }

    fn label(self, store: Store) -> &'static str {
        host_bar_part_name(self, store.language.get())
    }

    fn ink(self) -> Ink {
        match self {
            Self::Used(part) => Ink::new("part", part.name()),
            Self::Small | Self::PageCache => Ink::new("other", self.name()),
        }
    }

    fn target(self) -> Target {
        match self {
            Self::Used(part) => Target::Host(part),
            Self::Small | Self::PageCache => Target::Other(self.name()),
        }
    }
}

/// A part's colour and texture, from the custom properties that the figures' theme sets.
pub(super) fn background(Ink { kind, name }: Ink) -> String {
    format!("var(--{kind}-{name}-texture), var(--{kind}-{name})")
}

/// A category's colour and texture.
pub(super) fn category_background(category: Category) -> String {
    background(Ink::new("category", category.name()))
}

fn segment<K: Shown>(part: &Part<K>, number: String, uncounted: bool, store: Store) -> Segment {
    Segment {
        key: part.key.key(),
        label: part.key.label(store).to_owned(),
        number,
        exact: exact_bytes(part.bytes, store.language.get()),
        few: None,
        width: part.width,
        background: background(part.key.ink()),
        uncounted,
    }
}

/// A bar's parts for the widget.
fn segments<K: Shown>(bar: &CapacityBar<K>, store: Store) -> Vec<Segment> {
    let units = store.units.get();
    let scale = Scale::new(bar.total, units);
    let counted = bar.parts.iter();
    let counted = counted.map(|part| segment(part, scale.number(part.bytes), false, store));
    let uncounted = bar.uncounted.iter().map(|part| {
        let number = Scale::new(part.bytes, units);
        let number = if number.unit == scale.unit {
            number.number(part.bytes)
        } else {
            number.amount(part.bytes)
        };
        segment(part, number, true, store)
    });
    let mut segments: Vec<Segment> = counted.collect();
    if let Some(small) = segments.last_mut().filter(|_| !bar.few.is_empty()) {
        let name =
            |(key, bytes): &(K, Bytes)| format!("{} {}", key.label(store), amount(*bytes, units));
        let each: Vec<String> = bar.few.iter().map(name).collect();
        small.few = Some((format!("+{}", bar.few.len()), each.join(", ")));
    }
    segments.extend(uncounted);
    segments
}

/// A bar as it is shown, whatever its parts are.
#[derive(Clone, PartialEq)]
pub(super) struct ShownBar {
    /// Its parts.
    pub segments: Vec<Segment>,
    /// The sum of the counted ones.
    pub total: Bytes,
    /// Bytes of the memory.
    pub capacity: Bytes,
    /// The line at the capacity.
    pub mark: Mark,
    /// The mark at the end of the bar before the current gesture.
    pub ghost: Option<Mark>,
    /// The change of the total since.
    pub change: Option<String>,
    /// The standing of the total against the capacity.
    pub standing: &'static str,
}

impl ShownBar {
    /// A bar with the total that it had before.
    pub fn new<K: Shown>(bar: &CapacityBar<K>, before: Option<Bytes>, store: Store) -> Self {
        let units = store.units.get();
        let before = before.filter(|before| *before != bar.total);
        Self {
            segments: segments(bar, store),
            total: bar.total,
            capacity: bar.capacity,
            mark: Mark {
                at: bar.capacity_at,
                label: amount(bar.capacity, units),
            },
            ghost: before.map(|before| Mark {
                at: bar.at(before),
                label: amount(before, units),
            }),
            change: before.map(|before| difference(before, bar.total, units)),
            standing: bar.standing.name(),
        }
    }

    /// How it is read aloud.
    pub fn name(&self, title: &str, store: Store) -> String {
        let counted = self.segments.iter().filter(|part| !part.uncounted);
        let labels: Vec<String> = counted
            .map(|part| format!("{} {}", part.label, part.number))
            .collect();
        let (units, language) = (store.units.get(), store.language.get());
        bar_name(title, &labels, self.total, self.capacity, units, language)
    }

    /// The part that is highlighted; one that is too small to be shown by itself is one of the
    /// small ones. `find` gives what a part of this memory is highlighted with.
    pub fn current(&self, find: Find, store: Store) -> Option<&'static str> {
        let name = store
            .focus
            .broadly()?
            .name()
            .filter(|name| find(name).is_some())?;
        let there = |key: &&str| self.segments.iter().any(|part| part.key == *key);
        [name, DevicePart::Small.name()].into_iter().find(there)
    }
}

/// The target that is highlighted for a part, given the part's key.
pub(super) type Find = fn(&str) -> Option<Target>;

/// A bar with its heading and its legend.
#[component]
fn CapacityPanel(
    /// For tests and style sheets.
    id: &'static str,
    /// The memory that the bar shows.
    title: Word,
    /// The accelerator or the host of that memory.
    #[prop(into)]
    subtitle: Signal<String>,
    /// The bar.
    bar: Memo<Option<ShownBar>>,
    /// Finds the target that is highlighted for a part's key.
    find: Find,
) -> impl IntoView {
    let store = use_store();
    let heading = move || title.text(store.language.get());
    let with = move |pick: fn(&ShownBar, Store) -> String| {
        bar.with(|bar| bar.as_ref().map(|bar| pick(bar, store)))
    };
    let parts = Memo::new(move |_| {
        bar.with(|bar| bar.as_ref().map(|bar| bar.segments.clone()))
            .unwrap_or_default()
    });
    let name = Memo::new(move |_| {
        bar.with(|bar| bar.as_ref().map(|bar| bar.name(heading(), store)))
            .unwrap_or_default()
    });
    let capacity = Memo::new(move |_| bar.with(|bar| bar.as_ref().map(|bar| bar.mark.clone())));
    let ghost = Memo::new(move |_| bar.with(|bar| bar.as_ref()?.ghost.clone()));
    let change = Memo::new(move |_| bar.with(|bar| bar.as_ref()?.change.clone()));
    let current = Memo::new(move |_| bar.with(|bar| bar.as_ref()?.current(find, store)));
    let pinned = Memo::new(move |_| {
        parts.with(|parts| {
            parts
                .iter()
                .map(|part| part.key)
                .find(|key| find(key).is_some_and(|target| store.focus.is_pinned(target)))
        })
    });
    let on_point = move |key: Option<&'static str>| store.focus.point(key.and_then(find));
    let on_pick = move |key: &'static str| {
        if let Some(target) = find(key) {
            store.focus.toggle(target);
        }
    };
    let standing = move || bar.with(|bar| bar.as_ref().map(|bar| bar.standing));
    view! {
        <section class="card capacity" data-testid=id data-standing=standing>
            <header class="capacity-head">
                <h2>
                    {heading} " " <span class="subtitle" title=subtitle>{subtitle}</span>
                </h2>
                <p class="capacity-numbers">
                    <span class="change" hidden=Signal::derive(move || change.get().is_none())>
                        {change}
                    </span>
                    <strong title=Signal::derive(move || with(|bar, store| exact_bytes(bar.total, store.language.get())))>
                        {move || with(|bar, store| amount(bar.total, store.units.get()))}
                    </strong>
                    <span title=Signal::derive(move || with(|bar, store| exact_bytes(bar.capacity, store.language.get())))>
                        " / " {Signal::derive(move || with(|bar, store| amount(bar.capacity, store.units.get())))}
                    </span>
                </p>
            </header>
            <Bar name segments=parts capacity ghost current on_point on_pick />
            <Legend
                name=Signal::derive(move || heading().to_owned())
                segments=parts
                current
                pinned
                on_point
                on_pick
            />
        </section>
    }
}

/// The target that is highlighted for a part of the GPU's bar, given the part's key.
pub(super) fn device_target(name: &str) -> Option<Target> {
    DevicePart::WITHOUT_CATEGORY
        .into_iter()
        .find(|part| part.name() == name)
        .or_else(|| Category::from_name(name).map(DevicePart::Category))
        .map(Shown::target)
}

/// The target that is highlighted for a part of the host's bar, given the part's key.
pub(super) fn host_target(name: &str) -> Option<Target> {
    [HostBarPart::Small, HostBarPart::PageCache]
        .into_iter()
        .find(|part| part.name() == name)
        .or_else(|| HostPart::from_name(name).map(HostBarPart::Used))
        .map(Shown::target)
}

/// The bar of GPU memory, on an axis that reaches `least` at least.
pub(super) fn device_shown(store: Store, least: Bytes) -> Option<ShownBar> {
    let before = store.ghost.get().map(|ghost| ghost.device);
    store.answer.with(|answer| {
        let device = &answer.as_ref()?.report.device;
        let bar = device_bar(device).holding(least);
        Some(ShownBar::new(&bar, before, store))
    })
}

/// The bar of host RAM, on an axis that reaches `least` at least.
pub(super) fn host_shown(store: Store, least: Bytes) -> Option<ShownBar> {
    let before = store.ghost.get().map(|ghost| ghost.host);
    store.answer.with(|answer| {
        let report = &answer.as_ref()?.report;
        let bar = host_bar(&report.host, report.verdict.host.capacity).holding(least);
        Some(ShownBar::new(&bar, before, store))
    })
}

/// GPU memory.
#[component]
pub(super) fn DevicePanel() -> impl IntoView {
    let store = use_store();
    let least = held(store, |_, estimate| estimate.report.device.total);
    let bar = Memo::new(move |_| device_shown(store, least.get().unwrap_or_default()));
    // The memory that PyTorch gives back is shown beside the name, so that no line comes and goes with it.
    let subtitle = Signal::derive(move || {
        let (units, language) = (store.units.get(), store.language.get());
        let of = |device: &DeviceReport| {
            let name = device.name.clone();
            cached_with_room(device).map_or(name.clone(), |more| {
                format!("{name} \u{b7} {}", given_back(more, units, language))
            })
        };
        let said = store
            .answer
            .with(|answer| answer.as_ref().map(|e| of(&e.report.device)));
        said.unwrap_or_default()
    });
    view! {
        <CapacityPanel
            id="device-bar"
            title=Word::Vram
            subtitle
            bar
            find=device_target
        />
    }
}

/// Host RAM.
#[component]
pub(super) fn HostPanel() -> impl IntoView {
    let store = use_store();
    let least = held(store, |_, estimate| estimate.report.host.peak.total);
    let bar = Memo::new(move |_| host_shown(store, least.get().unwrap_or_default()));
    let subtitle = Signal::derive(move || {
        let language = store.language.get();
        let phase = store
            .answer
            .with(|answer| answer.as_ref().map(|e| e.report.host.peak.phase));
        phase.map_or_else(String::new, |phase| crate::text::host_peak(phase, language))
    });
    view! {
        <CapacityPanel id="host-bar" title=Word::Ram subtitle bar find=host_target />
    }
}

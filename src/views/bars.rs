//! GPU memory and host RAM against their capacities.

use crate::app::{Store, Target, use_store};
use crate::figure::{CapacityBar, DevicePart, HostBarPart, Part, device_bar, host_bar};
use crate::host::HostPart;
use crate::tape::Category;
use crate::text::{Scale, Term, Word, amount, bar_name, difference, exact_bytes};
use crate::units::Bytes;
use crate::widgets::{Bar, Legend, Mark, Segment};
use leptos::prelude::*;

/// What a bar's part is called, looks like and is highlighted with.
pub(super) trait Shown: Copy + Send + Sync + PartialEq + 'static {
    fn key(self) -> &'static str;
    fn label(self, store: Store) -> &'static str;
    fn ink(self) -> (&'static str, &'static str);
    fn target(self) -> Target;
    /// The part into which small ones are folded.
    fn small() -> Self;
}

impl Shown for DevicePart {
    fn key(self) -> &'static str {
        self.name()
    }

    fn label(self, store: Store) -> &'static str {
        let language = store.language.get();
        match self {
            Self::Category(category) => category.term(language),
            Self::Cached => Word::Cached.text(language),
            Self::OtherProcesses => Word::OtherProcesses.text(language),
            Self::Context => Word::Context.text(language),
            Self::Small => Word::SmallParts.text(language),
        }
    }

    fn ink(self) -> (&'static str, &'static str) {
        match self {
            Self::Category(category) => ("category", category.name()),
            other => ("other", other.name()),
        }
    }

    fn target(self) -> Target {
        match self {
            Self::Category(category) => Target::Category(category),
            other => Target::Other(other.name()),
        }
    }

    fn small() -> Self {
        Self::Small
    }
}

impl Shown for HostBarPart {
    fn key(self) -> &'static str {
        self.name()
    }

    fn label(self, store: Store) -> &'static str {
        let language = store.language.get();
        match self {
            Self::Used(part) => part.term(language),
            Self::Small => Word::SmallParts.text(language),
            Self::PageCache => Word::PageCache.text(language),
        }
    }

    fn ink(self) -> (&'static str, &'static str) {
        match self {
            Self::Used(part) => ("part", part.name()),
            Self::Small | Self::PageCache => ("other", self.name()),
        }
    }

    fn target(self) -> Target {
        match self {
            Self::Used(part) => Target::Host(part),
            Self::Small | Self::PageCache => Target::Other(self.name()),
        }
    }

    fn small() -> Self {
        Self::Small
    }
}

/// A part's colour and texture, from the custom properties that the figures' theme sets.
pub(super) fn background((kind, name): (&str, &str)) -> String {
    format!("var(--{kind}-{name}-texture), var(--{kind}-{name})")
}

/// A category's colour and texture.
pub(super) fn category_background(category: Category) -> String {
    background(("category", category.name()))
}

fn segment<K: Shown>(part: &Part<K>, number: String, uncounted: bool, store: Store) -> Segment {
    Segment {
        key: part.key.key(),
        label: part.key.label(store).to_owned(),
        number,
        exact: exact_bytes(part.bytes, store.language.get()),
        start: part.start,
        width: part.width,
        background: background(part.key.ink()),
        uncounted,
    }
}

/// A bar's parts for the widget.
pub(super) fn segments<K: Shown>(bar: &CapacityBar<K>, store: Store) -> Vec<Segment> {
    let scale = Scale::new(bar.total, store.units.get());
    let bytes: Vec<Bytes> = bar.parts.iter().map(|part| part.bytes).collect();
    let counted = bar
        .parts
        .iter()
        .zip(scale.parts(&bytes, bar.total))
        .map(|(part, number)| segment(part, number, false, store));
    let uncounted = bar
        .uncounted
        .iter()
        .map(|part| segment(part, scale.finer(part.bytes), true, store));
    counted.chain(uncounted).collect()
}

/// The GPU's bar.
const DEVICE: &str = "device-bar";

/// A bar with its heading and its legend.
#[component]
fn CapacityPanel<K: Shown>(
    /// For tests and style sheets.
    id: &'static str,
    /// What the bar is of.
    title: Word,
    /// What it is of in particular.
    #[prop(into)]
    subtitle: Signal<String>,
    /// The bar.
    bar: Memo<Option<CapacityBar<K>>>,
    /// The total before the last change.
    #[prop(into)]
    before: Signal<Option<Bytes>>,
    /// The part behind a key.
    find: fn(&str) -> Option<K>,
) -> impl IntoView {
    let store = use_store();
    let heading = move || title.text(store.language.get());
    let with = move |pick: fn(&CapacityBar<K>, Store) -> String| {
        bar.with(|bar| bar.as_ref().map(|bar| pick(bar, store)))
    };
    let parts = Memo::new(move |_| {
        bar.with(|bar| bar.as_ref().map(|bar| segments(bar, store)))
            .unwrap_or_default()
    });
    let name = Memo::new(move |_| {
        let labels: Vec<(String, String)> = parts.with(|parts| {
            let counted = parts.iter().filter(|part| !part.uncounted);
            counted
                .map(|part| (part.label.clone(), part.number.clone()))
                .collect()
        });
        let (units, language) = (store.units.get(), store.language.get());
        bar.with(|bar| {
            bar.as_ref().map(|bar| {
                bar_name(
                    title.text(language),
                    &labels,
                    bar.total,
                    bar.capacity,
                    units,
                    language,
                )
            })
        })
        .unwrap_or_default()
    });
    let capacity = Memo::new(move |_| {
        bar.with(|bar| {
            bar.as_ref().map(|bar| Mark {
                at: bar.capacity_at,
                label: amount(bar.capacity, store.units.get()),
            })
        })
    });
    let ghost = Memo::new(move |_| {
        let before = before.get()?;
        bar.with(|bar| {
            let bar = bar.as_ref().filter(|bar| bar.total != before)?;
            Some(Mark {
                at: bar.at(before),
                label: difference(before, bar.total, store.units.get()),
            })
        })
    });
    let current = Memo::new(move |_| {
        let target = store.focus.broadly()?;
        bar.with(|bar| {
            let bar = bar.as_ref()?;
            let all = bar.parts.iter().chain(&bar.uncounted).map(|part| part.key);
            let own = all.clone().find(|key| key.target() == target);
            // What is too small to be shown by itself is one of the small parts.
            let small = || {
                let folded = matches!(target, Target::Category(_)) && id == DEVICE;
                all.clone().find(|key| folded && *key == K::small())
            };
            own.or_else(small).map(Shown::key)
        })
    });
    let pinned = Memo::new(move |_| {
        parts.with(|parts| {
            parts
                .iter()
                .map(|part| part.key)
                .find(|key| find(key).is_some_and(|part| store.focus.is_pinned(part.target())))
        })
    });
    let on_point = move |key: Option<&'static str>| {
        store.focus.point(key.and_then(find).map(Shown::target));
    };
    let on_pick = move |key: &'static str| {
        if let Some(part) = find(key) {
            store.focus.toggle(part.target());
        }
    };
    let standing = move || bar.with(|bar| bar.as_ref().map(|bar| bar.standing.name()));
    view! {
        <section class="card capacity" data-testid=id data-standing=standing>
            <header class="capacity-head">
                <h2>
                    {heading} " " <span class="subtitle">{subtitle}</span>
                </h2>
                <p class="capacity-numbers">
                    <span class="change" hidden=Signal::derive(move || ghost.get().is_none())>
                        {Signal::derive(move || ghost.get().map(|mark| mark.label))}
                    </span>
                    <strong title=Signal::derive(move || with(|bar, store| exact_bytes(bar.total, store.language.get())))>
                        {move || with(|bar, store| {
                            Scale::new(bar.capacity, store.units.get()).finer(bar.total)
                        })}
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

/// The part of the GPU's bar behind a key.
pub(super) fn device_part(name: &str) -> Option<DevicePart> {
    [
        DevicePart::Cached,
        DevicePart::OtherProcesses,
        DevicePart::Context,
        DevicePart::Small,
    ]
    .into_iter()
    .find(|part| part.name() == name)
    .or_else(|| Category::from_name(name).map(DevicePart::Category))
}

/// The part of the host's bar behind a key.
pub(super) fn host_part(name: &str) -> Option<HostBarPart> {
    [HostBarPart::Small, HostBarPart::PageCache]
        .into_iter()
        .find(|part| part.name() == name)
        .or_else(|| HostPart::from_name(name).map(HostBarPart::Used))
}

/// GPU memory.
#[component]
pub(super) fn DevicePanel() -> impl IntoView {
    let store = use_store();
    let bar = Memo::new(move |_| {
        store
            .answer
            .with(|answer| answer.as_ref().map(|e| device_bar(&e.report.device)))
    });
    let subtitle = Signal::derive(move || {
        store
            .answer
            .with(|answer| answer.as_ref().map(|e| e.report.device.name.clone()))
            .unwrap_or_default()
    });
    let before = Signal::derive(move || store.ghost.get().map(|ghost| ghost.device));
    view! {
        <CapacityPanel
            id=DEVICE
            title=Word::Vram
            subtitle
            bar
            before
            find=device_part
        />
    }
}

/// Host RAM.
#[component]
pub(super) fn HostPanel() -> impl IntoView {
    let store = use_store();
    let bar = Memo::new(move |_| {
        store.answer.with(|answer| {
            answer
                .as_ref()
                .map(|e| host_bar(&e.report.host, e.report.verdict.host.capacity))
        })
    });
    let subtitle = Signal::derive(move || {
        let language = store.language.get();
        let phase = store
            .answer
            .with(|answer| answer.as_ref().map(|e| e.report.host.peak.phase));
        phase.map_or_else(String::new, |phase| crate::text::host_peak(phase, language))
    });
    let before = Signal::derive(move || store.ghost.get().map(|ghost| ghost.host));
    view! {
        <CapacityPanel id="host-bar" title=Word::Ram subtitle bar before find=host_part />
    }
}

//! A stacked bar with marks, and its legend.

use super::tell;
use crate::browser;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

/// A part of the bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Stable key; the same part keeps its element, its colour and whether it counts while its
    /// size changes.
    pub key: &'static str,
    /// Name for people.
    pub label: String,
    /// The number, as printed.
    pub number: String,
    /// The number to the last digit.
    pub exact: String,
    /// How the legend names several parts that are too small to be shown one by one: how many they are, and each with
    /// its number.
    pub few: Option<(String, String)>,
    /// How long it is, as a share of the bar.
    pub width: f64,
    /// Its colour with its texture, as a CSS background.
    pub background: String,
    /// Whether it is shown without being counted.
    pub uncounted: bool,
}

/// A line across the bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where, as a share of the bar.
    pub at: f64,
    /// Its label.
    pub label: String,
}

fn percent(share: f64) -> String {
    format!("{:.3}%", share * 100.0)
}

/// A share of the bar from its left end as a translation: an element moved by it shifts no layout.
fn along(share: f64) -> String {
    format!("{:.3}cqw", share * 100.0)
}

/// The beginning of a part, as a share of the bar.
fn start(segments: &[Segment], key: &'static str) -> f64 {
    let before = segments.iter().take_while(|segment| segment.key != key);
    before.map(|segment| segment.width).sum()
}

/// The background of a part, and whether it is not counted: what never changes.
fn look(own: Memo<Option<Segment>>) -> (String, bool) {
    own.with_untracked(|own| {
        let own = own.as_ref();
        own.map_or_else(Default::default, |own| {
            (own.background.clone(), own.uncounted)
        })
    })
}

/// A stacked bar. Its name says what it shows; its parts are told by its legend.
#[component]
pub fn Bar(
    /// The bar's accessible name.
    #[prop(into)]
    name: Signal<String>,
    /// Its parts, in order.
    #[prop(into)]
    segments: Signal<Vec<Segment>>,
    /// The capacity.
    #[prop(into)]
    capacity: Signal<Option<Mark>>,
    /// The end of the bar before the last change.
    #[prop(into)]
    ghost: Signal<Option<Mark>>,
    /// Key of the highlighted part.
    #[prop(into)]
    current: Signal<Option<&'static str>>,
    /// The pointer is on a part, or on none.
    #[prop(into)]
    on_point: Callback<Option<&'static str>>,
    /// A part was clicked.
    #[prop(into)]
    on_pick: Callback<&'static str>,
) -> impl IntoView {
    let segment = move |key: &'static str| {
        let own =
            Memo::new(move |_| segments.with(|all| all.iter().find(|s| s.key == key).cloned()));
        let get = move |pick: fn(&Segment) -> String| own.with(|s| s.as_ref().map(pick));
        let start = Memo::new(move |_| segments.with(|all| along(start(all, key))));
        let (background, uncounted) = look(own);
        view! {
            <div
                class="segment"
                class:receding=Signal::derive(move || current.get().is_some_and(|c| c != key))
                class:uncounted=uncounted
                data-part=key
                style:background=background
                style:width=Signal::derive(move || get(|s| percent(s.width)))
                style:translate=start
                title=Signal::derive(move || get(|s| format!("{}: {} ({})", s.label, s.number, s.exact)))
                on:pointerenter=move |_| tell(on_point, Some(key))
                on:pointerleave=move |_| tell(on_point, None)
                on:click=move |_| tell(on_pick, key)
            ></div>
        }
    };
    let limit = move || capacity.get().map(|mark| along(mark.at));
    let unbounded = Signal::derive(move || capacity.with(Option::is_none));
    let near = move || ghost.get().filter(|mark| mark.at <= 1.0);
    let far = move || ghost.get().filter(|mark| mark.at > 1.0);
    view! {
        <div class="bar">
            <div class="track" role="img" aria-label=name>
                <div
                    class="beyond"
                    hidden=unbounded
                    style=("--at", limit)
                    title=Signal::derive(move || capacity.get().map(|mark| mark.label))
                ></div>
                <For
                    each=move || segments.with(|all| all.iter().map(|s| s.key).collect::<Vec<_>>())
                    key=|key| *key
                    children=segment
                />
                <div class="line ghost" hidden=Signal::derive(move || near().is_none())
                    style:translate=Signal::derive(move || near().map(|mark| along(mark.at)))>
                </div>
                <div class="line capacity" hidden=unbounded style:translate=limit></div>
                <div class="far-ghost" hidden=Signal::derive(move || far().is_none())>
                    {Signal::derive(move || far().map(|mark| mark.label))} " \u{2192}"
                </div>
            </div>
        </div>
    }
}

/// The legend of a bar: each part with its number, to be pointed at and pinned.
#[component]
pub fn Legend(
    /// The legend's accessible name.
    #[prop(into)]
    name: Signal<String>,
    /// The parts, in order.
    #[prop(into)]
    segments: Signal<Vec<Segment>>,
    /// Key of the highlighted part.
    #[prop(into)]
    current: Signal<Option<&'static str>>,
    /// Key of the pinned part.
    #[prop(into)]
    pinned: Signal<Option<&'static str>>,
    /// The pointer or the keyboard is on a part, or on none.
    #[prop(into)]
    on_point: Callback<Option<&'static str>>,
    /// A part was clicked.
    #[prop(into)]
    on_pick: Callback<&'static str>,
) -> impl IntoView {
    let list = NodeRef::<html::Ul>::new();
    // One stop of Tab for all; the arrows lead from part to part.
    let stop = RwSignal::new(None::<&'static str>);
    let keys = move || segments.with(|all| all.iter().map(|s| s.key).collect::<Vec<_>>());
    let stop_now = Memo::new(move |_| {
        segments.with(|all| {
            let wanted = stop
                .get()
                .filter(|wanted| all.iter().any(|s| s.key == *wanted));
            wanted.or_else(|| all.first().map(|s| s.key))
        })
    });
    let is_stop = move |key: &'static str| stop_now.get() == Some(key);
    let walk = move |event: KeyboardEvent, from: &'static str| {
        let all = untrack(keys);
        let (Some(at), Some(last)) = (
            all.iter().position(|&key| key == from),
            all.len().checked_sub(1),
        ) else {
            return;
        };
        let to = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => (at + 1).min(last),
            "ArrowLeft" | "ArrowUp" => at.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        if let Some(list) = list.get_untracked() {
            browser::focus_within(&list, to);
        }
    };
    let item = move |key: &'static str| {
        let own =
            Memo::new(move |_| segments.with(|all| all.iter().find(|s| s.key == key).cloned()));
        let get = move |pick: fn(&Segment) -> String| own.with(|s| s.as_ref().map(pick));
        let (background, _) = look(own);
        view! {
            <li>
                <button
                    type="button"
                    class="legend-item"
                    class:receding=Signal::derive(move || current.get().is_some_and(|c| c != key))
                    tabindex=Signal::derive(move || if is_stop(key) { "0" } else { "-1" })
                    aria-pressed=Signal::derive(move || (pinned.get() == Some(key)).to_string())
                    title=Signal::derive(move || {
                        get(|s| s.few.as_ref().map_or(&s.exact, |(_, each)| each).clone())
                    })
                    on:pointerenter=move |_| tell(on_point, Some(key))
                    on:pointerleave=move |_| tell(on_point, None)
                    on:keydown=move |event| walk(event, key)
                    on:focus=move |_| {
                        stop.set(Some(key));
                        tell(on_point, Some(key));
                    }
                    on:blur=move |_| tell(on_point, None)
                    on:click=move |_| tell(on_pick, key)
                >
                    <span class="swatch" style:background=background></span>
                    <span class="legend-label">
                        {Signal::derive(move || {
                            get(|s| s.few.as_ref().map_or(&s.label, |(count, _)| count).clone())
                        })}
                    </span>
                    <span class="legend-number">{Signal::derive(move || get(|s| s.number.clone()))}</span>
                </button>
            </li>
        }
    };
    view! {
        <ul class="legend" aria-label=name node_ref=list>
            <For
                each=keys
                key=|key| *key
                children=item
            />
        </ul>
    }
}

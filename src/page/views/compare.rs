//! A and B: the configuration that was kept beside the one on screen.

use super::bar_row::{Limit, bar_row};
use super::bars::{
    DevicePanel, Find, HostPanel, Shown, ShownBar, background, device_target, host_target,
};
use super::pin::Pin;
use super::value::value_text;
use crate::app::{Store, Target, use_store};
use crate::ask::Scenario;
use crate::codec::{Difference, differences};
use crate::figure::{Comparison, Pair, compare_device, compare_host, on_one_device};
use crate::report::{Estimate, Report};
use crate::text::{
    Language, Scale, Word, both_on_one_gpu, difference, exact, setting_name, verdict_answer,
    verdict_detail,
};
use crate::units::Bytes;
use leptos::prelude::*;
use std::sync::Arc;

/// The button that keeps the configuration on screen as A, or lets it go.
#[component]
pub(super) fn CompareButton() -> impl IntoView {
    let store = use_store();
    let on = Memo::new(move |_| store.kept.is_on());
    view! {
        <button
            type="button"
            class="quiet"
            id="compare-button"
            aria-pressed=Signal::derive(move || on.get().to_string())
            title=Signal::derive(move || Word::CompareHelp.text(store.language.get()))
            on:click=move |_| store.toggle_kept()
        >
            {Signal::derive(move || Word::Compare.text(store.language.get()))}
        </button>
    }
}

/// The bars: of the configuration on screen, or of both.
#[component]
pub(super) fn Bars() -> impl IntoView {
    let store = use_store();
    let on = Memo::new(move |_| store.kept.is_on());
    move || {
        if on.get() {
            view! { <ComparePanel /> }.into_any()
        } else {
            view! {
                <DevicePanel />
                <HostPanel />
            }
            .into_any()
        }
    }
}

/// An answer of the configuration on screen: at once, or where it is not waited for.
type Answer = RwSignal<Option<Arc<Estimate>>>;

/// A value computed from A's answer and one of B's together.
fn both<T>(store: Store, b: Answer, of: impl FnOnce(&Report, &Report) -> T) -> Option<T> {
    let a = store.kept.answer()?;
    b.with(|b| Some(of(&a.report, &b.as_ref()?.report)))
}

/// A memory of both as it is shown, whatever its parts are.
#[derive(Clone, PartialEq)]
struct Both {
    bars: [ShownBar; 2],
    parts: Vec<Part>,
}

/// A part of both.
#[derive(Clone, PartialEq)]
struct Part {
    target: Target,
    label: &'static str,
    background: String,
    a: Bytes,
    b: Bytes,
}

impl Both {
    fn new<K: Shown>(all: &Comparison<K>, store: Store) -> Self {
        let part = |&Pair { key, a, b }: &Pair<K>| Part {
            target: key.target(),
            label: key.label(store),
            background: background(key.ink()),
            a,
            b,
        };
        Self {
            bars: [&all.a, &all.b].map(|bar| ShownBar::new(bar, None, store)),
            parts: all.parts.iter().map(part).collect(),
        }
    }

    /// GPU memory.
    fn device(store: Store, b: Answer) -> Memo<Option<Self>> {
        let new = move |a: &Report, b: &Report| Self::new(&compare_device(a, b), store);
        Memo::new(move |_| both(store, b, new))
    }

    /// Host RAM.
    fn host(store: Store, b: Answer) -> Memo<Option<Self>> {
        let new = move |a: &Report, b: &Report| Self::new(&compare_host(a, b), store);
        Memo::new(move |_| both(store, b, new))
    }

    /// Both totals.
    fn totals(&self) -> [Bytes; 2] {
        [self.bars[0].total, self.bars[1].total]
    }

    /// The scale of the larger one.
    fn scale(&self, store: Store) -> Scale {
        let [a, b] = self.totals();
        Scale::new(a.max(b), store.units.get())
    }
}

/// The panel.
#[component]
fn ComparePanel() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let note = move || {
        let language = store.language.get();
        let Some(a) = store.kept.scenario() else {
            return String::new();
        };
        if store.scenario.with(|b| *b == *a) {
            return Word::CompareSame.text(language).to_owned();
        }
        if store.kept.answer().is_none() {
            return Word::CompareNoAnswer.text(language).to_owned();
        }
        String::new()
    };
    let note = Memo::new(move |_| note());
    view! {
        <section class="card figure compare" data-testid="compare" aria-labelledby="compare-title">
            <header class="figure-head">
                <h2 id="compare-title">{word(Word::CompareTitle)}</h2>
                <div class="figure-tools">
                    <button type="button" class="quiet" on:click=move |_| store.swap()>
                        {word(Word::CompareSwap)}
                    </button>
                    <button type="button" class="quiet" on:click=move |_| store.keep()>
                        {word(Word::CompareKeep)}
                    </button>
                    <button type="button" class="quiet" on:click=move |_| store.kept.set(None)>
                        {word(Word::Close)}
                    </button>
                </div>
            </header>
            <p class="figure-summary" role="status" hidden=Signal::derive(move || note.with(String::is_empty))>
                {note}
            </p>
            <Verdicts />
            <TwoBars title=Word::Vram all=Both::device(store, store.answer) find=device_target />
            <TwoBars title=Word::Ram all=Both::host(store, store.answer) find=host_target />
        </section>
    }
}

/// Differences between the two configurations, setting by setting and part by part; empty where one is alone.
#[component]
pub(super) fn ComparedPanel() -> impl IntoView {
    let store = use_store();
    let on = Memo::new(move |_| store.kept.is_on());
    let title = Signal::derive(move || Word::CompareDiffers.text(store.language.get()));
    view! {
        <Show when=move || on.get()>
            <section class="card figure compare" data-testid="compared" aria-labelledby="compared-title">
                <header class="figure-head">
                    <h2 id="compared-title">{title}</h2>
                </header>
                <Settings />
                <div class="compare-tables">
                    <Parts title=Word::Vram all=Both::device(store, store.settled) />
                    <Parts title=Word::Ram all=Both::host(store, store.settled) />
                </div>
            </section>
        </Show>
    }
}

/// The two answers in words.
#[component]
fn Verdicts() -> impl IntoView {
    let store = use_store();
    let sentence = move |report: &Report| {
        let (units, language) = (store.units.get(), store.language.get());
        let answer = verdict_answer(&report.verdict, units, language);
        (
            answer,
            verdict_detail(&report.verdict, units, language),
            report.verdict.fits,
        )
    };
    let line = move |side: &'static str, said: Option<(String, String, bool)>| {
        said.map(|(answer, detail, fits)| {
            view! {
                <li data-fits=fits.to_string()>
                    <b class="side">{side}</b>
                    <span>
                        <strong>{answer}</strong>
                        " "
                        {detail}
                    </span>
                </li>
            }
        })
    };
    let together = Memo::new(move |_| {
        let both = both(store, store.answer, on_one_device).flatten()?;
        let (units, language) = (store.units.get(), store.language.get());
        Some((both_on_one_gpu(&both, units, language), both.fits))
    });
    let together = move || {
        together.get().map(|(said, fits)| {
            view! {
                <p class="figure-summary" data-fits=fits.to_string()>
                    {said}
                </p>
            }
        })
    };
    let a = Memo::new(move |_| store.kept.answer().map(|a| sentence(&a.report)));
    let b = Memo::new(move |_| {
        store
            .answer
            .with(|b| b.as_ref().map(|b| sentence(&b.report)))
    });
    view! {
        <ul class="sides">
            {move || line("A", a.get())}
            {move || line("B", b.get())}
        </ul>
        {together}
    }
}

/// One memory: both bars on one scale.
#[component]
fn TwoBars(
    /// The title of the memory.
    title: Word,
    /// Both.
    all: Memo<Option<Both>>,
    /// Finds the target that is highlighted for a part's key.
    find: Find,
) -> impl IntoView {
    let store = use_store();
    let heading = Signal::derive(move || title.text(store.language.get()));
    let row = move |at: usize, side: &'static str| {
        let bar = move || all.with(|all| all.as_ref().map(|all| all.bars[at].clone()));
        let label = Signal::stored(side.to_owned());
        bar_row(label, Signal::derive(bar), find, Limit::Own)
    };
    view! {
        <div hidden=Signal::derive(move || all.with(Option::is_none))>
            <h3>{heading}</h3>
            <ul class="node-rows" aria-label=heading>
                {row(0, "A")}
                {row(1, "B")}
            </ul>
        </div>
    }
}

/// Bytes of each part of a memory, in both configurations.
#[component]
fn Parts(
    /// The title of the memory.
    title: Word,
    /// Both.
    all: Memo<Option<Both>>,
) -> impl IntoView {
    let store = use_store();
    let name = Signal::derive(move || title.text(store.language.get()));
    let each = move || {
        all.with(|all| {
            let parts = all.as_ref().map_or(&[][..], |all| &all.parts);
            let each = parts.iter().map(|part| (part.label, part.target));
            each.collect::<Vec<_>>()
        })
    };
    let of = move |pick: fn(&Both, Store) -> String| {
        Signal::derive(move || all.with(|all| all.as_ref().map(|all| pick(all, store))))
    };
    view! {
        <Head name differs=true>
            <For each key=|(label, _)| *label children=move |part| row(part, all, store) />
            <tr class="total" hidden=Signal::derive(move || all.with(Option::is_none))>
                <th scope="row">
                    {Signal::derive(move || Word::Total.text(store.language.get()))} ", "
                    {of(move |all, store| all.scale(store).unit.to_owned())}
                </th>
                <td>{of(move |all, store| all.scale(store).number(all.totals()[0]))}</td>
                <td>{of(move |all, store| all.scale(store).number(all.totals()[1]))}</td>
                <td>
                    {of(move |all, store| {
                        let [a, b] = all.totals();
                        difference(a, b, store.units.get())
                    })}
                </td>
            </tr>
        </Head>
    }
}

/// A table with a column for each side.
#[component]
fn Head(
    /// The title of its first column, and the name under which it is read aloud.
    #[prop(into)]
    name: Signal<&'static str>,
    /// Whether it has a column for what lies between.
    differs: bool,
    /// Its rows.
    children: Children,
) -> impl IntoView {
    let store = use_store();
    let last = differs.then(|| {
        view! {
            <th scope="col">
                {Signal::derive(move || Word::CompareDifference.text(store.language.get()))}
            </th>
        }
    });
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=name>
            <table class="numbers compare-table">
                <thead>
                    <tr>
                        <th scope="col">{name}</th>
                        <th scope="col">"A"</th>
                        <th scope="col">"B"</th>
                        {last}
                    </tr>
                </thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
}

/// One part on both sides.
fn row((label, target): (&'static str, Target), all: Memo<Option<Both>>, store: Store) -> AnyView {
    let own = Memo::new(move |_| {
        all.with(|all| {
            let all = all.as_ref()?;
            let part = all.parts.iter().find(|part| part.label == label)?;
            Some((part.clone(), all.scale(store)))
        })
    });
    let say = move |pick: fn(&Part, Scale, Store) -> String| {
        Signal::derive(move || {
            own.with(|own| own.as_ref().map(|(part, scale)| pick(part, *scale, store)))
        })
    };
    let recedes = Signal::derive(move || {
        store
            .focus
            .broadly()
            .is_some_and(|current| current != target)
    });
    view! {
        <tr
            class:receding=recedes
            on:pointerenter=move |_| store.focus.point(Some(target))
            on:pointerleave=move |_| store.focus.point(None)
        >
            <th scope="row">
                <Pin target>
                    <span class="swatch" style:background=say(|part, _, _| part.background.clone())></span>
                    {label}
                </Pin>
            </th>
            <td>{say(|part, scale, _| number(part.a, scale))}</td>
            <td>{say(|part, scale, _| number(part.b, scale))}</td>
            <td>{say(|part, _, store| change(part, store))}</td>
        </tr>
    }
    .into_any()
}

fn number(bytes: Bytes, scale: Scale) -> String {
    match bytes {
        Bytes::ZERO => "\u{2013}".to_owned(),
        bytes => scale.number(bytes),
    }
}

fn change(part: &Part, store: Store) -> String {
    if part.a == part.b {
        return String::new();
    }
    difference(part.a, part.b, store.units.get())
}

/// A setting's name and its value on each side.
#[derive(Clone, PartialEq)]
struct Line {
    setting: String,
    a: String,
    b: String,
}

/// The settings that differ, as people read them.
fn settings(
    (a, of_a): (&Scenario, &Report),
    (b, of_b): (&Scenario, &Report),
    language: Language,
) -> Vec<Line> {
    let mut lines: Vec<Line> = differences(a, b)
        .into_iter()
        .map(|Difference { key, a, b }| {
            let (a, b) = match key.path {
                "model" => (of_a.model.name.clone(), of_b.model.name.clone()),
                "hardware.gpu" => (of_a.device.name.clone(), of_b.device.name.clone()),
                path => (
                    value_text(path, &a, language),
                    value_text(path, &b, language),
                ),
            };
            Line {
                setting: setting_name(key.path, language).to_owned(),
                a,
                b,
            }
        })
        .collect();
    if !lines.is_empty() {
        lines.push(Line {
            setting: Word::GlobalBatch.text(language).to_owned(),
            a: exact(of_a.global_batch_size),
            b: exact(of_b.global_batch_size),
        });
    }
    lines
}

/// The settings in which they differ.
#[component]
fn Settings() -> impl IntoView {
    let store = use_store();
    let lines = Memo::new(move |_| {
        let language = store.language.get();
        let a = store.kept.scenario()?;
        let b = store.scenario.get_untracked();
        both(store, store.settled, |of_a, of_b| {
            settings((&a, of_a), (&b, of_b), language)
        })
    });
    let name = Signal::derive(move || Word::CompareSettings.text(store.language.get()));
    let line = |Line {
                    setting: name,
                    a,
                    b,
                }: Line| {
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td>{a}</td>
                <td>{b}</td>
            </tr>
        }
    };
    view! {
        <div hidden=Signal::derive(move || lines.with(|l| l.as_ref().is_none_or(Vec::is_empty)))>
            <Head name differs=false>
                {move || lines.get().map(|all| all.into_iter().map(line).collect_view())}
            </Head>
        </div>
    }
}

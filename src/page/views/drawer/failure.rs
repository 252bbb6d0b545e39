//! A failure: its cause, who holds what at that moment, and the tensors of the estimate that may have asked.

use crate::app::{Store, asked_for, use_drawer};
use crate::ask::Fix;
use crate::catalog::of_capacity;
use crate::figure::Explained;
use crate::inputs::{Failure, Holder, Share};
use crate::report::{Requested, estimate};
use crate::text::{
    InputWord, amount, cause_sentence, exact_bytes, explained_sentences, holder_name, kind_name,
    requested_sentence,
};
use crate::units::Bytes;
use crate::views::bars::{Ink, background};
use crate::widgets::{Bar, Segment};
use leptos::prelude::*;
use std::sync::Arc;

/// Lines of one kind that are shown.
const LINES: usize = 6;

/// The ink of a holder's part of the bar; free memory has no part.
fn ink(holder: Holder) -> Option<(&'static str, Ink)> {
    match holder {
        Holder::Tensors => Some(("tensors", Ink::new("other", "tensors"))),
        Holder::Unallocated => Some(("unallocated", Ink::new("other", "cached"))),
        Holder::Process => Some(("process", Ink::new("other", "context"))),
        Holder::Others => Some(("others", Ink::new("other", "other_processes"))),
        Holder::Rest => Some(("rest", Ink::new("other", "small"))),
        Holder::Free => None,
    }
}

/// A row of a table of numbers.
fn row(label: &'static str, bytes: Bytes, store: Store) -> impl IntoView {
    let number = amount(bytes, store.units.get());
    let exact = exact_bytes(bytes, store.language.get());
    view! {
        <li class="fit">
            <span>{label}</span>
            <strong title=exact>{number}</strong>
        </li>
    }
}

/// Who holds what, as a bar.
fn bar(failure: &Failure, store: Store) -> Option<impl IntoView> {
    let shares = failure.facts.shares();
    if shares.len() < 2 {
        return None;
    }
    let language = store.language.get();
    let part = |&Share {
                    holder,
                    bytes,
                    width,
                }: &Share| {
        let (key, ink) = ink(holder)?;
        let bytes = Bytes(bytes);
        Some(Segment {
            key,
            label: holder_name(holder, language).to_owned(),
            number: amount(bytes, store.units.get()),
            exact: exact_bytes(bytes, language),
            few: None,
            width,
            background: background(ink),
            uncounted: false,
        })
    };
    let segments: Vec<_> = shares.iter().filter_map(part).collect();
    Some(view! {
        <Bar
            name=Signal::stored(kind_name(failure.kind, language).to_owned())
            segments=Signal::stored(segments)
            capacity=Signal::stored(None)
            ghost=Signal::stored(None)
            current=Signal::stored(None)
            on_point=|_| ()
            on_pick=|_| ()
        />
    })
}

/// The GPUs of the catalog with this capacity, to choose the one on which it ran.
fn gpus(total: Option<u64>, store: Store) -> Option<AnyView> {
    let alike: Vec<_> = of_capacity(Bytes(total?)).collect();
    let language = store.language.get();
    if alike.is_empty() {
        return None;
    }
    let is_now = move |id: &str| store.scenario.with(|now| now.hardware.gpu == id);
    let option = move |(id, name): (&'static str, &'static str)| {
        view! {
            <option value=id prop:selected=Signal::derive(move || is_now(id))>
                {name}
            </option>
        }
    };
    let ids: Vec<&str> = alike.iter().map(|gpu| gpu.id).collect();
    let none = Signal::derive(move || !ids.iter().any(|id| is_now(id)));
    let choose = move |id: String| {
        store.apply(&Fix {
            key: "hardware.gpu".to_owned(),
            value: id.into(),
        });
    };
    let options = alike.into_iter().map(|gpu| option((gpu.id, gpu.name)));
    let select = view! {
        <label class="ran-on">
            <span class="field-label">{InputWord::RanOn.text(language)}</span>
            <select class="choices" on:change:target=move |event| choose(event.target().value())>
                <option value="" disabled prop:selected=none>
                    "\u{2026}"
                </option>
                {options.collect_view()}
            </select>
        </label>
    };
    Some(select.into_any())
}

/// A failure beside the estimate of the scenario that it is compared with.
#[derive(Clone, PartialEq)]
struct Compared {
    explained: Option<Explained>,
    /// The tensors that may have asked.
    requested: Vec<Requested>,
    /// Whether the scenario on screen is another one since a change was tried.
    is_before: bool,
}

/// A failure beside the scenario on screen, or beside the one from before a change was tried: that one failed.
fn follow(failure: &Arc<Failure>, store: Store) -> Memo<Compared> {
    let (failure, drawer) = (Arc::clone(failure), use_drawer());
    Memo::new(move |_| {
        let answer = store.settled.get();
        let now = store.scenario.get_untracked();
        let before = drawer.before_trial(&now);
        let is_before = before.is_some();
        let estimated = before.as_ref().map(estimate);
        let report = match &estimated {
            Some(estimate) => estimate.as_ref().ok().map(|estimate| &estimate.report),
            None => answer.as_ref().map(|answer| &answer.report),
        };
        Compared {
            explained: report.and_then(|report| Explained::of(&failure, report)),
            requested: asked_for(before.as_ref().unwrap_or(&now), &failure),
            is_before,
        }
    })
}

/// The row of the need of the scenario that a failure is compared with, and sentences.
fn compared(of: &Compared, store: Store) -> AnyView {
    let (language, units) = (store.language.get(), store.units.get());
    let Some(explained) = of.explained else {
        return ().into_any();
    };
    let word = InputWord::Predicted.text(language);
    let sentences = explained_sentences(&explained, units, language).into_iter();
    let sentences = sentences.map(|line| view! { <p>{line}</p> });
    let before = of.is_before.then(|| InputWord::BeforeTrial.text(language));
    view! {
        {before.map(|said| view! { <p>{said}</p> })}
        <ul class="fits">{row(word, explained.estimate.needed, store)}</ul>
        {sentences.collect_view()}
    }
    .into_any()
}

/// The tensors that may have asked for what the driver refused.
fn tensors(of: &Compared, store: Store) -> AnyView {
    let (language, units) = (store.language.get(), store.units.get());
    let found = &of.requested;
    let line = |found: &Requested| view! { <li>{requested_sentence(found, units, language)}</li> };
    let lines = found.iter().take(LINES).map(line).collect_view();
    let head = if found.is_empty() {
        InputWord::NoTensor
    } else {
        InputWord::SameSize
    };
    view! { <p>{head.text(language)}</p> <ul class="sentences">{lines}</ul> }.into_any()
}

/// The facts of a failure, beside the scenario that it is compared with.
pub(super) fn failure(failure: &Arc<Failure>, store: Store) -> AnyView {
    let (language, units) = (store.language.get(), store.units.get());
    let holder = |(holder, bytes)| row(holder_name(holder, language), Bytes(bytes), store);
    let requested = failure.facts.requested;
    let beside = follow(failure, store);
    let asks = requested.is_some();
    view! {
        <p>{cause_sentence(&failure.cause, units, language)}</p>
        {bar(failure, store)}
        <ul class="fits">
            {requested.map(|bytes| row(InputWord::Requested.text(language), Bytes(bytes), store))}
            {failure.facts.holders().into_iter().map(holder).collect_view()}
        </ul>
        {move || beside.with(|of| compared(of, store))}
        {move || asks.then(|| beside.with(|of| tensors(of, store)))}
        {gpus(failure.facts.total, store)}
    }
    .into_any()
}

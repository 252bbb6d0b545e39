//! Start from what you have: an error, a snapshot, a configuration, pasted, dropped or opened.

use super::bars::{Ink, background};
use super::controls::OwnModel;
use super::history::SnapshotHistory;
use super::purposes::purposes;
use super::segments::SnapshotSegments;
use crate::app::{
    Given, Opened, Store, asked_for, follow_certainty, open_address, open_files, open_text,
    use_store, use_with_model,
};
use crate::ask::{Finding, Fix, Scenario};
use crate::browser;
use crate::catalog::of_capacity;
use crate::codec::{Job, Said, change_of, percent_decoded};
use crate::configs::{Approximation, Matters};
use crate::figure::Explained;
use crate::inputs::{DeviceOverview, Failure, Holder, Largest, Overview, Share, own_frame};
use crate::report::Requested;
use crate::text::{
    GraphFacts, InputWord, Language, Term, Word, amount, approximated, cause_sentence, exact_bytes,
    explained_sentences, gpu_taken_for, holder_name, job_counts, kind_name, lack_sentence,
    left_out, message_text, note_sentence, refused_sentence, requested_sentence, too_large,
    unread_sentence,
};
use crate::units::Bytes;
use crate::widgets::{Bar, Segment};
use leptos::prelude::*;

/// Lines of one kind that are shown.
const LINES: usize = 6;
/// Frames of a stack that are shown.
const FRAMES: usize = 30;

/// What a holder's part of the bar looks like; what is free has no part.
fn ink(holder: Holder) -> Option<(&'static str, Ink)> {
    match holder {
        Holder::Tensors => Some(("tensors", Ink::new("category", "activations"))),
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

/// The GPUs of the catalog with this capacity, as buttons that choose them.
fn gpus(total: Option<u64>, store: Store) -> impl IntoView {
    let button = move |(id, name): (&'static str, &'static str)| {
        let choose = move |_| {
            store.apply(&Fix {
                key: "hardware.gpu".to_owned(),
                value: id.into(),
            });
        };
        view! {
            <button type="button" class="quiet" on:click=choose>
                {InputWord::UseGpu.text(store.language.get())} " " {name}
            </button>
        }
    };
    let alike = of_capacity(Bytes(total.unwrap_or_default())).take(LINES);
    alike.map(|gpu| button((gpu.id, gpu.name))).collect_view()
}

/// What is known of a failure, beside the scenario on screen.
fn failure(failure: &Failure, store: Store) -> AnyView {
    let (language, units) = (store.language.get(), store.units.get());
    store.settled.track();
    let cause = cause_sentence(&failure.cause, units, language);
    let holder = |(holder, bytes)| row(holder_name(holder, language), Bytes(bytes), store);
    let requested = failure.facts.requested;
    let explained = store.settled.with(|answer| {
        let report = &answer.as_ref()?.report;
        Explained::of(failure, report)
    });
    let needed = explained.map(|of| of.estimate.needed);
    let compared = explained.map(|of| explained_sentences(&of, units, language));
    let compared = compared
        .into_iter()
        .flatten()
        .map(|line| view! { <p>{line}</p> });
    let found = asked_for(store, failure);
    let line = |found: &Requested| view! { <li>{requested_sentence(found, units, language)}</li> };
    let lines = found.iter().take(LINES).map(line).collect_view();
    let head = if found.is_empty() {
        InputWord::NoTensor
    } else {
        InputWord::SameSize
    };
    view! {
        <h3>{kind_name(failure.kind, language)}</h3>
        <p>{cause}</p>
        {bar(failure, store)}
        <ul class="fits">
            {requested.map(|bytes| row(InputWord::Requested.text(language), Bytes(bytes), store))}
            {failure.facts.holders().into_iter().map(holder).collect_view()}
            {needed.map(|bytes| row(InputWord::Predicted.text(language), bytes, store))}
        </ul>
        {compared.collect_view()}
        {requested.map(|_| view! { <p>{head.text(language)}</p> <ul class="sentences">{lines}</ul> })}
        <div class="actions">{gpus(failure.facts.total, store)}</div>
    }
    .into_any()
}

/// What a snapshot says of a device, beside the scenario on screen.
fn device(device: &DeviceOverview, store: Store) -> AnyView {
    let (language, units) = (store.language.get(), store.units.get());
    let predicted = store.settled.with(|answer| {
        let run = answer.as_ref()?.report.device.run;
        Some([run.peak_allocated, run.peak_reserved])
    });
    let line = |(word, measured, predicted): (InputWord, i64, Option<Bytes>)| {
        let measured = Bytes(u64::try_from(measured).unwrap_or_default());
        let predicted = predicted.map(|bytes| {
            let number = amount(bytes, units);
            view! { <span class="fit-note">{InputWord::Predicted.text(language)} " " {number}</span> }
        });
        view! {
            <li class="fit">
                <span>{word.text(language)}</span>
                <span class="fit-answer">
                    <strong title=exact_bytes(measured, language)>{amount(measured, units)}</strong>
                    {predicted}
                </span>
            </li>
        }
    };
    let [allocated, reserved] = predicted.map_or([None; 2], |both| both.map(Some));
    let peaks = [
        (InputWord::Allocated, device.peak_allocated.bytes, allocated),
        (InputWord::Reserved, device.peak_reserved.bytes, reserved),
    ];
    let block = |largest: &Largest| {
        let size = amount(Bytes(largest.block.size), units);
        let frame = own_frame(&largest.frames).cloned();
        // Threads of autograd have no frames of Python's.
        let doing = device.guess.as_ref().zip(largest.block.since);
        let doing = doing.and_then(|(guess, since)| guess.doing(since));
        let without = doing.map(|doing| doing.term(language));
        let without = without.unwrap_or(InputWord::Before.text(language));
        let frame = frame.unwrap_or_else(|| without.to_owned());
        let name = format!("{size} — {frame}");
        let line = |frame: &String| view! { <li>{frame.clone()}</li> };
        let stack = largest.frames.iter().take(FRAMES);
        let stack: Vec<_> = stack.map(line).collect();
        if stack.is_empty() {
            return view! { <li>{name}</li> }.into_any();
        }
        view! {
            <li>
                <details class="twin">
                    <summary>{name}</summary>
                    <ol class="frames">{stack}</ol>
                </details>
            </li>
        }
        .into_any()
    };
    let blocks = device.largest.iter().take(LINES).map(block).collect_view();
    view! {
        <h3>{InputWord::Snapshot.text(language)} ", GPU " {device.device}</h3>
        <ul class="fits">{peaks.into_iter().map(line).collect_view()}</ul>
        {purposes(device, store)}
        <p>{InputWord::Largest.text(language)}</p>
        <ul class="sentences">{blocks}</ul>
    }
    .into_any()
}

fn snapshot(snapshot: &Overview, store: Store) -> AnyView {
    let devices = snapshot.devices.iter();
    devices
        .map(|of| device(of, store))
        .collect_view()
        .into_any()
}

/// What was filled in, and the way back.
fn applied(findings: &[Finding], back: impl Fn() + 'static, language: Language) -> AnyView {
    let line = |finding: &Finding| view! { <li>{message_text(&finding.message, language)}</li> };
    view! {
        <p>
            {InputWord::Applied.text(language)} " "
            <button type="button" class="quiet" on:click=move |_| back()>
                {InputWord::Undo.text(language)}
            </button>
        </p>
        <ul class="sentences">{findings.iter().map(line).collect_view()}</ul>
    }
    .into_any()
}

/// A button that takes a job as an earlier version of its trainer runs it, where something is said of one.
fn change(said: &Said, store: Store) -> Option<AnyView> {
    let Said::Note(note) = said else {
        return None;
    };
    let change = change_of(&Approximation::of_note(note)?)?;
    let on_click = move |_| store.apply(&change);
    let button = view! {
        " "
        <button type="button" class="quiet" on:click=on_click>
            {InputWord::UseEarlier.text(store.language.get())}
        </button>
    };
    Some(button.into_any())
}

/// Reports on a job's files: the counts of their keys, findings, and the keys that are not followed. The button of
/// name `act` takes the job back, or fills it in.
fn job(of: &Job, act: InputWord, on_act: impl Fn() + 'static, store: Store) -> AnyView {
    let language = store.language.get();
    let sentence = |said: &Said| match said {
        Said::Note(note) => note_sentence(note, language),
        Said::Finding(finding) => message_text(&finding.message, language),
        Said::Left(key, finding) => left_out(key, finding, language),
        Said::Gpu(name, id) => gpu_taken_for(name, id, language),
    };
    let line = |said: &Said| view! { <li>{sentence(said)} {change(said, store)}</li> };
    let lines = of.said.iter().map(line).collect_view();
    let certainty = approximated(&of.approximated, language);
    let certainty = (!certainty.is_empty()).then(|| view! { <li>{certainty}</li> });
    let matters = of.read.ignored.iter().filter_map(|own| {
        let why = match own.matters {
            Matters::No => return None,
            Matters::Maybe => InputWord::Unlisted.text(language),
            Matters::Value => InputWord::UnknownValue.text(language),
            Matters::Computed => InputWord::Computed.text(language),
            Matters::Yes(lack) => lack_sentence(lack, language),
        };
        Some(view! { <li><code>{own.key.clone()}</code> " — " {why}</li> })
    });
    let matters: Vec<_> = matters.collect();
    let counts = job_counts(
        of.read.understood.len(),
        of.read.idle(),
        matters.len(),
        language,
    );
    view! {
        <h3>{of.read.kinds.join(", ")}</h3>
        <p>
            {counts} " "
            <button type="button" class="quiet" on:click=move |_| on_act()>
                {act.text(language)}
            </button>
        </p>
        <ul class="sentences">{certainty} {lines} {matters}</ul>
    }
    .into_any()
}

/// What something was taken for.
fn said(opened: &Opened, all: RwSignal<Option<Opened>>, store: Store) -> AnyView {
    let (language, units) = (store.language.get(), store.units.get());
    let sentence = |text: String| view! { <p>{text}</p> }.into_any();
    let back = |before: &Scenario| {
        let before = before.clone();
        move || {
            store.forget_job();
            store.replace(before.clone());
            all.set(None);
        }
    };
    let shown = match &opened.given {
        Given::Failure(given) => failure(given, store),
        Given::Together(failed, given) => {
            let beside = Opened {
                name: None,
                given: (**given).clone(),
            };
            view! {
                {said(&beside, all, store)}
                {failure(failed, store)}
            }
            .into_any()
        }
        Given::Foreign(owner) => sentence((*owner).to_owned()),
        Given::Snapshot(given) => snapshot(given, store),
        Given::Refused(refused) => sentence(refused_sentence(*refused, language)),
        Given::ReadingGraph => sentence(InputWord::ReadingGraph.text(language).to_owned()),
        Given::Graph(before, graph, findings) => {
            let facts = GraphFacts {
                operations: graph.nodes().len(),
                parameters: graph.parameters(),
                torch: graph.torch.as_deref(),
            };
            view! {
                <p>{facts.sentence(language)}</p>
                {applied(findings, back(before), language)}
            }
            .into_any()
        }
        Given::NoGraph(why) => sentence(message_text(&why.message, language)),
        Given::Unfetched(_) => sentence(Word::OpenAddressGone.text(language).to_owned()),
        Given::Reading => sentence(InputWord::Reading.text(language).to_owned()),
        Given::TooLarge(bytes, most) => sentence(too_large(*bytes, *most, units, language)),
        Given::Unknown => sentence(InputWord::Unknown.text(language).to_owned()),
        Given::NoJob(why) => sentence(unread_sentence(why, language)),
        Given::Applied(before, findings) => applied(findings, back(before), language),
        Given::Job(before, of) => job(of, InputWord::Undo, back(before), store),
        Given::Partial(of) => {
            let (name, partial) = (opened.name.clone(), of.clone());
            let fill = move || {
                let (name, given) = (name.clone(), use_with_model(store, partial.clone()));
                all.set(Some(Opened { name, given }));
            };
            job(of, InputWord::UseWithModel, fill, store)
        }
    };
    view! {
        {opened.name.clone().map(|name| view! { <p class="fit-note">{name}</p> })}
        {shown}
    }
    .into_any()
}

/// The address of a file on the web that the page's address names after `#open=`.
fn address_to_open() -> Option<String> {
    let part = browser::part();
    let address = percent_decoded(part.strip_prefix("open=")?);
    let is_of_web = address.starts_with("https://") || address.starts_with("http://");
    is_of_web.then_some(address)
}

/// The address of a graph that a link wants to open, once the reader agrees: `#open=URL`.
#[component]
fn AddressToOpen(
    /// The last thing that was opened.
    opened: RwSignal<Option<Opened>>,
) -> impl IntoView {
    let store = use_store();
    let wanted = RwSignal::new(address_to_open());
    browser::on_part(move || wanted.set(address_to_open()));
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let open = move |address: String| {
        wanted.set(None);
        browser::leave_part();
        open_address(store, address, opened);
    };
    let ask = move |address: String| {
        let shown = address.clone();
        view! {
            <p class="asked-address">
                {word(Word::OpenAddress)} " " <code>{shown}</code> " "
                <button type="button" class="primary" on:click=move |_| open(address.clone())>
                    {word(Word::OpenAddressAgree)}
                </button>
            </p>
        }
    };
    move || wanted.get().map(ask)
}

/// The panel.
#[component]
pub(super) fn OpenedPanel() -> impl IntoView {
    let store = use_store();
    let opened = RwSignal::new(None::<Opened>);
    follow_certainty(store);
    let word = move |word: InputWord| Signal::derive(move || word.text(store.language.get()));
    let read = move |text: &str| {
        let blank = text.trim().is_empty();
        opened.set((!blank).then(|| open_text(store, text)));
    };
    browser::on_drop(move |files, text| {
        if files.is_empty() {
            read(&text);
        } else {
            open_files(store, files, opened);
        }
    });
    let choose = move |event: leptos::ev::Event| {
        open_files(store, browser::chosen_files(&event), opened);
    };
    view! {
        <section class="card figure" id="opened" data-testid="opened" aria-labelledby="opened-title">
            <header class="figure-head">
                <h2 id="opened-title">{word(InputWord::Title)}</h2>
                <label class="quiet file">
                    {word(InputWord::Choose)}
                    <input type="file" class="unseen" multiple on:change=choose />
                </label>
            </header>
            <p class="figure-summary" id="opened-help">{word(InputWord::Help)}</p>
            <textarea
                rows="3"
                spellcheck="false"
                autocomplete="off"
                aria-label=word(InputWord::Paste)
                aria-describedby="opened-help"
                on:input:target=move |event| read(&event.target().value())
            ></textarea>
            <AddressToOpen opened />
            <details class="twin">
                <summary>{move || Word::OwnModel.text(store.language.get())}</summary>
                <OwnModel id="own" />
            </details>
            <div class="opened" role="status">
                {move || opened.with(|now| now.as_ref().map(|now| said(now, opened, store)))}
            </div>
        </section>
        <SnapshotHistory opened />
        <SnapshotSegments opened />
    }
}

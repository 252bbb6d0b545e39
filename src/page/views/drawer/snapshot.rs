//! A snapshot: its measurements beside the estimate, and its largest blocks.

use crate::app::{Store, use_drawer};
use crate::inputs::{DeviceOverview, Largest, Overview, own_frame};
use crate::text::{InputWord, Term, amount, exact_bytes};
use crate::units::Bytes;
use crate::views::purposes::purposes;
use leptos::prelude::*;
use std::sync::Arc;

/// Blocks that are listed.
const LINES: usize = 6;
/// Frames of a stack that are shown.
const FRAMES: usize = 30;

/// The most that was held, by kind, as measured and as estimated.
fn peaks(device: &DeviceOverview, store: Store) -> AnyView {
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
    view! { <ul class="fits">{peaks.into_iter().map(line).collect_view()}</ul> }.into_any()
}

/// The largest blocks of a device, with their stacks.
fn blocks(device: &DeviceOverview, store: Store) -> AnyView {
    let (language, units) = (store.language.get(), store.units.get());
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
        <p>{InputWord::Largest.text(language)}</p>
        <ul class="sentences">{blocks}</ul>
    }
    .into_any()
}

/// The devices of a snapshot, each beside the scenario on screen, and the way to its figures.
pub(super) fn snapshot(snapshot: &Arc<Overview>, store: Store) -> AnyView {
    let device = |(at, device): (usize, &DeviceOverview)| {
        let [held, used] = [Arc::clone(snapshot), Arc::clone(snapshot)];
        let peaks = move || held.devices.get(at).map(|device| peaks(device, store));
        let purposes = move || used.devices.get(at).map(|device| purposes(device, store));
        view! {
            <p class="fit-note">"GPU " {device.device}</p>
            {peaks}
            {purposes}
            {blocks(device, store)}
        }
    };
    let devices = snapshot.devices.iter().enumerate().map(device);
    let go = move |_| use_drawer().shown.set(false);
    view! {
        {devices.collect_view()}
        <p>
            <a href="#snapshot" on:click=go>{InputWord::OverTime.text(store.language.get())}</a>
        </p>
    }
    .into_any()
}

//! Notices about the scenario and its address that no control shows.

use super::controls::Groups;
use crate::app::{query_of_scenario, use_store};
use crate::ask::{Finding, Scenario, Severity};
use crate::browser;
use crate::text::{Word, fix_label, message_text};
use leptos::prelude::*;

/// The notices.
#[component]
pub(super) fn Notices() -> impl IntoView {
    let store = use_store();
    // A finding that a control in sight shows need not be shown twice.
    let groups: Groups = expect_context();
    let all = Memo::new(move |_| {
        let mut all = store.address_findings.get();
        let own = store.findings.get().into_iter();
        all.extend(own.filter(|finding| !groups.show(&finding.key)));
        all
    });
    let notice = move |finding: Finding| {
        let severity = match finding.severity {
            Severity::Notice => "notice",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let text = finding.message;
        let repair = finding.fix.map(|fix| {
            let label = fix.clone();
            view! {
                <button type="button" class="fix" on:click=move |_| store.apply(&fix)>
                    {Signal::derive(move || fix_label(&label, store.language.get()))}
                </button>
            }
        });
        view! {
            <li class="notice" data-severity=severity>
                <span>{Signal::derive(move || message_text(&text, store.language.get()))}</span>
                {repair}
            </li>
        }
    };
    view! {
        <Show when=move || !all.with(Vec::is_empty)>
            <ul class="notices" aria-label=Signal::derive(move || Word::Notices.text(store.language.get()))>
                {move || all.get().into_iter().map(notice).collect_view()}
            </ul>
        </Show>
    }
}

/// Says that a thread broke off, and over which configuration.
#[component]
pub(super) fn BrokeOffNotice() -> impl IntoView {
    let store = use_store();
    let said = move |scenario: Scenario| {
        let query = query_of_scenario(store, &scenario);
        view! {
            <p class="notice" role="alert" data-severity="warning" data-testid="broke-off">
                <span>{move || Word::BrokeOff.text(store.language.get())}</span>
                " "
                <a href=format!("?{query}")>{move || Word::BrokeOffAt.text(store.language.get())}</a>
            </p>
        }
    };
    view! { {move || store.broke_off.get().map(said)} }
}

/// Says that a newer version of the page lies ready.
#[component]
pub(super) fn UpdateNotice() -> impl IntoView {
    let store = use_store();
    let newer = RwSignal::new(false);
    browser::on_update(move || newer.set(true));
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    view! {
        <Show when=move || newer.get()>
            <p class="notice update" role="status" data-severity="notice">
                <span>{word(Word::NewVersion)}</span>
                <button type="button" class="fix" on:click=|_| browser::reload()>
                    {word(Word::Reload)}
                </button>
            </p>
        </Show>
    }
}

//! The controls: every setting of a training run, in order of weight.
//!
//! What matters most is always there; the rest is folded in groups. A folded group says in a line
//! what in it differs from the default, and is open where a link, a situation or a remedy has set
//! something in it.

mod body;
mod changed;
mod chosen;
mod config;
mod find;
mod find_setting;
mod graph;
mod group;
mod groups;
mod hub;
mod model;
mod own_model;
mod panel;
mod parallelism;
mod past;
mod play;
mod ribbon;
mod session;
mod sheet;
mod slider;
mod table;
mod ways;

use super::setting::Setting;
use crate::app::use_store;
use crate::text::Word;
use crate::views::seen::when_whole;
use changed::ChangedOnly;
use find_setting::FindSetting;
use group::FoldedGroup;
use groups::Group;
use leptos::prelude::*;
use model::ModelControls;
pub(super) use own_model::OwnModel;
pub(super) use panel::Groups;
use past::PastTools;
pub(super) use ribbon::ribbon_place;
pub(super) use session::LastSession;
pub(super) use sheet::{SettingsSheet, show_control};
pub(super) use slider::Slider;
pub(super) use table::MAIN;
use table::groups;
use ways::Ways;

/// All settings that have a control, in their order.
fn settings() -> impl Iterator<Item = &'static Setting> {
    MAIN.iter().chain(groups().flat_map(|group| group.settings))
}

/// The setting with a key, where it has a control.
pub(super) fn setting(key: &str) -> Option<Setting> {
    settings().find(|of| of.key == key).copied()
}

/// The group of the setting with a key; `None` for settings that are always in sight.
fn group_of(key: &str) -> Option<&'static Group> {
    groups().find(|group| group.settings.iter().any(|of| of.key == key))
}

/// All controls.
#[component]
pub(super) fn Controls() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    view! {
        <section class="controls" id="settings" data-testid="controls" aria-label=word(Word::Controls)>
            <div class="control-tools">
                {when_whole(tools)}
            </div>
            <ModelControls />
            <div class="ways-together">
                {when_whole(|| view! { <Ways /> }.into_any())}
            </div>
            <a class="field-note" href="#opened">{word(Word::StartFrom)}</a>
            {MAIN.iter().map(|setting| setting.view()).collect_view()}
            {when_whole(folded)}
        </section>
    }
}

/// The groups, open where something in them is set.
fn folded() -> AnyView {
    let open: Groups = expect_context();
    open.follow(use_store());
    let all = groups().map(|group| view! { <FoldedGroup group /> });
    all.collect_view().into_any()
}

/// Finding settings, and the changes.
fn tools() -> AnyView {
    view! {
        <FindSetting />
        <ChangedOnly />
        <PastTools />
    }
    .into_any()
}

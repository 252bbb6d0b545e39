//! The box that finds a setting's control.

use super::group::Groups;
use super::{MAIN, group_of, setting, settings};
use crate::app::{Store, use_store};
use crate::browser;
use crate::codec::{value_at, values};
use crate::text::{FoundSetting, Language, Word, find_settings, setting_name};
use crate::views::setting::Setting;
use crate::views::value::value_text;
use crate::widgets::{Found, Search};
use leptos::prelude::*;

/// Settings that are listed.
const LISTED: usize = 12;
/// The id of the box.
const BOX: &str = "find-setting";

/// The settings that answer what is typed; of nothing those that are other than usual.
fn found(query: &str, open: Groups, store: Store) -> Vec<Found> {
    let language = store.language.get();
    if query.trim().is_empty() {
        return changed(open, store, language);
    }
    let all = find_settings(query, language).into_iter();
    let with_control = all.filter(|found| setting(found.key).is_some());
    // Of those with the words in their own names, the settings that matter most come first.
    let is_main = |found: &FoundSetting| {
        found.called.is_empty() && MAIN.iter().any(|main| main.key == found.key)
    };
    let (main, others): (Vec<_>, Vec<_>) = with_control.partition(is_main);
    let line = |found: FoundSetting| {
        let place = group_of(found.key).map(|group| group.title.text(language).to_owned());
        let places = [Some(found.called), place].into_iter().flatten();
        let places = places.filter(|part| !part.is_empty());
        Found {
            value: found.key.to_owned(),
            label: found.name.to_owned(),
            detail: places.collect::<Vec<_>>().join(" \u{b7} "),
            heading: None,
        }
    };
    main.into_iter()
        .chain(others)
        .take(LISTED)
        .map(line)
        .collect()
}

fn changed(open: Groups, store: Store, language: Language) -> Vec<Found> {
    let now = store.scenario.with_untracked(values);
    let differ = open.changed(settings(), &now).into_iter();
    let line = |(at, Setting { key, .. }): (usize, &Setting)| Found {
        value: (*key).to_owned(),
        label: setting_name(key, language).to_owned(),
        detail: value_text(key, value_at(&now, key), language),
        heading: (at == 0).then(|| Word::ChangedSettings.text(language).to_owned()),
    };
    differ.enumerate().map(line).collect()
}

/// Brings a setting's control into sight and puts the focus on it.
fn go(open: Groups, key: &str) {
    open.reveal(key);
    let control = format!("[id=\"{key}\"]");
    // The group's controls are made in the frame between.
    request_animation_frame(move || {
        request_animation_frame(move || {
            browser::point_out(Some(&control));
            browser::focus_first(&control);
        });
    });
}

/// The box, with the list of what is found.
#[component]
pub(super) fn FindSetting() -> impl IntoView {
    let store = use_store();
    let open: Groups = expect_context();
    let typed = RwSignal::new(None::<String>);
    let words =
        move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    let all = Signal::derive(move || {
        let query = typed.get().unwrap_or_default();
        found(&query, open, store)
    });
    view! {
        <div class="find-setting">
            <label class="unseen" for=BOX>{words(Word::FindSetting)}</label>
            <Search
                id=BOX
                described="find-setting-note"
                chosen=Signal::stored(String::new())
                hint=words(Word::FindSetting)
                list_name=words(Word::FindSetting)
                nothing=words(Word::NoSetting)
                typed
                found=all
                invalid=Signal::stored(false)
                on_choice=Callback::new(move |key: String| go(open, &key))
            />
            <p class="unseen" id="find-setting-note">{words(Word::FindSettingNote)}</p>
        </div>
    }
}

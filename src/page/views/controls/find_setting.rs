//! The box that finds a setting's control.

use super::chosen::Chosen;
use super::panel::Groups;
use super::{MAIN, group_of, setting, settings};
use crate::app::{Store, use_store};
use crate::browser;
use crate::codec::{value_at, values};
use crate::text::{FoundSetting, Language, Word, find_settings, setting_name};
use crate::views::setting::Setting;
use crate::views::value::short_text;
use crate::widgets::{Found, Search};
use leptos::prelude::*;

/// Settings that are listed.
const LISTED: usize = 12;
/// The id of the box.
const BOX: &str = "find-setting";

/// The settings that match the typed text; without a text, the settings that differ from the usual, where the ones that
/// a method has set are listed apart.
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
    let by_choice = |setting: &&Setting| {
        let has_set = |chosen: &Option<Chosen>| {
            chosen
                .as_ref()
                .is_some_and(|of| of.has_set(setting.key, store))
        };
        open.chosen.with(has_set)
    };
    let (chosen, others): (Vec<_>, Vec<_>) = differ.partition(by_choice);
    let name = open.chosen.with(|of| of.as_ref().map(|of| of.name.clone()));
    let by_choice = format!(
        "{}: {}",
        Word::ChangedSettings.text(language),
        name.unwrap_or_default()
    );
    let line = |heading: &str, at: usize, Setting { key, .. }: &Setting| Found {
        value: (*key).to_owned(),
        label: setting_name(key, language).to_owned(),
        detail: short_text(key, value_at(&now, key), language),
        heading: (at == 0).then(|| heading.to_owned()),
    };
    let usual = Word::ChangedSettings.text(language);
    let others = others
        .into_iter()
        .enumerate()
        .map(|(at, of)| line(usual, at, of));
    let chosen = chosen
        .into_iter()
        .enumerate()
        .map(|(at, of)| line(&by_choice, at, of));
    others.chain(chosen).collect()
}

/// Brings a setting's control into sight and puts the focus on it; on its help where it has no effect.
pub(super) fn go(open: Groups, key: &str) {
    open.reveal(key);
    let control = format!("[id=\"{key}\"]");
    // The group's controls are made in the frame between.
    request_animation_frame(move || {
        request_animation_frame(move || {
            browser::point_out(Some(&control));
            if !browser::focus_first(&format!("{control}:enabled")) {
                browser::focus_first(&format!(".field:has({control}) summary"));
            }
        });
    });
}

/// The box, with the list of settings found.
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

//! Settings that people set together, on top of the controls: the method of training and the number of GPUs, with what the last
//! choice of either has set.

use super::chosen::Chosen;
use super::panel::Groups;
use crate::app::{Store, use_store};
use crate::ask::{Fix, Scenario};
use crate::codec::{Difference, differences};
use crate::decide::{Method, gpus_of, on_gpus};
use crate::resolve::{idle, usual_frozen};
use crate::text::{Language, Word};
use crate::views::value::named_value;
use leptos::prelude::*;

/// Numbers of GPUs that are offered.
const GPUS: &[u64] = &[1, 2, 4, 8, 16, 32, 64];

/// Makes a choice: the scenario becomes `to`.
fn choose(store: Store, chosen: RwSignal<Option<Chosen>>, name: String, to: Scenario) {
    let changes = store.scenario.with_untracked(|now| differences(now, &to));
    chosen.set(Some(Chosen { name, changes }));
    store.replace(to);
}

/// Lacks of a model that rule out methods.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Missing {
    adapters: bool,
    parts: bool,
}

impl Missing {
    /// Why a method cannot be had, if it cannot.
    fn reason(self, method: Method) -> Option<Word> {
        match method {
            Method::Full => None,
            Method::Lora | Method::Qlora => self.adapters.then_some(Word::IdleLinear),
            Method::Frozen => self.parts.then_some(Word::NothingToFreeze),
        }
    }
}

/// A method's name.
pub(super) fn method_word(method: Method) -> Word {
    match method {
        Method::Full => Word::MethodFull,
        Method::Lora => Word::MethodLora,
        Method::Qlora => Word::MethodQlora,
        Method::Frozen => Word::MethodFrozen,
    }
}

/// A row of buttons of which one is pressed.
fn row(name: Word, store: Store, buttons: AnyView) -> impl IntoView {
    let name = Signal::derive(move || name.text(store.language.get()));
    view! {
        <div class="way">
            <span>{name}</span>
            <div class="toggle" role="group" aria-label=name>
                {buttons}
            </div>
        </div>
    }
}

/// The settings that a choice has set and that still hold, each to be taken back.
fn chips(chosen: &Chosen, store: Store, language: Language) -> Option<AnyView> {
    let chip = |change: &Difference| {
        let key = change.key.path;
        let said = named_value(key, &change.b, language);
        let label = format!("{}: {said}", Word::TakeBackOne.text(language));
        let before = change.a.clone();
        let back = move |_| {
            store.apply(&Fix {
                key: key.to_owned(),
                value: before.clone(),
            });
        };
        view! {
            <button type="button" class="fix" aria-label=label.clone() title=label on:click=back>
                {said} " \u{d7}"
            </button>
        }
    };
    let held: Vec<_> = chosen.holding(store).map(chip).collect();
    let said = Word::SetBy.text(language);
    let name = chosen.name.clone();
    (!held.is_empty()).then(|| {
        view! {
            <p class="set-by">
                <span>{name} " " {said}</span>
                {held}
            </p>
        }
        .into_any()
    })
}

/// Both rows, and the chips.
#[component]
pub(super) fn Ways() -> impl IntoView {
    let store = use_store();
    let groups: Groups = expect_context();
    let chosen = groups.chosen;
    let method = Memo::new(move |_| store.scenario.with(Method::of));
    let gpus = Memo::new(move |_| store.scenario.with(gpus_of));
    // Why a method cannot be had, where it cannot.
    let missing = Memo::new(move |_| {
        let without = |now: &Scenario| Missing {
            adapters: now.lora.is_none() && idle(now, "lora").is_some(),
            parts: now.frozen.is_empty() && usual_frozen(now).is_empty(),
        };
        store.followed.with(without)
    });
    let methods = Method::ALL.iter().map(|&of| {
        let word = method_word(of);
        view! {
            <button
                type="button"
                aria-pressed=Signal::derive(move || (method.get() == of).to_string())
                disabled=Signal::derive(move || missing.get().reason(of).is_some())
                title=Signal::derive(move || {
                    missing.get().reason(of).map(|reason| reason.text(store.language.get()))
                })
                on:click=move |_| {
                    let to = store.scenario.with_untracked(|now| of.set(now));
                    choose(store, chosen, word.text(store.language.get_untracked()).to_owned(), to);
                }
            >
                {Signal::derive(move || word.text(store.language.get()))}
            </button>
        }
    });
    let counts = GPUS.iter().map(|&count| {
        view! {
            <button
                type="button"
                aria-pressed=Signal::derive(move || (gpus.get() == count).to_string())
                on:click=move |_| {
                    let to = store.scenario.with_untracked(|now| on_gpus(now, count));
                    let name = format!("{count} {}", Word::Gpus.text(store.language.get_untracked()));
                    choose(store, chosen, name, to);
                }
            >
                {count}
            </button>
        }
    });
    let (methods, counts) = (
        methods.collect_view().into_any(),
        counts.collect_view().into_any(),
    );
    view! {
        {row(Word::Method, store, methods)}
        {row(Word::Gpus, store, counts)}
        {move || {
            let language = store.language.get();
            chosen.with(|chosen| chosen.as_ref().and_then(|of| chips(of, store, language)))
        }}
    }
}

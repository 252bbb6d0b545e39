//! The tensors at the peak: what each is, how large, and when it lives.

mod explained;

use super::bars::category_background;
use super::pin::Pin;
use crate::app::{Lifetime, Store, Target, use_store};
use crate::browser;
use crate::figure::{TensorGroup, tensor_groups};
use crate::tape::Category;
use crate::text::{
    Language, Scale, Term, Word, amount, dtype_name, exact_bytes, moment, shape_text,
};
use crate::widgets::{Choice, Choices};
pub(super) use explained::pinned_explained;
use explained::{at_peak, explained};
use leptos::html;
use leptos::prelude::*;

/// Rows that are shown at first.
const FIRST: usize = 12;

/// Value of the choice of all categories; no category is called so.
const ALL: &str = "all";

/// The panel. It runs the model in detail only while it is seen.
#[component]
pub(super) fn TensorsPanel() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let section = NodeRef::<html::Section>::new();
    Effect::new(move |_| {
        if let Some(section) = section.get() {
            browser::on_seen(&section, move |now| {
                if store.looking.get_untracked() != now {
                    store.looking.set(now);
                }
            });
        }
    });
    let only = RwSignal::new(None::<Category>);
    let whole = RwSignal::new(false);
    let tensors = Memo::new(move |_| at_peak(store));
    let groups = Memo::new(move |_| tensors.with(|all| tensor_groups(all, only.get())));
    let choices = Signal::derive(move || {
        let language = store.language.get();
        let all = Word::AllCategories.text(language);
        let mut choices = vec![Choice::new(ALL.to_owned(), all)];
        let there =
            |category: &Category| tensors.with(|all| all.iter().any(|t| t.category == *category));
        let present = Category::ALL.iter().filter(|category| there(category));
        choices.extend(
            present
                .map(|category| Choice::new(category.name().to_owned(), category.term(language))),
        );
        choices
    });
    let chosen = Signal::derive(move || only.get().map_or(ALL, Category::name).to_owned());
    let more = Signal::derive(move || groups.with(Vec::len) > FIRST && !whole.get());
    let there = Memo::new(move |_| store.detail.with(Option::is_some));
    let summary = move || {
        if !there.get() {
            return Word::TensorsWaiting.text(store.language.get()).to_owned();
        }
        let (units, language) = (store.units.get(), store.language.get());
        let count: usize = groups.with(|all| all.iter().map(|g| g.members.len()).sum());
        let total = groups.with(|all| all.iter().map(|g| g.total).sum());
        crate::text::tensors_summary(count, total, units, language)
    };
    view! {
        <section
            class="card figure"
            data-testid="tensors"
            aria-labelledby="tensors-title"
            node_ref=section
        >
            <header class="figure-head">
                <h2 id="tensors-title">{word(Word::TensorsTitle)}</h2>
                <label class="inline-choice">
                    <span class="unseen">{word(Word::Category)}</span>
                    <Choices
                        id="tensors-only"
                        framed=false
                        choices
                        value=chosen
                        disabled=false
                        on_choice=move |name: String| {
                            // The row that was pointed at goes without a word.
                            store.focus.point(None);
                            only.set(Category::from_name(&name));
                        }
                    />
                </label>
            </header>
            <p class="figure-summary">{Signal::derive(summary)}</p>
            <div class="bone bone-rows" hidden=Signal::derive(move || there.get())></div>
            <TensorTable groups whole there />
            <p class="explained" role="status">
                {move || {
                    let hint = || Word::TensorsHint.text(store.language.get()).to_owned();
                    explained(store, tensors, only.get()).unwrap_or_else(hint)
                }}
            </p>
            <button
                type="button"
                class="quiet"
                hidden=Signal::derive(move || !more.get())
                on:click=move |_| whole.set(true)
            >
                {Signal::derive(move || {
                    let hidden = groups.with(Vec::len).saturating_sub(FIRST);
                    crate::text::show_more(hidden, store.language.get())
                })}
            </button>
        </section>
    }
}

/// The table of the panel.
#[component]
fn TensorTable(
    /// The groups of tensors that it shows.
    groups: Memo<Vec<TensorGroup>>,
    /// Whether it shows all of them.
    whole: RwSignal<bool>,
    /// Whether there is anything to show.
    there: Memo<bool>,
) -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    view! {
        <div
            class="scroll"
            role="region"
            tabindex="0"
            aria-label=word(Word::Table)
            hidden=Signal::derive(move || !there.get())
        >
            <table class="numbers tensors">
                <thead>
                    <tr>
                        <th scope="col">{word(Word::Module)}</th>
                        <th scope="col">{word(Word::Total)}</th>
                        <th scope="col">{word(Word::HowMany)}</th>
                        <th scope="col">{word(Word::Each)}</th>
                        <th scope="col">{word(Word::ShapeType)}</th>
                        <th scope="col">{word(Word::Born)}</th>
                        <th scope="col">{word(Word::Freed)}</th>
                    </tr>
                </thead>
                <tbody>
                    {move || {
                        let shown = if whole.get() { usize::MAX } else { FIRST };
                        groups.with(|all| {
                            let scale = Scale::new(
                                all.first().map(|g| g.total).unwrap_or_default(),
                                store.units.get(),
                            );
                            let language = store.language.get();
                            all.iter()
                                .take(shown)
                                .map(|group| row(store, group, scale, language))
                                .collect_view()
                        })
                    }}
                </tbody>
            </table>
        </div>
    }
}

/// One kind of tensors.
fn row(store: Store, group: &TensorGroup, scale: Scale, language: Language) -> AnyView {
    let target = Target::Tensor(Lifetime {
        storage: group.members.first().map_or(0, |t| t.storage),
        category: group.category,
        born: group.born(),
        freed: group.freed(),
    });
    let when = |event: u32| {
        store.settled.with_untracked(|answer| {
            let timeline = answer.as_ref().map(|e| &e.timeline);
            timeline.map_or_else(String::new, |t| moment(t, event, language))
        })
    };
    let (category, op) = (group.category, group.op);
    let name = if group.module.is_empty() {
        category.term(language).to_owned()
    } else {
        group.module.clone()
    };
    let (shape, dtype) = match &group.shape {
        Some((shape, dtype)) => (shape_text(shape.dims()), dtype_name(*dtype)),
        None => (String::new(), ""),
    };
    let recedes = Signal::derive(move || match store.focus.current() {
        Some(Target::Tensor(_)) => store.focus.current() != Some(target),
        Some(Target::Category(of)) => target.broadly() != Target::Category(of),
        _ => false,
    });
    view! {
        <tr
            class:receding=recedes
            on:pointerenter=move |_| store.focus.point(Some(target))
            on:pointerleave=move |_| store.focus.point(None)
        >
            <th scope="row">
                <Pin target title=category.term(language)>
                    <span class="swatch" style:background=category_background(category)></span>
                    <code>{name} " " <span class="made-by">{op}</span></code>
                </Pin>
            </th>
            <td title=exact_bytes(group.total, language)>{scale.amount(group.total)}</td>
            <td>"\u{d7}" {group.members.len()}</td>
            <td title=exact_bytes(group.each, language)>{amount(group.each, store.units.get_untracked())}</td>
            <td><code>{shape} " " {dtype}</code></td>
            <td>{when(group.born())}</td>
            <td>{when(group.freed())}</td>
        </tr>
    }
    .into_any()
}

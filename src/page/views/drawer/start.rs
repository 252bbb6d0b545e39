//! A strip for whoever comes without a configuration: what to start from. It closes by its first use.

use crate::app::{use_drawer, use_store};
use crate::ask::Fix;
use crate::browser;
use crate::catalog::accelerator;
use crate::text::InputWord;
use crate::views::controls::show_control;
use crate::views::situations::Situations;
use crate::widgets::Menu;
use leptos::prelude::*;

/// The name under which the browser keeps that the strip was used.
const KEPT: &str = "started";

/// The control of the GPU, and that of the model.
const GPU: &str = "[id=\"hardware.gpu\"]";
const MODEL: &str = "#model";
/// The button of the situations, which stays when the strip is gone.
const SITUATIONS: &str = ".masthead .menu button";

/// The GPUs that most people have.
const COMMON: [&str; 12] = [
    "rtx-3090",
    "rtx-4090",
    "rtx-5090",
    "t4",
    "l4",
    "a10g",
    "l40s",
    "a100-40gb",
    "a100-80gb",
    "h100-80gb",
    "h200",
    "b200",
];

/// The place of the strip, which comes with the rest of the program: on a visit without a configuration, until it was used.
/// The strip leaves its place empty when it was used, so that nothing moves under the pointer; closed, it takes its place
/// along.
#[component]
pub(in crate::views) fn StartPlace() -> impl IntoView {
    let store = use_store();
    let wanted = RwSignal::new(browser::query().is_empty() && !browser::keeps(KEPT));
    let closed = RwSignal::new(false);
    wanted.get_untracked().then(|| {
        view! {
            <div class="start-place" hidden=move || closed.get()>
                {move || (store.whole.get() && wanted.get()).then(|| start(wanted, closed))}
            </div>
        }
    })
}

#[inline(never)] // The first visit does without it.
fn start(wanted: RwSignal<bool>, closed: RwSignal<bool>) -> AnyView {
    view! { <Start wanted closed /> }.into_any()
}

/// The strip.
#[component]
fn Start(
    /// Whether it is still wanted.
    wanted: RwSignal<bool>,
    /// Whether it was closed by its button.
    closed: RwSignal<bool>,
) -> impl IntoView {
    let store = use_store();
    let drawer = use_drawer();
    let open = RwSignal::new(false);
    let word = move |word: InputWord| Signal::derive(move || word.text(store.language.get()));
    let close = move || {
        browser::remember(KEPT, "1");
        wanted.set(false);
    };
    // Whatever opens the drawer or brings a whole configuration is a start.
    Effect::new(move |before: Option<u32>| {
        let arrivals = store.arrivals();
        if drawer.shown.get() || before.is_some_and(|before| before != arrivals) {
            let has_focus = browser::is_there(".start :focus");
            if has_focus || !browser::is_there("body :focus") {
                browser::focus_first(SITUATIONS);
            }
            close();
        }
        arrivals
    });
    let go = move |place: &'static str| {
        show_control(store, place);
        close();
    };
    let gpu = move |id: &'static str| {
        let name = accelerator(id)?.name;
        let choose = move |_| {
            show_control(store, GPU);
            store.apply(&Fix {
                key: "hardware.gpu".to_owned(),
                value: id.into(),
            });
        };
        let button = view! {
            <li>
                <button type="button" class="quiet" on:click=choose>{name}</button>
            </li>
        };
        Some(button.into_any())
    };
    let gpus = move || {
        let others = InputWord::OtherGpus.text(store.language.get_untracked());
        view! {
            <ul class="start-gpus">
                {COMMON.into_iter().filter_map(gpu).collect_view()}
                <li>
                    <button type="button" class="quiet" on:click=move |_| go(GPU)>{others}</button>
                </li>
            </ul>
        }
    };
    view! {
        <section class="start" aria-labelledby="start-title" data-testid="start">
            <span id="start-title">{word(InputWord::Start)}</span>
            <Menu id="start-gpus" label=word(InputWord::MyGpu) open content=ViewFn::from(gpus) />
            <button type="button" class="quiet" on:click=move |_| drawer.shown.set(true)>
                {word(InputWord::MyError)}
            </button>
            <button type="button" class="quiet" on:click=move |_| go(MODEL)>
                {word(InputWord::MyModel)}
            </button>
            <Situations id="examples" label=word(InputWord::AnExample) />
            <button
                type="button"
                class="quiet square"
                aria-label=word(InputWord::CloseStart)
                title=word(InputWord::CloseStart)
                on:click=move |_| {
                    browser::focus_first(SITUATIONS);
                    closed.set(true);
                    close();
                }
            >
                "\u{d7}"
            </button>
        </section>
    }
}

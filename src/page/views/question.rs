//! Panels grouped by the question that they answer, and a small table of contents that leads there.

use crate::app::{Store, use_store};
use crate::browser;
use crate::text::Word;
use leptos::html;
use leptos::prelude::*;

/// Height that the strip and the table of contents cover at the top of the window, with some room, in CSS pixels: the padding
/// in `style/sight.css` and a line.
const CONTENTS: u32 = 120;

/// The questions that readers ask, in the page's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    /// Changes to make.
    Change,
    /// At which moment of a run.
    When,
    /// How far settings can go.
    Fits,
    /// Tensors, ranks and processes that hold the memory.
    Where,
    /// The composition of the peak, and estimates of other tools.
    Why,
    /// Facts and limits.
    Assumed,
}

impl Question {
    const ALL: [Self; 6] = [
        Self::Change,
        Self::When,
        Self::Fits,
        Self::Where,
        Self::Why,
        Self::Assumed,
    ];

    /// Its name in addresses, after their `#`.
    const fn name(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::When => "when",
            Self::Fits => "what-fits",
            Self::Where => "where",
            Self::Why => "why",
            Self::Assumed => "assumed",
        }
    }

    const fn word(self) -> Word {
        match self {
            Self::Change => Word::AskChange,
            Self::When => Word::AskWhen,
            Self::Fits => Word::AskFits,
            Self::Where => Word::AskWhere,
            Self::Why => Word::AskWhy,
            Self::Assumed => Word::AskAssumed,
        }
    }
}

/// The questions in sight.
#[derive(Clone, Copy)]
pub(super) struct InSight(RwSignal<Vec<Question>>);

impl InSight {
    /// None yet.
    pub fn new() -> Self {
        Self(RwSignal::new(Vec::new()))
    }

    fn tell(self, question: Question, seen: bool) {
        self.0.update(|all| {
            all.retain(|other| *other != question);
            if seen {
                all.push(question);
            }
        });
    }

    /// The first one.
    fn first(self) -> Option<Question> {
        self.0.with(|all| all.iter().min().copied())
    }
}

fn title(question: Question, store: Store) -> Signal<&'static str> {
    Signal::derive(move || question.word().text(store.language.get()))
}

/// A question with the panels that answer it.
#[component]
pub(super) fn Asked(question: Question, children: Children) -> impl IntoView {
    let store = use_store();
    let in_sight: InSight = expect_context();
    let node = NodeRef::<html::Section>::new();
    Effect::new(move |_| {
        if let Some(element) = node.get() {
            browser::on_seen_below(&element, CONTENTS, move |seen| {
                in_sight.tell(question, seen);
            });
            // Its panels are laid out in the next frame.
            request_animation_frame(move || browser::open_part(question.name()));
        }
    });
    let titled = format!("{}-question", question.name());
    let labelled = titled.clone();
    view! {
        <section class="question" id=question.name() aria-labelledby=labelled node_ref=node>
            <h2 class="question-title" id=titled>{title(question, store)}</h2>
            {children()}
        </section>
    }
}

/// The table of contents.
#[component]
pub(super) fn Contents() -> impl IntoView {
    let store = use_store();
    let in_sight: InSight = expect_context();
    let current = Memo::new(move |_| in_sight.first());
    let entry = move |question: Question| {
        let here = move || (current.get() == Some(question)).then_some("true");
        view! {
            <li>
                <a
                    href=format!("#{}", question.name())
                    aria-current=here
                    on:click=move |event| {
                        event.prevent_default();
                        browser::go_to_part(question.name());
                    }
                >
                    {title(question, store)}
                </a>
            </li>
        }
    };
    view! {
        <nav
            class="contents"
            aria-label=Signal::derive(move || Word::Contents.text(store.language.get()))
        >
            <ul>{Question::ALL.into_iter().map(entry).collect_view()}</ul>
        </nav>
    }
}

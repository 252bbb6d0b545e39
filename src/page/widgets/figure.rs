//! The frame of a figure: title, one sentence that says what it shows, drawing and table twin.

use leptos::prelude::*;

/// The frame of a figure.
#[component]
pub fn Figure(
    /// Prefix of the ids inside.
    id: &'static str,
    /// The title.
    #[prop(into)]
    title: Signal<String>,
    /// The figure in a sentence.
    #[prop(into)]
    summary: Signal<String>,
    /// Buttons beside the table's toggle.
    #[prop(into, optional)]
    tools: ViewFn,
    /// The label of the table's toggle.
    #[prop(into)]
    table_label: Signal<String>,
    /// The figure's data as a table.
    table: ViewFn,
    /// The drawing.
    children: Children,
) -> impl IntoView {
    let open = RwSignal::new(false);
    view! {
        <section class="card figure" id=id data-testid=id aria-labelledby=format!("{id}-title")>
            <header class="figure-head">
                <h2 id=format!("{id}-title")>{title}</h2>
                <div class="figure-tools">
                {move || tools.run()}
                <button
                    type="button"
                    class="quiet"
                    id=format!("{id}-twin")
                    aria-labelledby=format!("{id}-twin {id}-title")
                    aria-expanded=Signal::derive(move || open.get().to_string())
                    aria-controls=format!("{id}-table")
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    {table_label}
                </button>
                </div>
            </header>
            <p class="figure-summary" id=format!("{id}-summary")>
                {summary}
            </p>
            {children()}
            <div class="figure-table" id=format!("{id}-table") hidden=Signal::derive(move || !open.get())>
                {move || open.get().then(|| table.run())}
            </div>
        </section>
    }
}

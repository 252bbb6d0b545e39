//! The handle of a sheet at the lower edge of the window: a tap or a key opens and closes it, a finger draws it up and
//! down.

use crate::browser;
use leptos::ev::PointerEvent;
use leptos::prelude::*;

/// Moves shorter than this are a tap, in CSS pixels.
const STILL: i32 = 6;
/// Moves longer than this open or close the sheet.
const FAR: i32 = 48;

/// The handle. The sheet's style moves it, and the handle, by the custom property `--pull`.
#[component]
pub fn Handle(
    /// The handle's id.
    id: &'static str,
    /// Id of the sheet.
    sheet: &'static str,
    /// Its accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// Whether the sheet is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let both = StoredValue::new(format!("#{id}, #{sheet}"));
    let pull = move |by: Option<i32>| both.with_value(|both| browser::pull(both, by));
    let from = StoredValue::new(None::<i32>);
    // A click follows a finger that is lifted: after a move it means nothing.
    let moved = StoredValue::new(false);
    let down = move |event: PointerEvent| {
        moved.set_value(false);
        if event.button() == 0 {
            from.set_value(Some(event.client_y()));
        }
    };
    let drawn = move |event: PointerEvent| {
        let Some(from) = from.get_value() else {
            return;
        };
        let by = event.client_y() - from;
        if by.abs() >= STILL {
            moved.set_value(true);
        }
        if moved.get_value() && open.get_untracked() {
            pull(Some(by.max(0)));
        }
    };
    let lifted = move |event: PointerEvent| {
        let Some(from) = from.get_value() else {
            return;
        };
        let by = event.client_y() - from;
        let far = by.abs() >= FAR && moved.get_value();
        if far && open.get_untracked() == (by > 0) {
            open.set(by < 0);
        }
        pull(None);
    };
    let ended = move || {
        from.set_value(None);
        pull(None);
    };
    view! {
        <button
            type="button"
            class="sheet-handle"
            id=id
            aria-expanded=Signal::derive(move || open.get().to_string())
            aria-controls=sheet
            on:pointerdown=move |event| {
                browser::keep_pointer(&event);
                down(event);
            }
            on:pointermove=drawn
            on:pointerup=move |event| {
                lifted(event);
                ended();
            }
            on:pointercancel=move |_| ended()
            on:click=move |_| {
                if !moved.get_value() {
                    open.update(|open| *open = !*open);
                }
                moved.set_value(false);
            }
        >
            {label}
        </button>
    }
}

//! A canvas that tells its size, where the pointer is, how it is dragged, and which keys are
//! pressed on it.

use super::tell;
use crate::browser;
use leptos::ev::PointerEvent;
use leptos::html;
use leptos::prelude::*;

/// A place on the canvas, in CSS pixels from its upper left corner.
pub type Place = (i32, i32);

/// The pointer, held down, has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drag {
    /// The place of the press.
    pub from: Place,
    /// The present place.
    pub to: Place,
    /// How it goes on.
    pub stage: Stage,
}

/// How a drag goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The pointer is still held down.
    Going,
    /// It was released.
    Done,
    /// It was taken away, or Esc was pressed.
    Dropped,
}

/// A key was pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// Its name, as in `KeyboardEvent.key`.
    pub key: String,
    /// Whether Shift was held.
    pub shift: bool,
}

/// Sideways moves shorter than this are a click, in CSS pixels.
const STILL: i32 = 6;

fn place(event: &PointerEvent) -> Place {
    (event.offset_x(), event.offset_y())
}

/// A canvas.
#[component]
pub fn Canvas(
    /// The element, for drawing on it.
    node: NodeRef<html::Canvas>,
    /// The drawing's accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// The drawing's role description, for people who hear it.
    #[prop(into)]
    role: Signal<String>,
    /// Ids of what describes it.
    described: String,
    /// Class that gives it its height.
    class: &'static str,
    /// Whether dragging sideways means something.
    brushable: bool,
    /// Its size in CSS pixels, whenever it changes.
    #[prop(into)]
    on_size: Callback<(u32, u32)>,
    /// The pointer is at a place, or it or the keyboard has left.
    #[prop(into)]
    on_point: Callback<Option<Place>>,
    /// A place was clicked.
    #[prop(into)]
    on_pick: Callback<Place>,
    /// The pointer is dragged.
    #[prop(into)]
    on_drag: Callback<Drag>,
    /// A key was pressed; whether it means something here.
    #[prop(into)]
    on_key: Callback<Stroke, bool>,
) -> impl IntoView {
    Effect::new(move |_| {
        if let Some(element) = node.get() {
            browser::on_resize(&element, move |width, height| {
                // Canvases are far smaller than 2^32, and `as` saturates.
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let size = (width.round() as u32, height.round() as u32);
                tell(on_size, size);
            });
        }
    });
    let pressed = StoredValue::new(None::<Place>);
    let dragged = StoredValue::new(false);
    let drag = move |to: Place, stage: Stage| {
        if let Some(from) = pressed.get_value() {
            tell(on_drag, Drag { from, to, stage });
        }
    };
    let down = move |event: PointerEvent| {
        dragged.set_value(false);
        if brushable && event.button() == 0 {
            pressed.set_value(Some(place(&event)));
        }
    };
    let moved = move |event: PointerEvent| {
        let at = place(&event);
        if let Some(from) = pressed.get_value() {
            if !dragged.get_value() && (at.0 - from.0).abs() >= STILL {
                dragged.set_value(true);
                tell(on_point, None);
                if let Some(element) = node.get_untracked() {
                    // The pointer may leave the canvas and be released outside.
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
            }
            if dragged.get_value() {
                return drag(at, Stage::Going);
            }
        }
        tell(on_point, Some(at));
    };
    let ended = move |event: PointerEvent, stage: Stage| {
        if dragged.get_value() {
            drag(place(&event), stage);
        }
        pressed.set_value(None);
    };
    view! {
        <canvas
            node_ref=node
            class=class
            class:brushable=brushable
            tabindex="0"
            role="application"
            aria-roledescription=role
            aria-label=label
            aria-describedby=described
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=move |event| ended(event, Stage::Done)
            on:pointercancel=move |event| ended(event, Stage::Dropped)
            on:pointerleave=move |_| tell(on_point, None)
            on:blur=move |_| tell(on_point, None)
            on:click=move |event| {
                if !dragged.get_value() {
                    tell(on_pick, (event.offset_x(), event.offset_y()));
                }
            }
            on:keydown=move |event| {
                if event.ctrl_key() || event.alt_key() || event.meta_key() {
                    return;
                }
                if event.key() == "Escape" {
                    tell(on_point, None);
                    if dragged.get_value() {
                        drag((0, 0), Stage::Dropped);
                        pressed.set_value(None);
                    }
                    return;
                }
                let stroke = Stroke { key: event.key(), shift: event.shift_key() };
                if on_key.try_run(stroke) == Some(true) {
                    event.prevent_default();
                }
            }
        ></canvas>
    }
}

//! A canvas that tells its size and where the pointer is.

use crate::browser;
use leptos::html;
use leptos::prelude::*;

/// A place on the canvas, in CSS pixels from its upper left corner.
pub type Place = (i32, i32);

/// A canvas.
#[component]
pub fn Canvas(
    /// The element, for drawing on it.
    node: NodeRef<html::Canvas>,
    /// What the drawing shows, in a sentence.
    #[prop(into)]
    label: Signal<String>,
    /// Class that gives it its height.
    class: &'static str,
    /// Its size in CSS pixels, whenever it changes.
    #[prop(into)]
    on_size: Callback<(u32, u32)>,
    /// The pointer is at a place, or has left.
    #[prop(into)]
    on_point: Callback<Option<Place>>,
    /// A place was clicked.
    #[prop(into)]
    on_pick: Callback<Place>,
) -> impl IntoView {
    Effect::new(move |_| {
        if let Some(element) = node.get() {
            browser::on_resize(&element, move |width, height| {
                // Canvases are far smaller than 2^32, and `as` saturates.
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let size = (width.round() as u32, height.round() as u32);
                on_size.run(size);
            });
        }
    });
    view! {
        <canvas
            node_ref=node
            class=class
            role="img"
            aria-label=label
            on:pointermove=move |event| on_point.run(Some((event.offset_x(), event.offset_y())))
            on:pointerleave=move |_| on_point.run(None)
            on:click=move |event| on_pick.run((event.offset_x(), event.offset_y()))
        ></canvas>
    }
}

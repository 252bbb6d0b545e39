//! Parts of the page that come later, or need not keep up.

use crate::app::use_store;
use crate::browser;
use leptos::html;
use leptos::prelude::*;

/// A value that is computed once, and again only while the element with the reference is seen.
pub(super) fn while_seen<T>(
    compute: impl Fn() -> T + Send + Sync + 'static,
) -> (NodeRef<html::Div>, Memo<T>)
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let node = NodeRef::<html::Div>::new();
    let seen = RwSignal::new(false);
    Effect::new(move |_| {
        if let Some(element) = node.get() {
            browser::on_seen(&element, move |now| seen.set(now));
        }
    });
    let value = Memo::new(move |before: Option<&T>| match before {
        Some(before) if !seen.get() => before.clone(),
        _ => compute(),
    });
    (node, value)
}

/// A part of the page that comes with the rest of the program.
pub(super) fn when_whole(part: impl Fn() -> AnyView + Send + 'static) -> AnyView {
    boxed_when_whole(Box::new(part))
}

/// One copy of the code for all parts, since the first visit loads it.
fn boxed_when_whole(part: Box<dyn Fn() -> AnyView + Send>) -> AnyView {
    let store = use_store();
    (move || store.whole.get().then(|| untrack(&part))).into_any()
}

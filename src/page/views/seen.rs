//! What is not seen need not keep up.

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

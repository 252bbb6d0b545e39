//! Signals that live as long as the page.
//!
//! A signal of `reactive_graph` (0.2.16) drops subscribers that are gone only when it changes. One that seldom changes,
//! such as the language, would hold those of every panel that was ever drawn: 48 bytes for each effect, and its place in
//! the list. A [`Lasting`] signal drops them when there are too many.

use leptos::prelude::*;
use leptos::reactive::graph::{
    AnySource, AnySubscriber, Observer, Source, Subscriber, ToAnySource,
};
use std::collections::HashSet;
use std::panic::Location;

/// A signal that lives as long as the page, and holds only subscribers that live.
pub struct Lasting<T: 'static> {
    signal: RwSignal<T>,
    subscribers: StoredValue<Subscribers>,
}

impl<T> Clone for Lasting<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Lasting<T> {}

impl<T: Send + Sync> Lasting<T> {
    /// A signal with this `value`.
    pub fn new(value: T) -> Self {
        Self {
            signal: RwSignal::new(value),
            subscribers: StoredValue::new(Subscribers::default()),
        }
    }
}

impl<T> DefinedAt for Lasting<T> {
    fn defined_at(&self) -> Option<&'static Location<'static>> {
        self.signal.defined_at()
    }
}

impl<T> IsDisposed for Lasting<T> {
    fn is_disposed(&self) -> bool {
        self.signal.is_disposed()
    }
}

impl<T: Send + Sync> Track for Lasting<T> {
    fn track(&self) {
        let source = self.signal.to_any_source();
        self.subscribers
            .update_value(|subscribers| subscribers.track(source));
    }
}

impl<T: Send + Sync> ReadUntracked for Lasting<T> {
    type Value = <RwSignal<T> as ReadUntracked>::Value;

    fn try_read_untracked(&self) -> Option<Self::Value> {
        self.signal.try_read_untracked()
    }
}

impl<T: Send + Sync> Notify for Lasting<T> {
    fn notify(&self) {
        self.signal.notify();
    }
}

impl<T: Send + Sync> Write for Lasting<T> {
    type Value = T;

    fn try_write(&self) -> Option<impl UntrackableGuard<Target = T>> {
        self.signal.try_write()
    }

    fn try_write_untracked(&self) -> Option<impl std::ops::DerefMut<Target = T>> {
        self.signal.try_write_untracked()
    }
}

/// The subscribers of a source, as often as they subscribed.
#[derive(Default)]
pub(super) struct Subscribers {
    all: Vec<AnySubscriber>,
    /// How many there may be until they are sifted.
    most: usize,
}

impl Subscribers {
    /// Subscribes whoever runs now, if anybody, to `source`; drops subscribers that are gone when there are many.
    #[inline(never)] // Once for all types of signals.
    pub(super) fn track(&mut self, source: AnySource) {
        /// Fewer than this are not sifted. The page as it opens has hundreds.
        const FEW: usize = 2048;
        let Some(subscriber) = Observer::get() else {
            return;
        };
        self.all.push(subscriber.clone());
        if self.all.len() > self.most.max(FEW) {
            self.sift(&source);
        }
        source.add_subscriber(subscriber.clone());
        subscriber.add_source(source);
    }

    /// Subscribes those anew that live, in the order in which they did so last. One that reads the source no more is
    /// among them: it runs once too often.
    #[inline(never)] // The first visit does without it.
    fn sift(&mut self, source: &AnySource) {
        let mut known = HashSet::new();
        let mut living = Vec::new();
        for one in self.all.drain(..).rev() {
            if one.1.strong_count() > 0 && known.insert(one.0) {
                living.push(one);
            }
        }
        living.reverse();
        source.clear_subscribers();
        for one in &living {
            source.add_subscriber(one.clone());
        }
        self.most = 2 * living.len();
        self.all = living;
    }
}

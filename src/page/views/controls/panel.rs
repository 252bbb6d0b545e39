//! The state of the controls: which groups are open, and which settings are in sight.

use super::chosen::Chosen;
use super::groups::Group;
use super::table::{MAIN, groups};
use super::{group_of, settings};
use crate::app::Store;
use crate::ask::Scenario;
use crate::codec::{is_usual, values};
use crate::views::setting::Setting;
use leptos::prelude::*;
use serde_json::Value;

/// The open groups, and the values that the others sum up.
#[derive(Clone, Copy)]
pub(in crate::views) struct Groups {
    pub(super) open: RwSignal<Vec<&'static str>>,
    /// The scenario's values, once the frame that shows their answer has come.
    pub(super) now: Memo<Value>,
    /// The values of a scenario that says nothing.
    usual: StoredValue<Value>,
    /// Settings whose controls are there whatever they do, because somebody looked for them.
    pub(super) revealed: RwSignal<Vec<&'static str>>,
    /// The setting whose control has the focus, or had it last.
    pub(super) held: StoredValue<Option<&'static str>>,
    /// Whether the changed settings alone are in sight.
    pub(super) only: RwSignal<bool>,
    /// The groups that were open before.
    opened: StoredValue<Vec<&'static str>>,
    /// The last choice of settings that are set together.
    pub(super) chosen: RwSignal<Option<Chosen>>,
}

impl Groups {
    /// All folded.
    pub fn new(store: Store) -> Self {
        Self {
            open: RwSignal::new(Vec::new()),
            now: Memo::new(move |_| store.followed.with(values)),
            usual: StoredValue::new(values(&Scenario::default())),
            revealed: RwSignal::new(Vec::new()),
            held: StoredValue::new(None),
            only: RwSignal::new(false),
            opened: StoredValue::new(Vec::new()),
            chosen: RwSignal::new(None),
        }
    }

    /// Opens what a link, a situation or a remedy has set something in.
    pub fn follow(self, store: Store) {
        let arrivals = Memo::new(move |_| store.arrivals());
        Effect::new(move |_| {
            arrivals.get();
            let differs = |group: &&'static Group| {
                let changed = |now: &Value| !self.changed(group.settings, now).is_empty();
                store.values.with_untracked(changed)
            };
            let set = groups().filter(differs).map(|group| group.id);
            let set: Vec<_> = set.collect();
            self.open.update(|open| {
                for id in set {
                    if !open.contains(&id) {
                        open.push(id);
                    }
                }
            });
        });
    }

    /// Opens a group, or folds it. Nothing reactive is read inside: what depends on a value cannot be worked out while it
    /// is changed.
    pub(super) fn toggle(self, id: &'static str) {
        self.open.update(|open| {
            if open.contains(&id) {
                open.retain(|other| *other != id);
            } else {
                open.push(id);
            }
        });
    }

    /// Brings the control of the setting with this key, and opens its group, if it is in one.
    pub fn reveal(self, key: &str) {
        self.leave_only();
        let Some(group) = group_of(key) else {
            return;
        };
        let own = group.settings.iter().find(|setting| setting.key == key);
        if let Some(own) =
            own.filter(|own| !self.revealed.with_untracked(|all| all.contains(&own.key)))
        {
            self.revealed.update(|all| all.push(own.key));
        }
        if !self.open.with_untracked(|open| open.contains(&group.id)) {
            self.toggle(group.id);
        }
    }

    /// Whether a setting differs from what it is when nobody says anything.
    pub(super) fn is_changed(self, setting: &Setting) -> bool {
        let usual = |now: &Value| {
            self.usual
                .with_value(|usual| is_usual(now, usual, setting.key))
        };
        !self.now.with(usual)
    }

    /// The keys of a group's settings that do.
    pub(super) fn changed_of(self, group: &'static Group) -> Vec<&'static str> {
        let changed = self.now.with(|now| self.changed(group.settings, now));
        changed.into_iter().map(|setting| setting.key).collect()
    }

    /// The number of settings that do.
    pub(super) fn count_changed(self) -> usize {
        self.now.with(|now| self.changed(settings(), now).len())
    }

    /// Leaves the changed settings alone in sight, or brings the others back.
    pub(super) fn toggle_only(self) {
        if self.only.get_untracked() {
            return self.leave_only();
        }
        self.opened.set_value(self.open.get_untracked());
        let changed = |group: &&Group| {
            group
                .settings
                .iter()
                .any(|setting| self.is_changed(setting))
        };
        let open = untrack(|| groups().filter(changed).map(|group| group.id).collect());
        self.only.set(true);
        self.open.set(open);
    }

    /// Brings all settings back, in the groups that were open before.
    pub(super) fn leave_only(self) {
        if self.only.get_untracked() {
            self.only.set(false);
            self.open.set(self.opened.get_value());
        }
    }

    /// Whether there is a control in sight that a finding is about.
    pub fn show(self, key: &str) -> bool {
        let about = |all: &[Setting]| all.iter().any(|setting| setting.is_about(key));
        let open = |group: &&Group| self.open.with(|open| open.contains(&group.id));
        Setting::new("model").is_about(key)
            || key.starts_with("model.linear")
            || key.starts_with("symbols.")
            || about(MAIN)
            || groups().filter(open).any(|group| about(group.settings))
    }

    /// The settings, of `all`, that differ from what they are when nobody says anything.
    pub(super) fn changed(
        self,
        all: impl IntoIterator<Item = &'static Setting>,
        now: &Value,
    ) -> Vec<&'static Setting> {
        self.usual.with_value(|usual| {
            let all = all.into_iter();
            all.filter(|setting| !is_usual(now, usual, setting.key))
                .collect()
        })
    }
}

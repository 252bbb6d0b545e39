//! The controls of settings: one for each look.

use super::controls::{Slider, ribbon_place};
use super::setting::{Absent, Look, Setting, SettingField};
use crate::app::{Store, use_store};
use crate::codec::{Kind, nearest};
use crate::resolve::{offers, usual_adapters};
use crate::text::{Language, Word, value_name};
use crate::widgets::{Choice, Choices, Names, Number, Problem, Switch};
use leptos::prelude::*;
use serde_json::Value;

/// The signals that every control of a setting needs.
struct Common {
    store: Store,
    idle: Memo<Option<String>>,
    problem: Memo<Option<Problem>>,
    disabled: Signal<bool>,
    invalid: Signal<bool>,
    value: Memo<Value>,
}

fn common(setting: Setting) -> Common {
    let store = use_store();
    let (idle, problem) = (setting.idle(store), setting.problem(store));
    Common {
        store,
        idle,
        problem,
        disabled: Signal::derive(move || idle.with(Option::is_some)),
        invalid: Signal::derive(move || problem.with(|p| p.as_ref().is_some_and(|p| p.blocking))),
        value: setting.value(),
    }
}

/// A number with a slider of meaningful steps.
pub(super) fn number(setting: Setting) -> AnyView {
    let Common {
        store,
        idle,
        problem,
        disabled,
        invalid,
        value,
    } = common(setting);
    let other = match setting.absent {
        Absent::As(key) => Some(Setting::new(key).value()),
        _ => None,
    };
    // The number that holds; null where there is none.
    let number = Memo::new(move |_| match (value.get(), setting.absent) {
        (Value::Null, Absent::Is(number)) => number.into(),
        (Value::Null, Absent::As(_)) => other.map_or(Value::Null, |other| other.get()),
        (Value::Null, Absent::Never) => 0.into(),
        (value, _) => value,
    });
    let stops = StoredValue::new(stops(setting));
    let step =
        Memo::new(move |_| stops.with_value(|stops| number.with(|number| nearest(stops, number))));
    let called = move |language: Language| match setting.absent {
        Absent::Called(word) => Some(word.text(language)),
        _ => None,
    };
    let text = Memo::new(move |_| {
        let written = || match number.get() {
            Value::Null => called(store.language.get()).unwrap_or_default().to_owned(),
            number => setting.kind().write(&number),
        };
        setting.draft(store).unwrap_or_else(written)
    });
    let put = move |value: Value| {
        let absent = matches!(setting.absent, Absent::Is(number) if value.as_u64() == Some(number));
        setting.put(store, if absent { Value::Null } else { value });
    };
    let on_step = move |at: usize| {
        if let Some(stop) = stops.with_value(|stops| stops.get(at).cloned()) {
            put(stop);
        }
    };
    let go = Callback::new(on_step);
    let slider = match setting.look {
        Look::Steps(steps) => Some(Slider {
            key: setting.key,
            kind: setting.kind(),
            steps,
            stops,
            value: number,
            step,
            go,
            put: Callback::new(put),
        }),
        _ => None,
    };
    let on_text = move |text: String| {
        let absent = called(store.language.get_untracked())
            .is_some_and(|word| text.trim().is_empty() || text.trim() == word);
        if absent {
            setting.put(store, Value::Null);
        } else {
            setting.type_in(store, text);
        }
    };
    view! {
        <SettingField setting idle problem>
            <Number
                id=setting.key
                label=setting.label(store)
                text
                steps=stops.with_value(Vec::len)
                step
                disabled
                invalid
                on_step=go
                on_text
            />
            {slider.map(ribbon_place)}
        </SettingField>
    }
    .into_any()
}

/// The values that the slider of a number steps through.
fn stops(setting: Setting) -> Vec<Value> {
    let none = matches!(setting.absent, Absent::Called(_)).then_some(Value::Null);
    let steps: Vec<Value> = match setting.look {
        Look::Steps(steps) => steps.iter().map(|&step| step.into()).collect(),
        Look::Shares(steps) => steps.iter().map(|&step| step.into()).collect(),
        _ => Vec::new(),
    };
    none.into_iter().chain(steps).collect()
}

/// A choice of one of several; of yes and no where a scenario need not say it.
pub(super) fn choice(setting: Setting) -> AnyView {
    let Common {
        store,
        idle,
        problem,
        disabled,
        value,
        ..
    } = common(setting);
    let choices = Memo::new(move |_| {
        let language = store.language.get();
        let mut choices = Vec::new();
        if let Absent::Called(word) = setting.absent {
            choices.push(Choice::new(String::new(), word.text(language)));
        }
        match (setting.look, setting.kind()) {
            (Look::Choice(all), _) => {
                choices.extend(store.followed.with(|scenario| all(scenario, language)));
            }
            (_, Kind::Name(all)) => choices.extend(all().into_iter().map(|name| {
                Choice::new(
                    name.to_owned(),
                    value_name(setting.key, name, language).unwrap_or(name),
                )
            })),
            _ => {
                for (name, word) in [("true", Word::On), ("false", Word::Off)] {
                    choices.push(Choice::new(name.to_owned(), word.text(language)));
                }
            }
        }
        choices
    });
    let chosen = Memo::new(move |_| match value.get() {
        Value::String(name) => name,
        Value::Bool(on) => on.to_string(),
        _ => String::new(),
    });
    let on_choice = move |name: String| {
        setting.put(
            store,
            match name.as_str() {
                "" => Value::Null,
                "true" => true.into(),
                "false" => false.into(),
                _ => name.into(),
            },
        );
    };
    view! {
        <SettingField setting idle problem>
            <Choices id=setting.key choices value=chosen disabled on_choice />
        </SettingField>
    }
    .into_any()
}

/// On or off.
pub(super) fn switch(setting: Setting) -> AnyView {
    let value = setting.value();
    let on = Signal::derive(move || value.get().as_bool().unwrap_or(false));
    toggle(setting, on, |setting, store, on| {
        setting.put(store, on.into());
    })
}

/// Adapters, or none.
pub(super) fn adapters(setting: Setting) -> AnyView {
    let value = setting.value();
    let on = Signal::derive(move || !value.with(Value::is_null));
    toggle(setting, on, |setting, store, on| {
        store.edit(setting.key, |scenario| {
            scenario.lora = on.then(|| usual_adapters(scenario));
        });
    })
}

fn toggle(setting: Setting, on: Signal<bool>, set: fn(Setting, Store, bool)) -> AnyView {
    let Common {
        store,
        idle,
        problem,
        disabled,
        ..
    } = common(setting);
    view! {
        <SettingField setting idle problem>
            <Switch
                id=setting.key
                on
                disabled
                on_switch=move |on: bool| set(setting, store, on)
            />
        </SettingField>
    }
    .into_any()
}

/// A text; for a list of names, with the names on offer below it.
pub(super) fn names(setting: Setting) -> AnyView {
    let Common {
        store,
        idle,
        problem,
        disabled,
        invalid,
        value,
    } = common(setting);
    let text = Memo::new(move |_| {
        setting
            .draft(store)
            .unwrap_or_else(|| value.with(|value| setting.kind().write(value)))
    });
    let listed = move || value.with(list);
    let offered = Memo::new(move |_| {
        if !matches!(setting.look, Look::Names) || idle.with(Option::is_some) {
            return Vec::new();
        }
        let listed = listed();
        let offered = store.followed.with(|s| offers(s, setting.key)).into_iter();
        offered
            .map(|name| {
                let on = listed.contains(&name);
                (name, on)
            })
            .collect::<Vec<_>>()
    });
    let on_text = move |text: String| {
        if text.trim().is_empty() && matches!(setting.absent, Absent::Called(_)) {
            setting.put(store, Value::Null);
        } else {
            setting.type_in(store, text);
        }
    };
    let on_toggle = move |name: String| {
        let mut listed = untrack(listed);
        if listed.contains(&name) {
            listed.retain(|other| *other != name);
        } else {
            // A name that means all of them excludes the others.
            let whole = |name: &str| name.starts_with("all");
            listed.retain(|other| !whole(&name) && !whole(other));
            listed.push(name);
        }
        setting.put(store, listed.into());
    };
    view! {
        <SettingField setting idle problem>
            <Names
                id=setting.key
                label=setting.label(store)
                text
                offered
                disabled
                invalid
                on_text
                on_toggle
            />
        </SettingField>
    }
    .into_any()
}

fn list(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

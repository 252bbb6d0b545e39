//! Settings that matter less often.

use crate::spec::Framework;
use crate::text::Word;
use crate::views::setting::{ChoiceSetting, Setting, SwitchSetting, terms};
use leptos::prelude::*;

const CLIPPING: Setting = Setting::new("clip_grad_norm", Word::Clipping, Word::ClippingHelp);
const FRAMEWORK: Setting = Setting::new("framework", Word::Framework, Word::FrameworkHelp);

/// Settings that matter less often.
#[component]
pub(super) fn MoreControls() -> impl IntoView {
    view! {
        <SwitchSetting
            setting=CLIPPING
            get=|s| s.clip_grad_norm
            set=|s, on| s.clip_grad_norm = on
        />
        <ChoiceSetting
            setting=FRAMEWORK
            choices=terms(Framework::ALL, Framework::name)
            get=|s| s.framework.name().to_owned()
            set=|s, name| {
                if let Some(framework) = Framework::from_name(name) {
                    s.framework = framework;
                }
            }
        />
    }
}

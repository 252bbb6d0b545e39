//! The config of a model on the Hugging Face Hub: the one thing that the page reads from elsewhere,
//! and only when the reader asks for it.

use super::model::{MODEL, use_pasted};
use crate::app::{Draft, Store};
use crate::browser::{FetchError, fetch_text};
use crate::text::{Language, Word};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// What is said when nothing came.
const fn reason(error: FetchError) -> Word {
    match error {
        FetchError::Unreachable => Word::ModelUnreachable,
        FetchError::Status(404) => Word::ModelNoConfig,
        FetchError::Status(_) => Word::ModelGated,
    }
}

/// Fetches a repository's config and uses it, or says why not.
pub(super) fn fetch_config(store: Store, repository: String, fetching: RwSignal<bool>) {
    fetching.set(true);
    spawn_local(async move {
        let address = format!("https://huggingface.co/{repository}/resolve/main/config.json");
        let answer = fetch_text(&address).await;
        fetching.set(false);
        match answer {
            Ok(text) => use_pasted(store, text),
            Err(error) => {
                let reason = reason(error);
                let in_language = |l| format!("{repository}: {}", reason.text(l));
                let message = (
                    in_language(Language::English),
                    in_language(Language::Chinese),
                );
                let text = repository.clone();
                store.reject(MODEL.key, Draft { text, message });
            }
        }
    });
}

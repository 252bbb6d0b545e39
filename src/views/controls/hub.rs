//! The config of a model on the Hugging Face Hub: the one thing that the page reads from elsewhere,
//! and only when the reader asks for it.

use super::model::{MODEL, use_pasted};
use crate::app::{Draft, Store};
use crate::ask::{Message, message};
use crate::browser::{FetchError, fetch_text};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// What is said when nothing came.
fn reason(error: FetchError, repository: &str) -> Message {
    match error {
        FetchError::Unreachable => message!(hub::unreachable, repository),
        FetchError::Status(404) => message!(hub::no_config, repository),
        FetchError::Status(_) => message!(hub::gated, repository),
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
                let message = reason(error, &repository);
                let text = repository;
                store.reject(MODEL.key, Draft { text, message });
            }
        }
    });
}

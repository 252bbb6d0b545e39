//! The config of a model on the Hugging Face Hub: the one thing that the page reads from elsewhere,
//! and only when the reader asks for it.

use super::model::{MODEL, use_model, use_pasted};
use crate::app::{Draft, Store};
use crate::ask::{Finding, Message, ModelRef, message};
use crate::browser::{FetchError, fetch_text};
use crate::codec::published;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The message about a config that did not arrive.
fn reason(error: FetchError, repository: &str) -> Message {
    match error {
        FetchError::Unreachable => message!(hub::unreachable, repository),
        FetchError::Status(404) => message!(hub::no_config, repository),
        FetchError::Status(_) => message!(hub::gated, repository),
    }
}

/// Owners of open copies of gated repositories, under the same names and with the same configs.
const MIRRORS: [&str; 2] = ["unsloth", "NousResearch"];

async fn config_of(repository: &str) -> Result<String, FetchError> {
    let address = format!("https://huggingface.co/{repository}/resolve/main/config.json");
    fetch_text(&address).await
}

/// An open copy of a gated repository.
struct Mirror {
    repository: String,
    /// Its config.
    text: String,
}

/// The first open copy of a gated repository.
async fn mirror_of(repository: &str) -> Option<Mirror> {
    let (_, name) = repository.split_once('/')?;
    for owner in MIRRORS {
        let repository = format!("{owner}/{name}");
        if let Ok(text) = config_of(&repository).await {
            return Some(Mirror { repository, text });
        }
    }
    None
}

/// Uses a known config of a gated repository: the model of the catalog, else the config of an open copy.
async fn use_copy(store: Store, repository: &str) -> bool {
    if let Some(known) = published(repository) {
        let model = ModelRef::Catalog(known.id.to_owned());
        use_model(store, model);
        return true;
    }
    let Some(mirror) = mirror_of(repository).await else {
        return false;
    };
    use_pasted(store, mirror.text);
    let said = message!(hub::mirror, repository, mirror = mirror.repository);
    let said = Finding::notice(MODEL.key, said);
    store.address_findings.update(|all| {
        all.retain(|other| other.key != said.key);
        all.push(said);
    });
    true
}

/// Fetches a repository's config and uses it, or says why not.
pub(super) fn fetch_config(store: Store, repository: String, fetching: RwSignal<bool>) {
    fetching.set(true);
    spawn_local(async move {
        let answer = config_of(&repository).await;
        let is_gated = matches!(answer, Err(FetchError::Status(401 | 403)));
        let is_copied = is_gated && use_copy(store, &repository).await;
        fetching.set(false);
        match answer {
            Ok(text) => use_pasted(store, text),
            Err(_) if is_copied => {}
            Err(error) => {
                let message = reason(error, &repository);
                let text = repository;
                store.reject(MODEL.key, Draft { text, message });
            }
        }
    });
}

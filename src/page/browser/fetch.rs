//! Reading a file from the network, when the reader asks for it.

use super::files::Chosen;
use gloo_net::http::Request;
use wasm_bindgen_futures::JsFuture;

/// Why nothing came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// There is no connection, or the page's host or the browser does not allow this one.
    Unreachable,
    /// The server's answer, as an HTTP status.
    Status(u16),
}

/// Reads a text file.
pub async fn fetch_text(address: &str) -> Result<String, FetchError> {
    let answer = Request::get(address).send().await;
    let answer = answer.map_err(|_| FetchError::Unreachable)?;
    if !answer.ok() {
        return Err(FetchError::Status(answer.status()));
    }
    answer.text().await.map_err(|_| FetchError::Unreachable)
}

/// Fetches a file, which the browser holds.
pub async fn fetch_file(address: &str) -> Result<Chosen, FetchError> {
    let answer = Request::get(address).send().await;
    let answer = answer.map_err(|_| FetchError::Unreachable)?;
    if !answer.ok() {
        return Err(FetchError::Status(answer.status()));
    }
    let answer: web_sys::Response = answer.into();
    let blob = answer.blob().map_err(|_| FetchError::Unreachable)?;
    let blob = JsFuture::from(blob).await;
    let blob = blob.map_err(|_| FetchError::Unreachable)?;
    let path = address.split(['?', '#']).next().unwrap_or(address);
    let name = path.rsplit('/').next().unwrap_or(path);
    Ok(Chosen::of_blob(name.to_owned(), blob))
}

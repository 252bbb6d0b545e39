//! Reading a file from the network, when the reader asks for it.

use super::document::window;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

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
    let window = window().ok_or(FetchError::Unreachable)?;
    let answer = JsFuture::from(window.fetch_with_str(address)).await;
    let answer: Response = answer
        .ok()
        .and_then(|answer| answer.dyn_into().ok())
        .ok_or(FetchError::Unreachable)?;
    if !answer.ok() {
        return Err(FetchError::Status(answer.status()));
    }
    let text = answer.text().map_err(|_| FetchError::Unreachable)?;
    let text = JsFuture::from(text).await.ok();
    text.and_then(|text| text.as_string())
        .ok_or(FetchError::Unreachable)
}

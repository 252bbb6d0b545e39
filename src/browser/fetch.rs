//! Reading a file from the network, when the reader asks for it.

use gloo_net::http::Request;

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

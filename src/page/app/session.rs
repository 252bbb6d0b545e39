//! The configuration that the reader had last, kept on the reader's machine.

use super::address::read;
use crate::ask::Scenario;
use crate::browser;
use crate::resolve::resolve;

/// The name under which it is kept.
const KEPT: &str = "session";

/// A configuration that was kept.
#[derive(Clone, PartialEq)]
pub struct Session {
    /// Its query.
    pub query: String,
    /// The configuration.
    pub scenario: Box<Scenario>,
}

/// Keeps a query.
pub(super) fn keep(query: &str) {
    browser::remember(KEPT, query);
}

/// The last session, where the address asks for nothing; none where it was the page as it opens by itself, or has no
/// answer any more.
pub fn last_session() -> Option<Session> {
    if !browser::query().is_empty() {
        return None;
    }
    let query = browser::recall(KEPT).filter(|query| !query.is_empty())?;
    let scenario = Box::new(read(&query).scenario);
    let differs = *scenario != Scenario::default() && resolve(&scenario).spec.is_some();
    differs.then_some(Session { query, scenario })
}

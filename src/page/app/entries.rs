//! The browser's history, as the page's steps use it.

/// The entries of the browser's history that the page has made.
pub(super) trait Entries: Send + Sync {
    /// Writes the configuration on screen into its entry: a new one where it has none yet.
    fn write(&self);
    /// Takes the configuration on screen as a step, before another one comes as a whole.
    fn leave(&self);
    /// Takes the configuration that has come as a step, whose `query` this is.
    fn arrive(&self, query: &str);
    /// The browser has gone to another entry.
    fn popped(&self);
    /// Takes nothing as a step from here on.
    fn set_aside(&self);
    /// Shows the configuration again that was set aside, and takes steps again.
    fn give_back(&self);
    /// Takes steps again, the configuration on screen as the first.
    fn go_on(&self);
}

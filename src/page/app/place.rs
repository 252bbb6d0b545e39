//! The browser's place in its history, and the marks of entries.

/// The browser's place among the entries.
#[derive(Clone)]
pub(super) struct Place {
    /// A text that no other life of the page has.
    pub life: String,
    /// The number of the entry.
    pub here: i32,
    /// The first entry of the step that it belongs to.
    pub of: i32,
    /// The entry of the configuration on screen, while that is no step yet.
    pub new: Option<i32>,
    /// The entry that the browser was sent to.
    pub going: Option<i32>,
    /// The query that the entry has.
    pub written: String,
    /// Whether nothing becomes a step.
    pub held: bool,
    /// Whether a button of the pointer is down: a drag is no step before the pointer is released.
    pub pressed: bool,
}

impl Place {
    /// The mark of the entry.
    pub fn mark(&self) -> String {
        format!("{} {} {}", self.life, self.here, self.of)
    }
}

/// The mark of an entry, read.
pub(super) struct Mark<'a> {
    pub life: &'a str,
    pub here: i32,
    pub of: i32,
}

impl<'a> Mark<'a> {
    /// Reads a mark.
    pub fn read(mark: &'a str) -> Option<Self> {
        let (rest, of) = mark.rsplit_once(' ')?;
        let (life, here) = rest.rsplit_once(' ')?;
        Some(Self {
            life,
            here: here.parse().ok()?,
            of: of.parse().ok()?,
        })
    }
}

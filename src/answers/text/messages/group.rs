//! Groups of messages.

/// A message's name within its group, in English and in Chinese.
pub(super) type Wording = (&'static str, &'static str, &'static str);

/// A group's name, and what it says: a function, so that the page fetches it when something of it is said.
pub(super) type Group = (&'static str, fn() -> &'static [Wording]);

/// Declares groups of messages.
macro_rules! groups {
    ($($group:ident { $($name:ident: $english:literal, $chinese:literal;)+ })+) => {
        pub(super) const GROUPS: &[$crate::text::messages::group::Group] = &[$((
            stringify!($group),
            || &[$((stringify!($name), $english, $chinese)),+],
        )),+];
    };
}
pub(super) use groups;

//! Events as data, from which room `text` makes sentences.

/// An event: a stable code and its named values. Its wording is in room `text`, by the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// A group and a name within it: `adapters.dropout`.
    pub code: &'static str,
    /// The values that the wording has places for.
    pub values: Vec<(&'static str, Argument)>,
}

/// A value of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Nothing: its place stays empty.
    Nothing,
    /// A name, a number, or what somebody wrote.
    Text(String),
    /// Names, one after the other.
    List(Vec<String>),
    /// A message with a wording of its own.
    Message(Message),
}

/// A type of a message's values.
pub trait ToArgument {
    /// Converts it to an argument of a message.
    fn to_argument(&self) -> Argument;
}

macro_rules! written_as_they_are {
    ($($kind:ty),*) => {
        $(impl ToArgument for $kind {
            fn to_argument(&self) -> Argument {
                Argument::Text(self.to_string())
            }
        })*
    };
}

written_as_they_are!(
    str,
    String,
    u32,
    u64,
    usize,
    f64,
    serde_json::Value,
    serde_json::Error
);

impl<T: ToArgument + ?Sized> ToArgument for &T {
    fn to_argument(&self) -> Argument {
        (**self).to_argument()
    }
}

impl<T: ToArgument> ToArgument for Option<T> {
    fn to_argument(&self) -> Argument {
        self.as_ref().map_or(Argument::Nothing, T::to_argument)
    }
}

impl ToArgument for [&str] {
    fn to_argument(&self) -> Argument {
        Argument::List(self.iter().map(|&name| name.to_owned()).collect())
    }
}

impl ToArgument for Message {
    fn to_argument(&self) -> Argument {
        Argument::Message(self.clone())
    }
}

/// A [`Message`]: `message!(adapters::dropout, dropout)`, or `message!(adapters::dropout, dropout = value)`
/// where the value is called otherwise. A test holds that `text` has a wording with places for just these.
#[macro_export]
macro_rules! message {
    ($group:ident :: $name:ident $(, $value:ident $(= $given:expr)?)* $(,)?) => {
        $crate::ask::Message {
            code: concat!(stringify!($group), ".", stringify!($name)),
            values: vec![$((
                stringify!($value),
                $crate::ask::ToArgument::to_argument(&$crate::ask::message!(@ $value $(= $given)?)),
            )),*],
        }
    };
    (@ $value:ident) => { $value };
    (@ $value:ident = $given:expr) => { $given };
}
pub use message;

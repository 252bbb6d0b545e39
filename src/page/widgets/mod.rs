//! Dumb controls: they show what they are given and call back. They know no domain word.
//!
//! Every label and number comes in as text, every choice goes out by callback. A widget keeps no
//! state but what the reader is typing.

mod bar;
mod canvas;
mod choice;
mod dialog;
mod field;
mod figure;
mod handle;
mod help;
mod menu;
mod names;
mod number;
mod search;
mod switch;
mod tabs;
mod text_box;

use leptos::prelude::{Callable, Callback};

pub use bar::{Bar, Legend, Mark, Segment};
pub use canvas::{Canvas, Drag, Place, Stage, Stroke};
pub use choice::{Choice, Choices};
pub use dialog::Dialog;
pub use field::{Field, Problem};
pub use figure::Figure;
pub use handle::Handle;
pub use help::{Help, HelpText};
pub use menu::Menu;
pub use names::Names;
pub use number::Number;
pub use search::{Found, Search};
pub use switch::Switch;
pub use tabs::{Tab, Tabs};

/// Calls back whoever is still there: a browser tells an element that goes that the focus and the pointer leave it, and a
/// size that it had, when what it was part of is gone.
fn tell<T: 'static>(callback: Callback<T>, value: T) {
    callback.try_run(value);
}

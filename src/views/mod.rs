//! The page's panels, one file each. No arithmetic here.

mod page;

pub use page::Page;

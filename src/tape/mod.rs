//! The shape-only autograd: PyTorch without the numbers.

mod category;

pub use category::Category;

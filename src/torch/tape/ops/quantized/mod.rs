//! Products with weights that are held in fewer bits.

mod four_bit;
mod int8;
mod nf4;

pub use four_bit::FourBit;
pub use int8::EightBit;
pub use nf4::Nf4;

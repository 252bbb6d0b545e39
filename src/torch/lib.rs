//! The part of PyTorch that decides memory, simulated: the autograd tape ([`tape`]), which records each storage
//! that an operation allocates and frees, and the caching allocator ([`device`]), which replays that record. Most of
//! the time of an estimate is spent here.

pub mod device;
pub mod tape;
pub mod units;

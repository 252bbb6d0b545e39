//! The classes of caches (`cache_utils.py`, transformers 4.48, 4.51 and 5.23).

/// How keys and values are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// `DynamicCache` of transformers 5, which joins the first ones to nothing.
    Joined,
    /// `DynamicCache` of transformers 4, which keeps the first ones as they are, and of any number
    /// whatever the window is.
    Given,
    /// Tuples, of which the model returns new ones: the old ones live until its next call.
    Tuples,
    /// `HybridCache` of transformers 4, of a number of tokens that is known beforehand.
    Fixed,
}

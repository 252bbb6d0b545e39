//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "mpt-7b", "MPT 7B", "mosaicml/mpt-7b", "2023-05";
    "mpt-30b", "MPT 30B", "mosaicml/mpt-30b", "2023-06";
}

//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "beit-base-patch16-224", "BEiT base", "microsoft/beit-base-patch16-224", "2021-06";
    "beit-large-patch16-224", "BEiT large", "microsoft/beit-large-patch16-224", "2021-06";
    "data2vec-vision-base-ft1k", "data2vec vision base", "facebook/data2vec-vision-base-ft1k", "2022-02";
    "data2vec-vision-large-ft1k", "data2vec vision large", "facebook/data2vec-vision-large-ft1k", "2022-02";
}

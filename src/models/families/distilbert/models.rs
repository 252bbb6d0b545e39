//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "distilbert-base", "DistilBERT base", "distilbert/distilbert-base-uncased", "2019-10";
    "distilbert-base-cased", "DistilBERT base, cased", "distilbert/distilbert-base-cased", "2019-10";
    "distilbert-base-multilingual", "DistilBERT base, multilingual", "distilbert/distilbert-base-multilingual-cased", "2019-10";
}

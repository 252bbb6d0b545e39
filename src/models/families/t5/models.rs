//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "t5-small", "T5 small", "google-t5/t5-small", "2019-10";
    "t5-base", "T5 base", "google-t5/t5-base", "2019-10";
    "t5-large", "T5 large", "google-t5/t5-large", "2019-10";
    "flan-t5-small", "Flan-T5 small", "google/flan-t5-small", "2022-10";
    "flan-t5-base", "Flan-T5 base", "google/flan-t5-base", "2022-10";
    "flan-t5-large", "Flan-T5 large", "google/flan-t5-large", "2022-10";
    "flan-t5-xl", "Flan-T5 XL", "google/flan-t5-xl", "2022-10";
    "mt5-small", "mT5 small", "google/mt5-small", "2020-10";
    "umt5-small", "UMT5 small", "google/umt5-small", "2023-04";
    "umt5-base", "UMT5 base", "google/umt5-base", "2023-04";
}

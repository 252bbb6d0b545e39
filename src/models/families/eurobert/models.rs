//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "eurobert-210m", "EuroBERT 210M", "EuroBERT/EuroBERT-210m", "2025-03";
    "eurobert-610m", "EuroBERT 610M", "EuroBERT/EuroBERT-610m", "2025-03";
    "eurobert-2.1b", "EuroBERT 2.1B", "EuroBERT/EuroBERT-2.1B", "2025-03";
}

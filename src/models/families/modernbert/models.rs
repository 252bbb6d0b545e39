//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "ettin-decoder-150m", "Ettin decoder 150M", "jhu-clsp/ettin-decoder-150m", "2025-07";
    "ettin-decoder-400m", "Ettin decoder 400M", "jhu-clsp/ettin-decoder-400m", "2025-07";
    "ettin-decoder-1b", "Ettin decoder 1B", "jhu-clsp/ettin-decoder-1b", "2025-07";
    "modernbert-base", "ModernBERT base", "answerdotai/ModernBERT-base", "2024-12";
    "modernbert-large", "ModernBERT large", "answerdotai/ModernBERT-large", "2024-12";
    "gte-modernbert-base", "GTE ModernBERT base", "Alibaba-NLP/gte-modernbert-base", "2025-01";
}

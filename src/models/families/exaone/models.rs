//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "k-exaone-236b-a23b", "K-EXAONE 236B-A23B", "LGAI-EXAONE/K-EXAONE-236B-A23B", "2025-12";
    "exaone-4-1.2b", "EXAONE 4.0 1.2B", "LGAI-EXAONE/EXAONE-4.0-1.2B", "2025-07";
    "exaone-4-32b", "EXAONE 4.0 32B", "LGAI-EXAONE/EXAONE-4.0-32B", "2025-07";
}

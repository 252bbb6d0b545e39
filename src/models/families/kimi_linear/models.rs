//! Published models of this family, by size.

crate::families::models::published_models! {
    "kimi-linear-48b-a3b", "Kimi Linear 48B-A3B", "moonshotai/Kimi-Linear-48B-A3B-Base", "2025-10";
}

//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "minimax-text-01", "MiniMax Text 01 456B", "MiniMaxAI/MiniMax-Text-01-hf", "2025-01";
    "minimax-m2", "MiniMax M2 229B", "MiniMaxAI/MiniMax-M2", "2025-10";
}

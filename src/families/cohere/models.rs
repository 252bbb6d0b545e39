//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "command-r-35b", "Command R 35B", "CohereForAI/c4ai-command-r-v01", "2024-03";
    "aya-23-8b", "Aya 23 8B", "CohereForAI/aya-23-8B", "2024-05";
    "command-r7b", "Command R7B", "CohereForAI/c4ai-command-r7b-12-2024", "2024-12";
}

//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "command-r-35b", "Command R 35B", "CohereForAI/c4ai-command-r-v01", "2024-03";
    "aya-23-8b", "Aya 23 8B", "CohereForAI/aya-23-8B", "2024-05";
    "aya-23-35b", "Aya 23 35B", "CohereForAI/aya-23-35B", "2024-05";
    "command-r7b", "Command R7B", "CohereForAI/c4ai-command-r7b-12-2024", "2024-12";
    "command-r-plus-104b", "Command R+ 104B", "CohereForAI/c4ai-command-r-plus", "2024-04";
    "command-r-32b-08-2024", "Command R 32B 08-2024", "CohereForAI/c4ai-command-r-08-2024", "2024-08";
}

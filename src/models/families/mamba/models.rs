//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "mamba-130m", "Mamba 130M", "state-spaces/mamba-130m-hf", "2023-12";
    "mamba-370m", "Mamba 370M", "state-spaces/mamba-370m-hf", "2023-12";
    "mamba-790m", "Mamba 790M", "state-spaces/mamba-790m-hf", "2023-12";
    "mamba-1.4b", "Mamba 1.4B", "state-spaces/mamba-1.4b-hf", "2023-12";
    "mamba-2.8b", "Mamba 2.8B", "state-spaces/mamba-2.8b-hf", "2023-12";
    "mamba-codestral-7b", "Mamba Codestral 7B", "mistralai/Mamba-Codestral-7B-v0.1", "2024-07";
    "falcon-mamba-7b", "Falcon Mamba 7B", "tiiuae/falcon-mamba-7b", "2024-08";
}

//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "deltanet-340m", "DeltaNet 340M", "fla-hub/delta_net-340M-15B", "2024-06";
    "deltanet-1.3b", "DeltaNet 1.3B", "fla-hub/delta_net-1.3B-100B", "2024-06";
    "gated-deltanet-1.3b", "Gated DeltaNet 1.3B", "m-a-p/1.3B-100B-GatedDeltaNet-pure", "2024-12";
    "retnet-1.3b", "RetNet 1.3B", "fla-hub/retnet-1.3B-100B", "2023-07";
    "hgrn-1.3b", "HGRN 1.3B", "fla-hub/hgrn-1.3B-100B", "2023-11";
    "hgrn2-1.3b", "HGRN2 1.3B", "fla-hub/hgrn2-1.3B-100B", "2024-04";
    "transformer-1.3b", "Transformer 1.3B (flash-linear-attention)", "fla-hub/transformer-1.3B-100B", "2025-07";
    "mamba-1.3b", "Mamba 1.3B (flash-linear-attention)", "fla-hub/mamba-1.3B-100B", "2024-04";
    "mamba-2.7b", "Mamba 2.7B (flash-linear-attention)", "fla-hub/mamba-2.7B-100B", "2024-04";
    "mamba2-1.3b", "Mamba 2 1.3B (flash-linear-attention)", "fla-org/flash-linear-attention", "2024-05";
    "gla-340m", "GLA 340M", "fla-hub/gla-340M-15B", "2024-05";
    "gla-1.3b", "GLA 1.3B", "fla-hub/gla-1.3B-100B", "2024-05";
}

//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "clip-vit-base-patch32", "CLIP base, 32x32 patches", "openai/clip-vit-base-patch32", "2021-01";
    "clip-vit-base-patch16", "CLIP base, 16x16 patches", "openai/clip-vit-base-patch16", "2021-07";
    "clip-vit-large-patch14", "CLIP large, 14x14 patches", "openai/clip-vit-large-patch14", "2022-01";
    "siglip-base-patch16-224", "SigLIP base, 16x16 patches", "google/siglip-base-patch16-224", "2023-09";
    "siglip-so400m-patch14-384", "SigLIP SO400M, images of 384", "google/siglip-so400m-patch14-384", "2024-01";
    "siglip2-base-patch16-224", "SigLIP 2 base, 16x16 patches", "google/siglip2-base-patch16-224", "2025-02";
    "siglip2-so400m-patch14-384", "SigLIP 2 SO400M, images of 384", "google/siglip2-so400m-patch14-384", "2025-02";
}

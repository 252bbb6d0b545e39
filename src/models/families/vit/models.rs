//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "vit-tiny", "ViT tiny, 16x16 patches", "WinKawaks/vit-tiny-patch16-224", "2022-03";
    "vit-small", "ViT small, 16x16 patches", "WinKawaks/vit-small-patch16-224", "2022-03";
    "vit-base", "ViT base, 16x16 patches", "google/vit-base-patch16-224-in21k", "2020-10";
    "vit-large", "ViT large, 16x16 patches", "google/vit-large-patch16-224", "2020-10";
    "ast-audioset", "Audio spectrogram transformer (AudioSet)", "MIT/ast-finetuned-audioset-10-10-0.4593", "2021-04";
    "vit-msn-small", "ViT MSN small", "facebook/vit-msn-small", "2022-04";
    "deit-base-distilled", "DeiT base distilled", "facebook/deit-base-distilled-patch16-224", "2020-12";
    "dinov2-small", "DINOv2 small", "facebook/dinov2-small", "2023-04";
    "dinov2-base", "DINOv2 base", "facebook/dinov2-base", "2023-04";
    "dinov2-large", "DINOv2 large", "facebook/dinov2-large", "2023-04";
    "dinov2-with-registers-small", "DINOv2 small with registers", "facebook/dinov2-with-registers-small", "2024-12";
    "dinov2-with-registers-base", "DINOv2 base with registers", "facebook/dinov2-with-registers-base", "2024-12";
    "dinov2-with-registers-large", "DINOv2 large with registers", "facebook/dinov2-with-registers-large", "2024-12";
    "vit-huge", "ViT huge, 14x14 patches", "google/vit-huge-patch14-224-in21k", "2020-10";
}

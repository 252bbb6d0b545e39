//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "hunyuan-a13b", "Hunyuan A13B", "tencent/Hunyuan-A13B-Instruct", "2025-06";
    "hunyuan-1.8b", "Hunyuan 1.8B", "tencent/Hunyuan-1.8B-Instruct", "2025-07";
    "hunyuan-0.5b", "Hunyuan 0.5B", "tencent/Hunyuan-0.5B-Instruct", "2025-08";
    "hunyuan-4b", "Hunyuan 4B", "tencent/Hunyuan-4B-Instruct", "2025-08";
    "hunyuan-7b", "Hunyuan 7B", "tencent/Hunyuan-7B-Instruct", "2025-08";
    "hy3-295b-a21b", "Hy3 295B-A21B", "tencent/Hy3-preview", "2026-04";
}

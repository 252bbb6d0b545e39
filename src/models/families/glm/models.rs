//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "glm-4.5-air", "GLM-4.5 Air", "zai-org/GLM-4.5-Air", "2025-07";
    "glm-4.7-flash", "GLM-4.7 Flash 30B-A3B", "zai-org/GLM-4.7-Flash", "2026-01";
    "glm-5", "GLM-5 744B-A40B", "zai-org/GLM-5", "2026-02";
    "glm-4-9b", "GLM-4 9B", "THUDM/glm-4-9b-hf", "2024-10";
    "glm-4-9b-0414", "GLM-4 9B 0414", "THUDM/GLM-4-9B-0414", "2025-04";
    "glm-4.6v-flash", "GLM-4.6V-Flash 9B (text part)", "zai-org/GLM-4.6V-Flash", "2025-12";
    "glm-4-32b-0414", "GLM-4 32B 0414", "THUDM/GLM-4-32B-0414", "2025-04";
}

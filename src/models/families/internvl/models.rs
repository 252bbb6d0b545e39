//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "internvl3-1b-hf", "InternVL3 1B", "OpenGVLab/InternVL3-1B-hf", "2025-04";
    "internvl3-2b-hf", "InternVL3 2B", "OpenGVLab/InternVL3-2B-hf", "2025-04";
    "internvl3-8b-hf", "InternVL3 8B", "OpenGVLab/InternVL3-8B-hf", "2025-04";
    "internvl3-14b-hf", "InternVL3 14B", "OpenGVLab/InternVL3-14B-hf", "2025-04";
    "internvl3-38b-hf", "InternVL3 38B", "OpenGVLab/InternVL3-38B-hf", "2025-04";
    "internvl3-78b-hf", "InternVL3 78B", "OpenGVLab/InternVL3-78B-hf", "2025-04";
    "internvl3.5-1b-hf", "InternVL3.5 1B", "OpenGVLab/InternVL3_5-1B-HF", "2025-08";
    "internvl3.5-2b-hf", "InternVL3.5 2B", "OpenGVLab/InternVL3_5-2B-HF", "2025-08";
    "internvl3.5-4b-hf", "InternVL3.5 4B", "OpenGVLab/InternVL3_5-4B-HF", "2025-08";
    "internvl3.5-8b-hf", "InternVL3.5 8B", "OpenGVLab/InternVL3_5-8B-HF", "2025-08";
    "internvl3.5-14b-hf", "InternVL3.5 14B", "OpenGVLab/InternVL3_5-14B-HF", "2025-08";
    "internvl3.5-38b-hf", "InternVL3.5 38B", "OpenGVLab/InternVL3_5-38B-HF", "2025-08";
}

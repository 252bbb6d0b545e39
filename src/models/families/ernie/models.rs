//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "ernie-4.5-0.3b", "ERNIE 4.5 0.3B", "baidu/ERNIE-4.5-0.3B-PT", "2025-06";
    "paddleocr-vl-0.9b", "PaddleOCR-VL 0.9B (text part)", "PaddlePaddle/PaddleOCR-VL", "2025-10";
    "ernie-4.5-21b-a3b", "ERNIE 4.5 21B-A3B", "baidu/ERNIE-4.5-21B-A3B-PT", "2025-06";
}

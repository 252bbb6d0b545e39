//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "swin-tiny", "Swin tiny, windows of 7", "microsoft/swin-tiny-patch4-window7-224", "2021-03";
    "swin-base", "Swin base, windows of 7", "microsoft/swin-base-patch4-window7-224", "2021-03";
    "swin-large", "Swin large, windows of 7", "microsoft/swin-large-patch4-window7-224", "2021-03";
    "swinv2-tiny", "Swin V2 tiny, windows of 8", "microsoft/swinv2-tiny-patch4-window8-256", "2021-11";
    "swinv2-base", "Swin V2 base, windows of 8", "microsoft/swinv2-base-patch4-window8-256", "2021-11";
    "swinv2-large", "Swin V2 large, windows of 16", "microsoft/swinv2-large-patch4-window12to16-192to256-22kto1k-ft", "2021-11";
}

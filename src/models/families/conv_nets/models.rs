//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "convnext-tiny-224", "ConvNeXT tiny", "facebook/convnext-tiny-224", "2022-01";
    "convnext-small-224", "ConvNeXT small", "facebook/convnext-small-224", "2022-01";
    "convnext-base-224", "ConvNeXT base", "facebook/convnext-base-224", "2022-01";
    "convnext-large-224", "ConvNeXT large", "facebook/convnext-large-224", "2022-01";
    "convnextv2-tiny-1k-224", "ConvNeXT V2 tiny", "facebook/convnextv2-tiny-1k-224", "2023-01";
    "convnextv2-base-1k-224", "ConvNeXT V2 base", "facebook/convnextv2-base-1k-224", "2023-01";
    "resnet-18", "ResNet 18", "microsoft/resnet-18", "2015-12";
    "resnet-34", "ResNet 34", "microsoft/resnet-34", "2015-12";
    "resnet-50", "ResNet 50", "microsoft/resnet-50", "2015-12";
    "resnet-101", "ResNet 101", "microsoft/resnet-101", "2015-12";
    "resnet-152", "ResNet 152", "microsoft/resnet-152", "2015-12";
}

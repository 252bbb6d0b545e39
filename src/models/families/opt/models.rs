//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "biogpt", "BioGPT 347M", "microsoft/biogpt", "2022-08";
    "xglm-564m", "XGLM 564M", "facebook/xglm-564M", "2021-12";
    "xglm-1.7b", "XGLM 1.7B", "facebook/xglm-1.7B", "2021-12";
    "xglm-2.9b", "XGLM 2.9B", "facebook/xglm-2.9B", "2021-12";
    "xglm-4.5b", "XGLM 4.5B", "facebook/xglm-4.5B", "2021-12";
    "xglm-7.5b", "XGLM 7.5B", "facebook/xglm-7.5B", "2021-12";
    "opt-125m", "OPT 125M", "facebook/opt-125m", "2022-05";
    "opt-1.3b", "OPT 1.3B", "facebook/opt-1.3b", "2022-05";
}

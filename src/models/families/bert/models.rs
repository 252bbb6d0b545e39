//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "bert-base", "BERT base", "google-bert/bert-base-uncased", "2018-10";
    "bert-large", "BERT large", "google-bert/bert-large-uncased", "2018-10";
    "roberta-base", "RoBERTa base", "FacebookAI/roberta-base", "2019-07";
    "distilroberta-base", "DistilRoBERTa base", "distilbert/distilroberta-base", "2019-10";
    "bert-base-cased", "BERT base, cased", "google-bert/bert-base-cased", "2018-10";
    "bert-base-multilingual", "BERT base, multilingual", "google-bert/bert-base-multilingual-cased", "2018-11";
    "xlm-roberta-base", "XLM-RoBERTa base", "FacebookAI/xlm-roberta-base", "2019-11";
    "xlm-roberta-large", "XLM-RoBERTa large", "FacebookAI/xlm-roberta-large", "2019-11";
    "xlm-roberta-xl", "XLM-RoBERTa XL", "facebook/xlm-roberta-xl", "2021-05";
    "xlm-roberta-xxl", "XLM-RoBERTa XXL", "facebook/xlm-roberta-xxl", "2021-05";
    "megatron-bert-345m", "Megatron BERT 345M", "nvidia/megatron-bert-cased-345m", "2019-09";
    "rembert", "RemBERT", "google/rembert", "2020-10";
    "roformer-chinese-base", "RoFormer base, Chinese", "junnyu/roformer_chinese_base", "2021-04";
    "camembert-base", "CamemBERT base", "almanach/camembert-base", "2019-11";
    "deberta-base", "DeBERTa base", "microsoft/deberta-base", "2020-06";
    "deberta-large", "DeBERTa large", "microsoft/deberta-large", "2020-06";
    "deberta-xlarge", "DeBERTa xlarge", "microsoft/deberta-xlarge", "2020-06";
    "deberta-v3-small", "DeBERTa V3 small", "microsoft/deberta-v3-small", "2021-11";
    "deberta-v3-base", "DeBERTa V3 base", "microsoft/deberta-v3-base", "2021-11";
    "deberta-v3-large", "DeBERTa V3 large", "microsoft/deberta-v3-large", "2021-11";
    "esm2-8m", "ESM-2 8M (proteins)", "facebook/esm2_t6_8M_UR50D", "2022-08";
    "esm2-35m", "ESM-2 35M (proteins)", "facebook/esm2_t12_35M_UR50D", "2022-08";
    "esm2-150m", "ESM-2 150M (proteins)", "facebook/esm2_t30_150M_UR50D", "2022-08";
    "esm2-650m", "ESM-2 650M (proteins)", "facebook/esm2_t33_650M_UR50D", "2022-08";
    "esm2-3b", "ESM-2 3B (proteins)", "facebook/esm2_t36_3B_UR50D", "2022-08";
    "nomic-embed-text-v1", "Nomic Embed text v1", "nomic-ai/nomic-embed-text-v1", "2024-02";
    "nomic-embed-text-v1.5", "Nomic Embed text v1.5", "nomic-ai/nomic-embed-text-v1.5", "2024-02";
    "layoutlm-base", "LayoutLM base, uncased", "microsoft/layoutlm-base-uncased", "2019-12";
    "layoutlm-large", "LayoutLM large, uncased", "microsoft/layoutlm-large-uncased", "2019-12";
    "mpnet-base", "MPNet base", "microsoft/mpnet-base", "2020-04";
    "all-mpnet-base-v2", "all-mpnet-base v2 (sentence embeddings)", "sentence-transformers/all-mpnet-base-v2", "2021-08";
    "electra-base", "ELECTRA base", "google/electra-base-discriminator", "2020-03";
    "electra-small", "ELECTRA small", "google/electra-small-discriminator", "2020-03";
    "albert-base-v2", "ALBERT base v2", "albert/albert-base-v2", "2019-10";
    "albert-large-v2", "ALBERT large v2", "albert/albert-large-v2", "2019-10";
    "roberta-large", "RoBERTa large", "FacebookAI/roberta-large", "2019-07";
}

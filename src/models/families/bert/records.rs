//! The families of this folder.

use super::reader;
use crate::model::{Architecture, BertKind, Family, Proof};

/// `bert`.
pub(crate) const BERT: Family = Family {
    model_types: &["bert"],
    source: "models/bert, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "bert",
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::ANSWERING_ENCODER,
    // Support.
    attention_support: crate::model::AttentionSupport::FLASH_SINCE_5,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["bert.jsonl", "encoder_heads.jsonl"]),
    published: Proof::of(&[
        ("bert-base", 109_514_298),
        ("bert-large", 335_174_458),
        ("bert-base-cased", 108_340_804),
        ("bert-base-multilingual", 177_974_523),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Bert, fields))
    })
};

/// `roberta`.
pub(crate) const ROBERTA: Family = Family {
    model_types: &["roberta", "xlm-roberta", "camembert"],
    source: "models/roberta, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "roberta",
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::ANSWERING_ENCODER,
    quantized_heads: crate::model::QUANTIZED_INNER_HEADS,
    // Support.
    attention_support: crate::model::AttentionSupport::FLASH_SINCE_5,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["bert.jsonl", "encoder_heads.jsonl"]),
    published: Proof::of(&[
        ("roberta-base", 124_697_433),
        ("roberta-large", 355_412_057),
        ("distilroberta-base", 82_170_201),
        ("xlm-roberta-base", 278_295_186),
        ("xlm-roberta-large", 560_142_482),
        ("camembert-base", 110_655_493),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Roberta, fields))
    })
};

/// `data2vec-text`.
pub(crate) const DATA2VEC_TEXT: Family = Family {
    model_types: &["data2vec-text"],
    source: "models/data2vec_text, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "data2vec_text",
    // Parts.
    // Programs.
    tasks: crate::model::ANSWERING_ENCODER,
    quantized_heads: crate::model::QUANTIZED_INNER_HEADS,
    // Support.
    attention_support: crate::model::AttentionSupport::FLASH_SINCE_5,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["bert_kin.jsonl"]),
    published: Proof::NONE,
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Data2Vec, fields))
    })
};

/// `ernie`.
pub(crate) const ERNIE: Family = Family {
    model_types: &["ernie"],
    source: "models/ernie, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "ernie",
    // Parts.
    // Programs.
    tasks: crate::model::ANSWERING_ENCODER,
    // Support.
    attention_support: crate::model::AttentionSupport::FLASH_SINCE_5,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["bert_kin.jsonl"]),
    published: Proof::NONE,
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Ernie, fields))
    })
};

/// `roberta-prelayernorm`.
pub(crate) const ROBERTA_PRELAYERNORM: Family = Family {
    model_types: &["roberta-prelayernorm"],
    source: "models/roberta_prelayernorm, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "roberta_prelayernorm",
    // Parts.
    // Programs.
    tasks: crate::model::ANSWERING_ENCODER,
    quantized_heads: crate::model::QUANTIZED_INNER_HEADS,
    // Support.
    attention_support: crate::model::AttentionSupport::FLASH_SINCE_5,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["bert_kin.jsonl"]),
    published: Proof::NONE,
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::RobertaPreNorm, fields))
    })
};

/// `xlm-roberta-xl`.
pub(crate) const XLM_ROBERTA_XL: Family = Family {
    model_types: &["xlm-roberta-xl"],
    source: "models/xlm_roberta_xl, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "roberta",
    // Parts.
    // Programs.
    tasks: crate::model::ANSWERING_ENCODER,
    quantized_heads: crate::model::QUANTIZED_INNER_HEADS,
    // Support.
    attention_support: crate::model::AttentionSupport::FLASH_SINCE_5,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["bert_kin.jsonl"]),
    published: Proof::of(&[
        ("xlm-roberta-xl", 3_482_741_760),
        ("xlm-roberta-xxl", 10_712_994_816),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::XlmRobertaXl, fields))
    })
};

/// `megatron-bert`.
pub(crate) const MEGATRON_BERT: Family = Family {
    model_types: &["megatron-bert"],
    source: "models/megatron_bert, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "bert",
    // Parts.
    // Programs.
    tasks: crate::model::ANSWERING_ENCODER,
    // Support.
    attention_support: crate::model::AttentionSupport::one_way("Megatron BERT"),
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["bert_kin.jsonl"]),
    published: Proof::of(&[("megatron-bert-345m", 333_671_808)]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Megatron, fields))
    })
};

/// `esm`.
pub(crate) const ESM: Family = Family {
    model_types: &["esm"],
    source: "models/esm, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "esm",
    // Parts.
    // Programs.
    tasks: crate::model::ENCODER,
    quantized_heads: crate::model::QUANTIZED_INNER_HEADS,
    // Support.
    attention_support: crate::model::AttentionSupport::FLASH_SINCE_5,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["bert_kin.jsonl"]),
    published: Proof::of(&[
        ("esm2-8m", 7_512_474),
        ("esm2-35m", 33_501_394),
        ("esm2-150m", 148_140_154),
        ("esm2-650m", 651_043_254),
        ("esm2-3b", 2_839_005_634),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Esm, fields))
    })
};

/// `deberta`.
pub(crate) const DEBERTA: Family = Family {
    model_types: &["deberta"],
    source: "models/deberta, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "deberta",
    // Parts.
    // Programs.
    tasks: crate::model::ANSWERING_ENCODER,
    // Support.
    attention_support: crate::model::AttentionSupport {
        eager_only: crate::model::Versions::All,
        check: Some(crate::families::deberta::check_first),
        ..crate::model::AttentionSupport::FLASH_SINCE_5
    },
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["deberta_first.jsonl"]),
    published: Proof::of(&[
        ("deberta-base", 139_244_121),
        ("deberta-large", 406_264_921),
        ("deberta-xlarge", 758_905_945),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::DebertaV1, fields))
    })
};

/// `deberta-v2`.
pub(crate) const DEBERTA_V2: Family = Family {
    model_types: &["deberta-v2"],
    source: "models/deberta_v2, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "deberta",
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::ANSWERING_ENCODER,
    // Support.
    attention_support: crate::model::AttentionSupport {
        eager_only: crate::model::Versions::All,
        check: Some(crate::families::deberta::check_second),
        ..crate::model::AttentionSupport::FLASH_SINCE_5
    },
    quantized_support: crate::model::QuantizedSupport {
        check: Some(crate::families::deberta::check_quantized),
        ..crate::model::QuantizedSupport::WHOLE_HEADS
    },
    fixtures: Proof::of(&["deberta.jsonl", "encoder_heads.jsonl"]),
    published: Proof::of(&[
        ("deberta-v3-small", 142_024_548),
        ("deberta-v3-base", 184_551_780),
        ("deberta-v3-large", 435_191_908),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Deberta, fields))
    })
};

/// `mpnet`.
pub(crate) const MPNET: Family = Family {
    model_types: &["mpnet"],
    source: "models/mpnet, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "mpnet",
    // Parts.
    // Programs.
    tasks: crate::model::ANSWERING_ENCODER,
    quantized_heads: crate::model::QUANTIZED_INNER_HEADS,
    // Support.
    attention_support: crate::model::AttentionSupport::one_way("MPNet"),
    without_checkpointing: Some("MPNet"),
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["mpnet.jsonl"]),
    published: Proof::of(&[
        ("mpnet-base", 109_518_527),
        ("all-mpnet-base-v2", 109_518_527),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Mpnet, fields))
    })
};

/// `nomic_bert`.
pub(crate) const NOMIC_BERT: Family = Family {
    model_types: &["nomic_bert"],
    source: "models/nomic_bert, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "nomic_bert",
    // Parts.
    // Programs.
    tasks: crate::model::ENCODER,
    // Support.
    attention_support: crate::model::AttentionSupport::FLASH_SINCE_5,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["nomic_bert.jsonl"]),
    published: Proof::of(&[
        ("nomic-embed-text-v1", 137_354_304),
        ("nomic-embed-text-v1.5", 137_354_304),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Nomic, fields))
    })
};

/// `layoutlm`.
pub(crate) const LAYOUTLM: Family = Family {
    model_types: &["layoutlm"],
    source: "models/layoutlm, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "layoutlm",
    // Parts.
    // Programs.
    tasks: crate::model::ENCODER,
    // Support.
    attention_support: crate::model::AttentionSupport {
        masked: crate::model::Versions::All,
        ..crate::model::AttentionSupport::FLASH_SINCE_5
    },
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["layoutlm.jsonl"]),
    published: Proof::of(&[
        ("layoutlm-base", 113_250_618),
        ("layoutlm-large", 340_418_362),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::LayoutLm, fields))
    })
};

/// `rembert`.
pub(crate) const REMBERT: Family = Family {
    model_types: &["rembert"],
    source: "models/rembert, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "rembert",
    // Parts.
    // Programs.
    tasks: crate::model::ANSWERING_ENCODER,
    // Support.
    attention_support: crate::model::AttentionSupport::one_way("RemBERT"),
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["rembert.jsonl"]),
    published: Proof::of(&[("rembert", 993_263_548)]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::RemBert, fields))
    })
};

/// `roformer`.
pub(crate) const ROFORMER: Family = Family {
    model_types: &["roformer"],
    source: "models/roformer, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "roformer",
    // Parts.
    // Programs.
    tasks: crate::model::ANSWERING_ENCODER,
    quantized_heads: crate::model::QUANTIZED_INNER_HEADS,
    // Support.
    attention_support: crate::model::AttentionSupport::one_way("RoFormer"),
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["roformer.jsonl"]),
    published: Proof::of(&[("roformer-chinese-base", 124_197_968)]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::RoFormer, fields))
    })
};

/// `electra`.
pub(crate) const ELECTRA: Family = Family {
    model_types: &["electra"],
    source: "models/electra, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "electra",
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::ANSWERING_ENCODER,
    quantized_heads: crate::model::QUANTIZED_INNER_HEADS,
    // Support.
    attention_support: crate::model::AttentionSupport {
        eager_only: crate::model::Versions::Before5,
        ..crate::model::AttentionSupport::FLASH_SINCE_5
    },
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["bert.jsonl", "encoder_heads.jsonl"]),
    published: Proof::of(&[("electra-base", 109_514_298), ("electra-small", 13_546_682)]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Electra, fields))
    })
};

/// `albert`.
pub(crate) const ALBERT: Family = Family {
    model_types: &["albert"],
    source: "models/albert, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "albert",
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::ANSWERING_ENCODER,
    // Support.
    attention_support: crate::model::AttentionSupport::FLASH_SINCE_5,
    without_checkpointing: Some("ALBERT"),
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["albert.jsonl", "encoder_heads.jsonl"]),
    published: Proof::of(&[
        ("albert-base-v2", 11_221_680),
        ("albert-large-v2", 16_795_824),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Bert(reader::read(family, BertKind::Albert, fields))
    })
};

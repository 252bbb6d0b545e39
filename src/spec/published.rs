//! The catalog's models against the numbers of parameters that their repositories state.

use super::published_decoders::decoder_parameters;
use super::published_heard::speech_parameters;
use super::published_mixers::fla_parameters;
use super::published_texts::{
    bart_parameters, bert_parameters, distilbert_parameters, eurobert_parameters,
    modernbert_parameters, t5_parameters, t5gemma_parameters,
};
use super::published_towers::{
    beit_parameters, conv_net_parameters, image_parameters, tower_parameters, vision_parameters,
};
use super::{
    Architecture, DualConfig, DualKind, Scenario, SwinConfig, VitConfig, VitKind, resolve,
};
use crate::catalog;
use crate::spec::{ModelRef, Precision};

/// Totals of the safetensors files, as the hub shows them; of gpt-oss of the weights in bfloat16, of
/// GLM-4.5 and Qwen3-Next (1,650,471,424) without the layers that predict several tokens, of Llama 4 Scout without the 871,932,416 of
/// images, of Gemma 3n and 4 of the part that reads text as transformers 5.23 builds it, of CLIP as its authors count them, of `DINOv2` with a classifier of two
/// classes, of `DeiT` without the classifier that a teacher has, of ELECTRA, ALBERT, `MPNet` (whose repository states 109,486,464 with a pooler) and `DeBERTa` with the head
/// that predicts tokens, of Falcon 7B and 40B without the output
/// layer, which their files hold beside the embedding that it is tied to; of the first `DeBERTa`, UMT5, ESM-2, `EuroBERT`, wav2vec 2.0 and `HuBERT` (with 32 tokens) as transformers 5.23 builds them, of the last eleven what their configs give, which their
/// repositories state in billions, of Persimmon, of Qwen3.5, Ministral 3, K-EXAONE, Trinity, Hy3, `MiniCPM3`, Youtu-LLM and GLM-4.7 without images and without the layers that predict several
/// tokens.
const PUBLISHED: &[(&str, u64)] = &[
    ("qwen3-0.6b", 596_049_920),
    ("qwen3-1.7b", 1_720_574_976),
    ("qwen3-4b", 4_022_468_096),
    ("qwen3-8b", 8_190_735_360),
    ("qwen3-14b", 14_768_307_200),
    ("qwen3-32b", 32_762_123_264),
    ("qwen2.5-0.5b", 494_032_768),
    ("qwen2.5-1.5b", 1_543_714_304),
    ("qwen2.5-3b", 3_085_938_688),
    ("qwen2.5-7b", 7_615_616_512),
    ("qwen2.5-14b", 14_770_033_664),
    ("qwen2.5-32b", 32_763_876_352),
    ("qwen2.5-72b", 72_706_203_648),
    ("qwen2-0.5b", 494_032_768),
    ("qwen2-1.5b", 1_543_714_304),
    ("qwen2-7b", 7_615_616_512),
    ("qwen2-72b", 72_706_203_648),
    ("qwen1.5-1.8b", 1_836_828_672),
    ("llama-3.3-70b", 70_553_706_496),
    ("llama-3.2-1b", 1_235_814_400),
    ("llama-3.2-3b", 3_212_749_824),
    ("llama-3.1-8b", 8_030_261_248),
    ("llama-3.1-70b", 70_553_706_496),
    ("llama-3.1-405b", 405_853_388_800),
    ("llama-3-8b", 8_030_261_248),
    ("llama-3-70b", 70_553_706_496),
    ("llama-2-7b", 6_738_415_616),
    ("llama-2-13b", 13_015_864_320),
    ("llama-2-70b", 68_976_648_192),
    ("llama-7b", 6_738_415_616),
    ("llama-13b", 13_015_864_320),
    ("llama-65b", 65_285_660_672),
    ("codellama-7b", 6_738_546_688),
    ("codellama-34b", 33_743_970_304),
    ("mistral-7b", 7_241_732_096),
    ("mistral-7b-v0.2", 7_241_732_096),
    ("mistral-7b-v0.3", 7_248_023_552),
    ("mistral-nemo-12b", 12_247_782_400),
    ("mistral-small-22b", 22_247_282_688),
    ("mistral-small-24b", 23_572_403_200),
    ("mistral-large-123b", 122_610_069_504),
    ("deepseek-r1-distill-qwen-1.5b", 1_777_088_000),
    ("deepseek-r1-distill-llama-8b", 8_030_261_248),
    ("deepseek-llm-7b", 6_910_365_696),
    ("deepseek-coder-1.3b", 1_346_471_936),
    ("deepseek-coder-6.7b", 6_740_512_768),
    ("smollm2-135m", 134_515_008),
    ("smollm2-360m", 361_821_120),
    ("smollm2-1.7b", 1_711_376_384),
    ("tinyllama-1.1b", 1_100_048_384),
    ("sheared-llama-1.3b", 1_345_423_360),
    ("open-llama-3b", 3_426_473_600),
    ("yi-6b", 6_061_035_520),
    ("yi-34b", 34_388_917_248),
    ("solar-10.7b", 10_731_524_096),
    ("mixtral-8x7b", 46_702_792_704),
    ("mixtral-8x22b", 140_620_634_112),
    ("olmoe-1b-7b", 6_919_161_856),
    ("qwen1.5-moe-a2.7b", 14_315_784_192),
    ("qwen3-30b-a3b", 30_532_122_624),
    ("qwen3-235b-a22b", 235_093_634_560),
    ("deberta-base", 139_244_121),
    ("deberta-large", 406_264_921),
    ("deberta-xlarge", 758_905_945),
    ("deberta-v3-small", 142_024_548),
    ("deberta-v3-base", 184_551_780),
    ("deberta-v3-large", 435_191_908),
    ("xlm-roberta-base", 278_295_186),
    ("xlm-roberta-large", 560_142_482),
    ("camembert-base", 110_655_493),
    ("electra-base", 109_514_298),
    ("electra-small", 13_546_682),
    ("glm-4.5-air", 106_852_245_504),
    ("ernie-4.5-0.3b", 360_748_032),
    ("ernie-4.5-21b-a3b", 21_825_437_888),
    ("llama-4-scout", 107_769_861_120),
    ("hunyuan-a13b", 80_393_183_232),
    ("hunyuan-1.8b", 1_791_080_448),
    ("qwen3-next-80b-a3b", 79_674_391_296),
    ("jamba-v0.1", 51_570_323_328),
    ("granite-4.0-h-tiny", 6_939_037_248),
    ("gpt-oss-20b", 20_914_757_184),
    ("gpt-oss-120b", 116_829_156_672),
    ("granite-3.1-1b-a400m", 1_334_628_352),
    ("granite-3.1-3b-a800m", 3_298_793_472),
    ("deepseek-v2-lite", 15_706_484_224),
    ("deepseek-v2", 235_741_434_880),
    ("deepseek-v3", 671_026_404_352),
    ("deepseek-v3.2", 671_877_929_216),
    ("glm-5", 743_911_199_232),
    ("gpt2", 124_439_808),
    ("gpt2-medium", 354_823_168),
    ("gpt2-large", 774_030_080),
    ("gpt2-xl", 1_557_611_200),
    ("distilgpt2", 81_912_576),
    ("albert-base-v2", 11_221_680),
    ("albert-large-v2", 16_795_824),
    ("modernbert-base", 149_655_232),
    ("modernbert-large", 395_881_664),
    ("gte-modernbert-base", 149_655_232),
    ("roberta-base", 124_697_433),
    ("roberta-large", 355_412_057),
    ("bert-base", 109_514_298),
    ("bert-large", 335_174_458),
    ("bart-base", 139_420_416),
    ("bart-large", 406_291_456),
    ("bart-large-cnn", 406_290_432),
    ("distilbart-cnn-12-6", 305_510_400),
    ("vit-tiny", 5_717_416),
    ("vit-small", 22_050_664),
    ("vit-large", 304_326_632),
    ("vit-huge", 630_767_362),
    ("deit-base-distilled", 86_569_192),
    ("ast-audioset", 86_594_063),
    ("layoutlm-base", 113_250_618),
    ("layoutlm-large", 340_418_362),
    ("vit-msn-small", 21_666_434),
    ("dinov2-with-registers-small", 22_059_650),
    ("dinov2-with-registers-base", 86_586_626),
    ("dinov2-with-registers-large", 304_376_834),
    ("dinov2-small", 22_058_114),
    ("dinov2-base", 86_583_554),
    ("dinov2-large", 304_372_738),
    ("distilbert-base", 66_985_530),
    ("distilbert-base-cased", 65_812_036),
    ("distilbert-base-multilingual", 135_445_755),
    ("distilroberta-base", 82_170_201),
    ("eurobert-210m", 310_266_624),
    ("eurobert-610m", 755_625_600),
    ("eurobert-2.1b", 2_403_092_736),
    ("ettin-decoder-150m", 149_655_232),
    ("ettin-decoder-400m", 395_881_664),
    ("ettin-decoder-1b", 1_031_314_112),
    ("umt5-small", 175_333_376),
    ("umt5-base", 395_140_608),
    ("nomic-embed-text-v1", 137_354_304),
    ("nomic-embed-text-v1.5", 137_354_304),
    ("t5gemma-2b-2b", 5_596_853_760),
    ("t5gemma-9b-2b", 12_292_375_296),
    ("t5gemma-9b-9b", 20_333_401_088),
    ("esm2-8m", 7_512_474),
    ("esm2-35m", 33_501_394),
    ("esm2-150m", 148_140_154),
    ("esm2-650m", 651_043_254),
    ("esm2-3b", 2_839_005_634),
    ("plbart-base", 139_220_736),
    ("blenderbot-400m-distill", 364_802_560),
    ("blenderbot-3b", 2_696_268_800),
    ("blenderbot-small-90m", 87_508_992),
    ("xlm-roberta-xl", 3_482_741_760),
    ("xlm-roberta-xxl", 10_712_994_816),
    ("megatron-bert-345m", 333_671_808),
    ("bert-base-cased", 108_340_804),
    ("bert-base-multilingual", 177_974_523),
    ("vit-base", 85_800_194),
    ("internvl3-1b-hf", 938_193_024),
    ("internvl3-2b-hf", 2_088_957_440),
    ("internvl3-8b-hf", 7_944_373_760),
    ("internvl3-14b-hf", 15_117_256_704),
    ("llama-3.2-11b-vision", 10_642_941_475),
    ("llama-3.2-11b-vision-instruct", 10_670_220_835),
    ("mistral-small-3.1-24b", 24_011_361_280),
    ("mistral-small-3.2-24b", 24_011_361_280),
    ("smolvlm-256m-instruct", 256_484_928),
    ("smolvlm-500m-instruct", 507_482_304),
    ("smolvlm-instruct", 2_246_272_880),
    ("smolvlm2-256m-video-instruct", 256_484_928),
    ("smolvlm2-500m-video-instruct", 507_482_304),
    ("smolvlm2-2.2b-instruct", 2_246_784_880),
    ("llava-1.5-7b-hf", 7_063_427_072),
    ("llava-1.5-13b-hf", 13_351_494_656),
    ("llava-1.6-mistral-7b-hf", 7_566_747_648),
    ("llava-1.6-vicuna-7b-hf", 7_063_431_168),
    ("llava-1.6-vicuna-13b-hf", 13_351_499_776),
    ("paligemma-3b-pt-224", 2_923_466_480),
    ("paligemma2-28b-pt-224", 27_650_487_024),
    ("paligemma2-10b-pt-224", 9_662_638_832),
    ("llava-1.6-34b-hf", 34_752_083_968),
    ("idefics3-8b-llama3", 8_462_086_384),
    ("internvl3-78b-hf", 78_408_318_336),
    ("internvl3-38b-hf", 38_388_164_992),
    ("llama-3.2-90b-vision-instruct", 88_593_355_323),
    ("qwen2-vl-72b-instruct", 73_405_560_320),
    ("qwen2.5-vl-72b-instruct", 73_410_777_344),
    ("qwen2.5-vl-32b-instruct", 33_452_718_336),
    ("gemma-3-27b", 27_432_406_640),
    ("gemma-3-12b", 12_187_325_040),
    ("gemma-3-4b", 4_300_079_472),
    ("paligemma2-3b-pt-224", 3_032_242_416),
    ("qwen3-vl-2b-instruct", 2_127_532_032),
    ("qwen3-vl-4b-instruct", 4_437_815_808),
    ("qwen3-vl-8b-instruct", 8_767_123_696),
    ("qwen3-vl-32b-instruct", 33_357_390_064),
    ("qwen3-vl-30b-a3b-instruct", 31_070_754_032),
    ("qwen3-vl-235b-a22b-instruct", 235_670_022_896),
    ("qwen2.5-vl-3b-instruct", 3_754_622_976),
    ("qwen2.5-vl-7b-instruct", 8_292_166_656),
    ("qwen2-vl-2b-instruct", 2_208_985_600),
    ("qwen2-vl-7b-instruct", 8_291_375_616),
    ("convnext-tiny-224", 28_589_128),
    ("convnext-small-224", 50_223_688),
    ("convnext-base-224", 88_591_464),
    ("convnext-large-224", 197_767_336),
    ("convnextv2-tiny-1k-224", 28_635_496),
    ("convnextv2-base-1k-224", 88_717_800),
    ("resnet-18", 11_689_512),
    ("resnet-34", 21_797_672),
    ("resnet-50", 25_557_032),
    ("resnet-101", 44_549_160),
    ("resnet-152", 60_192_808),
    ("swin-tiny", 28_288_354),
    ("swin-base", 87_768_224),
    ("swin-large", 196_532_476),
    ("beit-base-patch16-224", 86_530_984),
    ("beit-large-patch16-224", 304_430_568),
    ("mpnet-base", 109_518_527),
    ("all-mpnet-base-v2", 109_518_527),
    ("clip-vit-base-patch32", 151_277_313),
    ("clip-vit-base-patch16", 149_620_737),
    ("clip-vit-large-patch14", 427_616_513),
    ("siglip-base-patch16-224", 203_155_970),
    ("siglip-so400m-patch14-384", 877_960_498),
    ("siglip2-base-patch16-224", 375_187_970),
    ("siglip2-so400m-patch14-384", 1_136_008_498),
    ("t5-small", 60_506_624),
    ("t5-base", 222_903_552),
    ("t5-large", 737_668_096),
    ("flan-t5-small", 60_511_616),
    ("flan-t5-base", 222_903_552),
    ("flan-t5-large", 750_251_008),
    ("flan-t5-xl", 2_783_959_040),
    ("mt5-small", 172_119_424),
    ("pythia-160m", 162_322_944),
    ("pythia-1.4b", 1_414_647_808),
    ("gemma-2b", 2_506_172_416),
    ("gemma-2-2b", 2_614_341_888),
    ("gemma-3-1b", 999_885_952),
    ("gemma-3n-e2b", 4_435_182_688),
    ("gemma-3n-e4b", 6_835_235_568),
    ("gemma-4-e2b", 4_628_569_344),
    ("gemma-4-26b-a4b", 25_233_141_760),
    ("gemma-4-31b", 30_697_345_280),
    ("olmo-2-1b", 1_484_916_736),
    ("gpt-neo-125m", 125_198_592),
    ("gpt-neo-1.3b", 1_315_575_808),
    ("gpt-neo-2.7b", 2_651_307_520),
    ("gpt-j-6b", 6_050_882_784),
    ("codegen-350m", 356_712_448),
    ("codegen-2b", 2_779_356_160),
    ("codegen-6b", 7_064_213_504),
    ("codegen-16b", 16_032_155_648),
    ("starcoder-15b", 15_517_456_384),
    ("starcoderbase-1b", 1_137_207_296),
    ("santacoder-1.1b", 1_124_886_528),
    ("starcoder2-3b", 3_030_371_328),
    ("starcoder2-7b", 7_173_923_840),
    ("starcoder2-15b", 15_957_889_024),
    ("granite-3.1-2b", 2_533_531_648),
    ("granite-3.1-8b", 8_170_848_256),
    ("command-r-35b", 34_980_831_232),
    ("aya-23-8b", 8_028_033_024),
    ("command-r7b", 8_028_033_024),
    ("stablelm-3b", 2_795_443_200),
    ("stablelm-2-1.6b", 1_644_515_328),
    ("olmo-1b", 1_176_764_416),
    ("olmo-7b", 6_888_095_744),
    ("olmo-3-7b", 7_298_011_136),
    ("smollm3-3b", 3_075_098_624),
    ("minitron-4b", 4_190_509_056),
    ("helium-1-2b", 2_172_643_840),
    ("seed-oss-36b", 36_151_104_512),
    ("exaone-4-1.2b", 1_279_391_488),
    ("exaone-4-32b", 32_003_216_384),
    ("glm-4-9b", 9_399_951_360),
    ("glm-4-9b-0414", 9_400_279_040),
    ("mpt-7b", 6_649_286_656),
    ("mpt-30b", 29_957_200_896),
    ("phi-2", 2_779_683_840),
    ("phi-3.5-moe", 41_873_153_344),
    ("phi-3-mini", 3_821_079_552),
    ("opt-125m", 125_239_296),
    ("opt-1.3b", 1_315_758_080),
    ("gla-1.3b", 1_365_514_240),
    ("hgrn-1.3b", 1_364_396_032),
    ("mamba-1.3b", 1_400_276_992),
    ("mamba-2.7b", 2_803_468_800),
    ("mamba2-1.3b", 1_371_839_488),
    ("mamba-130m", 129_135_360),
    ("mamba-370m", 371_516_416),
    ("mamba-790m", 793_204_224),
    ("mamba-1.4b", 1_372_178_432),
    ("mamba-2.8b", 2_768_345_600),
    ("mamba-codestral-7b", 7_285_403_648),
    ("falcon-mamba-7b", 7_272_665_088),
    ("nemotron-h-8b", 8_100_852_736),
    ("nemotron-nano-9b-v2", 8_888_227_328),
    ("nemotron-3-nano-30b-a3b", 31_577_937_344),
    ("falcon-h1-0.5b", 521_411_104),
    ("lfm2-350m", 354_483_968),
    ("lfm2-700m", 742_489_344),
    ("lfm2-1.2b", 1_170_340_608),
    ("bamba-9b", 9_780_235_392),
    ("falcon-rw-1b", 1_311_625_216),
    ("falcon-7b", 6_921_720_704),
    ("falcon-40b", 41_303_293_952),
    ("bloom-560m", 559_214_592),
    ("bloom-1.1b", 1_065_314_304),
    ("bloom-1.7b", 1_722_408_960),
    ("bloom-3b", 3_002_557_440),
    ("bloom-7.1b", 7_069_016_064),
    ("bloom-176b", 176_247_271_424),
    ("gla-340m", 374_475_776),
    ("deltanet-1.3b", 1_365_677_056),
    ("deltanet-340m", 374_362_112),
    ("gated-deltanet-1.3b", 1_387_348_732),
    ("retnet-1.3b", 1_351_727_104),
    ("hgrn2-1.3b", 1_364_396_032),
    ("wav2vec2-base", 94_396_320),
    ("wav2vec2-base-960h", 94_396_320),
    ("wav2vec2-large-xlsr-53", 315_471_520),
    ("wav2vec2-xls-r-300m", 315_471_520),
    ("wav2vec2-xls-r-1b", 962_538_400),
    ("wav2vec2-xls-r-2b", 2_159_321_120),
    ("unispeech-sat-base-100h", 94_396_320),
    ("hubert-base-ls960", 94_396_320),
    ("hubert-large-ls960-ft", 315_471_520),
    ("whisper-tiny", 37_760_640),
    ("whisper-base", 72_593_920),
    ("whisper-small", 241_734_912),
    ("whisper-medium", 763_857_920),
    ("whisper-large-v2", 1_543_304_960),
    ("whisper-large-v3", 1_543_490_560),
    ("whisper-large-v3-turbo", 808_878_080),
    ("transformer-1.3b", 1_364_297_728),
    ("glm-4.7-flash", 29_943_390_976),
    ("ax-k1-519b-a33b", 518_983_052_288),
    ("qwen3.5-9b", 8_953_803_264),
    ("qwen3.5-35b-a3b", 34_660_610_688),
    ("ministral-3-8b", 8_489_553_920),
    ("apertus-8b", 8_053_338_176),
    ("minimax-text-01", 456_089_655_296),
    ("minimax-m2", 228_689_748_992),
    ("flex-olmo-7x7b", 33_270_665_216),
    ("lfm2-8b-a1b", 8_339_929_856),
    ("trinity-nano", 6_120_003_328),
    ("trinity-mini", 26_123_974_400),
    ("hy3-295b-a21b", 295_033_528_320),
    ("nanochat-d32", 1_879_048_192),
    ("bitnet-b1.58-2b", 2_412_820_480),
    ("persimmon-8b", 9_397_175_296),
    ("biogpt", 346_763_264),
    ("xglm-564m", 564_463_616),
    ("xglm-1.7b", 1_732_907_008),
    ("xglm-2.9b", 2_941_505_536),
    ("xglm-4.5b", 4_552_511_488),
    ("xglm-7.5b", 7_492_771_840),
    ("minicpm3-4b", 4_073_875_968),
    ("youtu-llm-2b", 1_961_560_064),
    ("k-exaone-236b-a23b", 236_571_150_336),
    ("solar-open-100b", 102_651_793_408),
    ("cwm-32b", 32_581_097_472),
    ("internlm3-8b", 8_804_241_408),
    ("iquest-coder-40b", 39_794_283_520),
    ("mistral-small-4-119b", 118_972_826_624),
    ("mbart-large-50", 610_879_488),
    ("nllb-200-distilled-600m", 615_073_792),
    ("nllb-200-1.3b", 1_370_638_336),
    ("opus-mt-en-de", 74_410_496),
    ("pegasus-large", 570_797_056),
    ("jais-2-8b", 8_090_401_280),
];

fn vit_parameters(c: &VitConfig) -> u64 {
    let h = c.hidden_size;
    let read = if c.kind.of_dino() { 2 * h } else { h };
    let patches = c.num_channels * c.patch_size * c.patch_size * h + h;
    let attention = 4 * (h * h + h);
    let layer = attention + 2 * h * c.intermediate_size + c.intermediate_size + h + 4 * h;
    let (embeddings, layer) = match c.kind {
        VitKind::Vit | VitKind::Msn => (h, layer),
        VitKind::Deit => (2 * h, layer),
        // And the norm before its classifier.
        VitKind::Ast => (4 * h, layer),
        VitKind::Dinov2 | VitKind::Dinov2Registers => (2 * h, layer + 2 * h),
    };
    let embeddings = embeddings + c.tokens() * h + patches;
    embeddings + c.num_hidden_layers * layer + 2 * h + c.num_labels * (read + 1)
}

fn dual_parameters(c: &DualConfig) -> u64 {
    let text = c.text.as_ref().expect("a model that reads texts");
    let (read, seen) = (text.tower.hidden_size, c.vision.hidden_size);
    let tables = (text.vocab_size + text.max_position_embeddings) * read;
    tables
        + tower_parameters(&text.tower)
        + vision_parameters(c)
        + match c.kind {
            DualKind::Clip => c.projection * (read + seen) + 1,
            _ => (read + 1) * c.projection + 2,
        }
}

fn swin_parameters(c: &SwinConfig) -> u64 {
    let distances = (2 * c.window_size - 1).pow(2);
    let stage = |(stage, [depth, heads]): (usize, &[u64; 2])| {
        let (h, inner) = (c.width(stage), c.inner(stage));
        let layer = 4 * (h * h + h) + distances * heads + 2 * h * inner + inner + h + 4 * h;
        let merging = if stage + 1 < c.stages.len() {
            8 * h * h + 8 * h
        } else {
            0
        };
        depth * layer + merging
    };
    let layers: u64 = c.stages.iter().enumerate().map(stage).sum();
    let embeddings = (c.num_channels * c.patch_size * c.patch_size + 3) * c.embed_dim;
    let last = c.last_width();
    embeddings + layers + 2 * last + (last + 1) * c.num_labels
}

/// What names of models begin with that do not train in 16 bits.
const IN_FLOAT32: &[&str] = &[
    "swin",
    "beit",
    "convnext",
    "resnet",
    "deberta-base",
    "deberta-large",
    "deberta-xlarge",
];

#[test]
fn models_have_as_many_parameters_as_published() {
    for &(id, published) in PUBLISHED {
        let scenario = Scenario {
            model: ModelRef::Catalog(id.to_owned()),
            // Kernels of the delta rule take no float32, some models nothing else without autocast.
            precision: if IN_FLOAT32.iter().any(|name| id.starts_with(name)) {
                Precision::Fp32
            } else {
                Precision::Bf16
            },
            // SigLIP's texts have 64 tokens, which are fewer than those of an image.
            seq_len: 64,
            images: 0,
            ..Scenario::default()
        };
        let spec = resolve(&scenario).spec.expect("a model of the catalog");
        let counted = match spec.architecture {
            Architecture::Decoder(config) => {
                let images = config.images.as_ref();
                decoder_parameters(&config)
                    + images.map_or(0, |images| image_parameters(images, config.hidden_size))
            }
            Architecture::T5(config) => t5_parameters(&config),
            Architecture::T5Gemma(config) => t5gemma_parameters(&config),
            Architecture::Bart(config) => bart_parameters(&config),
            Architecture::DistilBert(config) => distilbert_parameters(&config),
            Architecture::Swin(config) => swin_parameters(&config),
            Architecture::Beit(config) => beit_parameters(&config),
            Architecture::ConvNet(config) => conv_net_parameters(&config),
            Architecture::Speech(config) => speech_parameters(&config),
            Architecture::Dual(config) => dual_parameters(&config),
            Architecture::Vit(config) => vit_parameters(&config),
            Architecture::ModernBert(config) => modernbert_parameters(&config),
            Architecture::EuroBert(config) => eurobert_parameters(&config),
            Architecture::Bert(config) => bert_parameters(&config),
            Architecture::Fla(config) => fla_parameters(&config),
            Architecture::Linear(_) => panic!("{id} is one layer"),
        };
        assert_eq!(counted, published, "{id}");
    }
}

#[test]
fn every_model_is_checked() {
    for model in catalog::models() {
        let id = model.id;
        assert!(PUBLISHED.iter().any(|(known, _)| *known == id), "{id}");
    }
}

//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "mbart-large-50", "mBART-50 611M", "facebook/mbart-large-50", "2020-08";
    "nllb-200-distilled-600m", "NLLB-200 distilled 600M", "facebook/nllb-200-distilled-600M", "2022-07";
    "nllb-200-1.3b", "NLLB-200 1.3B", "facebook/nllb-200-1.3B", "2022-07";
    "opus-mt-en-de", "OPUS-MT en-de 74M", "Helsinki-NLP/opus-mt-en-de", "2020-03";
    "pegasus-large", "PEGASUS large", "google/pegasus-large", "2020-06";
    "bart-base", "BART base", "facebook/bart-base", "2019-10";
    "bart-large", "BART large", "facebook/bart-large", "2019-10";
    "bart-large-cnn", "BART large, CNN", "facebook/bart-large-cnn", "2019-10";
    "distilbart-cnn-12-6", "DistilBART 12-6, CNN", "sshleifer/distilbart-cnn-12-6", "2020-08";
    "whisper-tiny", "Whisper tiny", "openai/whisper-tiny", "2022-09";
    "whisper-base", "Whisper base", "openai/whisper-base", "2022-09";
    "whisper-small", "Whisper small", "openai/whisper-small", "2022-09";
    "whisper-medium", "Whisper medium", "openai/whisper-medium", "2022-09";
    "whisper-large-v2", "Whisper large v2", "openai/whisper-large-v2", "2022-12";
    "whisper-large-v3", "Whisper large v3", "openai/whisper-large-v3", "2023-11";
    "whisper-large-v3-turbo", "Whisper large v3 turbo", "openai/whisper-large-v3-turbo", "2024-10";
    "plbart-base", "PLBART base (program code)", "uclanlp/plbart-base", "2021-03";
    "blenderbot-400m-distill", "BlenderBot 400M distill", "facebook/blenderbot-400M-distill", "2020-04";
    "blenderbot-3b", "BlenderBot 3B", "facebook/blenderbot-3B", "2020-04";
    "blenderbot-small-90m", "BlenderBot Small 90M", "facebook/blenderbot_small-90M", "2020-04";
}

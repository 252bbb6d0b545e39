//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "wav2vec2-base", "wav2vec 2.0 base", "facebook/wav2vec2-base", "2020-06";
    "wav2vec2-base-960h", "wav2vec 2.0 base, LibriSpeech", "facebook/wav2vec2-base-960h", "2020-06";
    "wav2vec2-large-xlsr-53", "XLSR-53 (wav2vec 2.0 large)", "facebook/wav2vec2-large-xlsr-53", "2020-06";
    "wav2vec2-xls-r-300m", "XLS-R 300M", "facebook/wav2vec2-xls-r-300m", "2021-11";
    "wav2vec2-xls-r-1b", "XLS-R 1B", "facebook/wav2vec2-xls-r-1b", "2021-11";
    "wav2vec2-xls-r-2b", "XLS-R 2B", "facebook/wav2vec2-xls-r-2b", "2021-11";
    "unispeech-sat-base-100h", "UniSpeech-SAT base, LibriSpeech", "microsoft/unispeech-sat-base-100h-libri-ft", "2021-10";
    "data2vec-audio-base-960h", "data2vec audio base, LibriSpeech", "facebook/data2vec-audio-base-960h", "2022-02";
    "data2vec-audio-large-960h", "data2vec audio large, LibriSpeech", "facebook/data2vec-audio-large-960h", "2022-02";
    "wavlm-base", "WavLM base", "microsoft/wavlm-base", "2021-10";
    "wavlm-base-plus", "WavLM base+", "microsoft/wavlm-base-plus", "2021-10";
    "wavlm-large", "WavLM large", "microsoft/wavlm-large", "2021-10";
    "hubert-base-ls960", "HuBERT base", "facebook/hubert-base-ls960", "2021-06";
    "hubert-large-ls960-ft", "HuBERT large, LibriSpeech", "facebook/hubert-large-ls960-ft", "2021-06";
}

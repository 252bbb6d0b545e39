//! The numbers of parameters of models that hear waveforms, from their configs.

use crate::model::SpeechConfig;

/// All weights of wav2vec 2.0 or `HuBERT` that transcribe, as transformers 5.23 builds them.
pub(crate) fn speech_parameters(c: &SpeechConfig) -> u64 {
    let (h, f) = (c.hidden_size, c.intermediate_size);
    let bias = u64::from(c.conv_bias);
    let mut before = 1;
    let mut heard = 0;
    for (i, [channels, kernel, _]) in (0..).zip(&c.convolutions) {
        let norm = if c.layer_norms || i == 0 { 2 } else { 0 };
        heard += channels * (before * kernel + bias + norm);
        before = *channels;
    }
    let projection = 2 * before * u64::from(c.projection_norm) + (before + 1) * h;
    let [places, groups] = c.positions;
    let positions = match c.position_layers {
        0 => h * (h / groups) * places + places + h,
        layers => layers * (h * (h / groups) * places + h),
    };
    let layer = 4 * (h * h + h) + 2 * h * f + f + h + 4 * h;
    // WavLM's gates and its table of biases.
    let gates = match c.buckets {
        0 => 0,
        _ => c.num_attention_heads + (c.head_dim + 1) * 8,
    };
    let layer = layer + gates;
    let ends = c.buckets * c.num_attention_heads
        + h * u64::from(c.has_mask)
        + 2 * h
        + (h + 1) * c.vocab_size;
    heard + projection + positions + c.num_hidden_layers * layer + ends
}

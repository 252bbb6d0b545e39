//! vLLM's own words (`vllm/v1/core/kv_cache_utils.py`, `vllm/v1/worker/gpu_worker.py` and `utils.py` of 0.6 to 0.12):
//! it stops before PyTorch's allocator is asked, where its share of the GPU has no room.

use super::facts::Facts;
use super::kind::Kind;
use super::plain::Span;
use super::size::{Size, leading, trailing};

/// vLLM's own words for its failures.
pub(super) fn read(text: Span) -> Option<(Kind, Facts)> {
    start(text).or_else(|| cache(text))
}

/// `Free memory on device cuda:0 (10.2/79.1 GiB) on startup is less than desired GPU memory utilization (0.9, 71.2 GiB)`
fn start(text: Span) -> Option<(Kind, Facts)> {
    let body = text.after("free memory on device")?.first(400);
    let desired = body.after("less than desired gpu memory utilization")?;
    let (free, total) = body.after("(")?.text.split_once('/')?;
    let total = leading(total)?.bytes();
    let unit = " GiB";
    let facts = Facts {
        free: leading(&format!("{free}{unit}")).and_then(Size::bytes),
        total,
        requested: desired
            .after(",")
            .and_then(|span| leading(span.text)?.bytes()),
        ..Facts::default()
    };
    Some((Kind::VllmStart, facts))
}

/// `No available memory for the cache blocks.`, `(4.00 GiB KV cache is needed, which is larger than the available KV
/// cache memory (1.20 GiB)`, `The model's max seq len (32768) is larger than the maximum number of tokens that can be
/// stored in KV cache (9216)`
fn cache(text: Span) -> Option<(Kind, Facts)> {
    let larger = text.after("larger than the available kv cache memory");
    let words = [
        "no available memory for the cache blocks",
        "larger than the maximum number of tokens that can be stored in kv cache",
    ];
    if larger.is_none() && !words.into_iter().any(|words| text.has(words)) {
        return None;
    }
    let needed = text.before("kv cache is needed");
    let left = larger.and_then(|span| span.first(40).after("("));
    // The last line before the failure says it otherwise; a negative amount is nothing.
    let said = || text.after("available kv cache memory:");
    let facts = Facts {
        requested: needed.and_then(|span| trailing(span.text)?.bytes()),
        free: left
            .or_else(said)
            .and_then(|span| leading(span.text)?.bytes()),
        ..Facts::default()
    };
    Some((Kind::VllmCache, facts))
}

/// `Sleep mode freed 71.25 GiB memory, 1.38 GiB memory is still in use.`: the last of such lines.
pub(super) fn sleep(text: Span) -> Option<(Kind, Facts)> {
    let mut last = None;
    let mut rest = text;
    while let Some(line) = rest.after("sleep mode freed") {
        last = Some(line);
        rest = line;
    }
    let line = last?.first(120);
    let left = line.before("memory is still in use")?;
    let facts = Facts {
        vllm_freed: leading(line.text).and_then(Size::bytes),
        vllm_in_use: trailing(left.text).and_then(Size::bytes),
        ..Facts::default()
    };
    Some((Kind::VllmSleep, facts))
}

//! The engine in WebAssembly, in a browser: the same bytes as natively, and how long they take.
//!
//! `cargo xtask test wasm` runs it: it writes what the native command line says of
//! `scenarios.jsonl` to a file, names the file in `HIGHWATER_NATIVE_REPORTS`, and compiles this
//! test with both. Natively there is nothing to test here.
#![cfg(target_arch = "wasm32")]

use highwater::codec::decode_json;
use highwater::report::estimate;
use highwater::text::WrittenReport;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const SCENARIOS: &str = include_str!("scenarios.jsonl");

const NATIVE: &str = include_str!(env!(
    "HIGHWATER_NATIVE_REPORTS",
    "this test is run by `cargo xtask test wasm`"
));

/// Timed estimates: few enough for a browser whose clock ticks in tenths of milliseconds.
const BATCHES: usize = 15;
const ESTIMATES_PER_BATCH: u32 = 10;

/// Far above the budget of 3 ms: the machine may be busy and the build not optimized (`cargo xtask
/// bench` optimizes it); a change of order is not noise.
const LIMIT_MS: f64 = 100.0;

#[wasm_bindgen_test]
fn reports_are_those_of_the_native_command_line_to_the_byte() {
    let mut reports = 0;
    assert_eq!(SCENARIOS.lines().count(), NATIVE.lines().count());
    for (scenario, native) in SCENARIOS.lines().zip(NATIVE.lines()) {
        let (asked, findings) = decode_json(scenario);
        assert!(findings.is_empty(), "{scenario}: {findings:?}");
        match estimate(&asked) {
            Ok(answer) => {
                let report =
                    serde_json::to_string(&WrittenReport::from(&answer.report)).expect("a report");
                assert_eq!(report, native, "{scenario}");
                reports += 1;
            }
            Err(_) => assert!(native.starts_with("{\"error\""), "{scenario}: {native}"),
        }
    }
    assert!(reports >= 10, "only {reports} scenarios have a report");
    console_log!("{reports} reports are byte for byte those of the native command line");
}

#[wasm_bindgen_test]
fn an_estimate_of_a_32_layer_model_takes_milliseconds() {
    let (scenario, _) = decode_json(include_str!("../bench/scenario.json"));
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = js_sys::Date::now();
            for _ in 0..ESTIMATES_PER_BATCH {
                assert!(estimate(&scenario).is_ok());
            }
            (js_sys::Date::now() - start) / f64::from(ESTIMATES_PER_BATCH)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (best, median) = (times[0], times[times.len() / 2]);
    console_log!(
        "one estimate of a 32-layer model in WebAssembly: median {median:.2} ms, best {best:.2} ms (budget 3 ms)"
    );
    assert!(best < LIMIT_MS, "an estimate takes {best} ms");
}

//! The rooms of `src/` as data: what each may use. `src/README.md` shows the same table, and a new arrow
//! between rooms changes this file first.

/// One folder of `src/`.
pub struct Room {
    /// The folder.
    pub name: &'static str,
    /// The rooms it may use, all of which stand above it.
    pub uses: &'static [&'static str],
    /// Whether it belongs to the page and is compiled only with the feature `web`.
    pub page: bool,
    /// Whether it must give the same bytes everywhere: no floats, no clock, no hash order.
    pub exact: bool,
}

const fn exact(name: &'static str, uses: &'static [&'static str]) -> Room {
    Room {
        name,
        uses,
        page: false,
        exact: true,
    }
}

const fn pure(name: &'static str, uses: &'static [&'static str]) -> Room {
    Room {
        name,
        uses,
        page: false,
        exact: false,
    }
}

const fn page(name: &'static str, uses: &'static [&'static str]) -> Room {
    Room {
        name,
        uses,
        page: true,
        exact: false,
    }
}

/// Every room, after those it uses.
pub const ROOMS: &[Room] = &[
    pure("units", &[]),
    pure("catalog", &["units"]),
    pure("exported", &["units"]),
    pure("ask", &["units", "exported"]),
    pure("lengths", &["ask"]),
    pure("model", &["units", "exported", "ask"]),
    exact("tape", &["units"]),
    exact("nn", &["units", "ask", "model", "tape"]),
    pure(
        "families",
        &["units", "catalog", "exported", "ask", "model", "tape", "nn"],
    ),
    pure(
        "resolve",
        &[
            "units", "catalog", "exported", "ask", "lengths", "model", "families",
        ],
    ),
    pure("inputs", &[]),
    pure("configs", &[]),
    pure(
        "codec",
        &[
            "units", "catalog", "exported", "ask", "families", "resolve", "inputs", "configs",
        ],
    ),
    exact("optim", &["units", "ask", "model", "tape"]),
    exact("device", &["units"]),
    exact("parallel", &["units", "ask", "model", "tape"]),
    exact(
        "sim",
        &[
            "units", "ask", "model", "tape", "nn", "families", "resolve", "optim", "device",
            "parallel",
        ],
    ),
    exact("host", &["units", "catalog", "ask", "model"]),
    pure(
        "report",
        &[
            "units", "ask", "model", "resolve", "tape", "sim", "device", "host",
        ],
    ),
    pure(
        "decide",
        &[
            "units", "catalog", "ask", "lengths", "families", "resolve", "codec", "tape", "sim",
            "report",
        ],
    ),
    pure(
        "chart",
        &["units", "tape", "sim", "host", "report", "decide"],
    ),
    pure(
        "figure",
        &[
            "units", "ask", "resolve", "inputs", "tape", "sim", "host", "report",
        ],
    ),
    pure(
        "text",
        &[
            "units", "catalog", "ask", "lengths", "resolve", "inputs", "configs", "tape", "sim",
            "host", "report", "decide", "figure",
        ],
    ),
    page("browser", &[]),
    page(
        "app",
        &[
            "units", "exported", "ask", "resolve", "codec", "inputs", "configs", "tape", "sim",
            "host", "report", "decide", "text", "browser",
        ],
    ),
    page("widgets", &["browser"]),
    page(
        "views",
        &[
            "units", "catalog", "ask", "families", "resolve", "codec", "inputs", "configs", "tape",
            "sim", "host", "report", "decide", "chart", "figure", "text", "browser", "app",
            "widgets",
        ],
    ),
];

/// Every program by where its source begins, and the rooms it may use.
pub const BINARIES: &[(&str, &[&str])] = &[
    (
        "src/bin/highwater",
        &[
            "units", "exported", "ask", "families", "resolve", "codec", "inputs", "configs",
            "report", "decide", "figure", "text",
        ],
    ),
    ("src/bin/web", &["app", "views"]),
];

/// The row of a room.
pub fn room(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

/// Uses within a room that close a circle of files: who opens one takes it from the list, and nobody adds one.
pub const CLOSING: &[(&str, &str)] = &[
    ("src/app/address.rs", "src/app/store.rs"),
    ("src/app/kept.rs", "src/app/store.rs"),
    ("src/device/allocator.rs", "src/device/replay.rs"),
    (
        "src/families/deberta/first.rs",
        "src/families/deberta/layer.rs",
    ),
    (
        "src/families/falcon/attention.rs",
        "src/families/falcon/network.rs",
    ),
    ("src/families/fla/block.rs", "src/families/fla/attention.rs"),
    ("src/families/fla/block.rs", "src/families/fla/delta_net.rs"),
    ("src/families/fla/block.rs", "src/families/fla/gla.rs"),
    ("src/families/fla/block.rs", "src/families/fla/hgrn.rs"),
    ("src/families/fla/block.rs", "src/families/fla/hgrn2.rs"),
    (
        "src/families/image_text/reader.rs",
        "src/families/mllama/reader.rs",
    ),
    (
        "src/families/image_text/reader.rs",
        "src/families/qwen_vl/reader.rs",
    ),
    (
        "src/families/swin/network.rs",
        "src/families/swin/second.rs",
    ),
    ("src/families/t5/network.rs", "src/families/t5/block.rs"),
    ("src/host/data_parallel.rs", "src/host/job.rs"),
    ("src/host/data_parallel.rs", "src/host/offload.rs"),
    ("src/host/estimate.rs", "src/host/growth.rs"),
    ("src/host/evaluation.rs", "src/host/job.rs"),
    ("src/host/job.rs", "src/host/offload.rs"),
    ("src/model/family.rs", "src/model/architecture.rs"),
    ("src/model/family.rs", "src/model/layer_names.rs"),
    ("src/model/family.rs", "src/model/parts.rs"),
    ("src/model/family.rs", "src/model/programs.rs"),
    ("src/model/gemma_layers.rs", "src/model/decoder.rs"),
    ("src/model/style.rs", "src/model/parts.rs"),
    ("src/optim/master_weights.rs", "src/optim/state.rs"),
    ("src/optim/megatron.rs", "src/optim/state.rs"),
    ("src/report/accuracy/case.rs", "src/report/accuracy/host.rs"),
    (
        "src/report/accuracy/host.rs",
        "src/report/accuracy/table.rs",
    ),
    (
        "src/report/accuracy/published.rs",
        "src/report/accuracy/table.rs",
    ),
    ("src/resolve/adapters.rs", "src/resolve/expert_adapters.rs"),
    ("src/resolve/complete.rs", "src/resolve/refused.rs"),
    ("src/sim/arguments.rs", "src/sim/generate.rs"),
    ("src/sim/beams.rs", "src/sim/generate.rs"),
    ("src/sim/generate.rs", "src/sim/audio_prompt.rs"),
    ("src/tape/cache.rs", "src/tape/fixed_cache.rs"),
    ("src/tape/cache.rs", "src/tape/repeats.rs"),
    ("src/tape/folds.rs", "src/tape/sweeps.rs"),
    ("src/tape/graph.rs", "src/tape/tensor.rs"),
    ("src/tape/recorder.rs", "src/tape/repeats.rs"),
    ("src/text/sentences.rs", "src/text/verdict.rs"),
    (
        "src/views/controls/config.rs",
        "src/views/controls/model.rs",
    ),
    ("src/views/controls/find.rs", "src/views/controls/model.rs"),
    ("src/views/controls/hub.rs", "src/views/controls/model.rs"),
    ("src/views/gallery.rs", "src/views/plot.rs"),
    ("src/views/setting.rs", "src/views/setting_control.rs"),
    ("src/model/family.rs", "src/model/decoder.rs"),
    ("src/model/support.rs", "src/model/architecture.rs"),
    ("src/model/latent.rs", "src/model/decoder.rs"),
    ("src/device/events.rs", "src/device/allocator.rs"),
    (
        "src/parallel/zero/buckets.rs",
        "src/parallel/zero/stage_1_and_2.rs",
    ),
];

//! The rooms of `src/` as data: what each may use. `src/README.md` shows the same table, and a new arrow
//! between rooms changes this file first.

/// One folder of a wing of `src/`.
pub struct Room {
    /// The crate that it is compiled with, a folder of `src/`.
    pub wing: &'static str,
    /// The folder in it.
    pub name: &'static str,
    /// The rooms it may use, all of which stand above it.
    pub uses: &'static [&'static str],
    /// Whether it belongs to the page and is compiled only with the feature `web`.
    pub page: bool,
    /// Whether it must give the same bytes everywhere: no floats, no clock, no hash order.
    pub exact: bool,
}

const fn exact(wing: &'static str, name: &'static str, uses: &'static [&'static str]) -> Room {
    Room {
        wing,
        name,
        uses,
        page: false,
        exact: true,
    }
}

const fn pure(wing: &'static str, name: &'static str, uses: &'static [&'static str]) -> Room {
    Room {
        wing,
        name,
        uses,
        page: false,
        exact: false,
    }
}

const fn page(wing: &'static str, name: &'static str, uses: &'static [&'static str]) -> Room {
    Room {
        wing,
        name,
        uses,
        page: true,
        exact: false,
    }
}

/// Every room, after those it uses.
pub const ROOMS: &[Room] = &[
    pure("torch", "units", &[]),
    pure("scenario", "catalog", &["units"]),
    pure("scenario", "exported", &["units"]),
    pure("scenario", "ask", &["units", "exported"]),
    pure("scenario", "lengths", &["ask"]),
    pure("models", "model", &["units", "exported", "ask"]),
    exact("torch", "tape", &["units"]),
    exact("models", "nn", &["units", "ask", "model", "tape"]),
    pure(
        "models",
        "families",
        &["units", "catalog", "exported", "ask", "model", "tape", "nn"],
    ),
    pure(
        "engine",
        "resolve",
        &[
            "units", "catalog", "exported", "ask", "lengths", "model", "families",
        ],
    ),
    pure("formats", "inputs", &[]),
    pure("formats", "configs", &[]),
    pure(
        "formats",
        "codec",
        &[
            "units", "catalog", "exported", "ask", "families", "resolve", "inputs", "configs",
        ],
    ),
    exact("engine", "optim", &["units", "ask", "model", "tape"]),
    exact("torch", "device", &["units"]),
    exact("engine", "parallel", &["units", "ask", "model", "tape"]),
    exact(
        "engine",
        "sim",
        &[
            "units", "ask", "model", "tape", "nn", "families", "resolve", "optim", "device",
            "parallel",
        ],
    ),
    exact("engine", "host", &["units", "catalog", "ask", "model"]),
    pure(
        "engine",
        "report",
        &[
            "units", "ask", "model", "resolve", "tape", "sim", "device", "host",
        ],
    ),
    pure(
        "answers",
        "decide",
        &[
            "units", "catalog", "ask", "lengths", "families", "resolve", "codec", "tape", "sim",
            "report",
        ],
    ),
    pure(
        "answers",
        "chart",
        &["units", "tape", "sim", "host", "report", "decide"],
    ),
    pure(
        "answers",
        "figure",
        &[
            "units", "ask", "resolve", "inputs", "tape", "sim", "host", "report", "decide",
        ],
    ),
    pure(
        "answers",
        "text",
        &[
            "units", "catalog", "ask", "lengths", "resolve", "inputs", "configs", "tape", "sim",
            "host", "report", "decide", "chart", "figure",
        ],
    ),
    page("page", "browser", &[]),
    page(
        "page",
        "app",
        &[
            "units", "catalog", "exported", "ask", "resolve", "codec", "inputs", "configs", "tape",
            "sim", "host", "report", "decide", "text", "browser",
        ],
    ),
    page("page", "widgets", &["browser"]),
    page(
        "page",
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
            "report", "decide", "chart", "figure", "text",
        ],
    ),
    ("src/bin/web", &["app", "views"]),
];

impl Room {
    /// Its folder from the root of the repository.
    pub fn folder(&self) -> String {
        format!("src/{}/{}", self.wing, self.name)
    }
}

/// The row of a room.
pub fn room(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

/// Uses within a room that close a circle of files: who opens one takes it from the list, and nobody adds one.
pub const CLOSING: &[(&str, &str)] = &[
    ("src/page/app/address.rs", "src/page/app/store.rs"),
    ("src/page/app/kept.rs", "src/page/app/store.rs"),
    (
        "src/torch/device/allocator.rs",
        "src/torch/device/replay.rs",
    ),
    (
        "src/models/families/deberta/first.rs",
        "src/models/families/deberta/layer.rs",
    ),
    (
        "src/models/families/falcon/attention.rs",
        "src/models/families/falcon/network.rs",
    ),
    (
        "src/models/families/fla/block.rs",
        "src/models/families/fla/attention.rs",
    ),
    (
        "src/models/families/fla/block.rs",
        "src/models/families/fla/delta_net.rs",
    ),
    (
        "src/models/families/fla/block.rs",
        "src/models/families/fla/gla.rs",
    ),
    (
        "src/models/families/fla/block.rs",
        "src/models/families/fla/hgrn.rs",
    ),
    (
        "src/models/families/fla/block.rs",
        "src/models/families/fla/hgrn2.rs",
    ),
    (
        "src/models/families/image_text/reader.rs",
        "src/models/families/mllama/reader.rs",
    ),
    (
        "src/models/families/image_text/reader.rs",
        "src/models/families/qwen_vl/reader.rs",
    ),
    (
        "src/models/families/swin/network.rs",
        "src/models/families/swin/second.rs",
    ),
    (
        "src/models/families/t5/network.rs",
        "src/models/families/t5/block.rs",
    ),
    ("src/engine/host/data_parallel.rs", "src/engine/host/job.rs"),
    (
        "src/engine/host/data_parallel.rs",
        "src/engine/host/offload.rs",
    ),
    ("src/engine/host/estimate.rs", "src/engine/host/growth.rs"),
    ("src/engine/host/evaluation.rs", "src/engine/host/job.rs"),
    ("src/engine/host/job.rs", "src/engine/host/offload.rs"),
    (
        "src/models/model/family.rs",
        "src/models/model/architecture.rs",
    ),
    (
        "src/models/model/family.rs",
        "src/models/model/layer_names.rs",
    ),
    ("src/models/model/family.rs", "src/models/model/parts.rs"),
    ("src/models/model/family.rs", "src/models/model/programs.rs"),
    (
        "src/models/model/gemma_layers.rs",
        "src/models/model/decoder.rs",
    ),
    ("src/models/model/style.rs", "src/models/model/parts.rs"),
    (
        "src/engine/optim/master_weights.rs",
        "src/engine/optim/state.rs",
    ),
    ("src/engine/optim/megatron.rs", "src/engine/optim/state.rs"),
    (
        "src/engine/report/accuracy/case.rs",
        "src/engine/report/accuracy/host.rs",
    ),
    (
        "src/engine/report/accuracy/host.rs",
        "src/engine/report/accuracy/table.rs",
    ),
    (
        "src/engine/report/accuracy/published.rs",
        "src/engine/report/accuracy/table.rs",
    ),
    (
        "src/engine/resolve/adapters.rs",
        "src/engine/resolve/expert_adapters.rs",
    ),
    (
        "src/engine/resolve/complete.rs",
        "src/engine/resolve/refused.rs",
    ),
    ("src/engine/sim/arguments.rs", "src/engine/sim/generate.rs"),
    ("src/engine/sim/beams.rs", "src/engine/sim/generate.rs"),
    (
        "src/engine/sim/generate.rs",
        "src/engine/sim/audio_prompt.rs",
    ),
    ("src/torch/tape/cache.rs", "src/torch/tape/fixed_cache.rs"),
    ("src/torch/tape/cache.rs", "src/torch/tape/repeats.rs"),
    ("src/torch/tape/folds.rs", "src/torch/tape/sweeps.rs"),
    ("src/torch/tape/graph.rs", "src/torch/tape/tensor.rs"),
    ("src/torch/tape/recorder.rs", "src/torch/tape/repeats.rs"),
    (
        "src/answers/text/sentences.rs",
        "src/answers/text/verdict.rs",
    ),
    (
        "src/page/views/controls/config.rs",
        "src/page/views/controls/model.rs",
    ),
    (
        "src/page/views/controls/find.rs",
        "src/page/views/controls/model.rs",
    ),
    (
        "src/page/views/controls/hub.rs",
        "src/page/views/controls/model.rs",
    ),
    ("src/page/views/gallery.rs", "src/page/views/plot.rs"),
    (
        "src/page/views/setting.rs",
        "src/page/views/setting_control.rs",
    ),
    ("src/models/model/family.rs", "src/models/model/decoder.rs"),
    (
        "src/models/model/support.rs",
        "src/models/model/architecture.rs",
    ),
    ("src/models/model/latent.rs", "src/models/model/decoder.rs"),
    (
        "src/torch/device/events.rs",
        "src/torch/device/allocator.rs",
    ),
    (
        "src/engine/parallel/zero/buckets.rs",
        "src/engine/parallel/zero/stage_1_and_2.rs",
    ),
];

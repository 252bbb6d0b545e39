//! The rooms of `src/` as data: what each may use. README shows the same table, and a new arrow
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
    pure("ask", &["units"]),
    pure("model", &["units", "ask"]),
    exact("tape", &["units"]),
    exact("nn", &["units", "ask", "model", "tape"]),
    pure(
        "families",
        &["units", "catalog", "ask", "model", "tape", "nn"],
    ),
    pure("resolve", &["units", "catalog", "ask", "model", "families"]),
    pure("codec", &["units", "catalog", "ask", "families", "resolve"]),
    exact("optim", &["units", "ask", "model", "tape"]),
    exact("device", &["units"]),
    exact(
        "sim",
        &[
            "units", "ask", "model", "tape", "nn", "families", "resolve", "optim", "device",
        ],
    ),
    exact("host", &["units", "catalog", "ask", "model"]),
    pure(
        "report",
        &[
            "units", "ask", "model", "resolve", "tape", "sim", "device", "host",
        ],
    ),
    pure("chart", &["units", "tape", "sim", "host", "report"]),
    pure(
        "figure",
        &["units", "ask", "resolve", "tape", "sim", "host", "report"],
    ),
    pure(
        "text",
        &["units", "ask", "resolve", "tape", "sim", "host", "report"],
    ),
    page("browser", &[]),
    page(
        "app",
        &[
            "units", "ask", "resolve", "codec", "tape", "sim", "host", "report", "text", "browser",
        ],
    ),
    page("widgets", &["browser"]),
    page(
        "views",
        &[
            "units", "catalog", "ask", "families", "resolve", "codec", "tape", "sim", "host",
            "report", "chart", "figure", "text", "browser", "app", "widgets",
        ],
    ),
];

/// Every program by where its source begins, and the rooms it may use.
pub const BINARIES: &[(&str, &[&str])] = &[
    (
        "src/bin/highwater",
        &["units", "ask", "resolve", "codec", "report", "text"],
    ),
    ("src/bin/web", &["app", "views"]),
];

/// The row of a room.
pub fn room(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

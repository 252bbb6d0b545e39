//! The versions that work together, and why these.

/// The newest Trunk that builds with Rust 1.95.
pub const TRUNK: &str = "0.21.14";

/// Must equal the version of `wasm-bindgen` in `Cargo.toml`: the two speak a private format.
pub const WASM_BINDGEN: &str = "0.2.129";

/// The compilation target of the page.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Oldest Node.js whose test runner has what `tests/e2e` uses.
pub const NODE_MAJOR: u32 = 20;

/// Debian's packages for the browser tests: the browser, its driver, and Chinese letters.
pub const BROWSER_PACKAGES: &[&str] = &["chromium", "chromium-driver", "fonts-noto-cjk"];

/// Builds the wheel; `src/python/pyproject.toml` names the same version.
pub const MATURIN: &str = "1.16.0";

/// How tools are compiled: quickly, since they only run for seconds. Compiling Trunk as it is
/// published takes three times as long.
pub const FAST_INSTALL: &[(&str, &str)] = &[
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "false"),
];

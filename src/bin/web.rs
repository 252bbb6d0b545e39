//! The page: what Trunk compiles to WebAssembly.

fn main() {
    highwater::app::start(highwater::views::page);
}

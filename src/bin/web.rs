//! The program: what Trunk compiles to WebAssembly, for the page and for the threads beside it.

fn main() {
    highwater::app::start(highwater::views::page);
}

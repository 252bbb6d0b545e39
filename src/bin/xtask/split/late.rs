//! What the first estimate does not need, by the paths of modules and functions.

/// What comes with the rest; a path also stands for those that begin like it, so that an
/// architecture in a file of its own is there without a line here. The tests in the
/// browser see that the page's first answer does without. A function that is asked for
/// nevertheless makes that answer wait for the rest, no more.
#[rustfmt::skip]
const LATE: &[&str] = &[
    // Architectures other than decoders of Llama's kind, and what only they are made of.
    "nn::", "nn::lora::Adapter>::update", "nn::loss::liger", "nn::mask::additive",
    "nn::mask::boolean",
    "spec::bart", "spec::bert", "spec::decoder::modules", "spec::deepseek", "spec::expert_modules",
    "spec::fla", "spec::guess", "spec::hybrid", "spec::mamba", "spec::modules", "spec::size_only",
    "spec::t5", "spec::whisper", "tape::Tape>::",
    "tape::Tape>::checkpoint_reentrant",
    // What a run does only when asked.
    "optim::adafactor", "optim::master_weights", "sim::arguments", "sim::beams", "sim::evaluate",
    "sim::generate", "sim::precision", "sim::sharded", "spec::adapters", "spec::closest",
    "spec::essential", "spec::liger", "spec::offers", "spec::offload", "spec::roundup",
    "spec::evaluation::unknown", "spec::parallelism::DataParallel", "Parallelism as serde",
    "tape::layer_states",
    // What is computed when the first answer is on screen, or when somebody asks.
    "app::background::go_on", "app::closely::follow::{closure#1}::{closure#0}",
    "app::store::Store>::", "chart::crossover", "chart::timeline",
    "codec::flat", "codec::json", "codec::query::encode", "figure::host::NodeRow", "figure::tensors",
    "report::advice", "report::detail::Detail>::", "report::sweep", "text::export", "text::figures", "text::remedies",
    // Panels below the first screen, dialogs, and what answers to pointing and typing.
    "catalog::search", "to_lowercase", "views::controls::find", "browser::dialog", "browser::embed", "browser::failure", "browser::files",
    "views::assumptions", "views::below", "views::breakdown", "views::compare", "views::controls::hub",
    "views::controls::model::use_pasted", "views::crossover", "views::embedded",
    "views::explanation", "views::glossary", "views::keys", "views::node", "views::others",
    "views::remedies", "views::seen", "views::setting_control::names", "views::share",
    "views::situations", "views::tensors", "views::timeline", "views::tour", "widgets::menu",
    "widgets::names", "widgets::tabs",
    "spec::finding::Fix>::", "views::plot::Plot>::go", "views::plot::Plot>::hit",
    "views::setting::Setting>::fix", "views::setting::Setting>::put",
    "views::setting::Setting>::type_in", "views::tour::__component_tour_button::{closure#1}",
 "app::kept::Kept>::set",
    // What is wrong with text, and what the standard library does for long lists and odd numbers.
    "codec::tree::Builder>::refuse", "codec::keys::Kind>::expected", "serde_json::error",
    "slice_error_fail", "escape_debug", "::dec2flt::", "dragon::format", "float_to_exponential",
    "quicksort::quicksort", "drift::sort", "BalancingContext", "zmij",
    // What changes a page that stands, and what Leptos has for servers.
    "::rebuild", "into_any_attr::clone", "keyed::diff", "keyed::unpack_moves", "wasm_streams",
    "Mountable>::elements", "any_view::elements", "Callable<",
    "event::on_target", "TwoWaySearcher", "fmt::builders", "rehash_in_place",
];

/// What the first answer needs of those.
#[rustfmt::skip]
const EARLY: &[&str] = &[
    "views::compare::Bars", "views::compare::Compare", "views::compare::__component_bars",
    "views::compare::__component_compare_button", "views::compare::__component_compared_panel",
    "views::share::copy", "views::tour::__component_tour_button", "app::store::Store>::is_stale",
    // What decoders of Llama's kind are made of.
    "nn::attention::", "nn::builder::", "nn::call::", "nn::causal::", "nn::classifier::head", "nn::decoder::",
    "nn::decoders::", "nn::facts::", "nn::families::", "nn::feed_forward::", "nn::flash::",
    "nn::gated_mlp::", "nn::layer::", "nn::layers::", "nn::linear::", "nn::lora::", "nn::loss::",
    "nn::mask::", "nn::model::", "nn::norm::", "nn::rotary::", "nn::rotary_attention::",
    // The operations of decoders of Llama's kind, and those of the tape itself.
    "tape::Tape>::activated", "tape::Tape>::add", "tape::Tape>::backward", "tape::Tape>::cached", "tape::Tape>::cast",
    "tape::Tape>::cat", "tape::Tape>::checkpoint", "tape::Tape>::classify", "tape::Tape>::clone", "tape::Tape>::drop_grad",
    "tape::Tape>::enter", "tape::Tape>::count", "tape::Tape>::cross_entropy",
    "tape::Tape>::efficient_attention", "tape::Tape>::elementwise", "tape::Tape>::embedding",
    "tape::Tape>::flash_attention", "tape::Tape>::flash_partial", "tape::Tape>::fold", "tape::Tape>::for_each",
    "tape::Tape>::gemm", "tape::Tape>::into_parameter", "tape::Tape>::linear", "tape::Tape>::list_is_alike", "tape::Tape>::log_softmax", "tape::Tape>::mark", "tape::Tape>::mean",
    "tape::Tape>::mm", "tape::Tape>::mul", "tape::Tape>::new", "tape::Tape>::nll_loss", "tape::Tape>::parameter", "tape::Tape>::pow",
    "tape::Tape>::reduce", "tape::Tape>::repeating_from", "tape::Tape>::reshape", "tape::Tape>::rsqrt",
    "tape::Tape>::save", "tape::Tape>::scaled", "tape::Tape>::sdpa", "tape::Tape>::shifted_labels", "tape::Tape>::silu",
    "tape::Tape>::slice", "tape::Tape>::sum_to_size", "tape::Tape>::to",
    "tape::Tape>::transpose", "tape::Tape>::unfold", "tape::Tape>::unsafe_view", "tape::Tape>::unshared",
    "tape::Tape>::unsqueeze", "tape::Tape>::view", "tape::Tape>::with_",
];

/// Functions of which one stands for several that the compiler found to be equal, under a name that
/// may be late.
const SEVERAL: &[&str] = &[
    "::show::__component_show",
    "PhiLayer>>::decode",
    "NodeRow, core",
];

/// Whether a function belongs to the rest, by its name as rustc's mangling (v0) has it, with all
/// types that it is made for: it names something late, of which no longer path is early.
pub fn is_late(name: &str) -> bool {
    let is_one_of_several = SEVERAL.iter().any(|path| name.contains(path));
    !is_one_of_several
        && name.char_indices().any(|(place, _)| {
            let longest = |paths: &[&str]| {
                let here = paths
                    .iter()
                    .filter(|path| name[place..].starts_with(**path));
                here.map(|path| path.len()).max()
            };
            longest(LATE) > longest(EARLY)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_early_is_part_of_something_late() {
        for early in EARLY {
            assert!(LATE.iter().any(|late| early.starts_with(late)), "{early}");
        }
    }

    #[test]
    fn the_longest_path_at_a_place_decides() {
        assert!(is_late(
            "<highwater::nn::opt::Opt as highwater::nn::decoder::Block>::forward"
        ));
        assert!(!is_late(
            "<highwater::nn::layer::Layer as highwater::nn::decoder::Block>::forward"
        ));
        assert!(!is_late("highwater::device::replay"));
    }
}

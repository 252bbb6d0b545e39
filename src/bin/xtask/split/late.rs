//! What the first estimate does not need, by the paths of modules and functions.

/// What comes with the rest; a path also stands for those that begin like it. The tests in the
/// browser see that the page's first answer does without. A function that is asked for
/// nevertheless makes that answer wait for the rest, no more.
#[rustfmt::skip]
const LATE: &[&str] = &[
    // Architectures other than decoders of Llama's kind, and what only they are made of.
    "nn::activation", "nn::alibi", "nn::all_experts", "nn::balance", "nn::bart", "nn::bert",
    "nn::bloom", "nn::causal_conv", "nn::chunk_scan", "nn::conv1d", "nn::deberta",
    "nn::distilbert", "nn::dora", "nn::expert_loop", "nn::falcon", "nn::fla", "nn::gated_delta",
    "nn::gpt", "nn::grouped_experts", "nn::latent_attention", "nn::mamba", "nn::moe",
    "nn::opt", "nn::phi", "nn::rotary_pairs", "nn::router", "nn::seq2seq", "nn::short_conv",
    "nn::t5", "nn::turned_rows", "nn::vit", "nn::whisper", "nn::wide_attention",
    "spec::bart", "spec::bert", "spec::decoder::modules", "spec::deepseek", "spec::expert_modules",
    "spec::fla", "spec::guess", "spec::hybrid", "spec::mamba", "spec::modules", "spec::size_only",
    "spec::t5", "spec::whisper", "nn::classifier::classify", "nn::mask::additive", "nn::mask::boolean",
    "tape::Tape>::",
    // What a run does only when asked.
    "optim::adafactor", "optim::master_weights", "sim::arguments", "sim::beams", "sim::evaluate",
    "sim::generate", "sim::precision", "sim::sharded", "spec::adapters", "spec::closest",
    "spec::essential", "spec::liger", "spec::offers", "spec::offload", "spec::roundup",
    "nn::lora::Adapter>::update", "nn::loss::liger", "spec::evaluation::unknown", "spec::parallelism::DataParallel", "Parallelism as serde",
    "tape::layer_states",
    // What is computed when the first answer is on screen, or when somebody asks.
    "app::background::go_on", "app::closely::follow::{closure#1}::{closure#0}",
    "app::store::Store>::", "chart::crossover", "chart::timeline",
    "codec::flat", "codec::json", "codec::query::encode", "figure::host::NodeRow", "figure::tensors",
    "report::advice", "report::detail::Detail>::", "report::sweep", "text::export", "text::figures", "text::remedies",
    // Panels below the first screen, dialogs, and what answers to pointing and typing.
    "browser::dialog", "browser::embed", "browser::failure", "browser::files",
    "views::assumptions", "views::below", "views::breakdown", "views::compare", "views::controls::hub",
    "views::controls::model::use_pasted", "views::crossover", "views::embedded",
    "views::explanation", "views::glossary", "views::keys", "views::node", "views::others",
    "views::remedies", "views::seen", "views::setting_control::names", "views::share",
    "views::situations", "views::tensors", "views::timeline", "views::tour", "widgets::menu",
    "widgets::names", "widgets::tabs",
    "spec::finding::Fix>::", "views::plot::Plot>::go", "views::plot::Plot>::hit",
    "views::setting::Setting>::fix", "views::setting::Setting>::put",
    "views::setting::Setting>::type_in", "app::kept::Kept>::set",
    // What is wrong with text, and what the standard library does for long lists and odd numbers.
    "codec::tree::Builder>::refuse", "codec::keys::Kind>::expected", "serde_json::error",
    "slice_error_fail", "escape_debug", "::dec2flt::", "dragon::format", "float_to_exponential",
    "quicksort::quicksort", "drift::sort", "BalancingContext", "zmij",
    // What changes a page that stands, and what Leptos has for servers.
    "::rebuild", "into_any_attr::clone", "keyed::diff", "keyed::unpack_moves", "wasm_streams",
    "Update>::try_update", "Mountable>::elements", "any_view::elements", "Callable<",
    "event::on_target", "TwoWaySearcher", "fmt::builders", "rehash_in_place",
];

/// What the first answer needs of those.
#[rustfmt::skip]
const EARLY: &[&str] = &[
    "views::compare::Bars", "views::compare::Compare", "views::compare::__component_bars",
    "views::compare::__component_compare_button", "views::compare::__component_compared_panel",
    "views::share::copy", "views::tour::__component_tour_button", "Store>::is_stale",
    // Functions of which one stands for several that are equal.
    "::show::__component_show", "PhiLayer>>::decode", "NodeRow, core", "estimate::Estimate>>> as",
    // The operations of decoders of Llama's kind, and those of the tape itself.
    "Tape>::activated", "Tape>::add", "Tape>::backward", "Tape>::cached", "Tape>::cast",
    "Tape>::cat", "Tape>::checkpoint", "Tape>::classify", "Tape>::clone", "Tape>::drop_grad",
    "Tape>::enter", "Tape>::count", "Tape>::cross_entropy",
    "Tape>::efficient_attention", "Tape>::elementwise", "Tape>::embedding",
    "Tape>::flash_attention", "Tape>::flash_partial", "Tape>::fold", "Tape>::for_each",
    "Tape>::gemm", "Tape>::into_parameter", "Tape>::linear", "Tape>::log_softmax", "Tape>::mark", "Tape>::mean",
    "Tape>::mm", "Tape>::mul", "Tape>::new", "Tape>::nll_loss", "Tape>::parameter", "Tape>::pow",
    "Tape>::reduce", "Tape>::reshape", "Tape>::rsqrt",
    "Tape>::save", "Tape>::scaled", "Tape>::sdpa", "Tape>::shifted_labels", "Tape>::silu",
    "Tape>::slice", "Tape>::sum_to_size", "Tape>::to",
    "Tape>::transpose", "Tape>::unfold", "Tape>::unsafe_view", "Tape>::unshared",
    "Tape>::unsqueeze", "Tape>::view", "Tape>::with_",
];

/// Whether a function belongs to the rest, by its name as rustc's mangling (v0) has it, with all
/// types that it is made for.
pub fn is_late(name: &str) -> bool {
    let has = |paths: &[&str]| paths.iter().any(|path| name.contains(path));
    has(LATE) && !has(EARLY)
}

//! What the first estimate does not need, by the paths of modules and functions.

/// What comes with the rest; a path also stands for those that begin like it. What is not named
/// comes early, so that a new function never makes the first answer wait. The tests in the browser
/// see that the answer does without the rest; a function of it that is asked for nevertheless makes
/// the answer wait, no more.
#[rustfmt::skip]
const LATE: &[&str] = &[
    // Architectures other than decoders of Llama's kind, and what only they are made of.
    "nn::activation", "nn::alibi", "nn::altup", "nn::all_experts", "nn::attention_sinks", "nn::balance",
    "nn::bart", "nn::bert", "nn::bloom", "nn::causal_conv", "nn::chunk_s",
    "nn::classifier::classify", "nn::conv1d", "nn::deberta", "nn::decay_rate", "nn::differential", "nn::distilbert", "nn::dora", "nn::dual",
    "nn::encoders", "nn::eurobert", "nn::expert_loop", "nn::falcon", "nn::fla::", "nn::four_bit",
    "nn::gated_delta", "nn::gemma3n", "nn::gemma_experts", "nn::gpt", "nn::grouped_experts", "nn::heads",
    "nn::indexer", "nn::int8", "nn::latent_attention", "nn::layer::Mixer>::alone::{closure", "nn::layer_inputs", "nn::layoutlm", "nn::lightning", "nn::mamba", "nn::mllama", "nn::nomic_bert", "nn::mask_blocks", "nn::mask_both_sides",
    "nn::model::bert", "nn::modernbert", "nn::moe", "nn::mpnet", "nn::mpt", "nn::opt::", "nn::parallel_experts", "nn::patches", "nn::phi", "nn::plain_mlp",
    "nn::quantized", "nn::rotary::Rotary>::of_grids", "nn::rotary_pairs", "nn::router", "nn::seq2seq", "nn::sharing_attention",
    "nn::short_conv", "nn::sight", "nn::sparse_mixer", "nn::speech", "nn::swin", "nn::t5", "nn::tower", "nn::turned_rows", "nn::vit", "nn::whisper",
    "nn::wide_attention", "nn::wrapped", "nn::xielu", "nn::lora::Adapter>::update", "nn::loss::liger", "nn::loss::of_",
    "nn::mask::additive", "nn::mask::boolean", "spec::bart", "spec::bert",
    "spec::decoder::modules", "spec::decoder::read_unlike_llama", "spec::deberta", "spec::deepseek",
    "spec::distilbert", "spec::dual", "spec::eurobert", "spec::expert_adapters", "spec::expert_modules", "spec::fla", "spec::guess", "spec::hybrid", "spec::image_size", "spec::image_text",
    "spec::mamba", "spec::minimax", "spec::modernbert", "spec::nomic_bert", "spec::olmo_hybrid", "spec::modules", "spec::size_only", "spec::speech", "spec::swin", "spec::t5",
    "spec::vit", "spec::whisper", "spec::gemma::", "nn::attention::attend_as_bert",
    "nn::flash::", "spec::repetition", "nn::lists::up_to", "nn::lora::Adapter>::forward_quantized", "tape::cache::CachedLayer as", "tape::Tape>::recurrent_state", "tape::Tape>::state::<",
    "tape::Tape>::avg_pool", "tape::Tape>::baddbmm", "tape::Tape>::batch_gemm", "tape::Tape>::bmm", "tape::Tape>::boundaries_of",
    "tape::Tape>::causal_conv", "tape::Tape>::checkpoint_reentrant", "tape::Tape>::chosen",
    "tape::Tape>::chunk_", "tape::Tape>::clamp", "tape::Tape>::contracted",
    "tape::Tape>::conv1d", "tape::Tape>::conv_in_groups", "tape::Tape>::conv_of_images", "tape::Tape>::conv_patches", "tape::Tape>::convolution", "tape::Tape>::ctc_loss", "tape::Tape>::depthwise", "tape::Tape>::divided",
    "tape::Tape>::drawn_weight", "tape::Tape>::dropout", "tape::Tape>::erf", "tape::Tape>::every_second",
    "tape::Tape>::expand", "tape::Tape>::extreme", "tape::Tape>::fill_where", "tape::Tape>::flagged_rows", "tape::Tape>::flash_attn",
    "tape::Tape>::function", "tape::Tape>::fused_", "tape::Tape>::gated_norm", "tape::Tape>::gather", "tape::Tape>::gradients_by_images", "tape::Tape>::gradients_of_volumes", "tape::Tape>::group_norm", "tape::Tape>::hgrn",
    "tape::Tape>::grouped_mm", "tape::Tape>::index_", "tape::Tape>::join_first", "tape::Tape>::largest",
    "tape::Tape>::layer_norm", "tape::Tape>::length", "tape::Tape>::liger_", "tape::Tape>::linear_indices",
    "tape::Tape>::logaddexp", "tape::Tape>::masked_scatter", "tape::Tape>::matmul", "tape::Tape>::matrix_product", "tape::Tape>::nonzero", "tape::Tape>::overwritten",
    "tape::Tape>::padded_flash", "tape::Tape>::pass_by_regions", "tape::Tape>::put_flagged_rows", "tape::Tape>::put_sorted",
    "tape::Tape>::pad", "tape::Tape>::permute", "tape::Tape>::put_columns",
    "tape::Tape>::repad", "tape::Tape>::repeat", "tape::Tape>::retention",
    "tape::Tape>::rms_norm", "tape::Tape>::roll_twice", "tape::Tape>::rows_found", "tape::Tape>::rows_product", "tape::Tape>::running_sum", "tape::Tape>::select",
    "tape::Tape>::shared_gated", "tape::Tape>::softmax_node", "tape::Tape>::split", "tape::Tape>::squares",
    "tape::Tape>::stack_last", "tape::Tape>::sum_dim", "tape::Tape>::swished", "tape::Tape>::topk",
    "tape::Tape>::unbind", "tape::Tape>::unpad", "tape::Tape>::update_layer_state",
    "nn::beit", "spec::beit", "spec::gemma3n", "spec::indexer", "spec::differential", "tape::Tape>::sum_wide", "tape::Tape>::add_to_all", "tape::Tape>::mean_of_streams", "tape::Tape>::permuted_plus", "tape::Tape>::sqrt", "tape::Tape>::std_last", "tape::Tape>::upsample", "nn::xglm", "nn::convnext", "nn::resnet", "spec::conv_nets", "nn::model::conv_net", "tape::Tape>::along_lengths", "tape::Tape>::batch_norm",
    "tape::Tape>::length_of_channels", "tape::Tape>::max_pool", "tape::Tape>::mean_of_pixels",
    "tape::Tape>::log_softmax_wide", "tape::Tape>::put_row_where", "tape::Tape>::weight_norm", "tape::Tape>::where_",
    // What a run does only when asked, or when it does not fit.
    "device::allocator::Allocator>::release_", "device::allocator::Allocator>::garbage_collect",
    "device::allocator::Allocator>::try_allocate_expandable", "device::allocator::Allocator>::best_expandable",
    "device::replay::Replay>::refused", "device::replay::Replay as core::clone",
    "report::summarize::limited_run", "nn::decoder::Shell>::masks_of_groups", "::isqrt",
    "optim::adafactor", "optim::master_weights", "Optimizer>::adafactor", "Optimizer>::adagrad", "Optimizer>::adadelta",
    "Optimizer>::adamax", "Optimizer>::bitsandbytes", "Optimizer>::lion", "Optimizer>::lists", "Optimizer>::momentum_buffers", "Optimizer>::muon",
    "Optimizer>::nadam", "Optimizer>::own_step::{closure", "Optimizer>::rarer_step", "LayersPassed>::come_to::{closure", "Optimizer>::rmsprop", "Optimizer>::sgd", "::leave_out",
    "tape::Tape>::build_again", "sim::training::Run>::evaluate_unfolded", "sim::offload", "sim::arguments", "sim::beams",
    "sim::evaluate", "sim::generate", "sim::precision", "sim::sharded", "spec::adapters",
    "spec::closest", "spec::essential", "spec::liger", "spec::offers", "spec::offload",
    "spec::roundup", "spec::attention_masks::are_given", "spec::attention_masks::why", "spec::expert_support::why", "spec::refused::why", "spec::evaluation::unknown", "spec::evaluation::without", "spec::parallelism::DataParallel",
    "Parallelism as serde", "tape::layer_states", "tape::fixed_cache", "nn::model_cache", "spec::places::check", "spec::places::misplaced",
    // What is computed when the first answer is on screen, or when somebody asks.
    "app::background::go_on", "app::closely::follow::{closure#1}::{closure#0}",
    "app::store::Store>::", "chart::crossover", "chart::timeline", "codec::flat", "codec::json",
    "codec::query::encode", "figure::host::NodeRow", "figure::tensors", "report::advice",
    "report::detail::Detail>::", "report::sweep", "text::export", "text::figures",
    "text::remedies",
    // Panels below the first screen, dialogs, and what answers to pointing and typing.
    "catalog::search", "to_lowercase", "views::controls::find", "browser::dialog",
    "browser::embed", "browser::failure", "browser::files", "views::assumptions",
    "views::below", "views::breakdown", "views::compare", "views::controls::hub",
    "views::controls::model::use_pasted", "views::crossover", "views::embedded",
    "views::explanation", "views::glossary", "views::keys", "views::node", "views::notices::__component_notices::{closure#3}", "views::pin", "views::others",
    "views::remedies", "views::seen", "views::setting_control::names", "views::share",
    "views::situations", "views::tensors", "views::timeline", "views::tour", "widgets::menu",
    "widgets::names", "widgets::tabs", "spec::finding::Fix>::", "views::plot::Plot>::go",
    "views::plot::Plot>::hit", "views::setting::Setting>::fix", "views::setting::Setting>::put",
    "views::setting::Setting>::type_in", "views::tour::__component_tour_button::{closure#1}",
    "app::kept::Kept>::set",
    // What is wrong with text, and what the standard library does for long lists and odd numbers.
    "codec::tree::Builder>::refuse", "codec::keys::Kind>::expected", "serde_json::error",
    "slice_error_fail", "escape_debug", "::dec2flt::", "dragon::format", "float_to_exponential",
    "quicksort::quicksort", "drift::sort", "BalancingContext", "zmij",
    // What changes a page that stands, and what Leptos has for servers.
    "::rebuild", "into_any_attr::clone", "keyed::diff", "keyed::unpack_moves", "wasm_streams",
    "Mountable>::elements", "any_view::elements", "Callable<", "event::on_target",
    "TwoWaySearcher", "fmt::builders", "rehash_in_place",
];

/// What the first answer needs of those.
#[rustfmt::skip]
const EARLY: &[&str] = &[
    "views::compare::Bars", "views::compare::Compare", "views::compare::__component_bars",
    "views::compare::__component_compare_button", "views::compare::__component_compared_panel",
    "views::share::copy", "views::tour::__component_tour_button",
    "app::store::Store>::is_stale",
    "nn::moe::SparseMoe>::of_layer", "nn::altup::around",
    // Whether there is one, and dropping it, is asked of every decoder.
    "nn::sight::Sight>>", "nn::sight::Among>", "nn::sight_deep::Injected>>", "spec::image_text::ImageConfig>>",
];

/// Functions of which one stands for several that the compiler found to be equal, under a name that
/// may be late.
const SEVERAL: &[&str] = &[
    "::show::__component_show",
    "PhiLayer>>::decode",
    "PhiLayer>>::masks",
    "PhiLayer>>::read",
    "PhiLayer>>::run_layers",
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

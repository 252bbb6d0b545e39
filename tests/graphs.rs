//! Graphs of `torch.export` as the page has them: read in pieces, as text for its threads, in links, as sliders.

use highwater::ask::{
    ActivationCheckpointing, ComputeDtype, DataParallelKind, ExportedModel, Lora, ModelRef,
    Scenario,
};
use highwater::codec::{ViewOptions, awaited_digest, decode_query, encode_query, hand_graph};
use highwater::decide::{Axis, solve};
use highwater::exported::{Graph, Pieces, Progress, Unreadable, read};
use highwater::families::{layer_paths, open_sizes};
use highwater::resolve::{Idle, idle, resolve};
use highwater::text::english;
use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/exported");
    fs::read(folder.join(name)).expect("a fixture")
}

/// The archive with `bytes` of weights before its JSON and as many behind it.
fn with_weights(archive: &[u8], bytes: usize) -> Vec<u8> {
    let mut from = ZipArchive::new(Cursor::new(archive)).expect("an archive");
    let mut to = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    to.start_file("archive/data/weights/weight_0", stored)
        .expect("an entry");
    to.write_all(&vec![7; bytes]).expect("weights");
    for at in 0..from.len() {
        let entry = from.by_index_raw(at).expect("an entry");
        to.raw_copy_file(entry).expect("a copy");
    }
    to.start_file("archive/data/weights/weight_1", stored)
        .expect("an entry");
    to.write_all(&vec![7; bytes]).expect("weights");
    to.finish().expect("an archive").into_inner()
}

/// The outcome of a file of which pieces are handed over as they are asked for, and the bytes that were.
fn in_pieces(file: &[u8]) -> (Result<Graph, Unreadable>, u64) {
    let mut pieces = Pieces::new(file.len() as u64);
    loop {
        match pieces.read() {
            Progress::Needs(bytes) => {
                let at = |n: u64| usize::try_from(n).expect("in memory");
                let piece = file[at(bytes.start)..at(bytes.end)].to_vec();
                assert!(!piece.is_empty(), "{bytes:?}");
                pieces.put(bytes.start, piece);
            }
            Progress::Read(graph) => return (Ok(*graph), pieces.held()),
            Progress::Unreadable(why) => return (Err(why), pieces.held()),
        }
    }
}

#[test]
fn weights_are_not_read() {
    for name in ["timm.resnet50.pt2", "own.llama.pt2"] {
        let archive = fixture(name);
        let whole = read(Cursor::new(&archive)).expect("a graph");
        let large = with_weights(&archive, 40 << 20);
        let (graph, held) = in_pieces(&large);
        assert_eq!(graph.expect("a graph"), whole, "{name}");
        assert!(held < 1 << 20, "{name}: {held} bytes of {}", large.len());
    }
}

#[test]
fn a_graph_is_the_same_after_it_was_text() {
    let graph = read(Cursor::new(fixture("timm.resnet50.pt2"))).expect("a graph");
    let text = serde_json::to_string(&graph).expect("JSON");
    println!("{} bytes", text.len());
    assert_eq!(
        serde_json::from_str::<Graph>(&text).expect("a graph"),
        graph
    );
}

#[test]
fn files_that_are_none_are_told_by_their_first_pieces() {
    let mut file = vec![b'P', b'K', 3, 4];
    file.resize(300 << 20, 0);
    let (read, held) = in_pieces(&file);
    assert!(matches!(read, Err(Unreadable::Damaged(_))), "{read:?}");
    assert!(held < 100 << 20, "{held} bytes");
    let mut weights = b"\x80\0\0\0\0\0\0\0{\"a\":{}}".to_vec();
    weights.resize(300 << 20, 0);
    let (read, held) = in_pieces(&weights);
    assert_eq!(read.err(), Some(Unreadable::Safetensors));
    assert!(held <= 64 << 10, "{held} bytes");
}

#[test]
fn a_file_that_grows_shorter_ends() {
    let archive = with_weights(&fixture("timm.resnet50.pt2"), 1 << 20);
    let mut pieces = Pieces::new(archive.len() as u64);
    for _ in 0..1000 {
        match pieces.read() {
            Progress::Needs(bytes) => pieces.put(bytes.start, Vec::new()),
            Progress::Read(_) => panic!("there is nothing to read"),
            Progress::Unreadable(why) => {
                assert!(matches!(why, Unreadable::Damaged(_)), "{why:?}");
                return;
            }
        }
    }
    panic!("it does not end");
}

/// The scenario of a graph that was read.
fn scenario(name: &str) -> Scenario {
    let graph = Arc::new(read(Cursor::new(fixture(name))).expect("a graph"));
    let model = ExportedModel {
        exported: name.to_owned(),
        digest: None,
        graph: None,
    };
    let mut scenario = Scenario {
        model: ModelRef::Exported(model),
        ..Scenario::default()
    };
    assert_eq!(hand_graph(&mut scenario, graph), None);
    scenario
}

fn messages(scenario: &Scenario) -> Vec<(String, String)> {
    let findings = resolve(scenario).findings.into_iter();
    let said = findings.map(|finding| (finding.key, english(&finding.message)));
    said.collect()
}

#[test]
fn a_link_holds_the_digest_and_asks_for_the_graph() {
    let own = scenario("timm.resnet18.pt2");
    let link = encode_query(&own, &ViewOptions::default());
    assert!(link.contains("graph=timm.resnet18.pt2~"), "{link}");
    let mut opened = decode_query(&link).scenario;
    let ModelRef::Exported(model) = &own.model else {
        panic!("a graph");
    };
    assert_eq!(awaited_digest(&opened), model.digest.as_deref());
    let digest = model.digest.clone().expect("a digest");
    let asks = messages(&opened);
    let names = |text: &str| text.contains("timm.resnet18.pt2") && text.contains(&digest);
    assert!(
        asks.iter().any(|(key, text)| key == "model" && names(text)),
        "{asks:?}"
    );
    let graph = model.graph.clone().expect("a graph");
    let mut same = opened.clone();
    assert_eq!(hand_graph(&mut same, graph), None);
    assert_eq!(same, own);
    let other = read(Cursor::new(fixture("own.unet.pt2"))).expect("a graph");
    let told = hand_graph(&mut opened, Arc::new(other)).expect("it is another one");
    assert!(english(&told.message).contains(&digest));
}

#[test]
fn open_sizes_are_those_of_inputs_but_the_batch() {
    let mut own = scenario("own.llama.pt2");
    let sizes = open_sizes(&own);
    let [size] = sizes.as_slice() else {
        panic!("one size: {sizes:?}");
    };
    assert_eq!(size.places, ["idx.1", "targets.1"]);
    assert_eq!(size.value, Some(24));
    assert!(size.stops.is_sorted() && size.stops.contains(&24) && !size.stops.contains(&1));
    own.symbols.insert("idx.1".to_owned(), 640.into());
    assert_eq!(open_sizes(&own)[0].value, Some(640));
    // A batch below the range is told where the batch is chosen.
    own.micro_batch_size = 1;
    let findings = resolve(&own).findings;
    let wrong = findings.iter().find(|of| of.key == "micro_batch_size");
    let fix = wrong.and_then(|of| of.fix.clone()).expect("a fix");
    assert_eq!(fix.value, 2);
    assert!(open_sizes(&Scenario::default()).is_empty());
}

#[test]
fn settings_of_families_have_no_effect_on_a_graph() {
    let own = scenario("own.llama.pt2");
    let peak = |scenario: &Scenario| {
        let estimate = highwater::report::estimate(scenario).expect("an estimate");
        estimate.report.device.total
    };
    let before = peak(&own);
    assert_eq!(idle(&own, "seq_len"), Some(Idle::Graph));
    let longer = Scenario {
        seq_len: 2 * own.seq_len,
        ..own.clone()
    };
    assert_eq!(peak(&longer), before);
    assert_eq!(idle(&own, "attention"), Some(Idle::Graph));
    let eager = Scenario {
        attention: highwater::ask::Attention::Eager,
        ..own.clone()
    };
    assert_eq!(peak(&eager), before);
    assert_eq!(idle(&own, "convolutions"), None);
    assert_eq!(idle(&Scenario::default(), "seq_len"), None);
}

/// One module, exported by three versions of torch (`fixtures/exported/torch-versions.py`).
#[test]
fn archives_of_three_versions_of_torch_are_one_graph() {
    let peaks = ["2.6", "2.11", "2.15"].map(|version| {
        let name = format!("torch-{version}.pt2");
        let graph = read(Cursor::new(fixture(&name))).expect("a graph");
        let torch = graph.torch.as_deref().unwrap_or_default();
        assert!(torch.starts_with(version), "{torch}");
        assert_eq!(graph.nodes().len(), 15, "{version}");
        // What torch 2.6 writes says of no parameter that it is tied: 17 rows of 8 count twice.
        let tied = if version == "2.6" { 17 * 8 } else { 0 };
        assert_eq!(graph.parameters(), 504 + tied, "{version}");
        let mut own = scenario(&name);
        own.micro_batch_size = 64;
        // Ids and targets have symbols of their own each, and are one size.
        let sizes = open_sizes(&own);
        let places: Vec<_> = sizes.iter().map(|size| size.places.join(" ")).collect();
        assert_eq!(places, ["ids.1 targets.1"], "{version}");
        own.symbols.insert("ids.1".to_owned(), 512.into());
        let estimate = highwater::report::estimate(&own).expect("an estimate");
        assert!(
            messages(&own)
                .iter()
                .all(|(_, text)| !text.contains("not estimated"))
        );
        let report = serde_json::to_value(&estimate.report).expect("JSON");
        let composition = &report["device"]["steady_step"]["peak"]["composition"];
        composition["activations"].as_u64().unwrap_or_default()
    });
    assert!(peaks[0] > 64 * 512 * 8 * 4, "{peaks:?}");
    assert_eq!(peaks[0], peaks[1]);
    assert_eq!(peaks[1], peaks[2]);
}

/// The findings about a key.
fn about(scenario: &Scenario, key: &str) -> Vec<String> {
    let all = messages(scenario).into_iter();
    let own = all.filter(|(about, _)| about == key);
    own.map(|(_, text)| text).collect()
}

#[test]
fn layers_are_elements_of_lists_or_what_is_named() {
    let paths = |name: &str, wanted: &[&str]| {
        let graph = read(Cursor::new(fixture(name))).expect("a graph");
        let wanted: Vec<String> = wanted.iter().map(|&name| name.to_owned()).collect();
        layer_paths(&graph, &wanted)
    };
    let blocks = paths("own.gpt.pt2", &[]);
    assert_eq!(blocks, paths("own.gpt.pt2", &["Block"]));
    assert!(blocks.len() == 6 && blocks[5].ends_with(".5"), "{blocks:?}");
    assert_eq!(paths("own.gpt.pt2", &[&blocks[2]]), [blocks[2].clone()]);
    // Of layers within each other the outermost count.
    let nested = paths(
        "timm.resnet18.pt2",
        &["BasicBlock", "layer1", "layer1.0.act1"],
    );
    assert_eq!(nested.len(), 7, "{nested:?}");
    assert_eq!(nested[0], "layer1");
    assert!(paths("own.gpt.pt2", &["Bottleneck"]).is_empty());
}

#[test]
fn names_that_mean_no_layer_are_refused_with_those_that_do() {
    let mut own = scenario("own.gpt.pt2");
    own.layer_modules = vec!["Blok".to_owned(), "Block".to_owned()];
    let said = about(&own, "layer_modules");
    assert!(
        said[0].contains("\"Blok\"") && said[0].contains("Block"),
        "{said:?}"
    );
    own.layer_modules.clear();
    assert!(about(&own, "layer_modules").is_empty());
    own.activation_checkpointing = ActivationCheckpointing::Full;
    assert!(
        about(&own, "layer_modules")[0].starts_with("6 modules"),
        "{:?}",
        messages(&own)
    );
}

#[test]
fn adapters_of_grouped_convolutions_need_a_rank_that_groups_divide() {
    let mut own = scenario("timm.efficientnet_b0.pt2");
    let lora = Lora {
        r: 8,
        target_modules: vec!["conv_stem".to_owned()],
        ..Lora::default()
    };
    own.lora = Some(lora.clone());
    assert!(resolve(&own).spec.is_some(), "{:?}", messages(&own));
    own.lora = Some(Lora {
        target_modules: vec!["conv_dw".to_owned()],
        ..lora.clone()
    });
    let said = about(&own, "lora.r");
    assert!(said[0].contains("32 groups"), "{said:?}");
    own.lora = Some(Lora {
        use_dora: true,
        ..lora
    });
    assert!(!about(&own, "lora.use_dora").is_empty());
}

#[test]
fn batch_normalization_stops_fsdp2_in_mixed_precision() {
    let mut own = scenario("timm.resnet18.pt2");
    let dp = &mut own.parallelism.dp;
    dp.kind = DataParallelKind::Fsdp2;
    own.hardware.gpus_per_node = 2;
    assert!(resolve(&own).spec.is_some(), "{:?}", messages(&own));
    own.parallelism.dp.fsdp.mixed_precision.param = Some(ComputeDtype::Bf16);
    let key = "parallelism.dp.mixed_precision.param";
    let said = about(&own, key);
    assert!(said[0].contains("running_mean"), "{said:?}");
}

#[test]
fn a_size_of_a_graph_is_an_axis() {
    let mut own = scenario("own.gpt.pt2");
    own.hardware.gpu_memory = Some(4 << 30);
    for name in ["idx.1", "symbols.idx.1"] {
        let axis = Axis::named(name).expect("an axis");
        let solution = solve(&own, &axis).expect("a solution");
        let most = solution.value.as_u64().expect("a number");
        let fits = |size: u64| {
            let mut asked = own.clone();
            asked.symbols.insert("idx.1".to_owned(), size.into());
            highwater::report::estimate(&asked)
                .expect("an estimate")
                .report
                .verdict
                .fits
        };
        assert!(most > 24 && fits(most) && !fits(most + 1), "{most}");
    }
    let axis = Axis::named("s99").expect("a name of a symbol");
    assert!(solve(&own, &axis).is_err());
    assert!(solve(&Scenario::default(), &axis).is_err());
}

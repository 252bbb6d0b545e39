//! Why a part of a bar that holds no tensors takes what it takes: the allocator's cache, contexts, parts of a host.

use super::explained::{joined, sourced};
use super::reference::{CACHED, CONTEXT, PAGE_CACHE};
use super::sentences::capitalized;
use super::{ByteUnits, Language, Scale, Term, amount, exact, meaning_of_host_part};
use crate::figure::{DevicePart, device_parts};
use crate::host::{HostDriver, HostEstimate, HostPart, PageCachePart};
use crate::report::DeviceReport;
use crate::units::Bytes;

/// The source of processes that share a GPU.
const OTHERS_SOURCE: &str = "hardware.processes_per_gpu, nvidia-smi";

/// Bytes of something among parts.
fn of<K: PartialEq>(parts: &[(K, Bytes)], key: &K) -> Bytes {
    let found = parts.iter().find(|(part, _)| part == key);
    found.map_or(Bytes::ZERO, |(_, bytes)| *bytes)
}

/// Why a part of what nvidia-smi shows takes what it takes; nothing for categories, which tensors explain, and for
/// small parts taken together.
pub fn device_part_explained(
    part: DevicePart,
    device: &DeviceReport,
    units: ByteUnits,
    language: Language,
) -> Option<String> {
    let parts = device_parts(device);
    let bytes = of(&parts, &part);
    let scale = Scale::new(device.total, units);
    let size = |bytes| scale.amount(bytes);
    let said = match part {
        DevicePart::Cached => {
            let live = device.binding().composition.total();
            let [held, live, cached] = [live + bytes, live, bytes].map(size);
            let allocated = size(device.run.peak_allocated);
            let sum = match language {
                Language::English => format!(
                    "The caching allocator holds {held}, live tensors take {live} at the highest point: {cached} is beyond them. \
                     torch.cuda.max_memory_allocated() says {allocated}, whole blocks. Segments are multiples of 2 MiB, blocks of 512 bytes; \
                     what is freed stays in its segment for the next request."
                ),
                Language::Chinese => format!(
                    "缓存分配器占有 {held}，最高点的存活张量为 {live}，其余 {cached} 不属于张量。\
                     torch.cuda.max_memory_allocated() 显示 {allocated}（整块计）。段是 2 MiB 的整数倍，块按 512 字节取整；\
                     释放的块留在段内供下次申请。"
                ),
            };
            let [rule, source] = sourced(&CACHED, language);
            joined(&[&sum, CACHED.text(language), &rule, &source], language)
        }
        DevicePart::Context => {
            let size = size(bytes);
            let sum = match language {
                Language::English => {
                    format!("CUDA takes {size} on this GPU outside of PyTorch's allocator.")
                }
                Language::Chinese => format!("CUDA 在此 GPU 上于 PyTorch 分配器之外占用 {size}。"),
            };
            let [rule, source] = sourced(&CONTEXT, language);
            joined(&[&sum, CONTEXT.text(language), &rule, &source], language)
        }
        DevicePart::OtherProcesses => {
            let programs = device.in_use;
            let [all, held] = [bytes, programs].map(size);
            let held = match (programs == Bytes::ZERO, language) {
                (true, _) => String::new(),
                (false, Language::English) => format!(" Other programs hold {held} of it."),
                (false, Language::Chinese) => format!("其中其他程序占 {held}。"),
            };
            match language {
                Language::English => format!(
                    "Other processes on this GPU take {all}: each further process of the job has an allocator as large as this one's.{held} \
                     Source: {OTHERS_SOURCE}."
                ),
                Language::Chinese => format!(
                    "同一 GPU 上的其他进程占用 {all}：作业的每个其他进程都有同样大小的分配器。{held}来源：{OTHERS_SOURCE}。"
                ),
            }
        }
        DevicePart::Category(_) | DevicePart::Small => return None,
    };
    Some(said)
}

/// The quantity that grows, as a condition.
fn with_more(driver: HostDriver, language: Language) -> &'static str {
    language.of(match driver {
        HostDriver::MicroBatchSize => ("with twice the micro-batch", "微批次加倍时"),
        HostDriver::NumWorkers => (
            "with one more worker in each rank",
            "每个进程多一个工作进程时",
        ),
        HostDriver::Ranks => ("with one more rank", "多一个训练进程（rank）时"),
    })
}

/// The owner of a part of a node's memory at the highest point.
fn whose(part: HostPart, host: &HostEstimate, scale: Scale, language: Language) -> String {
    let size = |bytes| scale.amount(bytes);
    let ranks = exact(host.per_rank.len() as u64);
    let [each, once] = [&host.rank, &host.shared].map(|parts| of(parts, &part));
    let (savers, saved) = host.saving;
    let [own, shared] = [each, once].map(|bytes| bytes > Bytes::ZERO);
    let (each, once) = (size(each), size(once));
    match (part, own, shared) {
        _ if part == host.peak.phase.of_few() && saved > Bytes::ZERO => {
            let (savers, saved) = (exact(savers), size(saved));
            match (language, part) {
                (Language::English, HostPart::Saving) => {
                    format!("Processes that save: {savers}, {saved} each.")
                }
                (Language::Chinese, HostPart::Saving) => {
                    format!("{savers} 个进程保存，各增加 {saved}。")
                }
                (Language::English, _) => {
                    format!("Processes that read for the others: {savers}, {saved} each.")
                }
                (Language::Chinese, _) => {
                    format!("{savers} 个进程代其他进程读取，各增加 {saved}。")
                }
            }
        }
        (_, false, false) => String::new(),
        (_, false, true) => language
            .of(("The node has it once.", "整个节点一份。"))
            .to_owned(),
        (_, true, false) => match language {
            Language::English => format!("Training processes: {ranks}, {each} each."),
            Language::Chinese => format!("{ranks} 个训练进程各占 {each}。"),
        },
        (_, true, true) => match language {
            Language::English => {
                format!("Training processes: {ranks}, {each} each; the node once: {once}.")
            }
            Language::Chinese => format!("{ranks} 个训练进程各占 {each}，节点另占 {once}。"),
        },
    }
}

/// With what a part of a node's memory grows.
fn grows(part: HostPart, host: &HostEstimate, units: ByteUnits, language: Language) -> String {
    let grows = host.growth.iter().filter_map(|growth| {
        let more = of(&growth.parts, &part);
        let (driver, added) = (with_more(growth.driver, language), amount(more, units));
        (more > Bytes::ZERO).then(|| match language {
            Language::English => format!("{added} {driver}"),
            Language::Chinese => format!("{driver}增加 {added}"),
        })
    });
    let grows: Vec<String> = grows.collect();
    match (grows.is_empty(), language) {
        (true, _) => String::new(),
        (false, Language::English) => format!("It grows by {}.", grows.join(", ")),
        (false, Language::Chinese) => format!("{}。", grows.join("，")),
    }
}

/// Why a part of a node's memory takes what it takes at its highest point: whose it is, with what it grows, and where
/// the numbers come from.
pub fn host_part_explained(
    part: HostPart,
    host: &HostEstimate,
    units: ByteUnits,
    language: Language,
) -> String {
    let whole = of(&host.peak.composition, &part);
    let scale = Scale::new(host.peak.total, units);
    let size = |bytes| scale.amount(bytes);
    let (term, phase) = (part.term(language), host.peak.phase.term(language));
    let all = size(whole);
    let sum = match language {
        Language::English => {
            let term = capitalized(term);
            format!("{term}: {all} at the node's highest point, while {phase}.")
        }
        Language::Chinese => format!("{term}：在节点的最高点（{phase}时）为 {all}。"),
    };
    let highest = (host.phases.iter().rev()).max_by_key(|used| of(&used.composition, &part));
    let elsewhere = highest.filter(|used| of(&used.composition, &part) > whole);
    let elsewhere = elsewhere.map_or_else(String::new, |used| {
        let (most, phase) = (
            size(of(&used.composition, &part)),
            used.phase.term(language),
        );
        match language {
            Language::English => format!("It takes most while {phase}: {most}."),
            Language::Chinese => format!("{phase}时最多：{most}。"),
        }
    });
    let whose = whose(part, host, scale, language);
    let grows = grows(part, host, units, language);
    let meaning = meaning_of_host_part(part);
    let [rule, source] = sourced(&meaning, language);
    let said = [&sum, &elsewhere, meaning.text(language)];
    joined(
        &[&said[..], &[&whose, &grows, &rule, &source]].concat(),
        language,
    )
}

/// The files that the page cache holds, beside the memory in use.
pub fn page_cache_explained(host: &HostEstimate, units: ByteUnits, language: Language) -> String {
    let named = |(part, bytes): &(PageCachePart, Bytes)| {
        let file = language.of(match part {
            PageCachePart::Dataset => ("the data set", "数据集"),
            PageCachePart::Checkpoint => ("the model's weights", "模型权重"),
            PageCachePart::SavedFiles => ("the saved checkpoint", "保存的检查点"),
        });
        format!("{file} {}", amount(*bytes, units))
    };
    let files: Vec<String> = host.page_cache_parts.iter().map(named).collect();
    let files = files.join(language.of((", ", "、")));
    let all = amount(host.page_cache, units);
    let sum = match language {
        Language::English => format!("Page cache: {all} of files ({files})."),
        Language::Chinese => format!("页缓存：文件共 {all}（{files}）。"),
    };
    let [rule, source] = sourced(&PAGE_CACHE, language);
    joined(&[&sum, PAGE_CACHE.text(language), &rule, &source], language)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use crate::figure::host_bar;
    use crate::host::HostPhase;
    use crate::report::estimate;

    fn scenario() -> Scenario {
        let asked = r#"{"model": "qwen2.5-0.5b", "seq_len": 256,
            "hardware": {"gpus_per_node": 2, "processes_per_gpu": 2},
            "parallelism": {"dp": {"kind": "ddp"}},
            "dataloader": {"num_workers": 3}}"#;
        serde_json::from_str(asked).expect("a scenario")
    }

    #[test]
    fn parts_of_the_gpu_without_a_category_add_up_to_what_the_bar_shows() {
        let device = estimate(&scenario()).expect("an answer").report.device;
        let parts = device_parts(&device);
        let scale = Scale::new(device.total, ByteUnits::Binary);
        for part in [
            DevicePart::Cached,
            DevicePart::Context,
            DevicePart::OtherProcesses,
        ] {
            for language in [Language::English, Language::Chinese] {
                let said = device_part_explained(part, &device, ByteUnits::Binary, language);
                let said = said.unwrap_or_else(|| panic!("{part:?}"));
                let bytes = scale.amount(of(&parts, &part));
                assert!(said.contains(&bytes), "{bytes}: {said}");
                assert!(said.contains(language.of(("Source: ", "来源："))), "{said}");
            }
        }
        let small = DevicePart::Small;
        let none = device_part_explained(small, &device, ByteUnits::Binary, Language::English);
        assert_eq!(none, None);
    }

    #[test]
    fn every_part_of_the_host_says_whose_it_is_and_with_what_it_grows() {
        let report = estimate(&scenario()).expect("an answer").report;
        let host = &report.host;
        assert!(host_bar(host, report.verdict.host.capacity).parts.len() > 3);
        let scale = Scale::new(host.peak.total, ByteUnits::Binary);
        let said = |part, language| host_part_explained(part, host, ByteUnits::Binary, language);
        for &(part, bytes) in &host.peak.composition {
            for language in [Language::English, Language::Chinese] {
                let said = said(part, language);
                assert!(said.contains(&scale.amount(bytes)), "{said}");
            }
        }
        let libraries = said(HostPart::Libraries, Language::English);
        for part in [
            "Training processes: 4, ",
            " with one more rank.",
            "Source: ",
        ] {
            assert!(libraries.contains(part), "{part}: {libraries}");
        }
        assert_eq!(host.peak.phase, HostPhase::Load);
        let workers = said(HostPart::Workers, Language::English);
        assert!(workers.contains("It takes most while "), "{workers}");
        let shared = said(HostPart::SharedLibraries, Language::English);
        assert!(shared.contains("The node has it once."), "{shared}");
    }
}

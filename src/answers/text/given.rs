//! Words of the drawer for what people have at hand, and sentences about what each thing was taken for.

use super::{ByteUnits, Language, amount};
use crate::inputs::SmiTable;
use crate::units::Bytes;

/// Words of the drawer for what people have, and of the strip that leads there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputWord {
    /// Its title.
    Title,
    /// The formats that are read.
    Help,
    /// A snapshot is being read.
    Reading,
    /// An archive of a graph is being read.
    ReadingGraph,
    /// Choose a file.
    Choose,
    /// The label of the text box.
    Paste,
    /// Reads the typed text.
    Read,
    /// The bytes of the request that failed.
    Requested,
    /// No tensor has that size.
    NoTensor,
    /// A heading over the tensors of that size.
    SameSize,
    /// A scenario was filled in.
    Applied,
    /// Takes it back.
    Undo,
    /// Fills a job without a model in for the model on screen.
    UseWithModel,
    /// Nothing was understood.
    Unknown,
    /// Takes a job as an earlier version of its trainer runs it.
    UseEarlier,
    /// A snapshot.
    Snapshot,
    /// The most that tensors held.
    Allocated,
    /// The most that was reserved.
    Reserved,
    /// The estimate of the scenario on screen.
    Predicted,
    /// Measured.
    Measured,
    /// How many events there were until a moment.
    Events,
    /// The largest blocks.
    Largest,
    /// Who allocated before the recording began.
    Before,
    /// The title of the purposes of blocks, which are guessed.
    Guessed,
    /// The head of the column of purposes.
    Purpose,
    /// By how much a measured number is above an estimated one.
    Difference,
    /// Bytes that the allocator gives beyond requests.
    BeyondRequests,
    /// The size of a segment.
    SegmentSize,
    /// Bytes of it that no tensor holds.
    FreeBytes,
    /// In how many pieces.
    FreePieces,
    /// The largest of them.
    LargestPiece,
    /// The pool of a segment.
    SegmentPool,
    /// Why a key of a configuration is not followed: nobody knows it.
    Unlisted,
    /// The same: its value is unknown.
    UnknownValue,
    /// A script computes the key's value.
    Computed,
    /// The heading over the changes that lead out of a failure.
    WaysOut,
    /// They are being worked out.
    WaysCome,
    /// There is none.
    NoWay,
    /// The GPU of this capacity on which it ran.
    RanOn,
    /// The keys of a configuration that are followed.
    ReadKeys,
    /// Takes something out of the drawer.
    Remove,
    /// A failure is compared with the settings before a change was tried.
    BeforeTrial,
    /// Goes back to those settings.
    BackToGiven,
    /// The things in the drawer.
    Given,
    /// Leads to a snapshot's figures.
    OverTime,
    /// Another program's failure.
    ForeignFailure,
    /// The table of a machine.
    Machine,
    /// A graph.
    ExportedGraph,
    /// Something that is not read.
    NotRead,
    /// A whole scenario.
    Scenario,
    /// A model.
    Model,
    /// A configuration of an unknown format.
    Configuration,
    /// The strip's title.
    Start,
    /// Start from a GPU.
    MyGpu,
    /// More GPUs.
    OtherGpus,
    /// Start from an error or a configuration.
    MyError,
    /// Start from a model.
    MyModel,
    /// Start from an example.
    AnExample,
    /// Closes the strip.
    CloseStart,
}

impl InputWord {
    /// The word.
    pub fn text(self, language: Language) -> &'static str {
        language.of(match self {
            Self::Title => ("Start from what you have", "从手头的资料开始"),
            Self::Help => (
                "Paste it, or drop a file anywhere on this page: an out-of-memory error, memory_summary(), a snapshot (.pickle), a graph of your own model (.pt2), a config.json, a trainer's configuration, a launcher's command line, a link; several files of one job at once. Nothing leaves your browser.",
                "粘贴，或把文件拖到页面任意处：显存不足的报错、memory_summary()、快照（.pickle）、自己模型的计算图（.pt2）、config.json、训练配置、启动命令、链接；同一任务的多个文件可一起打开。内容不会离开浏览器。",
            ),
            Self::Reading => ("Reading the snapshot…", "正在读取快照…"),
            Self::ReadingGraph => ("Reading the graph…", "正在读取计算图…"),
            Self::Choose => ("Open a file", "打开文件"),
            Self::Paste => ("Error, snapshot, configuration", "报错、快照、配置"),
            Self::Read => ("Read it", "读取"),
            Self::Requested => ("Asked for", "请求"),
            Self::NoTensor => (
                "No tensor of the scenario on screen asks for just that much: choose the model and settings that ran.",
                "当前配置中没有恰好这么大的张量：请选择实际运行的模型与设置。",
            ),
            Self::SameSize => (
                "Of the scenario on screen these ask for just that much:",
                "当前配置中恰好这么大的张量：",
            ),
            Self::Applied => ("Filled in.", "已填入。"),
            Self::Undo => ("Take it back", "撤回此项"),
            Self::BeforeTrial => (
                "Compared with the settings before a change was tried.",
                "以下与尝试更改之前的设置比较。",
            ),
            Self::BackToGiven => ("Back to the settings before", "回到更改前的设置"),
            Self::UseWithModel => ("Fill in for the model on screen", "用于当前模型"),
            Self::Unknown => (
                "Not understood: no out-of-memory message, snapshot, graph, configuration or link was found in it.",
                "无法识别：其中没有显存不足的报错、快照、计算图、配置或链接。",
            ),
            Self::UseEarlier => ("Estimate the earlier version", "按更早的版本估算"),
            Self::Snapshot => ("A snapshot of torch.cuda.memory", "torch.cuda.memory 快照"),
            Self::Allocated => ("Allocated at most", "已分配峰值"),
            Self::Reserved => ("Reserved at most", "已保留峰值"),
            Self::Predicted => ("Estimated", "估算"),
            Self::Measured => ("Measured", "实测"),
            Self::Events => ("Events", "事件数"),
            Self::Largest => ("The largest blocks at the peak:", "峰值时最大的块："),
            Self::Before => ("before the recording", "记录开始之前"),
            Self::Guessed => (
                "What tensors hold at the peak, guessed from who asked and how long blocks live:",
                "峰值时张量的用途（根据申请者与存活时间推测）：",
            ),
            Self::Purpose => ("Purpose", "用途"),
            Self::Difference => ("Difference", "差值"),
            Self::BeyondRequests => ("beyond requests", "超出请求的部分"),
            Self::SegmentSize => ("Segment", "段"),
            Self::FreeBytes => ("Free", "空闲"),
            Self::FreePieces => ("Free pieces", "空闲块数"),
            Self::LargestPiece => ("Largest free piece", "最大空闲块"),
            Self::SegmentPool => ("Pool", "池"),
            Self::Unlisted => (
                "not known here; it may matter for memory.",
                "未知；可能影响内存。",
            ),
            Self::UnknownValue => (
                "this value is not known; the default counts.",
                "未知的取值；按默认值计算。",
            ),
            Self::Computed => (
                "the script computes this value, which is not followed; the default counts.",
                "脚本计算该值，无法读取；按默认值计算。",
            ),
            Self::WaysOut => ("What to change", "怎么改"),
            Self::WaysCome => ("Changes are being worked out…", "正在计算可行的改动…"),
            Self::NoWay => ("No single change helps: see the plans on the page.", "没有单项改动有效：请看页面上的方案。"),
            Self::RanOn => ("It ran on", "运行所用的 GPU"),
            Self::ReadKeys => ("Keys that were read", "已读取的键"),
            Self::Remove => ("Remove", "移除"),
            Self::Given => ("What you gave", "您提供的内容"),
            Self::OverTime => ("See it over time, beside the estimate", "查看随时间的变化，与估算并排"),
            Self::ForeignFailure => ("Another program's failure", "其他程序的报错"),
            Self::Machine => ("nvidia-smi", "nvidia-smi"),
            Self::ExportedGraph => ("A graph of a model (torch.export)", "模型的计算图（torch.export）"),
            Self::NotRead => ("Not read", "未能读取"),
            Self::Scenario => ("A configuration of Highwater", "Highwater 的配置"),
            Self::Model => ("A model", "模型"),
            Self::Configuration => ("A configuration", "配置"),
            Self::Start => ("Start from", "从这里开始"),
            Self::MyGpu => ("My GPU", "我的 GPU"),
            Self::OtherGpus => ("All others", "其他 GPU"),
            Self::MyError => ("An error or a configuration", "报错或配置"),
            Self::MyModel => ("My model", "我的模型"),
            Self::AnExample => ("An example", "示例"),
            Self::CloseStart => ("Close this line", "关闭此行"),
        })
    }
}

/// The treatment of a configuration's keys: "Filled in from 14 keys; 9 others do not matter for memory, 2 might."
pub fn job_counts(used: usize, idle: usize, matter: usize, language: Language) -> String {
    match language {
        Language::English => format!(
            "Filled in from {used} keys; {idle} do not matter for memory, {matter} are not followed and might."
        ),
        Language::Chinese => {
            format!("已由 {used} 个键填入；{idle} 个不影响内存，{matter} 个未采用且可能有影响。")
        }
    }
}

/// A file that is too large for the page: "big.pickle has 1.2 GiB; ..."
pub fn too_large(bytes: u64, most: u64, units: ByteUnits, language: Language) -> String {
    let (bytes, most) = (amount(Bytes(bytes), units), amount(Bytes(most), units));
    match language {
        Language::English => format!(
            "The file has {bytes}; the page reads up to {most}. The command line reads more: highwater snapshot FILE."
        ),
        Language::Chinese => {
            format!(
                "文件有 {bytes}，网页最多读取 {most}。更大的文件请用命令行：highwater snapshot FILE。"
            )
        }
    }
}

/// Names of formats where their frameworks write them otherwise.
const FORMATS: [(&str, &str); 11] = [
    ("hf_config", "config.json"),
    ("llama-factory", "LLaMA-Factory"),
    ("llama-factory-v1", "LLaMA-Factory v1"),
    ("megatron", "Megatron-LM"),
    ("openrlhf", "OpenRLHF"),
    ("peft", "PEFT"),
    ("deepspeed", "DeepSpeed"),
    ("training-arguments", "TrainingArguments"),
    ("trl", "TRL"),
    ("python", "Python"),
    ("scenario", "Highwater"),
];

/// The name of a configuration by its formats: "axolotl + DeepSpeed configuration".
pub fn configuration_name(formats: &[&str], language: Language) -> String {
    let name = |format: &&str| {
        let known = FORMATS.iter().find(|(own, _)| own == format);
        known.map_or(*format, |(_, name)| name).to_owned()
    };
    let all = formats.iter().map(name).collect::<Vec<_>>().join(" + ");
    match language {
        _ if all.is_empty() => InputWord::Configuration.text(language).to_owned(),
        Language::English => format!("{all} configuration"),
        Language::Chinese => format!("{all} 配置"),
    }
}

/// The GPUs of a machine's table: "2 × NVIDIA H100 80GB HBM3, at most 11.7 GiB in use".
pub fn machine_sentence(table: &SmiTable, units: ByteUnits, language: Language) -> String {
    let name = table.gpus.first().map_or("", |gpu| gpu.name.as_str());
    let (count, used) = (table.gpus.len(), amount(Bytes(table.most_in_use()), units));
    match language {
        Language::English => format!("{count} × {name}, at most {used} in use of one."),
        Language::Chinese => format!("{count} × {name}，单块最多已用 {used}。"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_named_by_its_formats() {
        let name = |formats: &[&str], language| configuration_name(formats, language);
        let both = name(&["axolotl", "deepspeed"], Language::English);
        assert_eq!(both, "axolotl + DeepSpeed configuration");
        assert_eq!(name(&["trl"], Language::Chinese), "TRL 配置");
        assert_eq!(name(&[], Language::English), "A configuration");
    }
}

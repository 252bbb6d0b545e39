//! A drawing read back from SVG, and the words that the tests use.

use highwater::chart::{Highlight, Look, Rgb, Theme, Unit, Words};
use highwater::decide::Sharding;
use highwater::report::Switch;
use highwater::sim::Phase;
use highwater::tape::Category;
use highwater::text::{self, ByteUnits, Scale};
use highwater::units::Bytes;
use std::path::Path;

/// English words.
pub struct English;

impl Words for English {
    fn phase(&self, phase: Phase) -> &str {
        match phase {
            Phase::Loading => "Loading",
            Phase::Data => "Data",
            Phase::Generation => "Generation",
            Phase::Forward => "Forward",
            Phase::ReferenceForward => "Reference forward",
            Phase::Backward => "Backward",
            Phase::Clip => "Gradient clipping",
            Phase::OptimizerStep => "Optimizer step",
            Phase::ZeroGrad => "Zero grad",
            Phase::Evaluation => "Evaluation",
            Phase::Saving => "Saving",
        }
    }
    fn phase_short(&self, phase: Phase) -> &str {
        match phase {
            Phase::Loading => "Load",
            Phase::Generation => "Gen",
            Phase::Forward => "Fwd",
            Phase::ReferenceForward => "Ref",
            Phase::Backward => "Bwd",
            Phase::Clip => "Clip",
            Phase::OptimizerStep => "Optim",
            Phase::ZeroGrad => "Zero",
            Phase::Evaluation => "Eval",
            Phase::Saving => "Save",
            Phase::Data => "Data",
        }
    }
    fn category(&self, category: Category) -> &str {
        match category {
            Category::Parameters => "Parameters",
            Category::OptimizerStates => "Optimizer states",
            Category::Gradients => "Gradients",
            Category::Activations => "Activations",
            Category::Temporaries => "Temporaries",
            other => other.name(),
        }
    }
    fn peak(&self) -> &'static str {
        "peak"
    }
    fn capacity(&self) -> &'static str {
        "usable"
    }
    fn beyond(&self) -> &'static str {
        "does not fit"
    }
    fn allocated(&self) -> &'static str {
        "allocated"
    }
    fn reserved(&self) -> &'static str {
        "reserved"
    }
    fn step(&self, first: bool) -> &str {
        if first { "First step" } else { "Steady step" }
    }
    fn micro_batch_size(&self) -> &'static str {
        "micro-batch size"
    }
    fn device_total(&self) -> &'static str {
        "total (nvidia-smi)"
    }
    fn largest_fitting(&self, size: u64) -> String {
        format!("{size} fits")
    }
    fn program_order(&self) -> &'static str {
        "program order"
    }
    fn rank(&self, rank: usize) -> String {
        format!("rank {rank}")
    }
    fn in_flight(&self, micro_batches: u64) -> String {
        format!("{micro_batches} in flight")
    }
    fn switch(&self, switch: &Switch) -> String {
        let to = self.phase(switch.to).to_lowercase();
        format!(
            "from micro-batch {} on, {to} binds",
            switch.micro_batch_size
        )
    }
    fn sharding(&self, sharding: Sharding) -> &str {
        text::sharding_name(sharding)
    }
    fn gpus(&self) -> &'static str {
        "GPUs"
    }
    fn floor(&self, bytes: Bytes) -> String {
        format!("{} stay", self.amount(bytes))
    }
    fn amount(&self, bytes: Bytes) -> String {
        text::amount(bytes, ByteUnits::Binary)
    }
    fn number(&self, bytes: Bytes) -> String {
        Scale::new(bytes, ByteUnits::Binary).number(bytes)
    }
    fn change(&self, from: Bytes, to: Bytes) -> String {
        text::difference(from, to, ByteUnits::Binary)
    }
}

/// Chinese words for what differs most in length.
pub struct Chinese;

impl Words for Chinese {
    fn phase(&self, phase: Phase) -> &str {
        match phase {
            Phase::Loading => "加载",
            Phase::Data => "数据",
            Phase::Generation => "生成",
            Phase::Forward => "前向传播",
            Phase::ReferenceForward => "参考前向",
            Phase::Backward => "反向传播",
            Phase::Clip => "梯度裁剪",
            Phase::OptimizerStep => "优化器更新",
            Phase::ZeroGrad => "梯度清零",
            Phase::Evaluation => "评估",
            Phase::Saving => "保存",
        }
    }
    fn phase_short(&self, phase: Phase) -> &str {
        match phase {
            Phase::Forward => "前向",
            Phase::Backward => "反向",
            Phase::OptimizerStep => "优化器",
            Phase::ZeroGrad => "清零",
            other => self.phase(other),
        }
    }
    fn category(&self, category: Category) -> &str {
        match category {
            Category::Parameters => "参数",
            Category::OptimizerStates => "优化器状态",
            Category::Gradients => "梯度",
            Category::Activations => "激活值",
            Category::Temporaries => "临时张量",
            other => other.name(),
        }
    }
    fn peak(&self) -> &'static str {
        "峰值"
    }
    fn capacity(&self) -> &'static str {
        "可用"
    }
    fn beyond(&self) -> &'static str {
        "放不下"
    }
    fn allocated(&self) -> &'static str {
        "已分配"
    }
    fn reserved(&self) -> &'static str {
        "已保留"
    }
    fn step(&self, first: bool) -> &str {
        if first { "第一步" } else { "稳定步" }
    }
    fn micro_batch_size(&self) -> &'static str {
        "微批次大小"
    }
    fn device_total(&self) -> &'static str {
        "总计 (nvidia-smi)"
    }
    fn largest_fitting(&self, size: u64) -> String {
        format!("最多 {size}")
    }
    fn program_order(&self) -> &'static str {
        "程序顺序"
    }
    fn rank(&self, rank: usize) -> String {
        format!("进程 {rank}")
    }
    fn in_flight(&self, micro_batches: u64) -> String {
        format!("{micro_batches} 个在途")
    }
    fn switch(&self, switch: &Switch) -> String {
        format!(
            "微批次 {} 起由{}决定峰值",
            switch.micro_batch_size,
            self.phase(switch.to)
        )
    }
    fn sharding(&self, sharding: Sharding) -> &str {
        text::sharding_name(sharding)
    }
    fn gpus(&self) -> &'static str {
        "GPU 数"
    }
    fn floor(&self, bytes: Bytes) -> String {
        format!("{} 不变", self.amount(bytes))
    }
    fn amount(&self, bytes: Bytes) -> String {
        text::amount(bytes, ByteUnits::Binary)
    }
    fn number(&self, bytes: Bytes) -> String {
        Scale::new(bytes, ByteUnits::Binary).number(bytes)
    }
    fn change(&self, from: Bytes, to: Bytes) -> String {
        text::difference(from, to, ByteUnits::Binary)
    }
}

/// An unhighlighted look in GiB.
pub fn look<'a>(theme: &'a Theme, words: &'a dyn Words) -> Look<'a> {
    Look {
        theme,
        words,
        unit: Unit::Binary,
        highlight: Highlight::None,
    }
}

/// The themes that figures are looked at in.
pub fn themes() -> [(&'static str, Theme); 3] {
    let forced = Theme::forced(Rgb(0, 0, 0), Rgb(255, 255, 255), Rgb(0x1a, 0xeb, 0xff));
    [
        ("light", Theme::light()),
        ("dark", Theme::dark()),
        ("forced", forced),
    ]
}

/// Keeps a figure for people to look at.
pub fn keep(name: &str, svg: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    std::fs::write(folder.join(format!("{name}.svg")), svg).expect("so can its files");
}

/// One element of an SVG document.
#[derive(Debug)]
pub struct Mark<'a> {
    tag: &'a str,
    source: &'a str,
    /// The text in it.
    pub text: &'a str,
}

impl Mark<'_> {
    /// An attribute, empty when it is not there.
    pub fn attr(&self, name: &str) -> &str {
        let key = format!(" {name}=\"");
        let Some(start) = self.source.find(&key) else {
            return "";
        };
        let rest = &self.source[start + key.len()..];
        &rest[..rest.find('"').unwrap_or(0)]
    }

    /// An attribute as a number.
    pub fn number(&self, name: &str) -> f64 {
        self.attr(name).parse().unwrap_or(f64::NAN)
    }
}

/// The elements of a document with one tag.
pub fn marks<'a>(svg: &'a str, tag: &str) -> Vec<Mark<'a>> {
    let all = svg.split('<').skip(1).filter_map(|piece| {
        let end = piece.find('>')?;
        let name = piece.split([' ', '/', '>']).next()?;
        Some(Mark {
            tag: name,
            source: &piece[..end],
            text: piece[end + 1..].trim(),
        })
    });
    all.filter(|mark| mark.tag == tag).collect()
}

/// The text that contains `part`.
pub fn text<'a>(svg: &'a str, part: &str) -> Option<Mark<'a>> {
    marks(svg, "text")
        .into_iter()
        .find(|mark| mark.text.replace('\u{a0}', " ").contains(part))
}

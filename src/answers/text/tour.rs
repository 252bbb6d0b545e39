//! Texts of the tour.

use super::Language;

/// A stop of the tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Does it fit?
    Verdict,
    /// The peak.
    Phases,
    /// A larger batch.
    Batch,
    /// The peak has moved.
    Moved,
    /// When it moves.
    Crossover,
    /// The run in program order.
    Timeline,
    /// Changes.
    Remedies,
}

impl Stop {
    /// All of them, in order.
    pub const ALL: &[Self] = &[
        Self::Verdict,
        Self::Phases,
        Self::Batch,
        Self::Moved,
        Self::Crossover,
        Self::Timeline,
        Self::Remedies,
    ];

    /// The stop before; the first stays.
    #[must_use]
    pub fn before(self) -> Self {
        let at = (self as usize).saturating_sub(1);
        Self::ALL.get(at).copied().unwrap_or(self)
    }

    /// The stop after, when there is one.
    pub fn after(self) -> Option<Self> {
        Self::ALL.get(self as usize + 1).copied()
    }

    /// The number of this stop, of all: `2 / 7`.
    pub fn count(self) -> String {
        format!("{} / {}", self as usize + 1, Self::ALL.len())
    }

    /// The text of this stop.
    pub const fn text(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Verdict, Language::English) => {
                "Qwen2.5 1.5B, trained in fp32 with AdamW, two samples at a time. The first line is the answer: whether it fits, how much it needs, and when it needs most."
            }
            (Self::Verdict, Language::Chinese) => {
                "用 AdamW 以 fp32 训练 Qwen2.5 1.5B，每次两个样本。第一行就是答案：放不放得下、需要多少、何时最多。"
            }
            (Self::Phases, Language::English) => {
                "Memory rises and falls within a step. With so small a batch the optimizer step needs most: its temporaries stand on parameters, gradients and states."
            }
            (Self::Phases, Language::Chinese) => {
                "一步之内内存有起有落。批次这么小时，优化器更新需要最多：参数、梯度和状态之上还有临时张量。"
            }
            (Self::Batch, Language::English) => {
                "Now with sixteen samples. Everything that grows with the batch is activations; the dashed mark is where the peak was."
            }
            (Self::Batch, Language::Chinese) => {
                "现在改为 16 个样本。随批次增长的都是激活值；虚线标记是之前的峰值。"
            }
            (Self::Moved, Language::English) => {
                "The peak has moved: backward binds, because all activations are alive when it begins. What helps has changed with it."
            }
            (Self::Moved, Language::Chinese) => {
                "峰值转移了：反向开始时所有激活值都还存活，因此由反向决定峰值。有效的办法也随之改变。"
            }
            (Self::Crossover, Language::English) => {
                "Here is the batch size at which one phase takes over from the other, and the largest that fits. Point at a size, or click it to use it."
            }
            (Self::Crossover, Language::Chinese) => {
                "这里可以看到一个阶段在哪个批次大小取代另一个，以及能放下的最大批次。指向某个大小查看，点击即可采用。"
            }
            (Self::Timeline, Language::English) => {
                "The whole run, event by event: activations pile up in forward and go in backward. Drag across to look closer."
            }
            (Self::Timeline, Language::Chinese) => {
                "逐个事件的整个过程：激活值在前向累积，在反向释放。拖动即可放大。"
            }
            (Self::Remedies, Language::English) => {
                "What to change, each computed by running the model again. That was the tour: put in your own model."
            }
            (Self::Remedies, Language::Chinese) => {
                "可以怎么改，每一项都重新运行模型计算得出。导览到此结束，换上您自己的模型吧。"
            }
        }
    }
}

//! The page's words, one line each.

use super::Language;
use crate::resolve::Idle;

/// A word or sentence of the page that never changes, in English and Chinese.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(&'static (&'static str, &'static str));

impl Word {
    /// The word in a language.
    pub const fn text(self, language: Language) -> &'static str {
        language.of(*self.0)
    }
}

/// Declares words with their two languages.
macro_rules! words {
    ($($name:ident: $english:literal, $chinese:literal;)+) => {
        #[expect(non_upper_case_globals, reason = "words are named like the cases of an enum")]
        impl Word {
            $(#[doc = concat!("`", $english, "`")] pub const $name: Self = Self(&($english, $chinese));)+

            /// Every word with its name.
            #[cfg(test)]
            const ALL: &[(&str, Self)] = &[$((stringify!($name), Self::$name)),+];
        }
    };
}

words! {
    Title: "Highwater: GPU memory and host RAM of a training run",
        "Highwater：训练所需的显存与主机内存";
    Tagline: "Will it fit? Memory of a training run, before it starts",
        "放得下吗？训练开始之前先知道内存";
    Broken: "Highwater has stopped because of a mistake of its own. Reload the page; the address keeps your configuration. The browser's console says what happened.",
        "Highwater 因自身错误而停止。请重新加载页面，网址中保留了您的配置。浏览器控制台中有详细信息。";
    BrokeOff: "An estimate for this configuration broke off because of a mistake of Highwater's own. Advice, what fits and plans may be incomplete.",
        "由于 Highwater 自身的错误，针对该配置的一次估算中断。建议、可容纳的取值与方案可能不完整。";
    BrokeOffAt: "The configuration over which it did, to be reported", "出错的配置（请报告）";
    SkipToAnswer: "Skip to the answer", "跳到结果";
    Language: "Language", "语言";
    Units: "Units", "单位";
    Share: "Share", "分享";
    CopyLink: "Copy link", "复制链接";
    OpenInHighwater: "Open in Highwater", "在 Highwater 中打开";
    Controls: "Configuration", "配置";
    GroupMethod: "Method: LoRA, quantization, optimizer", "训练方式：LoRA、量化与优化器";
    GroupSequence: "Sequence and objective", "序列与训练目标";
    GroupSavers: "Memory savers: recompute, offload, Liger", "省显存：重计算、卸载与 Liger";
    GroupModel: "Model: attention, types, config", "模型：注意力、类型与配置";
    GroupEvaluation: "Evaluation and generation", "评估与生成";
    GroupData: "Data and loading", "数据与加载";
    GroupHost: "Machine and host", "机器与主机";
    GroupAllocator: "Versions and allocator", "版本与分配器";
    GroupParallelism: "Parallelism: GPUs and their mesh", "并行：GPU 与网格";
    ModelSearch: "Search models, or paste a config.json or a hub name", "搜索模型，或粘贴 config.json 或仓库名";
    StartFrom: "From an error, a snapshot, a configuration or your own model", "从报错、快照、配置或自己的模型开始";
    ModelList: "Models", "模型";
    OwnModel: "Any PyTorch model of your own", "任意自己的 PyTorch 模型";
    OwnModelHow: "Run this where the model is (torch 2.6 or newer, no GPU needed), and drop model.pt2 on this page. Its weights stay where they are.",
        "在模型所在的环境中运行（torch 2.6 或更新版本，无需 GPU），再把 model.pt2 拖到本页面。权重不会被读取或上传。";
    OwnModelShape: "Shape of an input, batch first", "输入的形状（首维为批）";
    OwnModelIds: "Whole numbers (token ids)", "整数（token id）";
    OwnModelNoShape: "A shape is numbers between commas, as 8, 3, 224, 224.", "形状为逗号分隔的数字，例如 8, 3, 224, 224。";
    OwnModelGuide: "What is exact, and what is lost", "哪些是精确的，哪些会丢失";
    SizeNumber: "A size is a whole number.", "尺寸必须是整数。";
    OpenAddress: "This link opens a graph from", "此链接要打开的计算图位于";
    OpenAddressAgree: "Fetch and open it", "获取并打开";
    OpenAddressGone: "The file could not be fetched: the address gives none, or its host does not let this page have it. Download it, and drop it here.",
        "无法获取该文件：地址无效，或其主机不允许本页面获取。请下载后拖到此处。";
    ModelNothing: "Nothing found. Paste a config.json, or type a repository as owner/name.",
        "没有找到。请粘贴 config.json，或输入“所有者/仓库名”。";
    Tour: "Tour", "导览";
    Keys: "Keys", "按键";
    Vram: "GPU memory", "显存（VRAM）";
    Ram: "Host RAM", "主机内存（RAM）";
    SmallParts: "small parts", "其他小项";
    PageCache: "page cache", "页缓存";
    Cached: "cached", "分配器缓存";
    OtherProcesses: "other processes", "其他进程";
    Context: "CUDA context", "CUDA 上下文";
    PhasesTitle: "Which phase needs most", "哪个阶段需要最多";
    Table: "Table", "表格";
    FigureRole: "interactive figure", "交互图";
    FigureKeys: "Arrow keys move through the figure, Home and End lead to its ends, Enter pins what is there, Escape lets go.",
        "方向键在图中移动，Home 和 End 到两端，Enter 固定所在之处，Esc 取消。";
    Category: "Category", "类别";
    Phase: "Phase", "阶段";
    LiveTensors: "live tensors", "存活张量";
    Allocated: "allocated", "已分配（allocated）";
    Reserved: "reserved", "已保留（reserved）";
    ReservedShort: "reserved", "已保留";
    DeviceTotal: "total (nvidia-smi)", "合计（nvidia-smi）";
    Usable: "usable", "可用";
    DoesNotFit: "\u{2191} does not fit", "\u{2191} 放不下";
    AllocatedShort: "allocated", "已分配";
    Peak: "peak", "峰值";
    Step: "Step", "步";
    FirstStep: "first step", "第一步";
    SteadyStep: "steady step", "稳定步";
    Binds: "binds", "决定峰值";
    Fits: "fits", "放得下";
    FitsNot: "does not fit", "放不下";
    MicroBatch: "Micro-batch", "微批次";
    ChangeFirst: "What to change first", "首先可以改";
    RoomFor: "Room for more", "还有余地";
    Computing: "Trying other batch sizes\u{2026}", "正在尝试其他批次大小\u{2026}";
    NoAnswer: "No answer yet: repair the setting that is marked.", "暂无结果：请先修正被标记的选项。";
    Notices: "Notices", "提示";
    IdleOneImplementation: "No effect: this optimizer has one implementation.", "无效：该优化器只有一种实现。";
    IdleNothingOffloaded: "No effect: the optimizer is on the GPU.", "无效：优化器在 GPU 上。";
    IdleNoWorkers: "No effect: there are no workers.", "无效：没有工作进程。";
    IdleNotPrepared: "No effect unless the rest of the base becomes fp32.", "基座的其余部分不转换为 fp32 时无效。";
    IdleNoExperts: "No effect: the model has no experts.", "无效：模型没有专家。";
    IdleNotQuantized: "No effect without a quantized base.", "基座模型未量化时无效。";
    IdleNotAutocast: "No effect without amp.", "未使用 amp 时无效。";
    IdleNoSuchOption: "No effect: the optimizer has no such option.", "无效：该优化器没有此选项。";
    Automatic: "automatic", "自动";
    LikeTheModel: "like the model", "与模型相同";
    NotUsed: "not used", "不使用";
    Everything: "all", "全部";
    Never: "never", "从不";
    NoLimit: "no limit", "无上限";
    Off: "off", "关闭";
    On: "on", "开启";
    Compare: "Compare", "对比";
    CompareHelp: "Keep this configuration as A; what you change from now on is B.", "把当前配置保留为 A，此后的修改即为 B。";
    CompareDifference: "B \u{2212} A", "B \u{2212} A";
    GlobalBatch: "Global batch size", "全局批次大小";
    Situations: "Situations", "典型情形";
    Close: "Close", "关闭";
    ModelConfig: "Contents of config.json", "config.json 的内容";
    ModelConfigHelp: "Paste the config.json of a Hugging Face model; it stays in this page and its link.",
        "粘贴 Hugging Face 模型的 config.json，内容只保存在本页及其链接中。";
    Measure: "Count as used", "计入方式";
    Stale: "This is the last valid configuration; the marked setting has no answer.", "这是上一个有效配置的结果；被标记的选项没有结果。";
    ShareLink: "Link to this configuration", "此配置的链接";
    ShareEmbed: "Embed it in a page", "嵌入网页";
    NewVersion: "A newer version of Highwater is ready; your configuration is kept.", "Highwater 有新版本，您的配置会保留。";
    Reload: "Reload", "重新加载";
    ShareSystem: "Share with\u{2026}", "分享到\u{2026}";
    ShareTabs: "Ways to share", "分享方式";
    TabLink: "Link", "链接";
    TabEmbed: "Embed", "嵌入";
    TabExport: "Export", "导出";
    ShareLinkHelp: "It holds the whole configuration; nothing is stored anywhere else.", "链接中包含全部配置，不存放在任何其他地方。";
    EmbedControls: "Controls of the widget", "小部件的控件";
    EmbedPanels: "Panels of the widget", "小部件的面板";
    PanelBars: "bars", "条形图";
    PanelPhases: "phases", "各阶段";
    PanelCrossover: "peak by batch size", "峰值与批次大小";
    PreviewWidth: "Width of the preview", "预览宽度";
    PreviewTheme: "Colours of the preview", "预览配色";
    PrintedSettings: "Settings", "设置";
    EmbedTheme: "Colours", "配色";
    EmbedLanguage: "Language", "语言";
    EmbedHeight: "Height", "高度";
    EmbedReaders: "as the reader's browser", "跟随读者的浏览器";
    EmbedLight: "light", "浅色";
    EmbedDark: "dark", "深色";
    EmbedAutoHeight: "follows the content (small script)", "随内容变化（小脚本）";
    EmbedFixedHeight: "fixed (no script)", "固定（无脚本）";
    EmbedPreview: "Preview of the widget", "小部件预览";
    ExportFigures: "Figures", "图";
    ExportFiguresHelp: "With title, configuration and address; PNG at twice the size.", "附标题、配置与网址；PNG 为两倍尺寸。";
    ExportLater: "Not drawn yet: look at its panel on the page first.", "尚未绘制：请先在页面上查看它所在的面板。";
    ExportData: "Numbers", "数据";
    ExportDataHelp: "JSON has the scenario and the whole report; the command line reads the scenario.", "JSON 含场景与完整报告；命令行可读取该场景。";
    Copy: "Copy", "复制";
    Copied: "Copied", "已复制";
    CopyRefused: "The browser did not allow it: select the text and copy it", "浏览器不允许复制，请选中文字后手动复制";
    ModelCustom: "Own config.json\u{2026}", "自己的 config.json\u{2026}";
    ModelLinear: "One nn.Linear layer", "单个 nn.Linear 层";
    ModelRecent: "Recent, on this machine", "最近使用（仅保存在本机）";
    ModelGraphs: "Not transformers: timm, YOLO, diffusers, ...", "非 transformers 模型：timm、YOLO、diffusers 等";
    ModelOwn: "Something else", "其他";
    ModelOwnDetail: "paste it below", "在下方粘贴";
    ModelFetch: "Fetch its config.json from huggingface.co", "从 huggingface.co 获取其 config.json";
    ModelFetching: "Fetching the config.json\u{2026}", "正在获取 config.json\u{2026}";
    TourTitle: "Two-minute tour: where is the peak?", "两分钟导览：峰值在哪里？";
    TourNext: "Next", "下一步";
    TourBack: "Back", "上一步";
    TourEnd: "End the tour", "结束导览";
    KeysTitle: "Keys", "键盘操作";
    InGuide: "More in the guide", "详见指南";
    KeySearch: "search for a model", "搜索模型";
    KeyKeys: "this list", "显示此列表";
    KeyArrows: "move through a figure, a legend or a slider", "在图、图例或滑块中移动";
    KeyLeap: "to the next phase in a figure", "到图中的下一个阶段";
    KeyEnds: "to the ends", "到两端";
    KeyPin: "pin what is there; on a batch size, use it", "固定所在之处；在批次大小上则采用该值";
    KeyEscape: "let go of what is pinned; close what is open", "取消固定，关闭已打开的面板";
    KeyZoom: "look closer at the timeline, less close, at the whole run", "放大、缩小时间线，显示全程";
    GlossaryTitle: "What the words mean", "术语";
    RanksTitle: "The ranks of the job", "作业的各个进程（rank）";
    RanksNote: "Every rank that can differ was simulated. Open one to see it in all figures.",
        "所有可能不同的进程都已模拟。打开其中一个，即可在所有图中查看。";
    RankColumn: "Rank", "进程（rank）";
    RankPlace: "Place", "位置";
    RankPeak: "Peak comes in", "峰值阶段";
    RankTotal: "GPU memory", "显存";
    RankSpare: "To spare", "余量";
    RankOpen: "Open", "打开";
    RankCompare: "Compare", "对比";
    ScheduleTitle: "The pipeline's schedule", "流水线调度";
    NodeTitle: "Where the host RAM of a node goes", "一台机器的主机内存去向";
    NodeNote: "Each rank with its workers, then what is there once. Hatched: page cache, which the kernel gives back.",
        "每个训练进程（含工作进程），以及只存在一份的部分。斜线为页缓存，内核可随时收回。";
    NodeShared: "once per node", "每台机器一份";
    NodeGrows: "What makes it grow", "什么会使它增长";
    TimelineTitle: "Memory over program order", "内存随程序顺序的变化";
    CrossoverTitle: "Peak by micro-batch size", "峰值随微批次大小的变化";
    TensorsTitle: "Tensors at the peak", "峰值时的张量";
    TensorsHint: "Point at a tensor to read here why it is there.", "指向某个张量，这里会说明它为何存在。";
    AllCategories: "all categories", "所有类别";
    Module: "Module and operation", "模块与操作";
    ShapeType: "Shape and type", "形状与类型";
    Each: "Each", "单个";
    HowMany: "Count", "数量";
    Born: "Born", "产生";
    Freed: "Freed", "释放";
    BreakdownTitle: "Every number", "全部数据";
    BreakdownDevice: "GPU memory by phase", "各阶段的显存";
    BreakdownHost: "Host RAM by phase", "各阶段的主机内存";
    Part: "Part", "部分";
    Total: "total", "合计";
    OthersTitle: "What others would say", "其他工具的估算";
    OthersHelp: "Published formulas for this run beside the simulation, and why they differ.", "针对此次训练的公开公式与本工具的模拟结果，以及差异的原因。";
    ExplanationTitle: "Why", "原因";
    AssumptionsTitle: "What this assumes", "假设与局限";
    ZoomIn: "Zoom in", "放大";
    ZoomOut: "Zoom out", "缩小";
    ZoomReset: "Whole run", "全程";
    ZoomHelp: "Drag across the figure to look closer; with keys: +, \u{2212} and 0.",
        "在图上拖动即可放大；键盘：+、\u{2212} 和 0。";
    ProgramOrder: "program order", "程序顺序";
    FitsTitle: "How far settings can go", "各设置的上限";
    FitsHelp: "Each is found by running the model again and again: the answer fits, the next value does not.",
        "逐次运行模型求得：答案放得下，再进一步则放不下。";
    FitsFind: "Find", "求解";
    FitsFindAll: "Find all", "全部求解";
    FitsSearching: "Searching\u{2026}", "正在求解\u{2026}";
    FitsNothing: "nothing fits", "都放不下";
    FitsUse: "Use it", "采用";
    FitsAsNow: "as it is now", "与当前相同";
    GpusTitle: "Memory of a rank by number of GPUs", "每个进程的显存随 GPU 数的变化";
    GpusDraw: "Draw it", "绘制";
    GpusBelow: "drawn below", "见下图";
    GpusAxis: "GPUs", "GPU 数";
    GpusRam: "RAM of a node", "每台机器的主机内存";
    GpusFloor: "does not shrink", "不会减少";
    RemediesTitle: "Advice", "建议";
    AdviceComes: "Being worked out for this configuration.", "正在为当前配置计算。";
    AdviceIsOld: "Of the last configuration; being worked out anew.", "这是上一个配置的建议，正在重新计算。";
    RemediesHelp: "Each was computed by running the model again.", "每一项都重新运行模型计算得出。";
    Try: "Try it", "试一试";
    Against: "Compare", "对比";
    Contents: "On this page", "本页内容";
    AskChange: "What to change?", "怎么改？";
    AskWhen: "When?", "何时？";
    StepsTitle: "Many steps of differing length", "许多长度不同的步骤";
    StepsHelp: "Up to 1,000 steps whose lengths are drawn from those of the samples go through the allocator without emptying it: fragmentation grows, and a long batch comes late.",
        "从样本长度中随机抽取最多 1,000 步，依次经过分配器而不清空：碎片会增长，长批次可能很晚才出现。";
    StepsFigure: "Memory over steps of differing length", "各步骤的显存";
    StepsPlain: "without expandable_segments", "不使用 expandable_segments";
    StepsExpandable: "with expandable_segments", "使用 expandable_segments";
    StepsStep: "Step", "步";
    AskFits: "What fits?", "能放下多少？";
    AskWhere: "Where is it?", "在哪里？";
    AskWhy: "Why?", "为什么？";
    AskAssumed: "What is assumed?", "有哪些假设？";
    SnapshotTitle: "The snapshot over time, beside the estimate", "快照随时间的变化，与估算并排";
    SegmentsTitle: "Allocator state: what lies in the snapshot's segments", "分配器状态：快照中各段的内容";
    FullnessTitle: "The snapshot's segments over time", "快照中各段随时间的占用";
    MapTitle: "Map: what fits over two settings", "地图：两个设置下放得下的范围";
    MapHelp: "Every cell is an estimate. Colours say which phase binds, the line runs along the GPU's capacity; a click goes there.",
        "每个格子都是一次估算。颜色表示瓶颈阶段，线条为显存上限；点击即可采用。";
    MapFigure: "Memory over two settings", "两个设置下的显存";
    MapRight: "to the right", "横轴";
    MapUp: "upwards", "纵轴";
    SearchTitle: "Plans: which settings fit, and which are worth it", "方案搜索：哪些设置放得下，哪些值得";
    SearchPlans: "Search", "搜索";
    SearchHelp: "The model, the length of its sequences and the samples of a step stay. Every plan that is shown was simulated, and no other is at least as good in GPUs, GPU memory, host RAM, operations and bytes sent.",
        "模型、序列长度与每步样本数保持不变。每个方案都经过模拟，且没有其他方案在 GPU 数、显存、主机内存、运算量与通信量上都不逊于它。";
    PlanMayChange: "May change", "可以更改";
    PlanMayAdd: "May add", "可以添加";
    PlanHeadroom: "Kept free", "保留余量";
    PlanChanges: "Changes", "改动";
    PlanCompute: "operations", "运算量";
    PlanSent: "sent a step", "每步通信";
    PlanRejected: "What was rejected, and why", "被排除的设置及原因";
    PlanFirst: "first choice", "首选";
    PlanFirstHelp: "The first choice alters least of what is learned, then takes the fewest GPUs, then computes and sends least. A click on a head orders by its column.",
        "首选依次取：对训练结果改动最少、GPU 最少、运算量与通信量最小。点击表头可按该列排序。";
    PlanNoMore: "nothing beyond what all plans share", "除共同改动外无其他改动";
    PlanNearest: "Nearest to fitting", "最接近放得下的设置";
    PlansTitle: "Ready plans", "现成方案";
    SinglesTitle: "Single changes", "单项改动";
    SinglesScale: "All bars share one scale.", "所有条形使用同一比例。";
    SinglesMissing: "All bars share one scale; the line marks what is missing.", "所有条形使用同一比例；竖线为尚缺的量。";
    NearTitle: "How accurate is this?", "这个数字有多准？";
    NearGuide: "Every model and option, and how cases are measured", "所有模型与选项的误差，以及测量方法";
    FoundNothing: "Nothing is called so. What is left:", "没有叫这个名字的模型。还可以：";
    FoundSize: "layers assumed", "层数等为假定值";
    FoundConfig: "Its config.json", "粘贴它的 config.json";
    FoundConfigDetail: "paste the file", "粘贴文件内容";
    FoundGraph: "Its graph, model.pt2", "它的计算图 model.pt2";
    FoundGraphDetail: "any PyTorch model, by torch.export", "任意 PyTorch 模型，由 torch.export 导出";
    RoomTitle: "What there is room for", "余量可以用来";
    FitsWithIt: "fits", "放得下";
    FitsTightlyWithIt: "fits tightly, less than 10 % to spare", "勉强放得下，余量不到 10%";
    FitsNotWithIt: "does not fit yet", "仍放不下";
    TakeBack: "Back to the last value", "恢复上一个值";
    IdleLinear: "No effect: the model is one linear layer.", "无效：模型只有一个线性层。";
    IdleForwardOnly: "No effect: there is no backward pass.", "无效：没有反向过程。";
    IdleNoOptimizer: "No effect: there is no optimizer.", "无效：没有优化器。";
    IdleImages: "The model reads images or recordings; their size in its config decides the number of tokens.",
        "该模型读取图像或录音；词元数由其配置中的尺寸决定。";
    IdleNoAttention: "Nothing in the model attends.", "该模型中没有注意力。";
    IdleNoImages: "The model reads no images among its tokens.", "该模型不读取文本中的图像。";
    IdleNoDecoder: "The model has no decoder with a length of its own.", "该模型没有独立长度的解码器。";
    IdleOneTask: "The model is estimated for one task.", "该模型只按一种任务估算。";
    IdleGraph: "No effect: an exported graph has its own sizes, attention and task", "无效：导出的计算图自带尺寸、注意力与任务";
    IdleNoGraph: "No effect: the model is no exported graph.", "无效：该模型不是导出的计算图。";
    IdleNotSdpa: "No effect: the attention is not sdpa.", "无效：注意力实现不是 sdpa。";
    IdleNotCheckpointed: "No effect: no layer is checkpointed.", "无效：没有层被重计算。";
    IdleNoEvaluation: "No effect: there is no evaluation.", "无效：没有评估。";
    IdleNotSelective: "No effect without selective checkpointing.", "未使用选择性重计算时无效。";
    IdleNotOfObjective: "No effect: the objective has no use for it.", "无效：该训练目标不使用此项。";
    IdleNotPacked: "No effect: nothing is packed.", "无效：没有打包。";
    IdleSameLengths: "No effect: nothing says that batches differ in length.", "无效：各批次长度相同。";
    IdleNotTrainer: "No effect: only Trainer.evaluate keeps predictions.", "无效：只有 Trainer.evaluate 会保留预测。";
    IdleNotGenerating: "No effect: nothing is generated.", "无效：不生成内容。";
    IdleNoAdapters: "No effect without LoRA.", "未启用 LoRA 时无效。";
    IdleNoModules: "torchtune has no modules of its own for this model.", "torchtune 没有该模型的模块。";
    IdleNoKernels: "No effect without Liger's kernels.", "未启用 Liger 内核时无效。";
    IdleNoLiger: "Liger has no kernels for this model, or they are not estimated yet.", "Liger 没有适用于该模型的内核，或尚未支持估算。";
    IdleOtherDataset: "No effect: the data set is not re-opened for each sample.", "无效：数据集不是逐样本重新打开的。";
    IdleOneGpu: "No effect: there is one GPU.", "无效：只有一块 GPU。";
    IdleNotDataParallel: "No effect without data parallelism.", "未使用数据并行时无效。";
    IdleNotDdp: "An option of DDP.", "DDP 的选项。";
    IdleNotFsdp: "An option of FSDP.", "FSDP 的选项。";
    IdleNotFsdp1: "An option of FSDP1.", "FSDP1 的选项。";
    IdleNotFsdp2: "An option of FSDP2.", "FSDP2 的选项。";
    IdleNotZero: "An option of DeepSpeed ZeRO.", "DeepSpeed ZeRO 的选项。";
    IdleNotStage3: "An option of ZeRO-3.", "ZeRO-3 的选项。";
    IdleNotMegatron: "An option of Megatron-Core.", "Megatron-Core 的选项。";
    IdleNotTensor: "No effect without tensor parallelism.", "未使用张量并行时无效。";
    IdleNotPipeline: "No effect without pipeline parallelism.", "未使用流水线并行时无效。";
    IdleNotContext: "No effect without context parallelism.", "未使用上下文并行时无效。";
    SameOnAll: "same on all", "各 GPU 相同";
    IdleByGpu: "No effect: the processes of each GPU are given.", "已给出各 GPU 的进程数，此项无效。";
    IdleNotExpert: "No effect without expert parallelism.", "未使用专家并行时无效。";
    TensorsWaiting: "The model is run once more, tensor by tensor, when this is in sight\u{2026}", "滚动到此处时会逐个张量地再运行一次模型\u{2026}";
    CompareTitle: "A and B side by side", "A 与 B 对比";
    CompareDiffers: "What differs between A and B", "A 与 B 的差异";
    CompareSame: "A is kept. Change a setting: what is on screen is B.", "已保留 A。修改任一选项，屏幕上的即为 B。";
    CompareNoAnswer: "A has no answer yet.", "A 暂无结果。";
    CompareSwap: "Swap A and B", "交换 A 与 B";
    CompareKeep: "Keep B as A", "把 B 设为 A";
    CompareSettings: "Settings that differ", "不同的选项";
    Method: "Method", "训练方式";
    MethodFull: "Full", "全参数";
    MethodLora: "LoRA", "LoRA";
    MethodQlora: "QLoRA", "QLoRA";
    MethodFrozen: "Frozen parts", "冻结部分";
    NothingToFreeze: "No part of this model is usually frozen.", "该模型没有通常会冻结的部分。";
    TryingValues: "its values are being tried\u{2026}", "正在尝试各个取值\u{2026}";
    DecidedBy: "Decided by:", "取决于：";
    WithoutEffect: "Settings without an effect now", "当前无效的设置";
    Gpus: "GPUs", "GPU 数";
    SetBy: "set:", "设置了：";
    TakeBackOne: "Take back", "撤销此项";
    FindSetting: "Find a setting\u{2026}", "查找设置\u{2026}";
    FindSettingNote: "By the page's names and those of PyTorch, Hugging Face, DeepSpeed, axolotl, Megatron and others.", "可用本页面的名称，也可用 PyTorch、Hugging Face、DeepSpeed、axolotl、Megatron 等的名称。";
    NoSetting: "No setting has this name.", "没有叫这个名字的设置。";
    ChangedSettings: "Changed from the default", "与默认不同";
    Undo: "Undo", "撤销";
    Redo: "Redo", "重做";
    Changes: "Changes", "更改记录";
    NoChanges: "Nothing was changed yet.", "还没有更改。";
    TakeBackTo: "Take back everything up to", "撤销到";
    GoOn: "Go on where you were:", "继续上次的配置：";
    NotNow: "Not now", "暂不";
    GpuShort: "GPU", "显存";
    RamShort: "RAM", "内存";
    Details: "Details", "详情";
    LetGo: "Let go", "取消固定";
    KeyNumber: "on a slider: type its number", "在滑块上：输入数值";
    PlayThrough: "Play through the values", "自动播放各取值";
    Dismiss: "Dismiss this note", "关闭此提示";
    KeyPlay: "on a slider: play through its values, or stop", "在滑块上：自动播放各取值，或停止";
    KeySwitch: "on a slider: to where another phase binds", "在滑块上：到峰值换阶段之处";
    KeyUndo: "take back the last change, or bring it back", "撤销或重做上一次更改";
    KeyPaste: "read a copied error, configuration or file", "读取剪贴板中的报错、配置或文件";
    KeyCompare: "keep this configuration as A, or let A go", "把当前配置保留为 A，或取消对比";
}

/// Why a setting has no effect.
pub const fn idle_reason(idle: Idle) -> Word {
    match idle {
        Idle::LinearModel => Word::IdleLinear,
        Idle::ForwardOnly => Word::IdleForwardOnly,
        Idle::NoOptimizer => Word::IdleNoOptimizer,
        Idle::OneImplementation => Word::IdleOneImplementation,
        Idle::NothingOffloaded => Word::IdleNothingOffloaded,
        Idle::NoWorkers => Word::IdleNoWorkers,
        Idle::NotSdpa => Word::IdleNotSdpa,
        Idle::NotCheckpointed => Word::IdleNotCheckpointed,
        Idle::NoEvaluation => Word::IdleNoEvaluation,
        Idle::NotSelective => Word::IdleNotSelective,
        Idle::NotPacked => Word::IdleNotPacked,
        Idle::SameLengths => Word::IdleSameLengths,
        Idle::NotOfObjective => Word::IdleNotOfObjective,
        Idle::NotTrainer => Word::IdleNotTrainer,
        Idle::NotGenerating => Word::IdleNotGenerating,
        Idle::Images => Word::IdleImages,
        Idle::NoAttention => Word::IdleNoAttention,
        Idle::NoImages => Word::IdleNoImages,
        Idle::NoDecoder => Word::IdleNoDecoder,
        Idle::OneTask => Word::IdleOneTask,
        Idle::NoGraph => Word::IdleNoGraph,
        Idle::Graph => Word::IdleGraph,
        Idle::NoAdapters => Word::IdleNoAdapters,
        Idle::NotPrepared => Word::IdleNotPrepared,
        Idle::NoExperts => Word::IdleNoExperts,
        Idle::NotQuantized => Word::IdleNotQuantized,
        Idle::NotAutocast => Word::IdleNotAutocast,
        Idle::NoSuchOption => Word::IdleNoSuchOption,
        Idle::NoKernels => Word::IdleNoKernels,
        Idle::NoModules => Word::IdleNoModules,
        Idle::NoLiger => Word::IdleNoLiger,
        Idle::OtherDataset => Word::IdleOtherDataset,
        Idle::OneGpu => Word::IdleOneGpu,
        Idle::NotDataParallel => Word::IdleNotDataParallel,
        Idle::NotDdp => Word::IdleNotDdp,
        Idle::NotFsdp => Word::IdleNotFsdp,
        Idle::NotFsdp1 => Word::IdleNotFsdp1,
        Idle::NotFsdp2 => Word::IdleNotFsdp2,
        Idle::NotZero => Word::IdleNotZero,
        Idle::NotStage3 => Word::IdleNotStage3,
        Idle::NotMegatron => Word::IdleNotMegatron,
        Idle::NotTensor => Word::IdleNotTensor,
        Idle::NotPipeline => Word::IdleNotPipeline,
        Idle::NotContext => Word::IdleNotContext,
        Idle::NotExpert => Word::IdleNotExpert,
        Idle::ByGpu => Word::IdleByGpu,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn sources(folder: &Path, text: &mut String) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, text);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                text.push_str(&fs::read_to_string(&path).unwrap_or_default());
            }
        }
    }

    #[test]
    fn every_word_is_shown_somewhere_and_none_is_empty() {
        let mut source = String::new();
        sources(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src"),
            &mut source,
        );
        for (name, word) in Word::ALL {
            let name = format!("Word::{name}");
            let used = source.match_indices(&name).any(|(at, _)| {
                let after = source[at + name.len()..].chars().next();
                !after.is_some_and(char::is_alphanumeric)
            });
            assert!(used, "{name} is shown nowhere");
            for &language in Language::ALL {
                assert!(!word.text(language).trim().is_empty(), "{name} is empty");
            }
        }
    }
}

//! Sentences about configurations: why a key is not followed, what a job's files lack, why a file is not read.

use super::settings::setting_label;
use super::{ByteUnits, Language, amount, message_text};
use crate::ask::Finding;
use crate::configs::{Approximation, Certainty, Differs, Instead, Lack, NoJob, Note, Unread};
use crate::report::{Fit, Otherwise};
use crate::units::Bytes;

/// The sentence about a feature that no scenario can say yet.
pub fn lack_sentence(lack: Lack, language: Language) -> &'static str {
    language.of(match lack {
        Lack::Packing => (
            "Packing here is not modelled: the rows of an evaluation are taken to be packed as those of training are, else samples are of full length.",
            "不支持此处的打包：评估与训练的打包方式相同，否则按最大长度的样本估算。",
        ),
        Lack::Loss => (
            "This loss is not modelled yet: the estimate is of the usual one.",
            "尚未支持该损失：按默认的损失估算。",
        ),
        Lack::Optimizer => (
            "This optimizer, or this option of it, is not modelled: the estimate is of its usual form, or of AdamW.",
            "不支持该优化器或其该选项：按其默认形式或 AdamW 估算。",
        ),
        Lack::Decomposition => (
            "GaLore decomposes whole gradients (torch.linalg.svd) with cuSOLVER, whose workspace only that closed library tells: the estimate is of AdamW. APOLLO, which draws its projections, is modelled.",
            "GaLore 用 cuSOLVER 分解整个梯度（torch.linalg.svd），其工作区大小只有该闭源库知道：按 AdamW 估算。随机投影的 APOLLO 可以估算。",
        ),
        Lack::Attention => (
            "This attention kernel is not modelled yet: the estimate is of flash_attention_2 or sdpa.",
            "尚未支持该注意力内核：按 flash_attention_2 或 sdpa 估算。",
        ),
        Lack::Offload => (
            "What waits on the host or a disk in this way is not modelled yet: it is taken to stay on the GPU.",
            "尚未支持这种卸载：按留在 GPU 上估算。",
        ),
        Lack::Checkpointing => (
            "This choice of what is computed again is not modelled: everything is taken to be kept.",
            "不支持这种激活重计算的选择：按全部保留估算。",
        ),
        Lack::Compile => (
            "Compiled graphs are not modelled: the estimate is of eager execution. A compiler keeps and computes again other activations, and CUDA graphs have private pools.",
            "不支持编译图：按 eager 执行估算。编译器保留与重算的激活会不同，CUDA graphs 使用私有内存池。",
        ),
        Lack::Fp8 => (
            "Computation in 8 bits is not modelled yet: the estimate is of 16 bits.",
            "尚未支持 8 位计算：按 16 位估算。",
        ),
        Lack::Preference => (
            "This way to train by preferences or rewards is not modelled: DPO, KTO, ORPO, CPO, GRPO and reward models of TRL are.",
            "不支持这种偏好或奖励训练：支持 TRL 的 DPO、KTO、ORPO、CPO、GRPO 与奖励模型。",
        ),
        Lack::Generation => (
            "A server that generates on the same GPU is not modelled: say what it takes in hardware.gpu_memory_in_use.",
            "不支持同一 GPU 上的推理服务：请在 hardware.gpu_memory_in_use 中给出其占用。",
        ),
        Lack::Adapter => (
            "These adapters, or this choice of layers, are not modelled: LoRA and DoRA by names are.",
            "不支持该适配器或选层方式：支持按名称选层的 LoRA 与 DoRA。",
        ),
        Lack::Quantization => (
            "This quantization is not modelled: bitsandbytes' 8 and 4 bits are.",
            "不支持该量化方式：支持 bitsandbytes 的 8 位与 4 位。",
        ),
        Lack::LinearExperts => (
            "Experts as single linear layers are not modelled yet: the estimate is of stacked ones, quantized alike.",
            "尚未支持逐个线性层的专家：按同样量化的堆叠专家估算。",
        ),
        Lack::Kernel => (
            "These kernels are not modelled yet: the estimate is of the model's own modules.",
            "尚未支持该内核：按模型自身的模块估算。",
        ),
        Lack::Frozen => (
            "Which parts are trained is not taken from here: name those that are not in frozen.",
            "训练哪些部分不从这里读取：请在 frozen 中列出不训练的部分。",
        ),
        Lack::Parallelism => (
            "This way to divide a job is not modelled from here.",
            "尚不能从这里读取这种并行方式。",
        ),
        Lack::Model => (
            "This change of the model is not modelled: the estimate is of the published model.",
            "尚未支持对模型的这一改动：按已发布的模型估算。",
        ),
        Lack::Lengths => (
            "How long samples are is in the data: seq_len is taken for all of them; set dataset.lengths.",
            "样本长度由数据决定：全部按 seq_len 计；可设置 dataset.lengths。",
        ),
        Lack::Data => (
            "This is not modelled: see seq_len, micro_batch_size, image_size and max_pixels of the scenario.",
            "不支持此项：见场景的 seq_len、micro_batch_size、image_size 与 max_pixels。",
        ),
    })
}

/// The sentence of a note about a job's files.
pub fn note_sentence(note: &Note, language: Language) -> String {
    let (english, chinese) = match note {
        Note::File { key, file } if ["config", "job.config_file"].contains(&key.trim_start_matches('-')) => (
            format!("{key} names {file}, which is the job's main file and is not given: give it, too; without it this is no whole job."),
            format!("{key} 指向 {file}，它是任务的主配置文件，但未提供：请一并提供；缺少它就不是完整的任务。"),
        ),
        Note::File { key, file } => (
            format!("{key} names {file}, which is not given, and what it says is missing: give that file, too, or remove {key} if the job runs without it."),
            format!("{key} 指向 {file}，但未提供该文件，缺少其中的设置：请一并提供；若任务不需要它，请删去 {key}。"),
        ),
        Note::Known { key, file, source } => (
            format!("{key} names {file}, which is not given: it is taken as {source} has it; give the file if yours differs."),
            format!("{key} 指向 {file}，但未提供该文件：按 {source} 中的内容处理；若有改动，请提供该文件。"),
        ),
        Note::Program { program } => (
            format!("{program} is a program that is not known here: its options are listed and not followed."),
            format!("{program} 不是已知的程序：其选项仅列出，未被采用。"),
        ),
        Note::NoModel => (
            "No file says which model: give its config.json, or set model.".to_owned(),
            "没有文件说明模型：请提供其 config.json，或设置 model。".to_owned(),
        ),
        Note::NoLength => (
            "No file says how long sequences are: 2,048 tokens are assumed, or as many as the model takes; set seq_len.".to_owned(),
            "没有文件说明序列长度：按 2,048 个 token（或模型的上限）估算；请设置 seq_len。".to_owned(),
        ),
        Note::NoGpus => (
            "No file says on how many GPUs: give the command line or batch script that starts the job; one GPU is assumed."
                .to_owned(),
            "没有文件说明 GPU 数：请提供启动命令或批处理脚本；按一块 GPU 估算。".to_owned(),
        ),
        Note::LeastGpus { gpus } => (
            format!("No file says on how many GPUs: {gpus} are assumed, the fewest among which it can be divided; set hardware.gpus_per_node."),
            format!("没有文件说明 GPU 数：按各并行维度所需的最少 {gpus} 块估算；可设置 hardware.gpus_per_node。"),
        ),
        Note::Differ { key, used, other } => (
            format!("{key} is {used} in one file and {other} in another, which Trainer refuses; {used} counts here."),
            format!("{key} 在一个文件中为 {used}，在另一个中为 {other}，Trainer 会拒绝；这里采用 {used}。"),
        ),
        Note::AllLogits { framework } => (
            format!("{framework} has a trainer of its own for this, which computes all logits and makes them fp32: the estimate is of TRL's, which takes less."),
            format!("{framework} 为此使用自己的训练器，会计算全部 logits 并转为 fp32：这里按 TRL 的训练器估算，占用较少。"),
        ),
        Note::Differs { framework, how } => return differs(framework, *how, language),
        Note::Earlier { framework, since, key, value } => (
            format!("No file says which version of {framework}: {since} or later is assumed. Before it {key} is {value}, which takes more."),
            format!("没有文件说明 {framework} 的版本：按 {since} 或更高版本估算。此前的版本中 {key} 为 {value}，占用更多。"),
        ),
        Note::NeedsModel { key } => (
            format!("{key} is auto, which follows the model's hidden size: give the model's config.json."),
            format!("{key} 为 auto，取决于模型的隐藏维度：请提供模型的 config.json。"),
        ),
    };
    match language {
        Language::English => english,
        Language::Chinese => chinese,
    }
}

/// A setting that the files of a job say, and that is not estimated beside the others.
pub fn left_out(key: &str, finding: &Finding, language: Language) -> String {
    let why = message_text(&finding.message, language);
    let (english, chinese) = match (key, finding.message.code) {
        ("objective.kind", "objective.models") => (
            " Instead both answers are taken for samples of usual training, whose loss takes less.",
            "两个回答改按普通训练的样本估算，其损失占用较少。",
        ),
        ("parallelism.tp.size", _) => (
            " Instead these ranks shard parameters as FSDP's do, and each has whole activations, which takes more.",
            "这些 rank 改按 FSDP 切分参数，各自持有完整的激活值，占用较多。",
        ),
        _ => ("", ""),
    };
    let name = setting_label(key, language).unwrap_or(key);
    match language {
        Language::English => format!("{name} is left out of the estimate: {why}{english}"),
        Language::Chinese => format!("估算中未计入“{name}”：{why}{chinese}"),
    }
}

/// The settings of a job that are estimated as the nearest that is modelled, behind its verdict; empty without any.
pub fn approximated(all: &[Approximation], language: Language) -> String {
    let unmodeled = || all.iter().filter(|own| own.otherwise.is_none());
    let keys: Vec<&str> = unmodeled().map(|own| own.key.as_str()).collect();
    let keys = keys.join(", ");
    match (Certainty::of(unmodeled()), language) {
        (Certainty::Measured, _) => String::new(),
        (Certainty::Bounded, Language::English) => {
            format!(" At most so: not modelled is what takes less ({keys}).")
        }
        (Certainty::Bounded, Language::Chinese) => {
            format!("此为上限：未建模的设置只会减少占用（{keys}）。")
        }
        (Certainty::Approximated, Language::English) => {
            format!(" Approximately: these settings are not modelled: {keys}.")
        }
        (Certainty::Approximated, Language::Chinese) => {
            format!("此为近似值：以下设置未建模：{keys}。")
        }
    }
}

/// How sure a job's estimate is, behind its verdict, with the setting that each of `all` is estimated as: the most that
/// its `device` needs with an earlier version of its trainer, and the settings that are not modelled. Empty where
/// everything is modelled.
pub fn certainty(
    all: &[Approximation],
    otherwise: Option<&Otherwise>,
    device: &Fit,
    units: ByteUnits,
    language: Language,
) -> String {
    let keys = all.iter().filter(|own| own.otherwise.is_some());
    let keys: Vec<&str> = keys.map(|own| own.key.as_str()).collect();
    let bound = otherwise.map(|of| {
        let risk = device.fits && of.most > device.capacity;
        at_most(of.most, &keys, risk, units, language)
    });
    bound.unwrap_or_default() + &approximated(all, language)
}

/// " At most 11.3 GiB, with an earlier version (lora.kernels)." At `risk` is a job that fits, and does not with that
/// version.
fn at_most(most: Bytes, keys: &[&str], risk: bool, units: ByteUnits, language: Language) -> String {
    let keys = keys.join(", ");
    let most = amount(most, units);
    match (language, risk) {
        (Language::English, true) => {
            format!(" At risk: it needs {most} with an earlier version ({keys}).")
        }
        (Language::English, false) => format!(" At most {most}, with an earlier version ({keys})."),
        (Language::Chinese, true) => format!("有风险：更早的版本需要 {most}（{keys}）。"),
        (Language::Chinese, false) => format!("至多 {most}（更早的版本：{keys}）。"),
    }
}

/// A GPU of a short name that is taken for one of the catalog.
pub fn gpu_taken_for(name: &str, id: &str, language: Language) -> String {
    match language {
        Language::English => {
            format!("{name} is taken for {id}; set hardware.gpu if it is another.")
        }
        Language::Chinese => format!("{name} 按 {id} 处理；若不同，请设置 hardware.gpu。"),
    }
}

/// Why a file is not read.
pub fn unread_sentence(why: &Unread, language: Language) -> String {
    let (english, chinese) = match why {
        Unread::Large { size, most } => (
            format!("{size} bytes are more than a configuration has: {most} are read at most."),
            format!("{size} 字节对配置文件来说过大：最多读取 {most} 字节。"),
        ),
        Unread::Broken { syntax, line: Some(line), reason } => (
            format!("The {syntax} does not hold together at line {line}: {reason}."),
            format!("{syntax} 在第 {line} 行不成立：{reason}。"),
        ),
        Unread::Broken { syntax, line: None, reason } => (
            format!("The {syntax} does not hold together: {reason}."),
            format!("{syntax} 不成立：{reason}。"),
        ),
        Unread::Expands { syntax } => (
            format!("The {syntax} is nested too deeply, or its aliases make too much of it: no configuration does."),
            format!("{syntax} 嵌套过深，或别名展开过大：配置文件不会如此。"),
        ),
        Unread::Other { framework, instead } => {
            let (english, chinese) = instead_of(*instead);
            (
                format!("This is a job of {framework}, which is not covered: {english}"),
                format!("这是 {framework} 的任务，尚不支持：{chinese}"),
            )
        }
        Unread::NoJob(what) => no_job(*what),
        Unread::Unknown => (
            "This is no configuration that is known: TrainingArguments, TRL, PEFT, accelerate, DeepSpeed, axolotl, LLaMA-Factory, torchtune, torchtitan, Megatron-LM, ms-swift, verl, OpenRLHF, a script in Python, a command line or a batch script."
                .to_owned(),
            "不是已知的配置：TrainingArguments、TRL、PEFT、accelerate、DeepSpeed、axolotl、LLaMA-Factory、torchtune、torchtitan、Megatron-LM、ms-swift、verl、OpenRLHF、Python 脚本、命令行或批处理脚本。"
                .to_owned(),
        ),
    };
    let said = match language {
        Language::English => english,
        Language::Chinese => chinese,
    };
    said.replace("..", ".").replace("。。", "。")
}

/// The alternative to a tool that is not covered.
const fn instead_of(instead: Instead) -> (&'static str, &'static str) {
    match instead {
        Instead::Scenario => (
            "write a scenario, or give the model's config.json.",
            "请写场景，或提供模型的 config.json。",
        ),
        Instead::Gpt2 => (
            "estimate gpt2, gpt2-medium, gpt2-large or gpt2-xl, or a config.json of model_type gpt2 with n_layer, n_head, n_embd and n_positions = block_size, with seq_len = block_size, micro_batch_size = batch_size and precision amp_bf16.",
            "请估算 gpt2、gpt2-medium、gpt2-large 或 gpt2-xl，或给出 model_type 为 gpt2、含 n_layer、n_head、n_embd 且 n_positions = block_size 的 config.json，并设 seq_len = block_size、micro_batch_size = batch_size、precision = amp_bf16。",
        ),
        Instead::Generators => (
            "models that generate images, video or sound are not estimated; text encoders, language models and models that read images are.",
            "不估算生成图像、视频或声音的模型；可以估算文本编码器、语言模型与读取图像的模型。",
        ),
        Instead::Vision => (
            "detectors and segmentation models are not estimated; classifiers such as vit, convnext and resnet and models that read images are.",
            "不估算检测与分割模型；可以估算 vit、convnext、resnet 等分类模型与读取图像的模型。",
        ),
        Instead::NotPyTorch => (
            "it does not run on PyTorch, whose memory is estimated here. A scenario of the same model says what PyTorch would need.",
            "它不在 PyTorch 上运行，而这里估算的是 PyTorch 的内存。同一模型的场景可以说明 PyTorch 所需。",
        ),
    }
}

/// A configuration that trains nothing.
fn no_job(what: NoJob) -> (String, String) {
    let (english, chinese) = match what {
        NoJob::Export => ("an export or merge configuration", "导出或合并的配置"),
        NoJob::Inference => ("an inference configuration", "推理的配置"),
        NoJob::Evaluation => ("an evaluation configuration", "评测的配置"),
        NoJob::Quantization => ("a quantization configuration", "量化的配置"),
        NoJob::Cloud => ("a configuration of machines in a cloud", "云端机器的配置"),
        NoJob::Tokens => ("a list of new tokens", "新增词元的列表"),
    };
    (
        format!("This is {english}: it trains nothing. Give the training job's configuration."),
        format!("这是{chinese}：不进行训练。请提供训练任务的配置。"),
    )
}

/// Says how a framework's trainer differs from the estimate, and which way the estimate errs.
fn differs(framework: &str, how: Differs, language: Language) -> String {
    let (english, chinese) = match how {
        Differs::TwoLosses => (
            "has the model compute its loss and computes another one from the same logits, both in fp32: the estimate is of one, which takes about 8 bytes less for each logit.",
            "让模型计算损失后又用同一 logits 计算一次，均为 fp32：这里按一次估算，每个 logit 约少 8 字节。",
        ),
        Differs::AllInFp32 => (
            "makes the logits of all tokens fp32, those of prompts too: the estimate is of TRL's trainer, which takes less.",
            "把所有词元（含提示）的 logits 转为 fp32：这里按 TRL 的训练器估算，占用较少。",
        ),
        Differs::AllIn16Bits => (
            "computes the logits of all tokens, those of prompts too, in 16 bits: the estimate is of TRL's trainer, which computes those of completions.",
            "以 16 位计算所有词元（含提示）的 logits：这里按 TRL 的训练器估算，只计算回答部分。",
        ),
        Differs::Rollout => (
            "generates with an inference engine between the steps: the estimate is of the training step, while that engine has given its memory back.",
            "在步骤之间用推理引擎生成：这里估算训练步骤，此时引擎已释放内存。",
        ),
        Differs::Unpadded => (
            "trains on rows without padding: the estimate is of samples of full length, which takes as much or more.",
            "训练时去除填充：这里按最大长度的样本估算，占用相同或更多。",
        ),
        Differs::HostReference => (
            "keeps the reference in the host's memory and moves it layer by layer: the estimate has none, and the host's memory lacks its share.",
            "把参考模型放在主机内存并逐层搬运：这里不计参考模型，主机内存的估算少其份额。",
        ),
        Differs::OtherLoss => (
            "computes its loss with a kernel of flash-attn where that is installed: the estimate is of PyTorch's, which takes up to 4 bytes more for each logit.",
            "安装了 flash-attn 时用其内核计算损失：这里按 PyTorch 的损失估算，每个 logit 最多多 4 字节。",
        ),
        Differs::Stops => (
            "up to 1.15 stops here with transformers 5.16 and later, which lack a class that it imports for tensor parallelism beside FSDP2: the estimate is of the versions before.",
            "（至 1.15）在 transformers 5.16 及以后会在此报错：其在 FSDP2 与张量并行并用时导入的类已不存在；这里按之前的版本估算。",
        ),
        Differs::FrozenHalf => (
            "keeps the layers that it does not train in 16 bits: the estimate has all weights in fp32, which takes 2 bytes more for each that is not trained.",
            "把不训练的层保留为 16 位：这里所有权重按 fp32 估算，每个不训练的参数多 2 字节。",
        ),
        Differs::Rotations => (
            "rotates the inputs of layers: the estimate is of LoRA with about as many trained parameters, which lacks the rotated copies of the inputs and so takes less.",
            "旋转各层的输入：这里按训练参数量相近的 LoRA 估算，不计旋转后的输入副本，占用较少。",
        ),
        Differs::Critic => (
            "trains a critic, too: the estimate is of the actor alone, which takes less where both are on the same GPU.",
            "还训练价值模型：这里只估算策略模型；两者在同一 GPU 上时占用较少。",
        ),
    };
    match language {
        Language::English => format!("{framework} {english}"),
        Language::Chinese => format!("{framework} {chinese}"),
    }
}

/// The comment above a written configuration: the estimate, and the link to it.
pub fn estimate_comment(answer: &str, detail: &str, link: &str, language: Language) -> Vec<String> {
    let plain = |text: &str| text.replace('\u{a0}', " ");
    let name = match language {
        Language::English => "Highwater's estimate",
        Language::Chinese => "Highwater 的估算",
    };
    vec![
        format!("{name}: {} {}", plain(answer), plain(detail)),
        link.to_owned(),
    ]
}

/// Words about configurations to be pasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigWord {
    /// Configurations to be pasted.
    Title,
    /// The sentence that explains them.
    Help,
    /// The label of the choice of a format.
    Format,
    /// Saves one.
    Save,
}

impl ConfigWord {
    /// The word.
    pub fn text(self, language: Language) -> &'static str {
        language.of(match self {
            Self::Title => ("Configuration", "训练配置"),
            Self::Help => (
                "The configuration on screen as your trainer, launcher or batch system reads it, with the estimate in a comment.",
                "当前配置写成训练器、启动器或作业系统的格式，并以注释附上估算。",
            ),
            Self::Format => ("Format", "格式"),
            Self::Save => ("Save", "保存"),
        })
    }
}

/// Why a scenario is not written in a format.
pub fn nothing_of(format: &str, language: Language) -> String {
    match language {
        Language::English => format!(
            "The scenario has nothing that {format} would say: see lora and parallelism.dp.kind."
        ),
        Language::Chinese => {
            format!("场景中没有 {format} 可表达的内容：见 lora 与 parallelism.dp.kind。")
        }
    }
}

/// The line that says what a format does not.
pub fn unsaid_comment(paths: &[String], language: Language) -> String {
    let paths = paths.join(", ");
    match language {
        Language::English => format!("Not said here: {paths}"),
        Language::Chinese => format!("此处未包含：{paths}"),
    }
}

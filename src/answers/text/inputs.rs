//! The cause of a failure, as a sentence with its reason.

use super::{ByteUnits, Language, Term, amount};
use crate::inputs::{Cause, Holder, Kind, Refused};
use crate::report::Requested;
use crate::units::Bytes;

/// The cause of a failure, and the numbers that say so.
pub fn cause_sentence(cause: &Cause, units: ByteUnits, language: Language) -> String {
    let size = |bytes: u64| amount(Bytes(bytes), units);
    let (english, chinese) = match *cause {
        Cause::Peak {
            requested,
            free,
            unallocated,
        } => {
            let (requested, free, reserved) = (size(requested), size(free), size(unallocated));
            (
                format!(
                    "The peak: {requested} more was asked for; {free} was free, {reserved} reserved beside tensors, and live tensors hold the rest."
                ),
                format!(
                    "峰值：还需要 {requested}；空闲 {free}，已保留未分配 {reserved}，其余都被存活的张量占用。"
                ),
            )
        }
        Cause::LargerThanGpu { requested, total } => {
            let (requested, total) = (size(requested), size(total));
            (
                format!(
                    "The peak: one tensor of {requested} is larger than the whole GPU ({total})."
                ),
                format!("峰值：单个 {requested} 的张量比整块 GPU（{total}）还大。"),
            )
        }
        Cause::Fragmentation {
            requested,
            unallocated,
        } => in_pieces(&size(requested), &size(unallocated)),
        Cause::CacheBlocks { needed, left } => cache_blocks(needed.map(size), left.map(size)),
        Cause::Sleeping { freed, left } => {
            let (freed, left) = (size(freed), size(left));
            (
                format!(
                    "A report of vLLM's sleep mode: it gave back {freed}; {left} of the GPU stays in use meanwhile, by vLLM's context and by the trainer."
                ),
                format!(
                    "vLLM 休眠模式的报告：释放了 {freed}；其间 GPU 上仍占用 {left}（vLLM 的上下文与训练进程）。"
                ),
            )
        }
        Cause::AnotherProcess {
            held,
            missing,
            named,
        } => others(&size(held), &size(missing), named),
        Cause::Leak {
            first,
            last,
            reports,
        } => {
            let (first, last) = (size(first), size(last));
            (
                format!(
                    "A leak: from report to report ({reports}) tensors hold more, {first} at first and {last} at last."
                ),
                format!("泄漏：{reports} 次报告中张量占用只增不减，从 {first} 到 {last}。"),
            )
        }
        Cause::Unexplained { requested, free } => {
            let (requested, free) = (size(requested), size(free));
            (
                format!(
                    "Not told by the numbers: {free} was free for {requested}. Another process may have ended meanwhile, or address space or host memory was short."
                ),
                format!(
                    "数字不能说明：空闲 {free}，只需 {requested}。可能其他进程刚退出，或地址空间、主机内存不足。"
                ),
            )
        }
        Cause::Limit
        | Cause::Library
        | Cause::Driver
        | Cause::Host
        | Cause::SharedMemory
        | Cause::NoNumbers
        | Cause::NotMemory => return language.of(without_numbers(cause)).to_owned(),
    };
    match language {
        Language::English => english,
        Language::Chinese => chinese,
    }
}

/// Fragmentation, in both languages.
fn in_pieces(requested: &str, unallocated: &str) -> (String, String) {
    (
        format!(
            "Fragmentation: {unallocated} was reserved and held by no tensor, but no piece of it had {requested}."
        ),
        format!("碎片：{unallocated} 已保留而未分配，但没有一块够 {requested}。"),
    )
}

/// vLLM without room for its cache, in both languages.
fn cache_blocks(needed: Option<String>, left: Option<String>) -> (String, String) {
    let english = match (needed, &left) {
        (Some(needed), Some(left)) => {
            format!("{left} is left for its cache where a request of full length takes {needed}")
        }
        (_, Some(left)) => format!("{left} is left for its cache"),
        _ => "nothing is left for its cache".to_owned(),
    };
    let chinese = left.map_or_else(|| "没有剩余".to_owned(), |left| format!("只剩 {left}"));
    (
        format!(
            "vLLM's share of the GPU: of gpu_memory_utilization, weights, a trial run's activations and what others hold have taken all but too little: {english}. Raise the share (vllm_gpu_memory_utilization), shorten max_model_len, or have the trainer hold less."
        ),
        format!(
            "vLLM 的显存份额：gpu_memory_utilization 已被权重、试运行的激活值及其他占用用尽，留给 KV 缓存的{chinese}。请提高份额（vllm_gpu_memory_utilization）、缩短 max_model_len，或减少训练进程的占用。"
        ),
    )
}

/// Another process, in both languages.
fn others(held: &str, missing: &str, named: bool) -> (String, String) {
    if named {
        (
            format!("Another process: others on this GPU hold {held}; {missing} was missing."),
            format!("其他进程：它们在这块 GPU 上占用 {held}，只差 {missing}。"),
        )
    } else {
        (
            format!(
                "Another process, or this one's libraries: about {held} of this GPU is held beside PyTorch; {missing} was missing."
            ),
            format!(
                "其他进程，或本进程的库：这块 GPU 上 PyTorch 之外约占用 {held}，只差 {missing}。"
            ),
        )
    }
}

/// Why a file is no snapshot that can be read.
pub fn refused_sentence(refused: Refused, language: Language) -> String {
    let (english, chinese) = match refused {
        Refused::Protocol(protocol) => (
            format!("A pickle of protocol {protocol}; snapshots have 2 to 5."),
            format!("pickle 协议为 {protocol}；快照应为 2 到 5。"),
        ),
        Refused::Broken(place) => (
            format!("The pickle does not hold together at byte {place}: the file is damaged."),
            format!("pickle 在第 {place} 字节处不成立：文件已损坏。"),
        ),
        Refused::Object { opcode, place } => (
            format!(
                "The pickle builds an object at byte {place} (opcode 0x{opcode:02x}), which no snapshot does and which is never run."
            ),
            format!(
                "pickle 在第 {place} 字节处构造对象（操作码 0x{opcode:02x}）：快照不会如此，绝不执行。"
            ),
        ),
        Refused::Opcode { opcode, place } => (
            format!(
                "The pickle has an opcode at byte {place} that no snapshot has (0x{opcode:02x})."
            ),
            format!("pickle 在第 {place} 字节处有快照不用的操作码（0x{opcode:02x}）。"),
        ),
        _ => {
            let (english, chinese) = refused_words(refused);
            (english.to_owned(), chinese.to_owned())
        }
    };
    match language {
        Language::English => english,
        Language::Chinese => chinese,
    }
}

/// The refusals that name no number.
fn refused_words(refused: Refused) -> (&'static str, &'static str) {
    match refused {
        Refused::Zip => (
            "A zip archive, as torch.save writes it: write the snapshot with torch.cuda.memory._dump_snapshot, or unpack data.pkl.",
            "这是 torch.save 写的 zip：请用 torch.cuda.memory._dump_snapshot 写快照，或解压出 data.pkl。",
        ),
        Refused::Compressed => (
            "The file is compressed: decompress it first (gunzip).",
            "文件已压缩：请先解压（gunzip）。",
        ),
        Refused::Truncated => (
            "The file ends in the middle: copy it again.",
            "文件不完整：请重新复制。",
        ),
        Refused::Deep => (
            "The pickle is nested deeper than any snapshot.",
            "pickle 嵌套过深，不是快照。",
        ),
        Refused::TooMuch => (
            "The pickle has more values than can be read: record fewer events (max_entries).",
            "pickle 中的值过多：请减少记录的事件（max_entries）。",
        ),
        Refused::NoSnapshot => (
            "A pickle, but no snapshot: it has neither segments nor device_traces.",
            "这是 pickle，但不是快照：没有 segments 和 device_traces。",
        ),
        _ => (
            "No snapshot: torch.cuda.memory._dump_snapshot writes a pickle of protocol 2 to 5.",
            "不是快照：torch.cuda.memory._dump_snapshot 写的是协议 2 到 5 的 pickle。",
        ),
    }
}

/// The sentences that have no numbers.
fn without_numbers(cause: &Cause) -> (&'static str, &'static str) {
    match cause {
        Cause::Limit => (
            "A limit: what was set for this process or one buffer is used up, not the GPU.",
            "限额：用尽的是为本进程或单个缓冲区设定的上限，而不是 GPU。",
        ),
        Cause::Library => (
            "Memory in disguise, most likely: a library asks for its own while the caching allocator has reserved the rest.",
            "很可能也是显存不足：其余已被缓存分配器保留，库自身的申请失败。",
        ),
        Cause::Driver => (
            "The driver had no GPU memory left for a request beside PyTorch's allocator: a context as a process starts, a kernel's own memory, a library, or pinned host memory. Other processes or ranks on the same GPU are the usual reason (nvidia-smi lists them).",
            "驱动已无显存可分配给 PyTorch 分配器之外的请求：进程启动时的上下文、内核自身的内存、程序库，或锁页主机内存。常见原因是同一 GPU 上还有其他进程或 rank（可用 nvidia-smi 查看）。",
        ),
        Cause::Host => (
            "The host: its RAM, or the limit of the job or container, was used up, not the GPU's memory.",
            "主机：耗尽的是主机内存（或作业、容器的限额），不是显存。",
        ),
        Cause::SharedMemory => (
            "The host's shared memory: /dev/shm is full, through which workers and ranks pass data.",
            "主机共享内存：工作进程和各 rank 传数据用的 /dev/shm 已满。",
        ),
        Cause::NotMemory => (
            "Most likely not memory: the text names another reason.",
            "很可能不是内存问题：文中另有原因。",
        ),
        _ => (
            "GPU memory; the text has no numbers that tell more.",
            "显存不足；文中没有更多数字可供判断。",
        ),
    }
}

/// The name of a kind of text: "PyTorch ran out of GPU memory".
pub fn kind_name(kind: Kind, language: Language) -> &'static str {
    language.of(match kind {
        Kind::Summary => ("PyTorch's memory_summary()", "PyTorch 的 memory_summary()"),
        Kind::DeepspeedLog => ("DeepSpeed's report on memory", "DeepSpeed 的内存报告"),
        Kind::Cublas | Kind::Cudnn | Kind::Cusolver | Kind::Nccl => {
            ("A library's failure on the GPU", "GPU 程序库出错")
        }
        Kind::CpuAlloc
        | Kind::Mmap
        | Kind::Numpy
        | Kind::HostMemory
        | Kind::WinPagefile
        | Kind::Fork => ("Host memory ran out", "主机内存不足"),
        Kind::CudaDriver => ("The driver ran out of GPU memory", "驱动显存不足"),
        Kind::VllmCache | Kind::VllmStart => ("vLLM has too little GPU memory", "vLLM 显存不足"),
        Kind::VllmSleep => ("vLLM's sleep mode", "vLLM 休眠模式"),
        Kind::SharedMemory => (
            "Shared memory (/dev/shm) ran out",
            "共享内存（/dev/shm）不足",
        ),
        Kind::WorkerKilled | Kind::WorkerExited => (
            "A worker of a DataLoader ended",
            "DataLoader 的工作进程退出",
        ),
        Kind::HostKill
        | Kind::KernelKill
        | Kind::SlurmKill
        | Kind::BatchKill
        | Kind::K8sKill
        | Kind::RayKill => ("The system ended the process", "进程被系统终止"),
        _ => ("PyTorch ran out of GPU memory", "PyTorch 显存不足"),
    })
}

/// Who holds a part of the GPU.
pub fn holder_name(holder: Holder, language: Language) -> &'static str {
    language.of(match holder {
        Holder::Tensors => ("Tensors", "张量"),
        Holder::Unallocated => ("Reserved, in no tensor", "已保留，未分配"),
        Holder::Process => ("This process beside PyTorch", "本进程，PyTorch 之外"),
        Holder::Others => ("Other processes", "其他进程"),
        Holder::Rest => ("Not told", "未说明"),
        Holder::Free => ("Free", "空闲"),
    })
}

/// The tensor that a request may have been for: "backward: gradients layers.*.mlp (mm), 172 MiB × 96".
pub fn requested_sentence(found: &Requested, units: ByteUnits, language: Language) -> String {
    let phase = found.phase.term(language);
    let category = found.category.term(language);
    let (times, bytes) = (found.times, amount(found.bytes, units));
    let module = match found.module.as_str() {
        "" => String::new(),
        module => format!(" {module}"),
    };
    let operation = match found.operation {
        "" => String::new(),
        operation => format!(" ({operation})"),
    };
    format!("{phase}: {category}{module}{operation}, {bytes} × {times}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_has_its_numbers_in_both_languages() {
        let cause = Cause::Fragmentation {
            requested: 2 << 30,
            unallocated: 5 << 30,
        };
        for language in [Language::English, Language::Chinese] {
            let said = cause_sentence(&cause, ByteUnits::Binary, language).replace('\u{a0}', " ");
            assert!(
                said.contains("2.00 GiB") && said.contains("5.00 GiB"),
                "{said}"
            );
        }
    }
}

//! What a failure was, as a sentence with its reason.

use super::{ByteUnits, Language, amount};
use crate::inputs::Cause;
use crate::units::Bytes;

/// What a failure was, and the numbers that say so.
pub fn cause_sentence(cause: &Cause, units: ByteUnits, language: Language) -> String {
    let size = |bytes: u64| amount(Bytes(bytes), units);
    match *cause {
        Cause::Peak {
            requested,
            free,
            unallocated,
        } => {
            let (requested, free, reserved) = (size(requested), size(free), size(unallocated));
            match language {
                Language::English => format!(
                    "The peak: {requested} more was asked for; {free} was free, {reserved} reserved beside tensors, and live tensors hold the rest."
                ),
                Language::Chinese => format!(
                    "峰值：还需要 {requested}；空闲 {free}，已保留未分配 {reserved}，其余都被存活的张量占用。"
                ),
            }
        }
        Cause::LargerThanGpu { requested, total } => {
            let (requested, total) = (size(requested), size(total));
            match language {
                Language::English => format!(
                    "The peak: one tensor of {requested} is larger than the whole GPU ({total})."
                ),
                Language::Chinese => {
                    format!("峰值：单个 {requested} 的张量比整块 GPU（{total}）还大。")
                }
            }
        }
        Cause::Fragmentation {
            requested,
            unallocated,
            little,
        } => {
            let (requested, unallocated) = (size(requested), size(unallocated));
            match (language, little) {
                (Language::English, false) => format!(
                    "Fragmentation: {unallocated} was reserved and held by no tensor, but no piece of it had {requested}."
                ),
                (Language::English, true) => format!(
                    "Fragmentation at the peak: no piece of the {unallocated} reserved beside tensors had {requested}, but live tensors hold nearly all of the GPU."
                ),
                (Language::Chinese, false) => {
                    format!("碎片：{unallocated} 已保留而未分配，但没有一块够 {requested}。")
                }
                (Language::Chinese, true) => format!(
                    "峰值处的碎片：未分配的 {unallocated} 中没有一块够 {requested}，但几乎整块 GPU 都被存活的张量占用。"
                ),
            }
        }
        Cause::AnotherProcess {
            held,
            missing,
            named,
        } => {
            let (held, missing) = (size(held), size(missing));
            match (language, named) {
                (Language::English, true) => format!(
                    "Another process: others on this GPU hold {held}; {missing} was missing."
                ),
                (Language::English, false) => format!(
                    "Another process, or this one's libraries: about {held} of this GPU is held beside PyTorch; {missing} was missing."
                ),
                (Language::Chinese, true) => {
                    format!("其他进程：它们在这块 GPU 上占用 {held}，只差 {missing}。")
                }
                (Language::Chinese, false) => format!(
                    "其他进程，或本进程的库：这块 GPU 上 PyTorch 之外约占用 {held}，只差 {missing}。"
                ),
            }
        }
        Cause::Leak {
            first,
            last,
            reports,
        } => {
            let (first, last) = (size(first), size(last));
            match language {
                Language::English => format!(
                    "A leak: from report to report ({reports}) tensors hold more, {first} at first and {last} at last."
                ),
                Language::Chinese => {
                    format!("泄漏：{reports} 次报告中张量占用只增不减，从 {first} 到 {last}。")
                }
            }
        }
        Cause::Unexplained { requested, free } => {
            let (requested, free) = (size(requested), size(free));
            match language {
                Language::English => format!(
                    "Not told by the numbers: {free} was free for {requested}. Another process may have ended meanwhile, or address space or host memory was short."
                ),
                Language::Chinese => format!(
                    "数字不能说明：空闲 {free}，只需 {requested}。可能其他进程刚退出，或地址空间、主机内存不足。"
                ),
            }
        }
        Cause::Limit
        | Cause::Library
        | Cause::Host
        | Cause::SharedMemory
        | Cause::NoNumbers
        | Cause::NotMemory => language.of(without_numbers(cause)).to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_has_its_numbers_in_both_languages() {
        let cause = Cause::Fragmentation {
            requested: 2 << 30,
            unallocated: 5 << 30,
            little: false,
        };
        for language in [Language::English, Language::Chinese] {
            let said = cause_sentence(&cause, ByteUnits::Binary, language);
            assert!(said.contains("2.00 GiB") && said.contains("5.00 GiB"), "{said}");
        }
    }
}

//! Failures of host memory, by the words of those who report them.

use super::facts::Facts;
use super::kind::Kind;
use super::plain::Span;
use super::size::{Size, integer, leading, trailing, unsigned};

/// The memory that was short, as facts say it.
pub(super) const HOST: &str = "host";

/// The reader of the text behind some words.
type Reader = fn(Span, &mut Facts);

/// The words that say most, in lower case. The first line that a text has decides, whose wording is the most telling;
/// among its places in the text the first that is read.
const WORDS: &[(&str, Kind, Reader)] = &[
    // `c10/core/impl/alloc_cpu.cpp` of 1.0 to 2.15, `TH/THGeneral.c` of 0.x.
    ("defaultcpuallocator:", Kind::CpuAlloc, tried),
    ("torch: not enough memory:", Kind::CpuAlloc, tried),
    ("enforce fail at alloc_cpu", Kind::CpuAlloc, tried),
    ("enforce fail at cpuallocator", Kind::CpuAlloc, tried),
    // `torch/csrc/DataLoader.cpp` and `torch/utils/data/dataloader.py` of 0.4 to 2.15.
    ("dataloader worker (pid", Kind::WorkerKilled, worker),
    // `aten/src/ATen/MapAllocator.cpp` of 1.0 to 2.15, `TH/THAllocator.c` before.
    (
        "unable to allocate shared memory",
        Kind::SharedMemory,
        nothing,
    ),
    (
        "unexpected bus error encountered",
        Kind::SharedMemory,
        nothing,
    ),
    (
        "unable to write to file </torch_",
        Kind::SharedMemory,
        nothing,
    ),
    ("unable to open shared memory", Kind::SharedMemory, nothing),
    ("unable to resize file", Kind::SharedMemory, nothing),
    ("out of shared memory", Kind::SharedMemory, nothing),
    ("insufficient shared memory", Kind::SharedMemory, nothing),
    // NCCL's `src/misc/shmutils.cc` of 2.8 to 2.27.
    (
        "creating shared memory segment",
        Kind::SharedMemory,
        segment,
    ),
    ("failed to extend /dev/shm", Kind::SharedMemory, extended),
    (
        "unable to mmap memory: you tried to mmap",
        Kind::Mmap,
        amount,
    ),
    ("unable to mmap", Kind::Mmap, amount),
    // Ray's `src/ray/common/memory_monitor.cc` of 2.2 to 2.50.
    ("memory on the node (ip", Kind::RayKill, ray),
    ("killed due to memory pressure", Kind::RayKill, nothing),
    ("running low on memory", Kind::RayKill, nothing),
    // NumPy's `_core/_exceptions.py`, Arrow's `memory_pool.cc`, C++ and Python.
    ("unable to allocate", Kind::Numpy, array),
    ("arraymemoryerror", Kind::Numpy, nothing),
    ("malloc of size", Kind::HostMemory, whole),
    ("realloc of size", Kind::HostMemory, whole),
    ("std::bad_alloc", Kind::HostMemory, nothing),
    ("memoryerror", Kind::HostMemory, nothing),
    ("winerror 1455", Kind::WinPagefile, nothing),
    ("paging file is too small", Kind::WinPagefile, nothing),
    // The kernel's `mm/oom_kill.c` of Linux 3.10 to 6.12.
    ("out of memory: kill", Kind::KernelKill, killed),
    ("oom-kill:constraint", Kind::KernelKill, task),
    ("killed process", Kind::KernelKill, named),
    ("invoked oom-killer", Kind::KernelKill, nothing),
    ("oom killer", Kind::KernelKill, nothing),
    ("oom-killed", Kind::KernelKill, nothing),
    ("systemd-oomd killed", Kind::KernelKill, nothing),
    // Slurm's `src/slurmd/slurmstepd` of 17 to 24, LSF and PBS.
    ("oom-kill event", Kind::SlurmKill, nothing),
    ("oom-kill", Kind::KernelKill, nothing),
    ("oom_kill event", Kind::SlurmKill, nothing),
    ("oom killed", Kind::SlurmKill, nothing),
    ("exceeded job memory limit", Kind::SlurmKill, nothing),
    ("exceeded step memory limit", Kind::SlurmKill, nothing),
    ("exceeded memory limit (", Kind::SlurmKill, nothing),
    ("memory limit exceeded", Kind::BatchKill, nothing),
    ("out_of_memory", Kind::SlurmKill, nothing),
    ("cgroup out-of-memory handler", Kind::SlurmKill, nothing),
    ("term_memlimit", Kind::BatchKill, nothing),
    ("reaching lsf memory usage limit", Kind::BatchKill, nothing),
    ("pbs: job killed: mem", Kind::BatchKill, nothing),
    ("exceeded request_memory", Kind::BatchKill, nothing),
    ("oomkilled", Kind::K8sKill, exit),
    ("low on resource: memory", Kind::K8sKill, nothing),
    // Notebooks and pools of processes.
    ("using all available ram", Kind::HostKill, nothing),
    (
        "tried to allocate more memory than is",
        Kind::HostKill,
        nothing,
    ),
    ("perhaps out of memory?", Kind::HostKill, nothing),
    ("excessive memory usage", Kind::WorkerExited, nothing),
    ("status=9/kill", Kind::HostKill, nothing),
    ("fork: cannot allocate memory", Kind::Fork, nothing),
    ("errno 12] cannot allocate memory", Kind::Fork, nothing),
    ("cannot allocate memory", Kind::HostMemory, nothing),
];

/// Reads a text about the host's memory.
pub(super) fn read(text: Span, killed_alone: bool) -> Option<(Kind, Facts)> {
    for (words, kind, reader) in WORDS {
        let Some(found) = own(words, text) else {
            continue;
        };
        let mut facts = Facts {
            place: Some(HOST),
            ..Facts::default()
        };
        reader(found.first(600), &mut facts);
        let gone = *kind == Kind::WorkerKilled && facts.signal.is_none();
        let kind = if gone { Kind::WorkerExited } else { *kind };
        return Some((kind, facts));
    }
    let code = exit_code(text).or_else(|| tasks_of_slurm(text));
    let killed = killed_alone || killed_in_a_script(text);
    let (kind, exit) = code.or(killed.then_some((Kind::HostKill, None)))?;
    let facts = Facts {
        place: Some(HOST),
        exit,
        ..Facts::default()
    };
    Some((kind, facts))
}

/// The text behind the first of some words that is not another's.
fn own<'a>(words: &str, text: Span<'a>) -> Option<Span<'a>> {
    let mut rest = text;
    loop {
        rest = rest.after(words)?;
        if !is_foreign(words, text, rest) {
            return Some(rest);
        }
    }
}

/// Words that others use, too: a state of Slurm's against a driver's error code, Python's error against
/// PyTorch's, an array's memory against any.
fn is_foreign(words: &str, text: Span, found: Span) -> bool {
    let before = text.until(text.text.len() - found.text.len() - words.len());
    match words {
        "out_of_memory" | "memoryerror" => before
            .lower
            .ends_with(|c: char| c == '_' || c.is_alphanumeric()),
        "killed process" => !found.first(200).has("total-vm"),
        "unable to allocate" => !found.first(80).has("array"),
        "out of memory: kill" => before.last(40).has("cuda"),
        _ => false,
    }
}

fn nothing(_: Span, _: &mut Facts) {}

/// `... you tried to allocate 31850496000 bytes.`
fn tried(found: Span, facts: &mut Facts) {
    let amount = found.after("tried to allocate");
    facts.requested = amount.and_then(|span| leading(span.text)?.bytes());
}

/// `unable to mmap 280 bytes from file`
fn amount(found: Span, facts: &mut Facts) {
    facts.requested = leading(found.text).and_then(Size::bytes);
}

/// `malloc of size 1073741824 failed`
fn whole(found: Span, facts: &mut Facts) {
    facts.requested = unsigned(found.text);
}

/// `Error while creating shared memory segment /dev/shm/nccl-KWfVyt (size 5967872)`
fn segment(found: Span, facts: &mut Facts) {
    facts.requested = found.after("(size").and_then(|span| unsigned(span.text));
}

/// `failed to extend /dev/shm/nccl-fjwOOB to 5967876 bytes`
fn extended(found: Span, facts: &mut Facts) {
    facts.requested = found
        .after(" to ")
        .and_then(|span| leading(span.text)?.bytes());
}

/// `Unable to allocate 7.91 GiB for an array with shape (1396913, 190, 4)`
fn array(found: Span, facts: &mut Facts) {
    facts.requested = leading(found.text).and_then(Size::bytes);
}

/// The system's names of signals (`strsignal` of glibc).
const SIGNALS: [&str; 9] = [
    "Killed",
    "Bus error",
    "Segmentation fault",
    "Aborted",
    "Terminated",
    "Illegal instruction",
    "Floating point exception",
    "Interrupt",
    "Hangup",
];

/// `DataLoader worker (pid 3002) is killed by signal: Bus error.`, `DataLoader worker (pid(s) 77, 78) exited
/// unexpectedly`, `... with exit code 1.`
fn worker(found: Span, facts: &mut Facts) {
    let digit = found.lower.find(|c: char| c.is_ascii_digit());
    facts.pid = digit.and_then(|at| unsigned(found.from(at).text));
    let own = found.first(200);
    if let Some(signal) = own.after("by signal:") {
        let named = SIGNALS.into_iter().find(|name| {
            let start = signal.lower.trim_start();
            start.starts_with(&name.to_ascii_lowercase())
        });
        let words = || signal.text.split('.').next().unwrap_or_default().trim();
        let name = named.map_or_else(|| words().to_owned(), str::to_owned);
        facts.signal = Some(name);
    } else if let Some(code) = own.after("exit code") {
        facts.exit = integer(code.text);
    }
}

/// `... memory used=11.15GB) was running was 12.49GB / 13.15GB (0.950003), which exceeds`. (Ray's GB is 2^30:
/// `FormatBytes` divides by 1024.)
fn ray(found: Span, facts: &mut Facts) {
    let bytes = |span: Span| leading(span.text)?.bytes();
    facts.task_used = found.after("memory used").and_then(bytes);
    if let Some(was) = found.after("was running was") {
        facts.host_used = bytes(was);
        facts.host_total = was.after("/").and_then(bytes);
    }
}

/// `Killed process 15784 (python3) total-vm:11964kB, anon-rss:4288kB, file-rss:3028kB, shmem-rss:0kB`
fn killed(found: Span, facts: &mut Facts) {
    facts.pid = found.after("process").and_then(|span| unsigned(span.text));
    let part = |words: &str| leading(found.after(words)?.text)?.bytes();
    let parts = ["anon-rss", "file-rss", "shmem-rss"].map(part);
    if parts.iter().any(Option::is_some) {
        let sum = parts.into_iter().flatten().fold(0, u64::saturating_add);
        facts.task_used = Some(sum);
    }
}

/// `Killed process 15784 (python3) total-vm:11964kB, ...`, without the line before it.
fn named(found: Span, facts: &mut Facts) {
    killed(found, facts);
    facts.pid = unsigned(found.text);
}

/// `oom-kill:constraint=CONSTRAINT_MEMCG,...,task=python3,pid=25315,uid=0`
fn task(found: Span, facts: &mut Facts) {
    facts.pid = found.after("pid=").and_then(|span| unsigned(span.text));
}

/// `Reason: OOMKilled Exit Code: 137`
fn exit(found: Span, facts: &mut Facts) {
    facts.exit = exit_code(found).and_then(|(_, code)| code);
}

/// Words before the code of a process that a signal ended (`torch/distributed/elastic`, DeepSpeed's and
/// accelerate's launchers, Python's `subprocess`, Docker, shells).
const CODES: [&str; 11] = [
    "exitcode",
    "exited (",
    "exit code",
    "exited with code",
    "exited with",
    "exit status",
    "status code",
    "return code",
    "returncode",
    "sigkill",
    "signal",
];

/// The code of a process that SIGKILL ended: -9, 137, or 9 behind a signal's name.
fn exit_code(text: Span) -> Option<(Kind, Option<i64>)> {
    for words in CODES {
        let mut rest = text;
        while let Some(next) = rest.after(words) {
            let found = next.text.trim_start_matches([' ', ':', '=', '>']);
            let number = integer(found);
            let signal = matches!(words, "sigkill" | "signal");
            if matches!(number, Some(-9 | 137)) || (signal && number == Some(9)) {
                return Some((Kind::HostKill, number));
            }
            let named = ["sigkill", "killed"].into_iter();
            if words == "signal" && named.into_iter().any(|name| starts(found, name)) {
                return Some((Kind::HostKill, None));
            }
            rest = next;
        }
    }
    None
}

/// `train.sh: line 28:  8156 Killed                  python3 main.py`
fn killed_in_a_script(text: Span) -> bool {
    let mut rest = text;
    while let Some(next) = rest.after(" killed ") {
        let before = rest.until(rest.text.len() - next.text.len() - " killed ".len());
        let before = before.last(30);
        if before.has("line ") && before.lower.ends_with(|c: char| c.is_ascii_digit()) {
            return true;
        }
        rest = next;
    }
    false
}

fn starts(text: &str, word: &str) -> bool {
    text.get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// `srun: error: gpu20-15: task 0: Out Of Memory`, `srun: error: node3: tasks 0-3: Killed`
fn tasks_of_slurm(text: Span) -> Option<(Kind, Option<i64>)> {
    let ends = [": out of memory", ": killed"].into_iter();
    let mut before = ends.filter_map(|words| text.before(words));
    let task = before.any(|span| span.last(30).has("task"));
    task.then_some((Kind::SlurmKill, None))
}

/// DeepSpeed's `see_memory_usage` (`deepspeed/runtime/utils.py` of 0.5 to 0.18): what tensors held at each of its
/// lines, and the last line's numbers.
pub(super) fn deepspeed(text: Span) -> Option<(Vec<u64>, Facts)> {
    let mut held = Vec::new();
    let mut facts = Facts::default();
    let mut rest = text;
    while let Some(line) = rest.after(" max_ma ") {
        let before = rest.until(rest.text.len() - line.text.len() - " max_ma ".len());
        let near = line.first(120);
        let bytes = |span: Span| leading(span.text)?.bytes();
        facts.allocated = trailing(before.text).and_then(Size::bytes);
        facts.peak_allocated = bytes(line);
        facts.reserved = near.after(" ca ").and_then(bytes);
        facts.peak_reserved = near.after("max_ca ").and_then(bytes);
        held.extend(facts.allocated);
        rest = line;
    }
    if let Some(line) = text.after("cpu virtual memory:").map(|span| span.first(80)) {
        facts.host_used = line
            .after("used")
            .and_then(|span| leading(span.text)?.bytes());
        let percent = line.after("percent").map(|span| span.lower);
        let number = percent.and_then(|text| {
            let text = text.trim_start_matches([' ', '=', ':']);
            let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
            text[..end.unwrap_or(text.len())].parse().ok()
        });
        facts.host_percent = number;
    }
    let any = !held.is_empty() || facts.host_used.is_some();
    any.then_some((held, facts))
}

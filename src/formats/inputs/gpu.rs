//! Messages of PyTorch's caching allocators.
//!
//! After `c10/cuda/CUDACachingAllocator.cpp` of 1.0 to 2.15 and the builds for other devices that print like it
//! (HIP, XPU, NPU), `c10/cuda/CUDAMallocAsyncAllocator.cpp` and `aten/src/ATen/mps/MPSAllocator.mm`.

use super::facts::{Facts, Process};
use super::kind::Kind;
use super::plain::{Plain, Span};
use super::size::{Size, leading, trailing, unsigned};

/// A message and where it stands.
pub(super) struct Message {
    /// Its first byte in the plain text.
    pub at: usize,
    /// Its wording.
    pub kind: Kind,
    /// Its numbers.
    pub facts: Facts,
}

/// The longest that a message is: some processes share a GPU, each with a sentence of its own.
const LONGEST: usize = 4000;
/// How far "out of memory" is before the requested amount: MPS says three amounts between.
const HEAD: usize = 180;
/// How soon the next part of a message follows.
const NEAR: usize = 80;

/// Every message of an allocator, in order.
pub(super) fn messages(plain: &Plain) -> Vec<Message> {
    let all = plain.all();
    let mut found = Vec::new();
    for (words, reader) in READERS {
        let (mut from, mut done) = (0, 0);
        while let Some(next) = all.lower[from..].find(words) {
            let at = from + next;
            from = at + words.len();
            let body = all.from(from).first(LONGEST);
            let body = body.before(words).unwrap_or(body);
            let head = all.from(done).until(at - done).last(HEAD);
            if let Some((kind, mut facts)) = reader(head, body) {
                facts.derive();
                found.push(Message { at, kind, facts });
                done = from;
            }
        }
    }
    found.sort_by_key(|message| message.at);
    found
}

type Reader = fn(Span, Span) -> Option<(Kind, Facts)>;

/// Texts within messages, and the readers of the text before and after them.
const READERS: [(&str, Reader); 5] = [
    ("tried to allocate", tried),
    ("allocation was preemptively rejected", rejected),
    ("would exceed allowed memory", asynchronous),
    ("invalid buffer size:", apples_largest),
    ("could not allocate tensor with", direct_ml),
];

/// `CUDA out of memory. Tried to allocate 2.00 GiB ...`
fn tried(head: Span, body: Span) -> Option<(Kind, Facts)> {
    if head.lower.trim_end().ends_with("you") {
        return None;
    }
    let (vendor, named) = match head.lower.rfind("out of memory") {
        Some(at) => (vendor(head.until(at)), true),
        None if head.has("current platform can not allocate") => (Vendor::Xpu, true),
        None => (Vendor::Cuda, head.has("outofmemoryerror")),
    };
    if body.lower.trim_start().starts_with("more than 1eb") {
        return Some((Kind::CudaOneEb, Facts::default()));
    }
    let mut facts = Facts {
        requested: leading(body.text)?.bytes(),
        ..Facts::default()
    };
    if vendor == Vendor::Mps {
        apples(head, &mut facts);
        return Some((Kind::Mps, facts));
    }
    let wording = if in_brackets(body, &mut facts) {
        Wording::Brackets
    } else if in_sentences(body, &mut facts) {
        Wording::Sentences
    } else {
        Wording::Shortened
    };
    let readable = named || (wording != Wording::Shortened && facts.total.is_some());
    readable.then(|| (kind(vendor, wording, head, body, &facts), facts))
}

/// How the numbers are arranged.
#[derive(Clone, Copy, PartialEq)]
enum Wording {
    /// Until 2.0: `(GPU 0; 10.92 GiB total capacity; ...)`.
    Brackets,
    /// Since 2.1: `GPU 0 has a total capacity of ...`.
    Sentences,
    /// By hand.
    Shortened,
}

/// The vendor of the memory.
#[derive(Clone, Copy, PartialEq)]
enum Vendor {
    Cuda,
    Hip,
    Npu,
    Xpu,
    Mps,
    Other,
}

fn vendor(before: Span) -> Vendor {
    let last = |c: char| !c.is_ascii_alphanumeric();
    let words = before.lower.trim_end();
    let words = words.strip_suffix(" backend").unwrap_or(words);
    match words.rsplit(last).next().unwrap_or_default() {
        "hip" => Vendor::Hip,
        "npu" => Vendor::Npu,
        "xpu" => Vendor::Xpu,
        "mps" => Vendor::Mps,
        "musa" | "mlu" | "gcu" | "hpu" | "ppu" => Vendor::Other,
        _ => Vendor::Cuda,
    }
}

fn kind(vendor: Vendor, wording: Wording, head: Span, body: Span, facts: &Facts) -> Kind {
    match vendor {
        Vendor::Hip => return Kind::Hip,
        Vendor::Npu => return Kind::Npu,
        Vendor::Xpu => return Kind::Xpu,
        Vendor::Other => return Kind::OtherDevice,
        Vendor::Cuda | Vendor::Mps => {}
    }
    let typed = head.has("outofmemoryerror");
    let old_hint = body.has("max_split_size_mb");
    match wording {
        Wording::Brackets if facts.derived_reserved.is_some() => Kind::Cuda1Cached,
        Wording::Brackets if typed => Kind::Cuda20,
        Wording::Brackets if old_hint => Kind::Cuda1Hint,
        Wording::Brackets => Kind::Cuda1,
        Wording::Sentences if body.has("total capacty") || old_hint => Kind::Cuda21,
        Wording::Sentences if !body.has("capacity") => Kind::CudaShortened,
        Wording::Sentences => {
            let ends = body.has("see documentation") && !body.has("pytorch.org");
            let old = head.has("cuda.outofmemoryerror") && ends;
            if old { Kind::Cuda22 } else { Kind::Cuda25 }
        }
        Wording::Shortened => Kind::CudaShortened,
    }
}

/// `(GPU 0; 10.92 GiB total capacity; 8.57 MiB already allocated; 9.28 GiB free; 4.68 MiB cached)`
fn in_brackets(body: Span, facts: &mut Facts) -> bool {
    let Some(open) = body.first(NEAR).lower.find('(') else {
        return false;
    };
    let inside = body.from(open + 1);
    let inside = inside.before(")").unwrap_or(inside).first(HEAD * 3);
    let mut parts = inside.lower.split(';');
    let device = parts.next().unwrap_or_default();
    let digits = device.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    facts.device = unsigned(digits);
    let mut any = false;
    for part in parts {
        let Some(Size::Bytes(bytes)) = leading(part) else {
            continue;
        };
        let place = if part.contains("capacity") {
            &mut facts.total
        } else if part.contains("already allocated") {
            &mut facts.allocated
        } else if part.contains("active") {
            &mut facts.active
        } else if part.contains("cached") {
            &mut facts.reserved_unallocated
        } else if part.contains("reserved") {
            &mut facts.reserved
        } else if part.contains("allowed") {
            &mut facts.allowed
        } else if part.contains("free") {
            &mut facts.free
        } else {
            continue;
        };
        *place = Some(bytes);
        any = true;
    }
    if facts.reserved.is_none() {
        facts.derived_reserved = facts.in_segments();
    }
    any
}

/// `GPU 0 has a total capacity of 4.00 GiB of which 2.35 GiB is free. Of the allocated memory ...`
fn in_sentences(body: Span, facts: &mut Facts) -> bool {
    let before = |words: &str| {
        let span = body.before(words)?;
        trailing(span.text)?.bytes()
    };
    let Some(at) = body.first(NEAR).lower.find("gpu") else {
        return false;
    };
    let gpu = body.from(at + "gpu".len());
    let Some(has) = gpu.first(NEAR).after("has") else {
        return false;
    };
    facts.device = unsigned(gpu.text);
    let digit = has.lower.find(|c: char| c.is_ascii_digit());
    facts.total = digit.and_then(|at| leading(has.from(at).text)?.bytes());
    facts.free = before("is free");
    facts.allowed = before("allowed;");
    facts.allocated = before("is allocated by pytorch");
    facts.private_pools = before("allocated in private pools");
    let reserved = ["is reserved by pytorch but", "reserved by pytorch but"];
    facts.reserved_unallocated = reserved.into_iter().find_map(before);
    let reserve = body.after("expandable-segment reserve of");
    facts.segment_reserve = reserve.and_then(|span| leading(span.text)?.bytes());
    processes(body, facts);
    facts.total.is_some() || facts.free.is_some()
}

/// `Process 6324 has 8.06 GiB memory in use. Including non-PyTorch memory, this process has ...`
fn processes(body: Span, facts: &mut Facts) {
    let mut others = Vec::new();
    let mut this = false;
    let mut rest = body;
    while let Some(next) = rest.after("process ") {
        let words = rest.until(rest.text.len() - next.text.len()).lower;
        let own = words.ends_with("this process ");
        rest = next;
        let digits = next.text.trim_start_matches(|c: char| c.is_ascii_digit());
        let Some(has) = digits.trim_start().strip_prefix("has") else {
            continue;
        };
        match (own, leading(has), unsigned(next.text)) {
            (true, Some(Size::Bytes(bytes)), _) => {
                this = true;
                facts.process_used = Some(bytes);
            }
            (true, Some(Size::Nonsense(printed)), _) => {
                this = true;
                facts.process_used_invalid = Some(printed);
            }
            (false, Some(Size::Bytes(bytes)), Some(pid)) => others.push(Process { pid, bytes }),
            _ => {}
        }
    }
    if this {
        facts.other_processes = others;
    } else {
        facts.processes_unattributed = others;
    }
}

/// 2.11 and later: `... because it would exceed per_process_memory_fraction limit. Requested size: 2.00 GiB`
fn rejected(head: Span, body: Span) -> Option<(Kind, Facts)> {
    let requested = leading(body.after("requested size")?.text)?.bytes();
    let facts = Facts {
        requested,
        ..Facts::default()
    };
    let hip = head
        .lower
        .rfind("out of memory")
        .map(|at| vendor(head.until(at)));
    let kind = if hip == Some(Vendor::Hip) {
        Kind::Hip
    } else {
        Kind::CudaRejected
    };
    Some((kind, facts))
}

/// `Allocation on device 0 would exceed allowed memory. (out of memory) Currently allocated : 15.16 GiB ...`
fn asynchronous(_: Span, body: Span) -> Option<(Kind, Facts)> {
    let amount = |words: &str| leading(body.after(words)?.text);
    let bytes = |words: &str| amount(words).and_then(Size::bytes);
    let mut facts = Facts {
        allocated: Some(bytes("currently allocated")?),
        requested: bytes("requested"),
        total: bytes("device limit"),
        free: bytes("free (according to cuda)"),
        ..Facts::default()
    };
    match amount("memory fraction)") {
        Some(Size::Bytes(bytes)) => facts.allowed = Some(bytes),
        Some(Size::Nonsense(printed)) => {
            facts.limit_invalid = Some(format!("{printed} (2^64 B: no limit)"));
        }
        None => {}
    }
    Some((Kind::CudaAsync, facts))
}

/// `(MPS allocated: 9.57 GiB, other allocations: 17.35 GiB, max allowed: 27.20 GiB)`, before the requested amount.
fn apples(head: Span, facts: &mut Facts) {
    let after = |words: &str| leading(head.after(words)?.text)?.bytes();
    facts.mps_allocated = after("mps allocated:");
    facts.mps_other = after("other allocations:");
    facts.mps_max_allowed = after("max allowed:");
}

/// One buffer that is larger than Metal allows: `Invalid buffer size: 19.38 GiB`.
fn apples_largest(_: Span, body: Span) -> Option<(Kind, Facts)> {
    let facts = Facts {
        requested: leading(body.text)?.bytes(),
        ..Facts::default()
    };
    Some((Kind::MpsBuffer, facts))
}

/// `Could not allocate tensor with 52428800 bytes. There is not enough GPU video memory available!`
fn direct_ml(_: Span, body: Span) -> Option<(Kind, Facts)> {
    let facts = Facts {
        requested: leading(body.text)?.bytes(),
        ..Facts::default()
    };
    Some((Kind::OtherDevice, facts))
}

//! The table of `torch.cuda.memory_summary()` (`torch/cuda/memory.py` of 1.1 to 2.15).

use super::facts::{Facts, Usage};
use super::plain::Span;
use super::size::{Size, leading, unsigned};

/// The rows and numbers of a table; nothing where a text has none.
pub(super) fn read(text: Span) -> Option<Facts> {
    let row = |words: &str| usage(text.after(words)?);
    let number = |words: &str| text.after(words).and_then(|span| unsigned(span.text));
    let facts = Facts {
        summary_allocated: row("allocated memory |"),
        summary_active: row("active memory |"),
        summary_requested_mem: row("requested memory |"),
        summary_reserved: row("gpu reserved memory |"),
        summary_non_releasable: row("non-releasable memory |"),
        ooms: number("cuda ooms:").or_else(|| number("hip ooms:")),
        retries: number("cudamalloc retries:"),
        ..Facts::default()
    };
    let any = facts.summary_allocated.or(facts.summary_reserved);
    any.map(|_| facts)
}

/// `14935 MB | 15377 MB | 995 GB | 980 GB |`: bytes held now, and at most.
fn usage(row: Span) -> Option<Usage> {
    let mut cells = row.first(120).text.split('|');
    let mut cell = || leading(cells.next()?).and_then(Size::bytes);
    let (cur, peak) = (cell()?, cell()?);
    Some(Usage { cur, peak })
}

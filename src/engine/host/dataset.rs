//! The data set in one training process: its memory, the copies of its workers, its page cache.

use super::cow::ObjectGroup;
use super::facts;
use crate::ask::{ArrowPool, Dataset, DatasetMode};
use crate::units::{Bytes, DType};

/// Bytes of the raw text of one row, at least 1.
fn row_text(dataset: &Dataset) -> u64 {
    (dataset.raw_bytes / dataset.rows.max(1)).max(1)
}

fn cells(dataset: &Dataset) -> u64 {
    dataset.rows.saturating_mul(dataset.columns)
}

fn raw(dataset: &Dataset) -> Bytes {
    Bytes(dataset.raw_bytes)
}

fn tokens(dataset: &Dataset) -> u64 {
    dataset.raw_bytes / facts::TEXT_BYTES_PER_TOKEN.value
}

/// Whether there is no data set at all.
fn is_absent(dataset: &Dataset) -> bool {
    dataset.raw_bytes == 0 && dataset.rows == 0
}

/// The cells as Python strings.
fn strings(dataset: &Dataset) -> Bytes {
    raw(dataset) + facts::STRING_OBJECT.each(cells(dataset))
}

/// The data set in Arrow's format: its text and an offset for each cell.
fn arrow_bytes(dataset: &Dataset) -> Bytes {
    raw(dataset) + facts::ARROW_OFFSET.each(cells(dataset))
}

/// The file it is read from.
fn file_bytes(dataset: &Dataset) -> Bytes {
    dataset
        .file_bytes
        .map_or_else(|| facts::PARQUET_PERMILLE.of(raw(dataset)), Bytes)
}

/// Objects and buffers of the data set, as long as the process holds it.
pub(super) fn live(dataset: &Dataset) -> Bytes {
    if is_absent(dataset) {
        return Bytes::ZERO;
    }
    match dataset.mode {
        DatasetMode::MemoryMapped => facts::MMAP_PRIVATE.bytes(),
        DatasetMode::Pandas => strings(dataset) + facts::POINTER.each(cells(dataset)),
        DatasetMode::PythonList => strings(dataset) + facts::DICT_OBJECT.each(dataset.rows),
        DatasetMode::PandasArrow | DatasetMode::ArrowTable => arrow_bytes(dataset),
        DatasetMode::ArrowInMemory => facts::HF_KEEP_PERMILLE.of(arrow_bytes(dataset)),
        DatasetMode::TokenLists => {
            Bytes((facts::INT_OBJECT.value + facts::POINTER.value).saturating_mul(tokens(dataset)))
        }
        DatasetMode::TokenArray => Bytes(tokens(dataset).saturating_mul(DType::Int32.size())),
        DatasetMode::TokenTensor => Bytes(tokens(dataset).saturating_mul(DType::Int64.size())),
        DatasetMode::Reopened => Bytes::ZERO,
    }
}

/// The peak of Arrow's memory pool while it reads the file: the table, the compressed
/// column chunks and the pages being decoded. Rows taken batch by batch need no whole table.
fn pool_maximum(dataset: &Dataset) -> Bytes {
    let reading = file_bytes(dataset) + facts::ARROW_DECODE.bytes();
    match dataset.mode {
        DatasetMode::Pandas | DatasetMode::PandasArrow | DatasetMode::ArrowTable => {
            arrow_bytes(dataset) + reading
        }
        DatasetMode::PythonList => reading,
        _ => Bytes::ZERO,
    }
}

/// Memory of reading the data set from Parquet beside the data set itself: while it is read, and
/// afterwards, as long as Arrow's allocator does not give it back.
pub(super) fn left_by_reading(dataset: &Dataset, reading: bool) -> Bytes {
    let maximum = pool_maximum(dataset);
    if maximum == Bytes::ZERO || is_absent(dataset) {
        return Bytes::ZERO;
    }
    let table = match dataset.mode {
        DatasetMode::PandasArrow | DatasetMode::ArrowTable => live(dataset),
        _ => Bytes::ZERO,
    };
    let held = maximum + facts::MIMALLOC_IDLE.bytes();
    match dataset.arrow_pool {
        _ if reading => held - table,
        ArrowPool::Mimalloc => held - table,
        ArrowPool::System => facts::SYSTEM_POOL_PERMILLE.of(maximum),
        ArrowPool::Released => facts::RELEASED_PERMILLE.of(held),
    }
}

/// Memory of the process that fetches samples: a row group when the file is opened anew
/// for each sample.
pub(super) fn kept_by_fetching(dataset: &Dataset) -> Bytes {
    if dataset.mode != DatasetMode::Reopened || is_absent(dataset) {
        return Bytes::ZERO;
    }
    let written = Bytes(row_text(dataset).saturating_mul(facts::ROW_GROUP_ROWS.value));
    let group = dataset
        .row_group_bytes
        .map_or(written, Bytes)
        .min(raw(dataset));
    let small = facts::REOPEN_SMALL_PERMILLE.of(group);
    let large = facts::REOPEN_LARGE_FIXED.bytes() + facts::REOPEN_LARGE_PERMILLE.of(group);
    let huge = facts::REOPEN_HUGE_FIXED.bytes() + facts::REOPEN_HUGE_PERMILLE.of(group);
    facts::REOPEN_FIXED.bytes() + small.min(large).min(huge)
}

/// The shuffled order of an epoch in each of `ranks` training processes. `DistributedSampler`
/// keeps every `ranks`-th number of the whole list; the freed ones lie between those kept, so
/// that their pages stay.
pub(super) fn order(dataset: &Dataset, ranks: u64) -> Bytes {
    facts::ORDER_INTS.each(dataset.rows)
        + Bytes(facts::POINTER.each(dataset.rows).get() / ranks.max(1))
}

/// Objects that a forked worker writes to when it reads samples (see Note [Reading is writing]).
pub(super) fn object_groups(dataset: &Dataset) -> Vec<ObjectGroup> {
    let cell = row_text(dataset) / dataset.columns.max(1) + facts::STRING_OBJECT.value;
    let text = ObjectGroup {
        total: strings(dataset),
        size: cell,
        whole: false,
    };
    match dataset.mode {
        DatasetMode::Pandas => vec![text],
        DatasetMode::PythonList => {
            let dicts = ObjectGroup {
                total: facts::DICT_HEADER.each(dataset.rows),
                size: facts::DICT_HEADER.value,
                whole: false,
            };
            vec![text, dicts]
        }
        DatasetMode::TokenLists => {
            let row_tokens = row_text(dataset) / facts::TEXT_BYTES_PER_TOKEN.value;
            vec![ObjectGroup {
                total: facts::INT_OBJECT.each(tokens(dataset)),
                size: facts::INT_OBJECT.value.saturating_mul(row_tokens),
                whole: true,
            }]
        }
        DatasetMode::MemoryMapped
        | DatasetMode::PandasArrow
        | DatasetMode::ArrowTable
        | DatasetMode::ArrowInMemory
        | DatasetMode::TokenArray
        | DatasetMode::TokenTensor
        | DatasetMode::Reopened => Vec::new(),
    }
}

/// Bytes that each spawned worker receives as a copy of its own: everything but files, which it opens
/// itself, and tensors, which are sent through shared memory.
pub(super) fn pickled(dataset: &Dataset) -> Bytes {
    match dataset.mode {
        DatasetMode::TokenTensor => Bytes::ZERO,
        _ => live(dataset),
    }
}

/// The file that a process which fetches samples has mapped and read: page tables for all of it are
/// its own, though the pages are the page cache's (`tests/oracle/host/mapped_tables.py`: 1/509
/// of the file after 1 % of the samples).
pub(super) fn mapped_file(dataset: &Dataset) -> Bytes {
    match dataset.mode {
        DatasetMode::MemoryMapped if dataset.epochs > 0 && !is_absent(dataset) => {
            arrow_bytes(dataset)
        }
        _ => Bytes::ZERO,
    }
}

/// Pages of the data set's file that the node's page cache holds after a pass over it, once for
/// all processes.
pub(super) fn page_cache(dataset: &Dataset) -> Bytes {
    if is_absent(dataset) {
        return Bytes::ZERO;
    }
    match dataset.mode {
        DatasetMode::MemoryMapped => arrow_bytes(dataset),
        _ => file_bytes(dataset),
    }
}

//! Memory of a process before it has any data: interpreter, libraries, CUDA context, tokenizer.

use super::facts::{self, Fact};
use crate::ask::{Libraries, TokenizerKind};
use crate::units::Bytes;

/// Memory of one process's libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    /// Pages of its own.
    pub private: Bytes,
    /// File-backed pages, the same for every process of the node.
    pub shared: Bytes,
    /// Page tables.
    pub tables: Bytes,
}

/// A process that has imported a set of libraries. Constructing an optimizer of `torch.optim`
/// imports torch._dynamo, which transformers has imported already.
pub(super) fn process(libraries: Libraries, optimizer: bool) -> Process {
    let plain = imports(libraries);
    let imports_dynamo = matches!(
        libraries,
        Libraries::Torch
            | Libraries::TorchPandas
            | Libraries::TorchDatasets
            | Libraries::Accelerate
    );
    if !(optimizer && imports_dynamo) {
        return plain;
    }
    Process {
        private: plain.private + facts::DYNAMO_PRIVATE.bytes(),
        shared: plain.shared + facts::DYNAMO_SHARED.bytes(),
        tables: plain.tables + facts::DYNAMO_TABLES.bytes(),
    }
}

fn imports(libraries: Libraries) -> Process {
    let of = |private: Fact, shared: Fact, tables: Fact| Process {
        private: private.bytes(),
        shared: shared.bytes(),
        tables: tables.bytes(),
    };
    macro_rules! measured {
        ($private:ident, $shared:ident, $tables:ident) => {
            of(facts::$private, facts::$shared, facts::$tables)
        };
    }
    match libraries {
        Libraries::Python => measured!(BARE_PRIVATE, BARE_SHARED, BARE_TABLES),
        Libraries::Numpy => measured!(NUMPY_PRIVATE, NUMPY_SHARED, NUMPY_TABLES),
        Libraries::Pandas => measured!(PANDAS_PRIVATE, PANDAS_SHARED, PANDAS_TABLES),
        Libraries::Pyarrow => measured!(PYARROW_PRIVATE, PYARROW_SHARED, PYARROW_TABLES),
        Libraries::Datasets => measured!(DATASETS_PRIVATE, DATASETS_SHARED, DATASETS_TABLES),
        Libraries::Torch => measured!(TORCH_PRIVATE, TORCH_SHARED, TORCH_TABLES),
        Libraries::TorchPandas => measured!(
            TORCH_PANDAS_PRIVATE,
            TORCH_PANDAS_SHARED,
            TORCH_PANDAS_TABLES
        ),
        Libraries::TorchDatasets => {
            measured!(
                TORCH_DATASETS_PRIVATE,
                TORCH_DATASETS_SHARED,
                TORCH_DATASETS_TABLES
            )
        }
        Libraries::Accelerate => {
            measured!(ACCELERATE_PRIVATE, ACCELERATE_SHARED, ACCELERATE_TABLES)
        }
        Libraries::Transformers => measured!(
            TRANSFORMERS_PRIVATE,
            TRANSFORMERS_SHARED,
            TRANSFORMERS_TABLES
        ),
        Libraries::Peft => measured!(PEFT_PRIVATE, PEFT_SHARED, PEFT_TABLES),
        Libraries::Trainer => measured!(TRAINER_PRIVATE, TRAINER_SHARED, TRAINER_TABLES),
    }
}

/// A fast tokenizer after it was read.
pub(super) fn tokenizer(kind: TokenizerKind, vocab_size: u64) -> Bytes {
    match kind {
        TokenizerKind::None => Bytes::ZERO,
        TokenizerKind::Bpe => facts::BPE_FIXED.bytes() + facts::BPE_PER_ENTRY.each(vocab_size),
        TokenizerKind::Unigram => {
            facts::UNIGRAM_FIXED.bytes() + facts::UNIGRAM_PER_ENTRY.each(vocab_size)
        }
    }
}

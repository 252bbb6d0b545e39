//! The host model's numbers: each with its meaning, its source and how sure it is.
//!
//! "hostram" is the set of measurements in `tests/oracle/host/` (its README has the machine):
//! Linux 6.18, glibc 2.36, Python 3.11.7, torch 2.15.0, transformers 5.23.0, tokenizers 0.23.3,
//! datasets 5.2.0, pyarrow 26.0.1 with mimalloc, pandas 3.1.1. The number after it is the
//! experiment.

use crate::catalog::Confidence;
use crate::units::Bytes;
use serde::Serialize;

/// The unit of a fact's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Bytes for each of what the meaning names.
    BytesEach,
    /// Thousandths.
    Permille,
    /// A count.
    Count,
}

/// A number that is not arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Its name in the code.
    pub name: &'static str,
    /// The number.
    pub value: u64,
    /// Its unit.
    pub unit: Unit,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
    /// The measurement or publication.
    pub source: &'static str,
    /// How sure it is.
    pub confidence: Confidence,
}

impl Fact {
    /// The value as bytes.
    pub const fn bytes(&self) -> Bytes {
        Bytes(self.value)
    }

    /// The value as bytes for each of `count` things.
    pub const fn each(&self, count: u64) -> Bytes {
        Bytes(self.value.saturating_mul(count))
    }

    /// This many thousandths of `bytes`.
    pub fn of(&self, bytes: Bytes) -> Bytes {
        let product = u128::from(bytes.get()) * u128::from(self.value) / 1000;
        Bytes(u64::try_from(product).unwrap_or(u64::MAX))
    }
}

macro_rules! facts {
    ($($name:ident = $value:literal $unit:ident $confidence:ident : $meaning:literal [$source:literal];)+) => {
        $(
            #[doc = $meaning]
            #[allow(clippy::doc_markdown, reason = "the sentence is also shown as plain text")]
            pub const $name: Fact = Fact {
                name: stringify!($name),
                value: $value,
                unit: Unit::$unit,
                meaning: $meaning,
                source: $source,
                confidence: Confidence::$confidence,
            };
        )+
        /// Every number of the host model, for the page's assumptions panel.
        pub const FACTS: &[Fact] = &[$($name),+];
    };
}

facts! {
    BARE_PRIVATE = 2_945_024 Bytes Measured: "Private memory of a Python process without imports." ["hostram 1, step bare"];
    BARE_SHARED = 6_004_736 Bytes Measured: "File-backed pages of a Python process without imports." ["hostram 1, step bare"];
    BARE_TABLES = 65_536 Bytes Measured: "Page tables of a Python process without imports." ["hostram 1, step bare"];
    NUMPY_PRIVATE = 12_861_440 Bytes Measured: "Private memory after importing numpy." ["hostram 1, step numpy"];
    NUMPY_SHARED = 12_869_632 Bytes Measured: "File-backed pages after importing numpy." ["hostram 1, step numpy"];
    NUMPY_TABLES = 151_552 Bytes Measured: "Page tables after importing numpy." ["hostram 1, step numpy"];
    PANDAS_PRIVATE = 52_899_840 Bytes Measured: "Private memory after importing pandas." ["hostram 1, step pandas"];
    PANDAS_SHARED = 54_747_136 Bytes Measured: "File-backed pages after importing pandas." ["hostram 1, step pandas"];
    PANDAS_TABLES = 454_656 Bytes Measured: "Page tables after importing pandas." ["hostram 1, step pandas"];
    PYARROW_PRIVATE = 58_351_616 Bytes Measured: "Private memory after importing pyarrow's parquet and dataset." ["hostram 1, step pyarrow"];
    PYARROW_SHARED = 62_455_808 Bytes Measured: "File-backed pages after importing pyarrow's parquet and dataset." ["hostram 1, step pyarrow"];
    PYARROW_TABLES = 495_616 Bytes Measured: "Page tables after importing pyarrow's parquet and dataset." ["hostram 1, step pyarrow"];
    DATASETS_PRIVATE = 83_935_232 Bytes Measured: "Private memory after importing Hugging Face datasets." ["hostram 1, step datasets"];
    DATASETS_SHARED = 63_041_536 Bytes Measured: "File-backed pages after importing Hugging Face datasets." ["hostram 1, step datasets"];
    DATASETS_TABLES = 557_056 Bytes Measured: "Page tables after importing Hugging Face datasets." ["hostram 1, step datasets"];
    TORCH_PRIVATE = 305_217_536 Bytes Measured: "Private memory after importing torch (CUDA build)." ["hostram 1, step torch"];
    TORCH_SHARED = 248_418_304 Bytes Measured: "File-backed pages after importing torch (CUDA build)." ["hostram 1, step torch"];
    TORCH_TABLES = 2_002_944 Bytes Measured: "Page tables after importing torch (CUDA build)." ["hostram 1, step torch"];
    TORCH_PANDAS_PRIVATE = 341_110_784 Bytes Measured: "Private memory after importing torch, pandas and pyarrow." ["hostram 4, copy-on-write runs, before any data"];
    TORCH_PANDAS_SHARED = 288_700_000 Bytes Measured: "File-backed pages after importing torch, pandas and pyarrow." ["hostram 4, copy-on-write runs, before any data"];
    TORCH_PANDAS_TABLES = 2_200_000 Bytes Measured: "Page tables after importing torch, pandas and pyarrow." ["hostram 4, copy-on-write runs, before any data"];
    TORCH_DATASETS_PRIVATE = 364_216_320 Bytes Measured: "Private memory after importing torch and Hugging Face datasets." ["hostram 1, step torch+datasets"];
    TORCH_DATASETS_SHARED = 291_139_584 Bytes Measured: "File-backed pages after importing torch and Hugging Face datasets." ["hostram 1, step torch+datasets"];
    TORCH_DATASETS_TABLES = 2_355_200 Bytes Measured: "Page tables after importing torch and Hugging Face datasets." ["hostram 1, step torch+datasets"];
    ACCELERATE_PRIVATE = 309_596_160 Bytes Measured: "Private memory after importing torch and accelerate." ["hostram 1, step accelerate"];
    ACCELERATE_SHARED = 249_303_040 Bytes Measured: "File-backed pages after importing torch and accelerate." ["hostram 1, step accelerate"];
    ACCELERATE_TABLES = 2_011_136 Bytes Measured: "Page tables after importing torch and accelerate." ["hostram 1, step accelerate"];
    TRANSFORMERS_PRIVATE = 430_718_976 Bytes Measured: "Private memory after importing torch and a transformers model." ["hostram 1, step transformers"];
    TRANSFORMERS_SHARED = 328_556_544 Bytes Measured: "File-backed pages after importing torch and a transformers model." ["hostram 1, step transformers"];
    TRANSFORMERS_TABLES = 2_543_616 Bytes Measured: "Page tables after importing torch and a transformers model." ["hostram 1, step transformers"];
    PEFT_PRIVATE = 438_251_520 Bytes Measured: "Private memory after importing torch, transformers, accelerate and peft." ["hostram 1, step tf+accelerate+peft"];
    PEFT_SHARED = 329_564_160 Bytes Measured: "File-backed pages after importing torch, transformers, accelerate and peft." ["hostram 1, step tf+accelerate+peft"];
    PEFT_TABLES = 2_576_384 Bytes Measured: "Page tables after importing torch, transformers, accelerate and peft." ["hostram 1, step tf+accelerate+peft"];
    TRAINER_PRIVATE = 486_932_480 Bytes Measured: "Private memory after importing transformers' Trainer with all it pulls in (torch, accelerate, peft, datasets, pandas, torch._dynamo)." ["hostram 1, step all"];
    TRAINER_SHARED = 372_174_848 Bytes Measured: "File-backed pages after importing transformers' Trainer with all it pulls in." ["hostram 1, step all"];
    TRAINER_TABLES = 2_908_160 Bytes Measured: "Page tables after importing transformers' Trainer with all it pulls in." ["hostram 1, step all"];
    DYNAMO_PRIVATE = 85_798_912 Bytes Measured: "Private memory added by torch._dynamo, which constructing any torch.optim optimizer imports; transformers has imported it already." ["hostram 1, step torch+AdamW_ctor less step torch; accelerate+AdamW_ctor 85.7 MB, transformers+AdamW_ctor 0.0 MB"];
    DYNAMO_SHARED = 73_748_480 Bytes Measured: "File-backed pages added by torch._dynamo." ["hostram 1, step torch+AdamW_ctor less step torch"];
    DYNAMO_TABLES = 438_272 Bytes Measured: "Page tables added by torch._dynamo." ["hostram 1, step torch+AdamW_ctor less step torch"];
    LAUNCHER_PRIVATE = 306_843_648 Bytes Measured: "Private memory of the torchrun process, which stays beside the ranks; its file pages are the ranks' own." ["hostram 1, step torchrun_launcher"];
    LAUNCHER_TABLES = 2_015_232 Bytes Measured: "Page tables of the torchrun process." ["hostram 1, step torchrun_launcher"];
    BPE_FIXED = 4_100_000 Bytes Measured: "A fast BPE tokenizer whatever its vocabulary." ["hostram 2, fitted on 32k and 152k, held out 80k: 2.6 % off"];
    BPE_PER_ENTRY = 579 BytesEach Measured: "A fast BPE tokenizer for each entry of its vocabulary." ["hostram 2"];
    UNIGRAM_FIXED = 12_800_000 Bytes Measured: "A fast Unigram (SentencePiece) tokenizer whatever its vocabulary." ["hostram 2, fitted on 32k and 250k, held out 120k: 3.1 % off"];
    UNIGRAM_PER_ENTRY = 1_575 BytesEach Measured: "A fast Unigram tokenizer for each entry of its vocabulary." ["hostram 2"];
    STRING_OBJECT = 53 BytesEach Measured: "A Python string beside its characters: 49 bytes of header and what the allocator rounds up, for ASCII text." ["hostram 3: 122 bytes a row of 2 cells in pandas less the pointers; CPython 3.11 unicodeobject.h"];
    DICT_OBJECT = 208 BytesEach Measured: "A Python dict of a few keys beside its values, with its slot in the list." ["hostram 3: 310 bytes a row of 2 cells less the strings"];
    DICT_HEADER = 64 BytesEach Derived: "The part of a dict that using it writes to: reference count and garbage-collector header." ["CPython 3.11 dictobject.h, gcmodule"];
    INT_OBJECT = 32 BytesEach Derived: "A Python int as pymalloc rounds it." ["CPython 3.11: 28 bytes, 16-byte steps"];
    POINTER = 8 BytesEach Derived: "A pointer in a Python list or numpy object array." ["64-bit"];
    ARROW_OFFSET = 4 BytesEach Derived: "An Arrow string's offset." ["Arrow columnar format, type string"];
    TEXT_BYTES_PER_TOKEN = 4 Count Assumed: "Bytes of text that become one token." ["English with common BPE vocabularies; hostram 3 uses the same"];
    PARQUET_PERMILLE = 520 Permille Measured: "Size of a Parquet file as a share of the raw text, when the file's size is not given." ["hostram 3, snappy without dictionary: 0.52; real text compresses to 0.4-0.6"];
    ARROW_DECODE = 20_000_000 Bytes Measured: "Pages that Arrow's threads decode at a time while reading Parquet, beside the table and the file's compressed column chunks." ["hostram 3: arrow_pool_max less Arrow size less file size, 12-24 MB for 50-1000 MB"];
    MIMALLOC_IDLE = 72_000_000 Bytes Measured: "What mimalloc keeps in idle threads above the pool's own maximum after a read." ["hostram 3, read_table: anonymous peak less arrow_pool_max, median"];
    SYSTEM_POOL_PERMILLE = 170 Permille Measured: "Share of the pool's maximum that stays after a read with Arrow's system pool." ["hostram 3, pandas, system pool: 56 of 330 MB"];
    RELEASED_PERMILLE = 80 Permille Measured: "Share of what mimalloc held that stays after release_unused()." ["hostram 3, live_after_release less the objects, 3-12 %"];
    HF_KEEP_PERMILLE = 1_130 Permille Measured: "keep_in_memory=True as a share of the Arrow size, with mimalloc." ["hostram 3, hf_keep; 1.01 with the system pool"];
    MMAP_PRIVATE = 5_000_000 Bytes Measured: "Private memory of a memory-mapped Hugging Face data set or Arrow file." ["hostram 3, hf_mmap: 3-7 MB"];
    REOPEN_FIXED = 12_000_000 Bytes Measured: "What opening a Parquet file again and again keeps in a process." ["hostram 3, reopen_rowgroup"];
    REOPEN_SMALL_PERMILLE = 5_000 Permille Measured: "What reading one row group keeps, as a share of its raw text, while it is small (1 and 10 MB)." ["hostram 3, reopen_rowgroup"];
    REOPEN_LARGE_FIXED = 35_000_000 Bytes Measured: "What reading a large row group keeps whatever its size." ["hostram 3, reopen_rowgroup, 100 and 200 MB"];
    REOPEN_LARGE_PERMILLE = 2_900 Permille Measured: "What reading a large row group keeps, as a share of its raw text." ["hostram 3, reopen_rowgroup, 100 and 200 MB"];
    REOPEN_HUGE_FIXED = 215_000_000 Bytes Measured: "What reading a row group of more than 200 MB keeps whatever its size." ["hostram 3, reopen_readtable, 200 and 1000 MB"];
    REOPEN_HUGE_PERMILLE = 2_000 Permille Measured: "What reading a row group of more than 200 MB keeps, as a share of its raw text." ["hostram 3, reopen_readtable, 200 and 1000 MB"];
    ROW_GROUP_ROWS = 1_048_576 Count Derived: "Rows of a Parquet row group when its writer does not say." ["pyarrow 26 write_table: row_group_size"];
    ORDER_INTS = 32 BytesEach Measured: "A shuffled epoch's order for each row, beside its list: randperm(n).tolist() makes Python ints." ["tests/oracle/host/sampler.py, torch 2.15, 10 million rows: 40.0 bytes a row with RandomSampler, 34.0 with DistributedSampler over 4 ranks"];
    FORK_WORKER = 11_900_000 Bytes Measured: "Private memory of a forked DataLoader worker without its batch." ["hostram 4: 11.8 after start, 12.1 after 20 batches"];
    FORK_WORKER_BATCH_PERMILLE = 1_100 Permille Measured: "Private memory of a forked worker as a share of one batch." ["hostram 4: 1.06 after start, 1.15 after 20 batches"];
    FORK_WORKER_TABLES = 550_000 Bytes Measured: "Page tables of a forked worker beside those for its parent's private pages." ["hostram 4: 1.14 MB with 306 MB private in the parent"];
    SPAWN_WORKER = 3_100_000 Bytes Measured: "What a spawned worker has above the libraries that it imports again." ["hostram 4, spawn: 308.3 MB with torch alone"];
    SHM_FIXED = 35_000 Bytes Measured: "Shared memory of a DataLoader without workers' share." ["hostram 4, n = 60"];
    SHM_PER_WORKER = 11_847 BytesEach Measured: "Shared memory of queues and events for each worker." ["hostram 4, n = 60"];
    TABLE_SHARE = 512 Count Derived: "Bytes of memory that one byte of page table maps: 4096 / 8." ["x86-64 page tables, 4 KiB pages"];
    PAGE = 4_096 Bytes Derived: "A page." ["x86-64"];
    MODEL_MMAP = 3_700_000 Bytes Measured: "Private memory of a model whose weights are memory-mapped in the dtype of the file." ["hostram 6, from_pretrained, same dtype"];
    SHARD_V5 = 50_000_000_000 Bytes Derived: "save_pretrained's max_shard_size in transformers 5: what a GPU model brings to the host at once." ["transformers 5.23 modeling_utils.py"];
    SHARD_V4 = 5_000_000_000 Bytes Derived: "save_pretrained's max_shard_size in transformers 4." ["transformers 4.51 modeling_utils.py"];
    CUDA_PRIVATE = 485_000_000 Bytes Measured: "Private host memory of a CUDA context with cuBLAS and the kernels of a training step, in each process." ["tests/oracle/host/context.py on an H200 (driver 580, torch 2.11+cu130, kernels loaded when first called): imports and three steps add 598.3 MB of anonymous memory, 113.7 on the stubbed runtime; other kinds of kernels add up to 0.6 GB, and CUDA_MODULE_LOADING=EAGER 4.1 GB"];
    CUDA_MAPPED = 80_000_000 Bytes Measured: "Pages of the driver and of shared memory that a CUDA context maps, in each process." ["as for CUDA_PRIVATE: 58.7 MB of /dev/nvidiactl and 21.2 MB shared"];
    CUDA_SHARED = 74_000_000 Bytes Measured: "File-backed pages of CUDA libraries that running kernels touches, once per node." ["as for CUDA_PRIVATE: 223.2 MB of files, 90.3 on the stubbed runtime, less the driver's 58.7"];
}

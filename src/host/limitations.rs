//! What the host model does not know, for the page's assumptions panel.

/// Known limitations, one English sentence each.
pub const KNOWN_LIMITATIONS: &[&str] = &[
    "The host side of a CUDA context and of NCCL is assumed, not measured.",
    "Facts are of Python 3.11, torch 2.15 and transformers 5.23 on Linux; other versions import \
     more or less.",
    "Columns of a data set are taken to be of equal length, rows too.",
    "Text that is not ASCII takes up to a quarter more as Python strings.",
    "Arrow's and malloc's leftovers vary from run to run by up to 2x of the raw text while pandas \
     reads a file.",
    "Tokenizing whole batches (datasets.map) leaves 80-215 MB in the heap of the process that \
     does it; that is not added.",
    "A reader that copies or converts the data set (train/validation split, tokenized columns) \
     holds both for a while; that is not added.",
    "Collators that stack in normal memory take 2-5 batches in each worker instead of 1.1.",
    "Offload to the host, sharded and gathered checkpoints are not modelled yet.",
    "Evaluation is not modelled yet: predictions gathered on the host are left out.",
    "Kernel memory other than page tables is not counted.",
];

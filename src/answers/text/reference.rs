//! Meanings of words, their symbols in formulas, and their sources.

use super::Language;
use crate::host::HostPart;
use crate::sim::Phase;
use crate::tape::Category;

/// A word with what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// One sentence, in English and in Chinese.
    pub sentence: (&'static str, &'static str),
    /// Size or symbol in formulas.
    pub formula: &'static str,
    /// Its source.
    pub source: &'static str,
}

impl Meaning {
    const fn new(
        english: &'static str,
        chinese: &'static str,
        formula: &'static str,
        source: &'static str,
    ) -> Self {
        Self {
            sentence: (english, chinese),
            formula,
            source,
        }
    }

    /// The sentence in a language.
    pub const fn text(&self, language: Language) -> &'static str {
        language.of(self.sentence)
    }
}

/// The meaning of a category.
pub const fn meaning_of_category(category: Category) -> Meaning {
    match category {
        Category::Parameters => Meaning::new(
            "The model's weights.",
            "模型的权重。",
            "N \u{d7} bytes of the weights' type",
            "torch.nn.Module.parameters()",
        ),
        Category::Buffers => Meaning::new(
            "Tensors of the model that are not trained, such as rotary frequencies.",
            "模型中不参与训练的张量，例如旋转位置编码的频率。",
            "",
            "torch.nn.Module.buffers()",
        ),
        Category::Inputs => Meaning::new(
            "The batch on the GPU: token ids, labels, masks.",
            "显存中的批次：词元编号、标签、掩码。",
            "B \u{d7} S \u{d7} 8 bytes each",
            "torch.Tensor.to(device)",
        ),
        Category::OptimizerStates => Meaning::new(
            "What the optimizer keeps for each trained parameter from one step to the next.",
            "优化器为每个可训练参数在各步之间保存的状态。",
            "Adam: 2 N",
            "torch.optim.Optimizer.state",
        ),
        Category::MasterWeights => Meaning::new(
            "Full-precision copies of weights that the optimizer works on.",
            "优化器使用的全精度权重副本。",
            "4 N bytes",
            "DeepSpeed, Megatron",
        ),
        Category::Gradients => Meaning::new(
            "One number for each trained parameter, from backward until zero_grad.",
            "每个可训练参数一个数，从反向开始保留到梯度清零。",
            "N \u{d7} bytes of the weights' type",
            "torch.Tensor.grad",
        ),
        Category::Activations => Meaning::new(
            "What forward saves so that backward can compute gradients; it grows with the batch.",
            "前向为反向计算梯度而保存的张量；随批次增大。",
            "\u{221d} B \u{d7} S \u{d7} L",
            "torch.autograd.graph.saved_tensors_hooks",
        ),
        Category::AutocastWeights => Meaning::new(
            "Low-precision copies of weights that autocast keeps while it is on.",
            "autocast 开启期间保存的低精度权重副本。",
            "2 N bytes",
            "torch.autocast(cache_enabled=True)",
        ),
        Category::Logits => Meaning::new(
            "The model's output, one number for each token and each word of the vocabulary.",
            "模型的输出：每个词元对词表中每个词一个数。",
            "B \u{d7} S \u{d7} V",
            "outputs.logits, transformers",
        ),
        Category::Temporaries => Meaning::new(
            "Tensors that live within an operation or between a few.",
            "只在一个或几个操作之间存活的张量。",
            "",
            "PyTorch's operators",
        ),
        Category::Workspaces => Meaning::new(
            "Scratch memory of libraries such as cuBLAS.",
            "cuBLAS 等库的工作内存。",
            "",
            "CUBLAS_WORKSPACE_CONFIG",
        ),
        Category::Communication => Meaning::new(
            "Buffers of collective communication between GPUs.",
            "GPU 之间集合通信的缓冲区。",
            "",
            "torch.distributed",
        ),
        Category::KvCache => Meaning::new(
            "Keys and values kept for each token while generating.",
            "生成时为每个词元保存的键和值。",
            "2 \u{d7} L \u{d7} K \u{d7} D \u{d7} B \u{d7} S",
            "past_key_values, transformers",
        ),
        Category::Vllm => Meaning::new(
            "What a vLLM beside the trainer holds: weights of its own, keys and values, CUDA graphs.",
            "与训练同处一个 GPU 的 vLLM 占用：自己的权重、键值缓存、CUDA 图。",
            "",
            "vllm_gpu_memory_utilization, trl",
        ),
    }
}

/// The meaning of a phase.
pub const fn meaning_of_phase(phase: Phase) -> Meaning {
    match phase {
        Phase::Loading => Meaning::new(
            "The weights come to the GPU, quantized on the way where that is asked; adapters and the optimizer are made.",
            "权重载入显存（需要时边载入边量化）；创建适配器和优化器。",
            "",
            "from_pretrained, get_peft_model, model.to(device)",
        ),
        Phase::Data => Meaning::new(
            "The batch is copied to the GPU.",
            "把批次复制到显存。",
            "",
            "torch.Tensor.to(device)",
        ),
        Phase::Generation => Meaning::new(
            "Completions are generated token by token; the cache of keys and values grows and goes.",
            "逐个词元生成补全；键值缓存增长后释放。",
            "",
            "generate, trl",
        ),
        Phase::Forward => Meaning::new(
            "The model computes its output and the loss; activations pile up.",
            "模型计算输出和损失；激活值逐渐累积。",
            "",
            "model(**batch)",
        ),
        Phase::ReferenceForward => Meaning::new(
            "The model that the trained one is compared with (a reference, or itself before the step) scores the same tokens; nothing is kept for backward.",
            "用于比较的模型（参考模型，或更新前的自身）为同样的词元打分；不为反向传播保留任何内容。",
            "",
            "ref_model(**batch), trl",
        ),
        Phase::Backward => Meaning::new(
            "Gradients are computed from the last layer to the first; activations go, gradients come.",
            "从最后一层到第一层计算梯度；激活值释放，梯度产生。",
            "",
            "loss.backward()",
        ),
        Phase::Clip => Meaning::new(
            "Gradients are scaled down when their norm is too large.",
            "范数过大时缩小梯度。",
            "",
            "torch.nn.utils.clip_grad_norm_",
        ),
        Phase::OptimizerStep => Meaning::new(
            "The optimizer updates the weights; foreach implementations need temporaries of the parameters' size.",
            "优化器更新权重；foreach 实现需要与参数同样大小的临时张量。",
            "",
            "optimizer.step()",
        ),
        Phase::ZeroGrad => Meaning::new(
            "Gradients are dropped or set to zero.",
            "释放梯度或置零。",
            "",
            "optimizer.zero_grad()",
        ),
        Phase::Saving => Meaning::new(
            "A checkpoint is saved: weights, then the optimizer's states, tensor by tensor through the host.",
            "保存检查点：先权重，后优化器状态，逐个张量经由主机内存写出。",
            "",
            "save_pretrained, torch.save",
        ),
        Phase::Evaluation => Meaning::new(
            "The model runs without training.",
            "模型运行但不训练。",
            "",
            "model.eval()",
        ),
    }
}

/// The meaning of a part of a host's memory.
pub const fn meaning_of_host_part(part: HostPart) -> Meaning {
    match part {
        HostPart::Libraries => Meaning::new(
            "Private pages of Python, PyTorch and what else a training process imports.",
            "Python、PyTorch 及训练进程导入的其他库的私有内存页。",
            "",
            "measured after each import, torch 2.15, transformers 5.23 (tests/oracle/host)",
        ),
        HostPart::SharedLibraries => Meaning::new(
            "File-backed pages of libraries, which all processes of the node map together.",
            "库文件映射的内存页，节点上所有进程共用。",
            "",
            "measured after each import, torch 2.15, transformers 5.23 (tests/oracle/host)",
        ),
        HostPart::CudaContext => Meaning::new(
            "What a CUDA context keeps on the host in each process: the driver's memory, cuBLAS, the kernels' code.",
            "每个进程的 CUDA 上下文在主机上的部分：驱动内存、cuBLAS、内核代码。",
            "",
            "measured on an H200, driver 580, torch 2.11 (tests/oracle/host/context.py)",
        ),
        HostPart::Tokenizer => Meaning::new(
            "A fast tokenizer with its vocabulary, in each process.",
            "每个进程中的快速分词器及其词表。",
            "a fixed part + bytes of an entry \u{d7} V",
            "measured, tokenizers 0.23.3 (tests/oracle/host)",
        ),
        HostPart::Dataset => Meaning::new(
            "The data set as it is held in memory: Python objects, NumPy or Arrow columns, and the order of a shuffled epoch.",
            "载入内存的数据集：Python 对象、NumPy 或 Arrow 列，以及打乱后的次序。",
            "rows \u{d7} bytes of a row in that form",
            "measured, pandas 3.1, pyarrow 26, datasets 5.2 (tests/oracle/host)",
        ),
        HostPart::Workers => Meaning::new(
            "Processes of the data loaders: they begin as copies of the training process, and pages that they write to, reference counts among them, become their own.",
            "数据加载器的工作进程：最初是训练进程的副本，写过的内存页（包括引用计数）变为各自私有。",
            "ranks \u{d7} num_workers \u{d7} (own pages + a batch)",
            "torch.utils.data.DataLoader, measured (tests/oracle/host)",
        ),
        HostPart::PrefetchedBatches => Meaning::new(
            "Batches that workers have put into shared memory and that wait for the GPU.",
            "工作进程已放入共享内存、等待送往 GPU 的批次。",
            "ranks \u{d7} num_workers \u{d7} prefetch_factor \u{d7} a batch",
            "torch.utils.data.DataLoader, prefetch_factor",
        ),
        HostPart::PinnedMemory => Meaning::new(
            "Page-locked buffers through which batches go to the GPU, each rounded up to a power of two.",
            "批次送往 GPU 所经的锁页缓冲区，每个向上取整到 2 的幂。",
            "",
            "torch.utils.data.DataLoader, pin_memory; CachingHostAllocator",
        ),
        HostPart::ModelLoading => Meaning::new(
            "Weights on the host while the model is read.",
            "读取模型时主机内存中的权重。",
            "",
            "from_pretrained",
        ),
        HostPart::Offload => Meaning::new(
            "Parameters, gradients, optimizer states and activations that are kept on the host.",
            "保存在主机内存中的参数、梯度、优化器状态与激活值。",
            "",
            "DeepSpeed offload, torch.distributed.fsdp CPUOffload, torch.autograd.graph.save_on_cpu",
        ),
        HostPart::Training => Meaning::new(
            "Parameters, gradients, optimizer states and activations of training on the CPU.",
            "在 CPU 上训练时的参数、梯度、优化器状态与激活值。",
            "",
            "torch, device cpu",
        ),
        HostPart::Predictions => Meaning::new(
            "What an evaluation has predicted and keeps until it ends.",
            "评估的预测结果，保留到评估结束。",
            "",
            "transformers, Trainer.evaluation_loop",
        ),
        HostPart::Saving => Meaning::new(
            "Copies on the host of what a checkpoint saves.",
            "保存检查点时主机上的副本。",
            "",
            "save_pretrained, torch.save",
        ),
        HostPart::PageTables => Meaning::new(
            "The kernel's tables of pages, for each process that maps them.",
            "内核的页表，每个映射内存页的进程一份。",
            "mapped bytes / 512",
            "x86-64, pages of 4 KiB",
        ),
        HostPart::OtherProcesses => Meaning::new(
            "The launcher and other processes of the job.",
            "启动器以及作业的其他进程。",
            "",
            "torchrun, measured (tests/oracle/host)",
        ),
    }
}

/// Bytes of the allocator beyond tensors.
pub(super) const CACHED: Meaning = Meaning::new(
    "Reserved but not live: free blocks, rounding and fragments.",
    "已保留但未存活的部分：空闲块、取整与碎片。",
    "reserved \u{2212} live",
    "torch.cuda.memory_summary()",
);

/// Bytes outside of the allocator.
pub(super) const CONTEXT: Meaning = Meaning::new(
    "What CUDA, the kernels' code and, with several GPUs, NCCL take beside PyTorch's memory, once a process; derived from published measurements.",
    "CUDA、内核代码以及多 GPU 时 NCCL 在 PyTorch 之外占用的显存，每个进程一份；由公开实测值推得。",
    "",
    "nvidia-smi \u{2212} memory_reserved()",
);

/// Files that are held in RAM.
pub(super) const PAGE_CACHE: Meaning = Meaning::new(
    "Files that the kernel keeps in RAM and gives up when memory is needed; not counted as used.",
    "内核缓存在内存中的文件，需要时会让出；不计入已用内存。",
    "",
    "free -h, buff/cache",
);

/// Other words of the page: their names and meanings.
pub fn words_explained() -> [((&'static str, &'static str), Meaning); 8] {
    [
        (
            ("live tensors", "存活张量"),
            Meaning::new(
                "Tensors that something still holds, each rounded up to 512 bytes.",
                "仍被引用的张量，每个向上取整到 512 字节。",
                "",
                "torch.cuda.memory_stats()[\"active_bytes\"]",
            ),
        ),
        (
            ("allocated", "已分配（allocated）"),
            Meaning::new(
                "What the caching allocator has handed out, in whole blocks.",
                "缓存分配器以整块形式分配出去的内存。",
                "",
                "torch.cuda.max_memory_allocated()",
            ),
        ),
        (
            ("reserved", "已保留（reserved）"),
            Meaning::new(
                "What the caching allocator holds of the GPU, used or not.",
                "缓存分配器占有的显存，无论是否在用。",
                "",
                "torch.cuda.max_memory_reserved()",
            ),
        ),
        (("cached", "分配器缓存"), CACHED),
        (("CUDA context", "CUDA 上下文"), CONTEXT),
        (
            ("usable", "可用"),
            Meaning::new(
                "What programs can take of the GPU, less than its label says.",
                "程序实际可用的显存，小于标称值。",
                "",
                "torch.cuda.mem_get_info()",
            ),
        ),
        (
            ("binds", "决定峰值"),
            Meaning::new(
                "The phase that needs most decides whether the run fits.",
                "需要最多的阶段决定训练是否放得下。",
                "max over phases",
                "torch.cuda.reset_peak_memory_stats()",
            ),
        ),
        (("page cache", "页缓存"), PAGE_CACHE),
    ]
}

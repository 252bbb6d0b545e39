//! Limitations of the host model.

use crate::units::limitations;

limitations! {
    "The host side of a CUDA context is that of an H200 with CUDA 13. That of NCCL is left out: its library took 0.34 GB in a process there, and 9.2 MiB of pinned memory were seen for each connection over a network, none is needed between GPUs that reach each other directly.",
    "CUDA 上下文的主机侧内存取自 H200（CUDA 13）的实测。未计入 NCCL 的主机内存：其库在一个进程中占 0.34 GB，另有人观测到每个网络连接占用 9.2 MiB 锁页内存，可直接互访的 GPU 之间则不需要。";
    "Libraries are measured with Python 3.11, torch 2.15 and transformers 5.23 on Linux; other versions import more or less.",
    "程序库内存实测于 Linux 上的 Python 3.11、torch 2.15 与 transformers 5.23；其他版本会有出入。";
    "Columns and rows of a data set are taken to be of equal length.",
    "假定数据集的各列、各行长度相同。";
    "Python strings that are not ASCII take up to a quarter more.",
    "非 ASCII 的 Python 字符串最多多占四分之一。";
    "What Arrow and malloc keep after reading a file varies from run to run, by up to the size of the text.",
    "Arrow 与 malloc 读取文件后保留的内存每次不同，差别可达文本本身的大小。";
    "Building the Arrow cache with the first load_dataset keeps up to 2.7 times the text in the process that does it; that is not added.",
    "首次 load_dataset 建立 Arrow 缓存时，执行进程会保留至多 2.7 倍文本大小的内存，未计入。";
    "Tokenizing whole batches (datasets.map) leaves 80-215 MB in the process that does it; that is not added.",
    "批量分词（datasets.map）会在执行进程中留下 80-215 MB，未计入。";
    "A second copy during preparation (splits, converted columns) is not added.",
    "数据准备过程中的第二份副本（划分、列转换）未计入。";
    "Collators that stack in normal memory take 2-5 batches in each worker instead of 1.1.",
    "在普通内存中堆叠的整理函数在每个工作进程中占 2-5 个批次，而不是 1.1 个。";
    "Published checkpoints of the catalog's models are taken to be in bfloat16.",
    "假定目录中模型发布的权重为 bfloat16。";
    "Offload follows DeepSpeed 0.19.8 with its CPU Adam and one group of parameters, and FSDP of torch 2.15; older ones pin and round differently.",
    "卸载按 DeepSpeed 0.19.8（CPU Adam、单个参数组）与 torch 2.15 的 FSDP 计算；旧版本的锁页与取整方式不同。";
    "On the CPU, tensors are those of a GPU's step. malloc keeps 10 to 30 % more of them after a step than are alive (glibc 2.36; 1 to 4 % with MALLOC_MMAP_THRESHOLD_=65536).",
    "在 CPU 上训练时按 GPU 训练步的张量计算。malloc 会在一步之后多保留 10-30 %（glibc 2.36；设置 MALLOC_MMAP_THRESHOLD_=65536 后为 1-4 %）。";
    "Tied weights that FSDP2 gathers twice, and metrics computed from gathered predictions, are not added.",
    "FSDP2 重复汇总的共享权重，以及由汇总预测计算指标所需的内存未计入。";
    "Kernel memory other than page tables is not counted.",
    "除页表外的内核内存未计入。";
}

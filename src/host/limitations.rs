//! What the host model leaves out.

use crate::units::limitations;

limitations! {
    "The host side of a CUDA context is assumed, not measured, and that of NCCL is left out.",
    "CUDA 上下文的主机侧内存是假定值而非实测值，未计入 NCCL 的主机内存。";
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
    "Offload is that of torchao's CPUOffloadOptimizer; DeepSpeed's and FSDP's, sharded and gathered checkpoints, and training on the CPU are not modelled yet.",
    "卸载按 torchao 的 CPUOffloadOptimizer 计算；尚未模拟 DeepSpeed 与 FSDP 的卸载、分片与汇总的检查点，以及在 CPU 上训练。";
    "Evaluation is not modelled yet: its data loader's workers and gathered predictions are left out.",
    "尚未模拟评估：其数据加载器的工作进程与汇总的预测未计入。";
    "Kernel memory other than page tables is not counted.",
    "除页表外的内核内存未计入。";
}

//! The settings of data, host, hardware, allocator and versions.

use super::{Name, SettingHelp, settings};

settings! {
    "dataset.mode": "Dataset storage", "数据集的存放方式";
        "How the data set is held by the training process.",
        "训练进程如何持有数据集。"; "", "datasets, pandas, pyarrow";
    "dataset.raw_bytes": "Dataset size", "数据集大小";
        "Raw UTF-8 text of the data set.",
        "数据集的原始 UTF-8 文本。"; "", "size of the files";
    "dataset.rows": "Samples", "样本数";
        "Python objects cost memory for each sample.",
        "每个样本的 Python 对象都占内存。"; "", "len(dataset)";
    "dataset.columns": "Text columns", "文本列数";
        "Texts in each sample.",
        "每个样本的文本数。"; "", "dataset.column_names";
    "dataset.file_bytes": "File size", "文件大小";
        "The data set's file, which the page cache can hold.",
        "数据集文件的大小，可留在页缓存中。"; "", "ls -l";
    "dataset.row_group_bytes": "Row group", "行组大小";
        "Raw text of one Parquet row group, which re-opening reads whole.",
        "一个 Parquet 行组的原始文本，重新打开时整组读入。"; "", "row_group_size of pyarrow.parquet.write_table";
    "dataset.epochs": "Epochs", "轮数";
        "Passes over the data; workers copy more pages in each.",
        "遍历数据的次数；每一轮工作进程都会复制更多内存页。"; "", "TrainingArguments.num_train_epochs";
    "dataset.arrow_pool": "Arrow's memory pool", "Arrow 内存池";
        "What becomes of the memory that Arrow used while it read a file.",
        "Arrow 读取文件所用内存的去向。"; "", "ARROW_DEFAULT_MEMORY_POOL";
    "dataloader.num_workers": "DataLoader workers", "DataLoader 工作进程";
        "Processes that prepare batches.",
        "准备批次的进程数。"; "", "torch.utils.data.DataLoader(num_workers=)";
    "dataloader.prefetch_factor": "Prefetched batches", "预取批次数";
        "Batches that each worker fetches ahead.",
        "每个工作进程预取的批次数。"; "workers \u{d7} n batches", "DataLoader(prefetch_factor=n)";
    "dataloader.pin_memory": "Pin memory", "锁页内存（pin_memory）";
        "Copies batches to page-locked memory.",
        "把批次复制到锁页内存。"; "", "torch.utils.data.DataLoader(pin_memory=)";
    "dataloader.persistent_workers": "Workers stay between epochs", "工作进程跨轮保留";
        "They keep the pages that they copied.",
        "它们会保留已复制的内存页。"; "", "DataLoader(persistent_workers=True)";
    "dataloader.shuffle": "Shuffle", "打乱顺序";
        "Each epoch in a new order, so that workers touch all pages.",
        "每轮使用新的顺序，工作进程会触及所有内存页。"; "", "DataLoader(shuffle=True)";
    "dataloader.multiprocessing_context": "Workers start by", "工作进程的启动方式";
        "fork shares the parent's pages until they are written; spawn imports anew.",
        "fork 与父进程共享内存页直到写入；spawn 会重新导入。"; "", "DataLoader(multiprocessing_context=)";
    "host.libraries": "Imported libraries", "导入的库";
        "What each training process imports.",
        "每个训练进程导入的内容。"; "", "import";
    "host.tokenizer": "Tokenizer", "分词器";
        "The tokenizer that each process holds.",
        "每个进程持有的分词器。"; "", "AutoTokenizer.from_pretrained";
    "host.checkpoint": "Checkpoint loading", "检查点的加载方式";
        "How the weights enter the process; it decides the peak while loading.",
        "权重进入进程的方式，决定加载时的峰值。"; "", "from_pretrained, torch.load";
    "host.saving": "Checkpoint saving", "检查点的保存方式";
        "How the weights leave the process; it decides the peak while saving.",
        "权重离开进程的方式，决定保存时的峰值。"; "", "save_pretrained, torch.save";
    "host.cuda": "CUDA context", "CUDA 上下文";
        "Its host side; off for training on the CPU.",
        "其主机侧内存；在 CPU 上训练时关闭。"; "", "torch.cuda.init";
    "host.launcher": "Launcher stays", "启动器常驻";
        "torchrun or accelerate launch beside the training processes.",
        "torchrun 或 accelerate launch 与训练进程并存。"; "", "torchrun";
    "host.other_memory": "RAM used by others", "其他程序占用的内存";
        "What the system and other programs of the node use.",
        "系统和该机器上其他程序占用的内存。"; "", "free -h";
    "hardware.gpu": "GPU", "GPU";
        "The accelerator; its usable memory is less than its label says.",
        "加速卡；可用显存小于标称值。"; "", "nvidia-smi, torch.cuda.mem_get_info()";
    "hardware.gpu_memory": "GPU memory", "显存大小";
        "Where it differs from the catalog's.",
        "与目录中的数值不同时填写。"; "", "nvidia-smi";
    "hardware.gpu_memory_in_use": "GPU memory used by others", "其他程序占用的显存";
        "What other programs hold of the GPU before the job starts: another job, an inference server, the desktop of a card that drives a screen (nvidia-smi shows it before the job).",
        "作业开始前其他程序占用的显存：另一个作业、推理服务，或接显示器的显卡上的桌面（启动作业前可用 nvidia-smi 查看）。"; "", "nvidia-smi";
    "hardware.gpus_per_node": "GPUs per node", "每节点 GPU 数";
        "Data-parallel training processes on one machine.",
        "一台机器上的数据并行训练进程数。"; "", "torchrun --nproc-per-node";
    "hardware.nodes": "Nodes", "节点数";
        "Machines of the run.",
        "训练所用的机器数。"; "", "torchrun --nnodes";
    "hardware.processes_per_gpu": "Processes per GPU", "每 GPU 进程数";
        "Training processes sharing one GPU, each with its own CUDA context.",
        "共享一个 GPU 的训练进程数，每个进程有自己的 CUDA 上下文。"; "", "nvidia-smi";
    "hardware.processes_by_gpu": "Processes on each GPU", "各 GPU 的进程数";
        "One number for each GPU of a machine, as in 2,2,2,2,1,1,1: processes that train alone. The GPU with most of them is the one shown.",
        "一台机器上每块 GPU 一个数，如 2,2,2,2,1,1,1：各自独立训练的进程。显示进程最多的那块 GPU。"; "", "CUDA_VISIBLE_DEVICES";
    "hardware.host_ram": "Host RAM", "主机内存";
        "Memory of one machine.",
        "一台机器的内存。"; "", "free -h";
    "hardware.swap": "Swap", "交换空间";
        "Swap space of one machine. Training that swaps is many times slower.",
        "一台机器的交换空间。使用交换空间会使训练慢很多倍。"; "", "free -h";
    "other_device_memory": "GPU memory held beside", "其他张量占用的显存";
        "Tensors of the process beside the model: another model, a library's tables.",
        "同一进程中模型以外的张量：另一个模型、库的表。"; "", "torch.cuda.memory_allocated()";
    "memory_limit": "Limit of the allocator", "分配器上限";
        "What PyTorch's allocator may hold.",
        "PyTorch 分配器最多可占用的显存。"; "", "torch.cuda.set_per_process_memory_fraction";
    "allocator.expandable_segments": "expandable_segments", "expandable_segments";
        "Segments grow instead of new ones being taken: less fragmentation.",
        "段可以增长而不必另取新段：碎片更少。"; "", "PYTORCH_CUDA_ALLOC_CONF";
    "allocator.max_split_size_mb": "max_split_size_mb", "max_split_size_mb";
        "Larger blocks are never split.",
        "更大的块不会被拆分。"; "MiB", "PYTORCH_CUDA_ALLOC_CONF";
    "allocator.roundup_power2_divisions": "roundup_power2_divisions", "roundup_power2_divisions";
        "Sizes are rounded up to so many steps between powers of two; also as [256:1,>:8].",
        "大小向上取整到 2 的幂之间的若干等分；也可写作 [256:1,>:8]。"; "", "PYTORCH_CUDA_ALLOC_CONF";
    "allocator.garbage_collection_threshold": "garbage_collection_threshold", "garbage_collection_threshold";
        "Above this share of the limit unused blocks are given back first.",
        "超过上限的这一比例时先归还未用的块。"; "0 to 1", "PYTORCH_CUDA_ALLOC_CONF";
    "allocator.empty_cache_after_loading": "empty_cache after loading", "加载后 empty_cache";
        "Gives cached blocks back between building the model and the first step.",
        "在构建模型与第一步之间归还缓存的块。"; "", "torch.cuda.empty_cache()";
    "framework": "Versions", "版本";
        "Framework versions differ in what they keep; by up to 16 %.",
        "不同框架版本保存的内容不同，最多相差 16%。"; "", "pip show torch transformers";
}

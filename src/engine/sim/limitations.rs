//! Limitations of the simulation of the device.

use crate::units::limitations;

limitations! {
    "Compared with torch 2.15 and 2.6 and transformers 5.23, 4.51 and 4.48; other versions can differ by up to 16 %.",
    "已与 torch 2.15、2.6 及 transformers 5.23、4.51、4.48 对照；其他版本的差异可达 16 %。";
    "What CUDA takes outside PyTorch's allocator grows with the number of threads that the GPU holds at once, as in 59 published measurements; half of them are within 11 MiB of it, nine of ten within 84 MiB. With several GPUs the buffers of one of NCCL's communicators are added by its sources (55 MiB over PCIe, 662 MiB through NVSwitch, 918 MiB among eight GPUs where the switch multicasts); half of 15 measurements are within 108 MiB of that, jobs with several communicators take up to three times as much.",
    "PyTorch 分配器之外的 CUDA 占用随 GPU 可同时驻留的线程数增长，取自 59 个公开实测值：半数相差不超过 11 MiB，九成不超过 84 MiB。多 GPU 时按 NCCL 源码另加一个通信器的缓冲区（PCIe 为 55 MiB，NVSwitch 为 662 MiB，交换机支持多播时八块 GPU 为 918 MiB）；15 个实测值中半数相差不超过 108 MiB，使用多个通信器的任务可达三倍。";
    "Convolutions are computed by PyTorch's own kernels, as where cuDNN is off; cuDNN's workspaces differ.",
    "卷积按 PyTorch 自带内核估算（即关闭 cuDNN 时）；cuDNN 的工作区大小不同。";
    "Every sequence has the full length; what depends on values (packing, routing) is not computed.",
    "假定每个序列都达到最大长度；依赖数值的行为（打包、路由）不予计算。";
    "The experts of a mixture run as one grouped product, whose sizes do not depend on routing, in transformers 5; in transformers 4 one after the other, the tokens being spread evenly over them.",
    "transformers 5 以一次分组矩阵乘计算全部专家，尺寸与路由无关；transformers 4 逐个计算，假定词元均匀分配到各专家。";
    "Mamba, Mamba 2 and hybrids with them run their plain path, without the kernels of mamba-ssm and causal-conv1d; of Mamba's loop over tokens a few are run and the others counted.",
    "Mamba、Mamba 2 及其混合模型采用普通路径，不使用 mamba-ssm 与 causal-conv1d 内核；Mamba 的逐词元循环只模拟其中几步，其余按数量计入。";
    "Megatron-Core runs the layers that it has without TransformerEngine and Apex, no kernel of which is fused; norms are one kernel, as Apex's are. Experts have room for their share of the tokens, all of it filled. The vocabulary is padded to what tensor parallel ranks divide, not further.",
    "Megatron-Core 采用不依赖 TransformerEngine 与 Apex 的层，不使用融合内核；归一化为单个内核（与 Apex 相同）。各专家按词元均分的容量处理并填满。词表只填充到张量并行进程可整除，不再额外填充。";
    "Of TRL's objectives every token of a completion counts, half of KTO's samples are wanted, and GRPO's completions are as long as they may; Trainer's own loop around the steps is left out.",
    "TRL 的训练目标假定补全中的每个词元都计入，KTO 的样本一半为正例，GRPO 的补全都达到最大长度；不含 Trainer 自身的循环。";
    "A vLLM beside the trainer takes what vllm 0.31's sources count: its share, weights of 16 bits, forward passes of up to 4096 tokens, blocks of 16 tokens. Assumed are 368 MiB for CUDA graphs and 164 MiB outside of PyTorch, which stay while it sleeps (logs have 0.13 to 0.5 GiB and 0.16 GiB), and that vllm_max_model_length is the sequence length. trl 1.16 lets it sleep at level 2: its weights go, and nothing moves to the host.",
    "并置的 vLLM 按 vllm 0.31 源码计算：其份额、16 位权重、每次前向至多 4096 个词元、每块 16 个词元。假定 CUDA 图占 368 MiB、PyTorch 之外占 164 MiB，休眠时仍保留（日志中为 0.13 至 0.5 GiB 与 0.16 GiB），并假定 vllm_max_model_length 等于序列长度。trl 1.16 以级别 2 休眠：释放权重，不移到主机内存。";
    "Models that read images among their tokens are given images, not videos: of frames in time nothing is estimated yet.",
    "读取图像词元的模型只按图像估算；暂不支持视频帧。";
    "Compiled graphs are not modelled, since what they allocate follows from kernels that a compiler fuses for the GPU at hand: torch.compile's partitioner chooses which activations are kept and which are computed again, and CUDA graphs allocate from private pools whose memory no other request gets.",
    "未模拟编译后的图，因为其分配取决于编译器为具体 GPU 融合出的内核：torch.compile 的分割器决定保留哪些激活、重算哪些激活，CUDA graphs 从私有内存池分配，其中的显存不供其他请求使用。";
    "Under ring attention transformers takes the head and the tail of a sequence for two samples, by their positions, and makes a mask of all pairs of a rank's tokens, a byte each, that no layer reads; it is not added.",
    "环形注意力下，transformers 会根据位置把序列的首段与尾段当作两个样本，并生成一个各层都不使用的掩码（该进程词元两两一字节）；未计入。";
    "GPUs for which no parallelism is named each run a job of their own, and nothing is sent between them.",
    "未指定并行方式的多块 GPU 各自运行独立任务，彼此之间不通信。";
    "An evaluation or a checkpoint, when one is asked for, comes after each step. Under FSDP1 the model is gathered to be saved, the optimizer's states are not.",
    "若要求评估或检查点，则在每一步之后进行。FSDP1 下为保存而聚合模型，未聚合优化器状态。";
    "A model is loaded with transformers 5 and bitsandbytes 0.50; of weights that come straight to the device as much is reserved at once as they take, whether or not the device has it.",
    "模型按 transformers 5 与 bitsandbytes 0.50 的方式加载；直接载入显存时一次预留全部权重所需空间，不考虑设备是否足够。";
    "The kernels are those of compute capability 8.0 and 9.0; older GPUs choose others.",
    "采用计算能力 8.0 与 9.0 的内核；更早的 GPU 会选用其他内核。";
}

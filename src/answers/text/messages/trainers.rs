//! Messages about TRL's trainers, and about what `Trainer` adds to a model.

use super::group::groups;

groups! {
    objective {
        models: "TRL's objectives are estimated for decoders of text.",
            "TRL 的训练目标目前支持文本解码器。";
        experts: "Beside experts ORPO and CPO are not estimated with their balance, nor a vLLM.",
            "对于专家混合模型，暂不支持 ORPO、CPO 的专家均衡损失和并置的 vLLM。";
        framework: "TRL's objectives are estimated for {framework}.",
            "TRL 的训练目标目前支持 {framework}。";
        task: "This trainer of TRL trains models for the task {task}.",
            "TRL 的该训练器训练任务为 {task} 的模型。";
        training_only: "TRL's objectives are estimated in training, with an evaluation after each step or without.",
            "TRL 的训练目标目前只支持训练，可在每步之后评估。";
        evaluation: "A trainer of TRL evaluates by its loss: loss, or trainer where metrics are computed of predictions.",
            "TRL 的训练器按其损失评估：loss，或在计算指标时为 trainer。";
        other_losses: "A trainer of TRL computes the loss by itself, of rows that are not packed; kernels of Liger for norms, rotary embeddings and MLPs go with it, not those of losses.",
            "TRL 的训练器自行计算损失，样本不打包；可与 Liger 的归一化、旋转位置编码和 MLP 内核同时使用，不含其损失内核。";
        quantized_logits: "The logits of ORPO and CPO and quantized weights were each measured alone; the estimate of both together was not.",
            "ORPO、CPO 的 logits 与量化权重各自经过实测；两者同时使用的估算未经实测。";
        usual_loop: "Not estimated beside TRL's objectives yet.",
            "暂不支持与 TRL 的训练目标同时使用。";
        data_parallel: "TRL's objectives are estimated on ranks that each see other data: DDP, FSDP, DeepSpeed's ZeRO, and FSDP2 by transformers' own plan where it divides whole experts; not where GPUs divide other modules, layers or sequences.",
            "TRL 的训练目标支持数据并行（DDP、FSDP、DeepSpeed ZeRO，以及按 transformers 自带方案划分整个专家的 FSDP2），不支持由多个 GPU 划分其他模块、层或序列。";
        planned: "Beside TRL's objectives FSDP2 is estimated as accelerate wraps layers; by transformers' own plan only where that divides experts, too.",
            "与 TRL 的训练目标同时使用时，FSDP2 按 accelerate 逐层包装；仅在同时划分专家时支持 transformers 自带的方案。";
        precomputed_divided: "TRL hashes the parameters of the model whose log-probabilities it computes ahead, and those that transformers has divided among ranks (DTensor) cannot be hashed (run, trl 1.16).",
            "TRL 会对预先计算对数概率的模型参数求哈希，而由 transformers 划分到各进程的参数（DTensor）无法求哈希（已运行验证，trl 1.16）。";
        teacher_on_host: "On several GPUs TRL loads the teacher to the host, and under FSDP accelerate leaves it there: its first embedding stops (run, trl 1.16). DDP and ZeRO distill.",
            "多 GPU 时 TRL 把教师模型加载到主机内存，FSDP 下 accelerate 不会移动它：第一个嵌入层即报错（实测，trl 1.16）。DDP 与 ZeRO 可以蒸馏。";
        teacher_offloaded: "What ZeRO-3 keeps of a teacher on the host is not estimated yet.",
            "暂不支持估算 ZeRO-3 在主机上保留的教师模型参数。";
        teacher_recomputed: "Re-entrant checkpointing, which TRL turns on for adapters under ZeRO-3, is not estimated beside a teacher there yet.",
            "ZeRO-3 下暂不支持教师模型与可重入检查点同时使用；有适配器时 TRL 总会启用可重入检查点。";
        teacher_in_fp32: "DeepSpeed's engine has the teacher in the dtype of the training, and in fp32 takes none in half precision.",
            "DeepSpeed 引擎中教师模型与训练使用相同的数据类型；fp32 训练不接受半精度的教师模型。";
        generates_on_ranks: "What GRPO and distillation generate is estimated where each GPU has the whole model; under FSDP and ZeRO 3 their steps are, without it.",
            "GRPO 与蒸馏的生成只在每块 GPU 都有完整模型时估算；FSDP 和 ZeRO 3 下只估算不含生成的步骤。";
        precomputed_by_fsdp1: "Under FSDP1 the reference that precomputes log-probabilities stays on the GPU, whole after its last pass (measured, trl 1.16); this is not estimated yet.",
            "FSDP1 下预计算对数概率的参考模型会留在 GPU 上（实测，trl 1.16）；暂不支持估算。";
        adapters_off_in_engine: "Under ZeRO-3 a reference that is the model with its adapters switched off is not estimated yet: DeepSpeed loses its record of the order of modules there.",
            "ZeRO-3 下暂不支持以关闭适配器的模型为参考：DeepSpeed 会因此丢失模块顺序的记录。";
        precomputed_by_engine: "Under ZeRO-3 the engine that precomputes log-probabilities leaves its hooks on the model, and the first training step stops (trl 1.16, deepspeed 0.19.8).",
            "ZeRO-3 下预计算对数概率的引擎会把钩子留在模型上，第一个训练步会报错（trl 1.16、deepspeed 0.19.8）。";
        generation: "Generation {which} is not estimated yet; GRPO's step without it is.",
            "暂不支持估算{which}的生成；不含生成的 GRPO 步骤可以估算。";
        share: "vLLM takes a share of the GPU: more than 0, at most 1.",
            "vLLM 占用 GPU 显存的一个比例：大于 0，至多为 1。";
        share_too_small: "vLLM does not start with this share: it leaves {cache} MiB for keys and values, of which one sequence needs {sequence} MiB. The least that works is {least}.",
            "vLLM 无法以此份额启动：只给键值缓存留下 {cache} MiB，而一个序列需要 {sequence} MiB。可行的最小份额为 {least}。";
        no_share_starts: "vLLM does not start beside the trainer on this GPU: its share leaves {cache} MiB for keys and values, of which one sequence needs {sequence} MiB, and all of the GPU would not do.",
            "vLLM 无法在该 GPU 上与训练并置启动：其份额只给键值缓存留下 {cache} MiB，而一个序列需要 {sequence} MiB，整块 GPU 也不够。";
        share_too_large: "vLLM's share leaves {missing} MiB too little for training. The largest that works is about {largest}.",
            "vLLM 的份额使训练缺少 {missing} MiB。可行的最大份额约为 {largest}。";
        whole_context: "vLLM keeps room for a sequence of {positions} tokens, more than its share leaves, and does not start, unless vllm_max_model_length is set: to {tokens}, as is assumed here.",
            "若未设置 vllm_max_model_length，vLLM 会为 {positions} 个词元的序列预留空间，超出其份额而无法启动；此处假定设为 {tokens}。";
        teacher: "The teacher is not estimated: {why}",
            "无法估算教师模型：{why}";
        vocabulary: "The teacher's vocabulary has {of_teacher} tokens, the model's {of_student}: TRL's distillation compares them token by token.",
            "教师模型的词表有 {of_teacher} 个词元，被训练模型有 {of_student} 个：TRL 的蒸馏逐词元比较两者。";
        interpolates: "beta of distillation is between 0 and 1.",
            "蒸馏的 beta 在 0 与 1 之间。";
        saved_modules: "Modules that are trained as a whole beside TRL's objectives were not measured: the reference is estimated with their copies, which takes as much as with the modules as they were.",
            "未实测 TRL 的训练目标与整体训练的模块同时使用：参考模型按其副本估算，所需显存与使用原模块时相同。";
        checkpointed_again: "After the reference's forward pass, or after generating, every layer is checkpointed.",
            "参考模型的前向传播或生成之后，每一层都会被重计算。";
        adapted_head: "TRL reads the head's weight past its adapter, and refuses one.",
            "TRL 直接读取输出头的权重而不经过适配器，因此拒绝输出头上的适配器。";
        other_prompts: "KTO compares with completions of other prompts in the same micro-batch: it has at least two samples.",
            "KTO 与同一微批次中其他提示的补全比较：微批次至少有两个样本。";
        loss_type: "This trainer of TRL has no loss {name}; it has {all}.",
            "TRL 的该训练器没有损失 {name}；可选 {all}。";
        one_loss: "This trainer of TRL has one loss.",
            "TRL 的该训练器只有一种损失。";
        corrected_otherwise: "With vespo vLLM's log-probabilities correct token by token (vllm_importance_sampling_mode), which is not estimated yet.",
            "vespo 需要按词元用 vLLM 的对数概率修正（vllm_importance_sampling_mode），暂不支持估算。";
        padding_free_only: "SFTTrainer lays packed samples into one row with their positions: padding_free.",
            "SFTTrainer 把打包的样本连同其位置放入一行：padding_free。";
        group: "A group of GRPO has at least two completions: micro_batch_size times gradient_accumulation_steps is too small.",
            "GRPO 的一组至少有两个补全：micro_batch_size 与 gradient_accumulation_steps 之积过小。";
    }
    neftune {
        no_embedding: "NEFTune adds noise to what a token embedding gives, which this model does not have or is not estimated with.",
            "NEFTune 把噪声加到词元嵌入的结果上；该模型没有词元嵌入，或暂不支持估算。";
        not_called: "transformers 5.23 adds NEFTune's noise to an embedding that this model's encoder and decoder share and do not call: it has no effect.",
            "transformers 5.23 把 NEFTune 噪声加到编码器与解码器共享但并不调用的嵌入上：没有任何效果。";
        framework: "NEFTune is estimated for {framework}.",
            "NEFTune 目前支持 {framework}。";
        divided: "NEFTune is not estimated yet where the model itself is divided among GPUs.",
            "模型本身划分到多个 GPU 时暂不支持 NEFTune。";
        negative: "neftune_noise_alpha is at least 0; any number adds noise, and none is added without the key.",
            "neftune_noise_alpha 不小于 0；任何数值都会加噪声，不写该键则不加。";
    }
}

//! Messages about configs, whatever their family: by `model` and `families::reading`.

use super::group::groups;

groups! {
    config {
        missing: "The config has no {field}; it must be a whole number (transformers' default is {example}).",
            "配置中缺少 {field}；它必须是整数（transformers 的默认值为 {example}）。";
        not_whole: "{field} is {shown}; it must be a whole number from {low} to {high}.",
            "{field} 为 {shown}；它必须是 {low} 到 {high} 之间的整数。";
        not_a_flag: "{field} is {shown}; it must be true or false.",
            "{field} 为 {shown}；它必须是 true 或 false。";
        not_a_probability: "{field} is {shown}; it must be a probability from 0 to 1.",
            "{field} 为 {shown}；它必须是 0 到 1 之间的概率。";
        divided_heads: "A hidden size of {hidden} cannot be divided among {heads} attention heads.",
            "隐藏维度 {hidden} 无法均分给 {heads} 个注意力头。";
        shared_heads: "{heads} attention heads cannot share {shared} key-value heads.",
            "{heads} 个注意力头无法均分 {shared} 个键值头。";
        estimated_like: "{field} is {name:?}; it is estimated like {like:?}.",
            "{field} 为 {name:?}；按 {like:?} 估算。";
    }
    reading {
        expert_groups: "{experts} experts cannot be parted into {count} groups of equal size.",
            "{experts} 个专家无法均分为 {count} 组。";
        kept_groups: "{kept} groups are to be kept, but there are only {count}.",
            "要保留 {kept} 组，但只有 {count} 组专家。";
        not_counted: "What {field} takes for a moment is not counted.",
            "未计入 {field} 的临时占用。";
        experts_per_token: "Each token is to go through {per_token} experts, but a layer has only {count}.",
            "每个词元要经过 {per_token} 个专家，但每层只有 {count} 个专家。";
        list_length: "{name} has {count} entries, but there are {layers} layers: transformers refuses that.",
            "{name} 有 {count} 项，而模型有 {layers} 层：transformers 会报错。";
        quantized_checkpoint: "Quantized checkpoints are not estimated yet; without quantization_config the weights are taken in the chosen precision.",
            "暂不支持量化的检查点；去掉 quantization_config 后按所选精度估算权重。";
        no_model_type: "The config has no model_type, which says what kind of model it is of: {some}, ...",
            "配置中缺少 model_type，它说明模型的类型：{some} 等。";
        dinov3: "transformers 5.23 has DINOv3 without a head: no task of it has a loss to train with. DINOv2 with registers has a classifier.",
            "transformers 5.23 中的 DINOv3 没有任务头，没有可用于训练的损失；带寄存器的 DINOv2 有分类头。";
        unknown_id: "There is no model {shown:?} in the catalog; choose one from it or paste its config.json.",
            "目录中没有模型 {shown:?}；请从目录中选择，或粘贴它的 config.json。";
        images_left_out: "Of models that read images only the decoder of texts is estimated in transformers 4: neither images nor the weights of what sees them are counted.",
            "对于图文模型，transformers 4 只估算其文本解码器：不计图像，也不计图像编码器的权重。";
        text_part_only: "The config is of a model with several parts; only its text_config is estimated.",
            "该配置描述多模态模型；只估算其中的 text_config（文本部分）。";
        like_published: "A number of parameters does not say what a run keeps; estimated is a decoder in the proportions of {name}: {layers} layers, hidden size {hidden}, intermediate size {intermediate}, {heads} attention heads, {groups} key-value heads, {vocabulary} tokens.",
            "仅凭参数量无法得知训练会保存哪些张量；此处按 {name} 的比例估算一个解码器：{layers} 层，隐藏维度 {hidden}，中间维度 {intermediate}，{heads} 个注意力头，{groups} 个键值头，词表 {vocabulary}。";
        window_needed: "transformers makes a mask of the window for this model in any case, and fails without one.",
            "transformers 总会为该模型生成滑动窗口掩码，没有窗口时会报错。";
        layer_without_experts: "The loss that balances experts fails where a layer has none.",
            "有任何一层不含专家时，计算专家负载均衡损失会报错。";
        no_experts: "The loss that balances experts fails where no layer has any.",
            "没有任何一层含有专家时，计算专家负载均衡损失会报错。";
        an_encoder: "an encoder",
            "编码器";
        experts: "a mixture of experts",
            "混合专家";
        a_state_space: "a state space",
            "状态空间";
        compressed_keys: "attention with compressed keys",
            "压缩键值的注意力";
        images: "images",
            "图像";
        has_encoder: "it has an encoder",
            "它含有编码器";
        sign_of: "{field} is a sign of {sign}",
            "{field} 表明它含有{sign}";
        lacks: "it has no {field}",
            "缺少 {field}";
        as_llama: "rotary positions, root mean square norms and a gated MLP",
            "旋转位置编码、RMSNorm 与门控 MLP";
        as_gpt_neox: "rotary positions, LayerNorm, an MLP of two layers and as many key-value heads as attention heads",
            "旋转位置编码、LayerNorm、两层 MLP，键值头与注意力头数量相同";
        like_known: "Models of type {shown} are not known; by its sizes it is estimated like {like}: {assumed}. Extra weights of that type are missing.",
            "未知的模型类型 {shown}；按其尺寸参照 {like} 估算：{assumed}。该类型特有的权重未计入。";
        type_not_supported: "Models of type {shown} are not supported yet, and it cannot be estimated as a decoder: {why}. Nearest of those that are: {near}.",
            "暂不支持 {shown} 类型的模型，也无法按解码器估算：{why}。最接近的已支持类型：{near}。";
        type_no_text: "its type is no text",
            "其类型不是文本";
    }
}

//! Messages about families that read images among their tokens, by their folders in `families`.

use super::group::groups;

groups! {
    image_text {
        image_token: "The token of images, {token}, is none of the vocabulary's {vocabulary}; that is not estimated yet.",
            "图像词元 {token} 不在大小为 {vocabulary} 的词表中；暂不支持估算。";
        gemma_window: "PaliGemma over Gemma fails where its text part has a sliding_window: Gemma takes no masks of windows.",
            "PaliGemma 的文本部分为 Gemma 时不能设置 sliding_window：Gemma 不接受窗口掩码，运行会报错。";
        pixels: "min_pixels is {least} and more than max_pixels, {most}.",
            "min_pixels 为 {least}，大于 max_pixels {most}。";
        image_size: "image_size is {shown:?}; it must be pixels along both sides, as 768, or width and height, as 1920x1080, up to {side} each and no side more than {ratio} times as long as the other.",
            "image_size 为 {shown:?}；它必须是边长像素数（如 768）或宽x高（如 1920x1080），每边不超过 {side}，长边不超过短边的 {ratio} 倍。";
        crossed_flash: "Llama 3.2 Vision's masks say which tokens see which images, which the flash-attn package does not take; transformers refuses it.",
            "Llama 3.2 Vision 的掩码规定了哪些词元能看到哪些图像，flash-attn 包不支持这种掩码，transformers 会拒绝。";
        flash_hides_tokens: "With the flash-attn package transformers 5.23 hides later tokens from those of an image, too, which this model was trained to let see each other.",
            "使用 flash-attn 包时，transformers 5.23 会让图像词元也看不到其后的词元，而该模型训练时同一图像的词元可以互相看到。";
        crossed_reentrant: "Layers of Llama 3.2 Vision that attend to images get them as keyword arguments, so that re-entrant checkpoints of these layers go back through what made them once for each of them, with which PyTorch fails. Checkpoints that are not re-entrant do not.",
            "Llama 3.2 Vision 的交叉注意力层以关键字参数接收图像特征：对这些层做可重入的检查点会多次反向传播同一计算图，PyTorch 会报错；请使用不可重入的检查点。";
        smolvlm_predictions: "What the Trainer keeps of SmolVLM 2, whose output holds all that is seen of images, is not estimated yet; its loss is.",
            "SmolVLM 2 的输出包含图像编码器的全部结果，暂不支持估算 Trainer 保留的预测；可以估算损失。";
        beams: "Generation with beams by models that see images is not estimated yet; without it is.",
            "暂不支持估算图文模型使用束搜索的生成；不使用束搜索时支持。";
        nothing_trained: "Nothing is trained but what sees images, of which there are none: the loss has no gradient, with which PyTorch fails.",
            "只训练图像部分而批次中没有图像：损失没有梯度，PyTorch 会报错。";
        llava_next_tower: "LLaVA 1.6 is estimated over CLIP's tower without the token that stands for all of an image only.",
            "LLaVA 1.6 目前只支持 CLIP 图像编码器，且不含代表整幅图像的词元。";
        pinpoints: "image_grid_pinpoints must be pairs of height and width, multiples of {side} up to 64 times as large.",
            "image_grid_pinpoints 必须是由高和宽组成的数对，每个数都是 {side} 的倍数，且不超过其 64 倍。";
        merged_patches: "{side} x {side} patches cannot be merged {merge} x {merge} to one token: scale_factor must divide {side}.",
            "{side} x {side} 个图块无法按 {merge} x {merge} 合并为词元：scale_factor 必须整除 {side}。";
        tower_columns: "What sees images gives {given} columns; the text model has {hidden}.",
            "图像编码器输出 {given} 列，而文本模型的隐藏维度为 {hidden}。";
        pooled_patches: "An image of {side} x {side} patches cannot be pooled to {tokens} tokens: their number must be the square of a number that divides {side}.",
            "{side} x {side} 个图块无法池化为 {tokens} 个词元：词元数必须是 {side} 的某个因数的平方。";
        feature_layer: "vision_feature_layer must be one number, the hidden states after one of the tower's {layers} layers: from 1 to {layers}, or -1 for the last.",
            "vision_feature_layer 必须是一个数，即图像编码器 {layers} 层中某一层的输出：1 到 {layers}，或以 -1 表示最后一层。";
        tower_heads: "Heads of {head_dim} columns cannot be turned by places down and across an image: they must be a multiple of 4.",
            "每头 {head_dim} 列无法按图像的行列位置旋转：必须是 4 的倍数。";
        text_type: "{name} is estimated over decoders of type {names}, not {given}.",
            "{name} 目前支持 {names} 类型的解码器，不支持 {given}。";
    }
    internvl {
        other_value: "InternVL is estimated with {field} {usual} only.",
            "InternVL 目前只支持 {field} 为 {usual}。";
    }
    mistral3 {
        feature_layer: "Mistral 3 is estimated with the hidden states of its tower's last layer only: vision_feature_layer must be -1.",
            "Mistral 3 目前只支持使用图像编码器最后一层的输出：vision_feature_layer 必须为 -1。";
    }
    mllama {
        no_layer: "The tower has {layers} layers, numbered from 0; there is no layer {layer}.",
            "图像编码器有 {layers} 层，从 0 编号；没有第 {layer} 层。";
        tower_columns: "What sees images gives {columns} columns, {hidden_size} of its last layer and of each that is read besides; vision_output_dim says {given}.",
            "图像编码器输出 {columns} 列（末层和另外读取的各层均为 {hidden_size} 列），而 vision_output_dim 为 {given}。";
    }
    qwen_vl {
        window_too_small: "A window of {window} pixels holds no token, which has {token} along each side.",
            "{window} 像素的窗口容不下边长 {token} 像素的词元。";
        too_many_windows: "{images} images in a batch are seen in {of_image} windows each; up to {windows} windows are estimated.",
            "一个批次有 {images} 张图像，每张分为 {of_image} 个窗口；最多支持估算 {windows} 个窗口。";
    }
}

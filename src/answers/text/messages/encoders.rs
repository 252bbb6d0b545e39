//! Messages about families of encoders and encoder-decoders, by their folders in `families`.

use super::group::groups;

groups! {
    bart {
        embeddings_not_shared: "Marian is estimated with one table of embeddings; share_encoder_decoder_embeddings must be true.",
            "目前按编码器与解码器共享词嵌入的 Marian 估算；share_encoder_decoder_embeddings 必须为 true。";
        layers_left_out: "{field} leaves out layers by chance; all of them are counted.",
            "{field} 会随机跳过部分层；此处按全部层计算。";
        reentrant_adapters: "BART before transformers 5 cannot train adapters under re-entrant checkpointing: nothing makes its encoder's input require a gradient, and backward fails. Use full.",
            "transformers 5 之前的 BART 无法在可重入激活重计算下训练适配器：编码器的输入不会获得梯度，反向传播会失败。请使用 full。";
        no_flash: "flash_attention_2 of BART and Whisper is not supported yet; sdpa uses the same kernel where it can.",
            "暂不支持 BART 和 Whisper 的 flash_attention_2；sdpa 会在可能时使用同样的内核。";
        target_too_long: "Whisper's decoder takes at most {most} tokens; target_seq_len is {target}.",
            "Whisper 的解码器最多接受 {most} 个词元；target_seq_len 为 {target}。";
    }
    beit {
        reentrant_shared_biases: "Re-entrant checkpoints go backward through the biases that layers share once for each layer, and PyTorch refuses the second time.",
            "re-entrant 激活重计算会为每一层各反向一次共享的位置偏置，第二次时 PyTorch 会报错。";
        no_flash: "transformers has no flash_attention_2 for BEiT and data2vec's model of images, whose scores have biases; sdpa is there.",
            "transformers 的 BEiT 与 data2vec 图像模型的注意力分数带有偏置，没有 flash_attention_2；支持 sdpa。";
        half_precision_images: "BEiT takes images in the dtype of its weights, and batches have them in float32: half precision needs autocast.",
            "BEiT 要求图像与权重的数据类型相同，而批次中的图像为 float32：半精度需要使用自动混合精度。";
    }
    bert {
        esm_positions: "ESM is estimated with positions that are rotary or absolute, not {position}.",
            "ESM 的位置编码只支持 rotary 或 absolute，不支持 {position}。";
        esm_folds: "ESMFold, which predicts structures, is not estimated; ESM without it is.",
            "暂不支持估算预测结构的 ESMFold；支持不含它的 ESM。";
        odd_heads: "Positions of RoFormer turn pairs of columns, and each of {heads} heads has {head_dim} of them, which is odd.",
            "RoFormer 的位置编码成对旋转各列，而 {heads} 个注意力头各有 {head_dim} 列，为奇数。";
        albert_groups: "ALBERT is estimated with one layer that is used again and again; {field} must be 1.",
            "目前按所有层共享一层的 ALBERT 估算；{field} 必须为 1。";
    }
    clip {
        no_flash: "flash_attention_2 of CLIP and SigLIP is not supported yet; sdpa uses the same kernel where it can.",
            "暂不支持 CLIP 和 SigLIP 的 flash_attention_2；sdpa 会在可能时使用同样的内核。";
        contrastive_evaluation: "Of the evaluation of pairs of images and texts the loss is estimated only.",
            "图文对比的评估目前只支持估算损失。";
    }
    conv_nets {
        widths_and_depths: "hidden_sizes must have as many numbers as depths, from 1 to 8.",
            "hidden_sizes 与 depths 的个数必须相同，为 1 到 8 个。";
        image_too_small: "The image is too small: nothing of it is left for the last stage.",
            "图像太小：最后一个阶段得不到任何内容。";
        no_checkpoints: "transformers does not checkpoint this model and fails.",
            "transformers 不支持该模型的激活重计算，会报错。";
        half_precision_images: "The model takes images in the dtype of its weights, and batches have them in float32: half precision needs autocast.",
            "该模型要求图像与权重的数据类型相同，而批次中的图像为 float32：半精度需要使用自动混合精度。";
        quantized: "Quantized networks of convolutions are not estimated yet.",
            "暂不支持估算量化的卷积网络。";
    }
    deberta {
        not_as_published: "DeBERTa is estimated as it is published, with another {field}.",
            "目前按已发布的 DeBERTa 的结构估算，其 {field} 与此不同。";
        eager_only: "DeBERTa's attention to distances runs in one way only; attention must be eager.",
            "DeBERTa 的相对位置注意力只有一种实现；attention 必须为 eager。";
        float32_only: "Biases of the first DeBERTa stay in float32 whatever the model is loaded in, and its scores are filled with the least number of float32: transformers 5 fails in 16 bits and under autocast.",
            "初代 DeBERTa 的偏置无论以何种精度加载都保持 float32，注意力分数也用 float32 的最小值填充：transformers 5 在 16 位精度与自动混合精度下都会报错。";
        reentrant_shared_distances: "All layers of DeBERTa share a table of distances, through which re-entrant checkpointing goes backward twice: PyTorch refuses that.",
            "DeBERTa 各层共享相对位置表，可重入重计算会对其反向两次，PyTorch 会报错。";
        autocast_over_quantized: "Over quantized layers DeBERTa masks scores that autocast has in 16 bits with the least number of float32, which PyTorch refuses; without autocast it runs.",
            "在量化的 DeBERTa 中，自动混合精度下的注意力分数为 16 位，却用 float32 的最小值做掩码，PyTorch 会报错；不用自动混合精度则可以。";
    }
    eurobert {
        pooling: "EuroBERT's classifier_pooling is late, mean or bos, not {name}.",
            "EuroBERT 的 classifier_pooling 只能是 late、mean 或 bos，不能是 {name}。";
    }
    modernbert {
        sparse_prediction: "With sparse_prediction the head reads masked tokens only, whose number the data decides; that is not estimated.",
            "启用 sparse_prediction 时，输出层只计算被遮盖的词元，其数量取决于数据；暂不支持估算。";
        compiled: "transformers 4 compiles parts of ModernBERT where Triton is installed, and compiled graphs are not estimated; reference_compile must be false.",
            "transformers 4 在装有 Triton 时会编译 ModernBERT 的部分模块，而编译图暂不支持估算；reference_compile 必须为 false。";
        flash_unpads: "With flash_attention_2 transformers 4 removes the padding of ModernBERT's batches, which is not estimated; sdpa is.",
            "使用 flash_attention_2 时，transformers 4 会去除 ModernBERT 批次中的填充，暂不支持估算；支持 sdpa。";
        mean_without_mask: "transformers 4 needs a padding mask to take the mean of ModernBERT's tokens.",
            "transformers 4 需要填充掩码才能对 ModernBERT 的词元取平均。";
    }
    swin {
        heads_and_depths: "num_heads must have as many numbers as depths, from 1 to 8.",
            "num_heads 与 depths 的个数必须相同，为 1 到 8 个。";
        window_too_large: "The last stage has {least} patches along a side, into which windows of {window_size} do not fit; transformers 5 fails then.",
            "最后一个阶段每边只有 {least} 个图块，放不下 {window_size} 的窗口；transformers 5 会因此报错。";
        v2_absolute_positions: "transformers makes one position more than the second Swin has patches, and fails to add them; use_absolute_embeddings must be false.",
            "transformers 为 Swin V2 多建了一个位置嵌入，相加时会报错；use_absolute_embeddings 必须为 false。";
        not_a_list: "{field} is {shown}; it must be a list of whole numbers.",
            "{field} 为 {shown}；它必须是整数列表。";
        v2_eager_only: "transformers writes the attention of the second Swin in one way only; attention must be eager.",
            "transformers 中的 Swin V2 只有一种注意力实现；attention 必须为 eager。";
        nested_checkpoints: "transformers checkpoints Swin's stages and the layers in them, one inside the other, which is not estimated yet.",
            "transformers 对 Swin 的各阶段及其中各层嵌套地做激活重计算，暂不支持估算。";
        half_precision_images: "Swin takes images in the dtype of its weights, and batches have them in float32: half precision needs autocast.",
            "Swin 要求图像与权重的数据类型相同，而批次中的图像为 float32：半精度需要使用自动混合精度。";
        v2_image_too_small: "Images of {side} patches along a side have none left in the last of {stages} stages.",
            "每边 {side} 个图块的图像，到第 {stages} 个阶段已不剩图块。";
        v2_trained_windows: "pretrained_window_sizes must have a number for each of the {stages} stages.",
            "pretrained_window_sizes 必须为 {stages} 个阶段各给出一个数。";
    }
    t5 {
        no_sdpa: "T5 has no sdpa before transformers 5; attention must be eager.",
            "transformers 5 之前的 T5 不支持 sdpa；attention 必须为 eager。";
    }
    vit {
        patch_too_large: "Patches of {patch_size} pixels do not fit into images of {image_size}.",
            "{patch_size} 像素的图块放不进 {image_size} 像素的图像。";
    }
    wav2vec2 {
        not_estimated: "{field} is not estimated yet.",
            "暂不支持估算 {field}。";
        convolutions: "conv_dim, conv_kernel and conv_stride must have as many numbers as each other, from 1 to 16.",
            "conv_dim、conv_kernel 与 conv_stride 的个数必须相同，为 1 到 16 个。";
        quantized: "Quantized models of speech are not estimated yet.",
            "暂不支持估算量化的语音模型。";
        mask_too_long: "SpecAugment masks {length} positions at once, more than the {positions} of a sample: transformers fails.",
            "SpecAugment 每次掩蔽 {length} 个位置，多于样本的 {positions} 个位置：transformers 会报错。";
        wavlm_padding: "The mask of padded samples is not estimated for WavLM yet.",
            "暂不支持估算 WavLM 的样本填充掩码。";
        wavlm_eager_only: "WavLM's attention runs in one way only; attention must be eager.",
            "WavLM 的注意力只有一种实现；attention 必须为 eager。";
        wavlm_reentrant: "Layers of WavLM are given biases through closures: re-entrant checkpoints go backward through all layers above, again and again, and do not end.",
            "WavLM 各层经闭包得到位置偏置：re-entrant 激活重计算会反复对之前所有层反向，无法结束。";
        transcript_too_long: "A transcript has no more tokens than the recording has positions: target_seq_len is {target}, seq_len {seq_len}.",
            "转写的词元数不能多于录音的位置数：target_seq_len 为 {target}，seq_len 为 {seq_len}。";
    }
}

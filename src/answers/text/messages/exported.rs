//! Messages about graphs that `torch.export` wrote: by `codec` and `families::exported`.

use super::group::groups;

groups! {
    exported {
        not_read: "The graph {path:?} is not there: it is content that has to be read before anything is estimated.",
            "没有计算图 {path:?}：需要先读取该文件才能估算。";
        awaited: "This needs the file {path} (digest {digest}), which no link holds: drop it anywhere on the page, or choose it below under \"Start from what you have\". All settings stay.",
            "需要文件 {path}（摘要 {digest}），链接中不含其内容：请将它拖放到页面任意位置，或在下方“从手头的东西开始”中选择。所有设置保持不变。";
        unfetched: "The file {file}, which lies beside this page, could not be fetched: its graph is not estimated.",
            "无法获取本页附带的文件 {file}：该计算图未估算。";
        other_graph: "{name} is another graph (digest {digest}) than the one that this was made with ({wanted}): its numbers may be others.",
            "{name} 与生成此配置时所用的计算图不同（摘要 {digest}，原为 {wanted}）：结果可能不同。";
        fixed_batch: "The graph holds for a batch of {fixed} alone. Export it with dynamic_shapes=({0: torch.export.Dim.AUTO},) and an example batch of 3 for others.",
            "该计算图只适用于批大小 {fixed}。要用于其他批大小，请用大小为 3 的示例批次和 dynamic_shapes=({0: torch.export.Dim.AUTO},) 重新导出。";
        no_symbol: "The graph has no size {key:?} that is open; it has {names}.",
            "该计算图没有可变的尺寸 {key:?}；可变的有：{names}。";
        no_number: "{key} must be a whole number.",
            "{key} 必须是整数。";
        outside_range: "{name} is {value}; the graph holds from {low} to {high}. Beyond that the model may run other operations.",
            "{name} 为 {value}；该计算图适用的范围是 {low} 到 {high}；超出范围时模型可能运行其他算子。";
        depends_on_values: "{name} depends on the values of tensors: {operation} in {module:?} makes it. Say how large it is, as {\"symbols\": {\"{name}\": 1000}}.",
            "{name} 取决于张量的值：由 {module:?} 中的 {operation} 产生。请给出它的大小，例如 {\"symbols\": {\"{name}\": 1000}}。";
        too_many_dimensions: "{name} has more than {most} dimensions, which is not estimated yet.",
            "{name} 的维数超过 {most}，暂不支持估算。";
        no_size: "The size of {name} is not known with these sizes.",
            "在这些尺寸下无法得知 {name} 的大小。";
        too_large: "{name} would have more than 16 TiB.",
            "{name} 将超过 16 TiB。";
        gaps: "{count} operations are not estimated as what they are: {names}. Each counts as one that saves its inputs and gives each of them a gradient; the estimate is not exact, and may be too low or too high there.",
            "有 {count} 个算子没有按其实际行为估算：{names}。它们按“保存输入并为每个输入产生梯度”计算；估算在这些地方不精确，可能偏低或偏高。";
        own_loss: "The graph's first result is no single number; it returns no loss of its own. Say cross_entropy, mse or mean.",
            "该计算图的第一个输出不是单个数值，它没有自带损失。请选择 cross_entropy、mse 或 mean。";
        loss_as: "A graph has no labels of its own; the loss is taken to be {name}.",
            "计算图没有标签；损失按 {name} 计算。";
        no_graph: "The loss {name} is that of an exported graph; this model computes its own from labels.",
            "损失 {name} 仅用于导出的计算图；该模型由标签计算损失。";
        cudnn: "Convolutions are taken to run by cuDNN: its workspaces are not estimated, so that the true need may be higher while one runs.",
            "假定卷积由 cuDNN 执行：未估算其工作区，因此卷积运行期间实际占用可能更高。";
        precision: "The graph casts between element types or names one, and was exported in {of}: it holds for that precision. Export it once more with weights and inputs in the other one.",
            "该计算图含有数据类型转换，并以 {of} 导出：它只适用于该精度。请用另一种精度的权重和输入重新导出。";
        widened: "The graph was exported in {of}, and norms and embeddings become float32 before QLoRA (prepare_for_kbit_training): what they give is estimated in the graph's dtype where it names one. Export it in float32, and choose amp_bf16.",
            "该计算图以 {of} 导出，而 QLoRA 之前归一化与嵌入会转为 float32（prepare_for_kbit_training）：计算图写明类型之处按其类型估算。请以 float32 导出并选择 amp_bf16。";
        casts: "The graph casts floats to float32 or names it ({operation}). It was exported in float32, where such a cast leaves no trace of the dtype that was meant: under another precision the estimate is not exact, and may be a few percent too high or too low. For bf16, export the model once more with bf16 weights and inputs.",
            "该计算图将浮点数转换为 float32 或指定了该类型（{operation}）。它以 float32 导出，此时无法得知转换的本意：在其他精度下估算不精确，可能偏高或偏低百分之几。若用 bf16，请以 bf16 的权重和输入重新导出。";
        not_modelled: "{what} is not estimated for an exported graph yet.",
            "暂不支持对导出的计算图估算 {what}。";
        rank_of_groups: "{path} is a convolution of {groups} groups, by which PEFT wants the rank to be divisible; it is {rank}.",
            "{path} 是分为 {groups} 组的卷积，PEFT 要求秩能被组数整除；当前为 {rank}。";
        no_layer: "The graph has no module {shown:?}. Its classes of modules that repeat: {classes}.",
            "该计算图没有模块 {shown:?}。其中重复出现的模块类：{classes}。";
        no_layers: "The graph has no list of modules whose elements would be layers, so that nothing is checkpointed or sharded apart. Name its layers by class ({classes}) or path.",
            "该计算图没有可作为“层”的模块列表，因此没有单独设检查点或分片的部分。请用类名（{classes}）或路径指定层。";
        layers: "{count} modules count as layers, from {example} on: the elements of lists. Others can be named by class or path.",
            "共有 {count} 个模块作为层，从 {example} 起：即模块列表的各元素。也可以用类名或路径指定其他模块。";
        batch_norm_of_fsdp2: "FSDP2 casts the weights of batch normalization and leaves its running statistics in float32; PyTorch stops there (\"Expected running_mean to have type BFloat16 but got Float\").",
            "FSDP2 会转换批归一化的权重，而其滑动统计量仍为 float32；PyTorch 会在此报错（“Expected running_mean to have type BFloat16 but got Float”）。";
        batch_norm_of_fsdp1: "FSDP1 keeps batch normalization in float32, in units of its own, which is not estimated: the true need is higher.",
            "FSDP1 以 float32 保留批归一化，并将其作为单独的单元，此处未作估算：实际占用更高。";
        no_archive: "{name} is no archive of torch.export. {how}",
            "{name} 不是 torch.export 的归档文件。{how}";
        damaged: "{name} cannot be read to its end: {why}.",
            "{name} 无法完整读取：{why}。";
        other_archive: "{name} is an archive, but torch.export did not write it. {how}",
            "{name} 是归档文件，但不是由 torch.export 写出的。{how}";
        torchscript: "{name} is TorchScript (torch.jit.save), which does not say what eager training runs. {how}",
            "{name} 是 TorchScript（torch.jit.save），它不包含即时模式训练所执行的算子。{how}";
        state_dict: "{name} holds tensors (torch.save), not what is computed with them. {how}",
            "{name} 只含张量（torch.save），不含计算过程。{how}";
        safetensors: "{name} holds weights (safetensors), not what is computed with them. {how}",
            "{name} 只含权重（safetensors），不含计算过程。{how}";
        onnx: "{name} is ONNX, whose operations are not those that PyTorch trains with. {how}",
            "{name} 是 ONNX，其算子不是 PyTorch 训练时所用的算子。{how}";
        compiled: "{name} is a compiled package without its graph. {how}",
            "{name} 是编译后的包，不含计算图。{how}";
        no_program: "The program in {name} cannot be read: {why}.",
            "无法读取 {name} 中的程序：{why}。";
        too_old: "{name} was written by a torch before 2.6 (format {major}). Export it with torch 2.6 or newer.",
            "{name} 由 2.6 之前的 torch 写出（格式 {major}）。请用 torch 2.6 或更新版本导出。";
        decomposed: "{name} was decomposed (run_decompositions): {operation} is not what eager training runs. Save the program as torch.export.export gives it.",
            "{name} 已被分解（run_decompositions）：{operation} 不是即时模式训练所执行的算子。请直接保存 torch.export.export 的结果。";
        too_large_file: "The program in {name} has {bytes} bytes, more than is read.",
            "{name} 中的程序有 {bytes} 字节，超过可读取的上限。";
        how: "Write one with torch.export.save(torch.export.export(model.train(), (x,)), \"model.pt2\"), torch 2.6 or newer.",
            "请用 torch.export.save(torch.export.export(model.train(), (x,)), \"model.pt2\") 写出（torch 2.6 或更新版本）。";
    }
}

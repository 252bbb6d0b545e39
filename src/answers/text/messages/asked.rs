//! Messages about texts, keys and numbers: by `ask`, `codec`, `report`, `decide` and the page.

use super::group::groups;

groups! {
    ask {
        outside: "{key} is {value}; it must be from {low} to {high}.",
            "{key} 为 {value}；允许范围是 {low} 到 {high}。";
        with_reason: "{problem} {reason}",
            "{problem}{reason}";
    }
    codec {
        without_memory: "{shown} takes no memory; it is left out.",
            "{shown} 不占内存，已省略。";
        not_a_group: "{path} must be an object such as {\"key\": value}.",
            "{path} 应为对象，例如 {\"key\": value}。";
        not_an_object: "The JSON is not an object; a scenario looks like {\"model\": \"qwen2.5-1.5b\", \"micro_batch_size\": 2}.",
            "该 JSON 不是对象；场景形如 {\"model\": \"qwen2.5-1.5b\", \"micro_batch_size\": 2}。";
        not_json: "The text is not JSON: {error}.",
            "文本不是合法的 JSON：第 {line} 行第 {column} 列出错（{error}）。";
        not_understood: "The text is neither a scenario, a config.json (which says model_type), a Highwater link nor a model of the catalog.",
            "文本既不是场景 JSON、config.json（应包含 model_type）、Highwater 链接，也不是目录中的模型。";
        unknown_view: "{option} is {shown}; it can be {names}. The browser's choice is used.",
            "{option} 为 {shown}；可选 {names}。已按浏览器设置显示。";
        unknown_key: "There is no key {shown}; it is ignored.{hint}",
            "没有键 {shown}，已忽略。{hint}";
        did_you_mean: " Did you mean {nearest}?",
            "是否指 {nearest}？";
        unknown_in_link: "This link says {shown}, which is not known here; it is ignored.{hint}",
            "链接中的 {shown} 无法识别，已忽略。{hint}";
        unreadable: "{path} is {shown}; it must be {expected}.{kept}",
            "{path} 为 {shown}；应为{expected}。{kept}";
        default_used: " The default is used.",
            "已使用默认值。";
        a_model: "a catalog id, {\"hf_config\": {...}}, {\"linear\": {\"in_features\": n, \"out_features\": m}} {\"exported\": \"model.pt2\"} or {\"num_parameters\": n}",
            "目录中的模型 id、{\"hf_config\": {...}}、{\"linear\": {\"in_features\": n, \"out_features\": m}} {\"exported\": \"model.pt2\"} 或 {\"num_parameters\": n}";
        a_count: "a whole number, at least {least}",
            "不小于 {least} 的整数";
        bytes: "a whole number of bytes",
            "整数字节数";
        a_number: "a number",
            "一个数";
        a_flag: "true or false",
            "true 或 false";
        one_of: "one of {all}",
            "以下之一：{all}";
        a_text: "a text",
            "一段文本";
        a_list: "a list of texts",
            "文本列表";
        fields: "an object of config fields",
            "由配置字段组成的对象";
        divisions: "a whole number, or a list by size in MiB such as [256:1,512:2,>:8]",
            "整数，或按大小（MiB）给出的列表，例如 [256:1,512:2,>:8]";
        sides: "pixels along both sides, or width and height such as 1920x1080",
            "边长像素数，或宽x高，例如 1920x1080";
        lengths: "mean, p95 and longest, as in mean 412, p95 1800, longest 4096, or lengths in tokens, with their counts (128:40, 512:3) or one for each sample",
            "均值、p95 与最长，例如 mean 412, p95 1800, longest 4096；或长度（词元数）：带样本数（128:40, 512:3），或每个样本一个";
        expected: "It must be {expected}.",
            "应为{expected}。";
        taken_for: "{shown} is taken to have the sizes of {id}; give its config.json if not.",
            "{shown} 按 {id} 的尺寸处理；若不同，请提供其 config.json。";
        quantized: "The checkpoint's weights are stored by bitsandbytes: quantization.type is {quantization}, as transformers loads them.",
            "该检查点的权重由 bitsandbytes 量化存储：quantization.type 取 {quantization}，与 transformers 加载时一致。";
        quantized_mixed: "The checkpoint's weights are stored by bitsandbytes: quantization.type is {quantization}. Linear layers that its publisher left in 16 bits are counted as quantized: the estimate is too low by them.",
            "该检查点的权重由 bitsandbytes 量化存储：quantization.type 取 {quantization}。发布者保留为 16 位的线性层也按量化计算：估算因此偏低。";
        quantized_like: "{format} is not modeled: the weights are taken as {quantization}, the nearest quantization; the estimate is off by the scales of groups and by the temporaries of dequantization.",
            "尚未建模 {format}：权重按最接近的量化 {quantization} 估算；分组缩放系数与反量化临时张量会造成偏差。";
        quantization_left_out: "The checkpoint's quantization ({format}) is not modeled: its weights are taken in 16 bits or the chosen precision, as after dequantization. A job that trains beside the quantized weights takes less.",
            "尚未建模该检查点的量化（{format}）：权重按 16 位或所选精度估算，即反量化之后的大小。若训练时保留量化权重，实际占用更少。";
        dequantized_mxfp4: "The checkpoint's experts are stored in MXFP4, which cannot be trained: they are taken in 16 bits, as Mxfp4Config(dequantize=True) loads them.",
            "该检查点的专家权重以 MXFP4 存储，无法直接训练：按 Mxfp4Config(dequantize=True) 加载后的 16 位估算。";
        number_missing: "Enter a number.",
            "请输入数字。";
        no_number: "That is not a number.",
            "这不是数字。";
        number_negative: "The number must not be negative.",
            "数字不能为负。";
        unit_unknown: "The unit is not known; use k, M, B for counts and KiB, MiB, GiB, KB, MB, GB for bytes.",
            "无法识别的单位；计数用 k、M、B，字节用 KiB、MiB、GiB、KB、MB、GB。";
        number_not_whole: "It must be a whole number.",
            "必须是整数。";
        number_too_large: "The number is too large.",
            "数字过大。";
    }
    report {
        no_phase: "The program has no phase to report.",
            "该程序没有可报告的阶段。";
    }
    decide {
        batch_not_shared: "The {batch} samples of a step cannot be shared evenly among {ranks} ranks.",
            "每步 {batch} 个样本无法在 {ranks} 个 rank 间均分。";
        broke_off: "The estimate broke off because of a mistake of Highwater's own: please report this configuration.",
            "由于 Highwater 自身的错误，估算中断：请报告该配置。";
        ends: "{axis} is allowed up to {value}, and memory is left there. {reason}",
            "{axis} 最大允许 {value}，此时内存仍有余量。{reason}";
        images_followed: "Images are then seen as {width} by {height} pixels and take {tokens} tokens each; seq_len follows to {seq_len}, so that as much text stays.",
            "此时图像按 {width} x {height} 像素处理，每张占 {tokens} 个词元；seq_len 随之变为 {seq_len}，文本长度不变。";
        no_models: "The catalog has no models of the type that this one is of.",
            "目录中没有与该模型同类型的模型。";
        no_number: "{name} is no number: a map has numbers along its edges.",
            "{name} 不是数值，无法作为图的坐标轴。";
        same_axis: "A map needs two different settings along its edges.",
            "两个坐标轴必须是不同的设置。";
        unknown_axis: "There is nothing called {shown} to solve for.{hint} It can be {usual}, or any other number of a scenario by its key.",
            "无法对 {shown} 求解。{hint}可选 {usual}，或场景中任何数值型的键。";
        without_effect: "{axis} has no effect in this scenario: there is nothing to solve for.",
            "{axis} 在此场景中不起作用，无需求解。";
    }
    scenario {
        version: "The scenario says format version {version}; this program reads version {scenario_version}.",
            "该场景的格式版本为 {version}；本程序只能读取版本 {scenario_version}。";
    }
    elsewhere {
        found: "{name}: its config is taken from {place}.",
            "{name}：配置取自 {place}。";
        base: "{name} is an adapter's folder: its base model is {base}.",
            "{name} 是适配器文件夹：其基础模型为 {base}。";
        offline: "There is no model {name:?} in the catalog, in a folder or in the Hub's cache, and offline the Hub is not asked: choose a model of the catalog, or name a folder with its config.json.",
            "目录、文件夹与 Hub 缓存中都没有模型 {name:?}，离线时也不会访问 Hub：请从目录中选择，或给出含 config.json 的文件夹。";
        gated: "{name}: {host} answers {status}: the repository is gated or private, or there is none of this name. Accept its terms on its page and set HF_TOKEN, or name an open copy that has the same config (often of unsloth or NousResearch), or a folder with its config.json.",
            "{name}：{host} 返回 {status}：该仓库需要授权、为私有或不存在。请在其页面上接受条款并设置 HF_TOKEN，或改用配置相同的公开副本（常见于 unsloth 或 NousResearch），或给出含 config.json 的文件夹。";
        missing: "{name}: {host} answers {status}: it has no config.json of this name. Correct the name, or name a folder with the model's config.json.",
            "{name}：{host} 返回 {status}：没有该名称的 config.json。请更正名称，或给出含 config.json 的文件夹。";
        unreachable: "{name}: the catalog does not have it, and {host} cannot be reached ({reason}). Name a folder with the model's config.json, set HF_ENDPOINT to a mirror, or choose a model of the catalog.",
            "{name}：目录中没有该模型，且无法访问 {host}（{reason}）。请给出含 config.json 的文件夹，将 HF_ENDPOINT 设为镜像，或从目录中选择。";
        unusable: "{name}: {place} is no config.json of a model, or larger than 4 MiB.",
            "{name}：{place} 不是模型的 config.json，或超过 4 MiB。";
    }
    engine {
        loaded_again: "Highwater broke off because of a mistake of its own, and the page was loaded again with the configuration of its address. The browser's console said what happened.",
            "Highwater 因自身错误中断，页面已按地址中的配置重新载入。浏览器控制台记录了原因。";
        without_below: "Highwater broke off again with this configuration because of a mistake of its own: what stands below the answer, and advice, are left out until the page is reloaded.",
            "Highwater 因自身错误在该配置下再次中断：重新载入页面之前，不显示结果下方的内容和建议。";
    }
    hub {
        mirror: "{repository} shows its files only to who has been let in: its config is that of {mirror}, an open copy.",
            "{repository} 的文件仅对获准者开放：配置取自公开副本 {mirror}。";
        unreachable: "{repository}: huggingface.co cannot be reached from here: you are offline, or this page's host does not allow it. Open the model's page there, copy its config.json and paste it here.",
            "{repository}: 无法访问 huggingface.co：您处于离线状态，或本页面的主机不允许。请打开该模型的页面，复制其 config.json 并粘贴到此处。";
        gated: "{repository}: There is no such repository, or its files are shown only to who has been let in. If you have been, copy its config.json from the model's page and paste it here.",
            "{repository}: 没有这个仓库，或其文件仅对获准者开放。如果您已获准，请从模型页面复制 config.json 并粘贴到此处。";
        no_config: "{repository}: The repository has no config.json. Look on its page for the model that it was made from.",
            "{repository}: 该仓库没有 config.json，请在其页面上查找它所基于的模型。";
    }
}

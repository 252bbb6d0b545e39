"""What a trainer reads, made on the spot in a folder: models of the catalog's architectures whose weights are holes in a file, a tokenizer with a token
for each byte, and samples of given lengths."""
import base64, glob, json, os, struct, sys

HERE = os.path.dirname(os.path.abspath(__file__))
CATALOG = glob.glob(f"{HERE}/../configs/*.json") or glob.glob(f"{HERE}/../../../src/models/families/*/models/*.json")
# Names in the Hub of small models of the catalog.
MODELS = {
    "Qwen/Qwen2.5-0.5B": "qwen2.5-0.5b", "Qwen/Qwen2.5-1.5B": "qwen2.5-1.5b", "Qwen/Qwen3-0.6B": "qwen3-0.6b", "Qwen/Qwen3-1.7B": "qwen3-1.7b",
    "HuggingFaceTB/SmolLM2-135M": "smollm2-135m", "HuggingFaceTB/SmolLM2-360M": "smollm2-360m", "meta-llama/Llama-3.2-1B": "llama-3.2-1b",
    "NousResearch/Llama-3.2-1B": "llama-3.2-1b", "TinyLlama/TinyLlama-1.1B-Chat-v1.0": "tinyllama-1.1b",
    "google/gemma-3-270m": "gemma-3-270m", "google/gemma-3-1b-it": "gemma-3-1b", "google/gemma-2-2b": "gemma-2-2b", "openai-community/gpt2": "gpt2",
    "google-bert/bert-base-uncased": "bert-base", "distilbert/distilbert-base-uncased": "distilbert-base", "FacebookAI/roberta-base": "roberta-base",
    "google-t5/t5-small": "t5-small", "google/flan-t5-small": "flan-t5-small", "google-t5/t5-base": "t5-base",
}
# Of those whose published files are not in bfloat16.
KINDS = {name: "F32" for name in MODELS if any(part in name for part in ("gpt2", "bert", "t5"))}
# Models that are no causal ones, by the part of their names, and the length that their tokenizers know.
OTHERS = {"bert": ("AutoModelForMaskedLM", 512), "t5": ("AutoModelForSeq2SeqLM", 1 << 20), "gpt2": ("AutoModelForCausalLM", 1024)}
SPECIAL = ["<pad>", "</s>", "<s>", "<unk>", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|begin_of_text|>", "<|start_header_id|>",
           "<|end_header_id|>", "<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<mask>", "<cls>", "<sep>"]
CHAT = "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"


def config(name):
    return json.load(open(next(path for path in CATALOG if os.path.basename(path) == f"{MODELS[name]}.json")))


def model(name, folder):
    """config.json, weights and tokenizer under `folder`/`name`."""
    own = f"{folder}/{name}"
    if os.path.exists(f"{own}/tokenizer.json"):
        return
    import torch, transformers
    os.makedirs(own, exist_ok=True)
    fields = config(name)
    made = transformers.AutoConfig.for_model(**fields)
    auto, longest = next((other for part, other in OTHERS.items() if part in name), ("AutoModelForCausalLM", 1 << 20))
    with torch.device("meta"):
        empty = getattr(transformers, auto).from_config(made)
    names = ("<pad>", "</s>", "<s>")
    made.pad_token_id, made.eos_token_id, made.bos_token_id = (SPECIAL.index(token) for token in names)
    if auto == "AutoModelForSeq2SeqLM":
        made.decoder_start_token_id = made.pad_token_id
    kind = KINDS.get(name, "BF16")
    made.architectures, made.dtype = [type(empty).__name__], torch.float32 if kind == "F32" else torch.bfloat16
    made.save_pretrained(own)
    weights(empty, f"{own}/model.safetensors", kind)
    tokenizer(own, longest)


def weights(model, path, kind):
    """A file of zeros that takes no room, each tied weight once."""
    size = dict(BF16=2, F32=4)[kind]
    at, header, seen = 0, {"__metadata__": {"format": "pt"}}, set()
    tied = set(getattr(model, "all_tied_weights_keys", None) or getattr(model, "_tied_weights_keys", None) or ()) if model.config.get_text_config().tie_word_embeddings else set()
    for name, parameter in model.named_parameters():
        if name in tied or id(parameter) in seen:
            continue
        seen.add(id(parameter))
        header[name] = dict(dtype=kind, shape=list(parameter.shape), data_offsets=[at, at + size * parameter.numel()])
        at += size * parameter.numel()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        out.truncate(8 + len(text) + at)


def tokenizer(folder, longest):
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
    vocabulary = {token: number for number, token in enumerate([*SPECIAL, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    made = Tokenizer(models.BPE(vocabulary, []))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL])
    fast = PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="</s>", bos_token="<s>", unk_token="<unk>", mask_token="<mask>", cls_token="<cls>", sep_token="<sep>", model_max_length=longest)
    fast.chat_template = CHAT
    fast.save_pretrained(folder)


def tiktoken(path):
    """A file of tiktoken with a token for each byte."""
    with open(path, "w") as out:
        out.writelines(f"{base64.b64encode(bytes([byte])).decode()} {byte}\n" for byte in range(256))


def lines(path, rows):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    for name in sys.argv[2:]:
        model(name, sys.argv[1])

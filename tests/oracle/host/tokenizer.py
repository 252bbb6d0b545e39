"""Memory of fast tokenizers by size of their vocabulary (experiment 2).

usage: python3 tokenizer.py [TOKENIZER.json ...]      made-up BPE and Unigram ones when none is given

A file's kind is the beginning of its name, bpe or uni.
"""

import os
import random
import sys

import measure

SIZES = (32_000, 80_000, 152_000)
SPECIAL = ["<pad>", "</s>", "<unk>"]


def words(count):
    import numpy as np
    draw = np.random.default_rng(1)
    syllables = [c + v for c in "bcdfghjklmnpqrstvwxyz" for v in ("a", "e", "i", "o", "u", "an", "er", "is", "on")]
    return ["".join(draw.choice(syllables, draw.integers(1, 6))) for _ in range(count)]


def make(kind, size):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    file = measure.path("tokenizers", f"{kind}{size // 1000}k.json")
    if os.path.exists(file):
        return file
    if kind == "bpe":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, special_tokens=SPECIAL,
                                      show_progress=False)
        text = words(400_000)
        made.train_from_iterator((" ".join(text[i:i + 1000]) for i in range(0, len(text), 1000)), trainer)
    else:
        pieces = sorted({mark + word for word in words(2 * size) for mark in ("", "\u2581")})
        # Neighbours share their beginnings; a real vocabulary is spread over all of them.
        random.Random(0).shuffle(pieces)
        pieces = pieces[:size - 30]
        scores = [(token, 0.0) for token in SPECIAL] + [(c, -9.0) for c in "abcdefghijklmnopqrstuvwxyz\u2581"]
        scores += [(piece, -8 - 0.00001 * i) for i, piece in enumerate(pieces)]
        made = Tokenizer(models.Unigram(scores, unk_id=2))
        made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.save(file)
    return file


def one(file):
    from transformers import PreTrainedTokenizerFast
    with measure.Peak() as peak:
        read = PreTrainedTokenizerFast(tokenizer_file=file, pad_token="<pad>")
    name = os.path.basename(file).removesuffix(".json")
    measure.emit("2_tokenizer", {"tok": name, "vocab": len(read)}, json_bytes=os.path.getsize(file), **peak.deltas())


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one(sys.argv[2])
    else:
        files = sys.argv[1:] or [make(kind, size) for kind in ("bpe", "uni") for size in SIZES]
        for file in files:
            measure.run_again(__file__, "one", file)

"""draw_lengths.py SEED COUNT > CASES: scenarios drawn as `draw.py` draws them, of models of texts in training, each with the lengths of its micro-batches.

    python3 draw_lengths.py 7 60 | DIR/run.sh cases.py --apart > measured.jsonl
    python3 draw_lengths.py --limits < measured.jsonl | DIR/run.sh cases.py --apart   # under limits that PyTorch meets by freeing its cache, or does not

Lengths are log-normal, cut at the longest, and rounded up to one of few, as the estimates draw them."""
import json, math, random, sys
import draw

OF_TEXTS = ("causal_lm", "seq2seq_lm", "masked_lm", "sequence_classification", "token_classification", "question_answering")
STEPS = 14


def lengths(chance, longest, count):
    step = max(1, longest // 8)
    drawn = [min(longest, math.ceil(longest / 4 * math.exp(chance.gauss(0, 0.7)))) for _ in range(count)]
    return [max(8, min(longest, -(-length // step) * step)) for length in drawn]


def case(seed):
    chance = random.Random(seed)
    while True:
        made = draw.scenario(chance)
        if made.get("program") or made["task"] not in OF_TEXTS or "seq_len" not in made or "offload" in made:
            continue
        for key in ("evaluation", "dataset", "keep_outputs"):
            made.pop(key, None)
        if chance.random() < 0.4:
            made["allocator"] = dict(expandable_segments=True)
        made["seq_len"] = chance.choice([256, 301, 512, 640, 1000])
        accumulation = made.get("gradient_accumulation_steps", 1)
        return dict(id=f"lengths-{seed}", scenario=dict(v=1, **made), lengths=lengths(chance, made["seq_len"], STEPS * accumulation))


def limited(chance, line):
    """A measured case once more under a limit: between what it allocated and what it reserved, or below the former."""
    steps = line["expect"]["steps"]
    allocated, reserved = (max(step[kind] for step in steps) for kind in (0, 1))
    first = max(steps[0][:1] + steps[1][:1])
    most = sorted(step[0] for step in steps[2:])
    limit = chance.choice([allocated + (reserved - allocated) // 2, allocated + (reserved - allocated) // 8, (most[-1] + max(first, most[len(most) // 2])) // 2]) + 2**20
    return dict(id=line["id"] + "-limited", scenario={**line["scenario"], "memory_limit": limit}, lengths=line["lengths"])


if __name__ == "__main__":
    if sys.argv[1] == "--limits":
        for line in map(json.loads, sys.stdin):
            if "expect" in line:
                print(json.dumps(limited(random.Random(line["id"]), line)))
        sys.exit()
    seed, count = sys.argv[1], int(sys.argv[2])
    for number in range(count):
        print(json.dumps(case(f"{seed}.{number}")))

"""draw_noise.py SEED COUNT > SCENARIOS: what `draw.py`, `draw_ranks.py` and `draw_objectives.py` draw, with noise on what the input embedding gives (NEFTune).

    python3 draw_noise.py 7 60 | DIR/run.sh cases.py --apart > measured.jsonl"""
import json, random, sys
import draw, draw_objectives, draw_ranks

# Tasks without token embeddings.
WITHOUT = ("image_classification", "contrastive", "ctc", "audio_classification")


def drawn(chance):
    kind = chance.choice(["one_gpu"] * 6 + ["ranks", "objective", "objective"])
    if kind == "ranks":
        made = draw_ranks.scenario(chance, chance.choice(["ddp", "fsdp1", "fsdp2", "deepspeed_zero"]))
    elif kind == "objective":
        made = draw_objectives.drawn(chance)
    else:
        made = draw.scenario(chance)
    return dict(v=1, **{key: value for key, value in made.items() if key != "v"}, neftune_noise_alpha=5.0)


if __name__ == "__main__":
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    number = found = 0
    while found < count:
        made = drawn(random.Random(f"{seed}.{number}"))
        number += 1
        if made.get("task") not in WITHOUT and made.get("program") != "evaluation":
            found += 1
            print(json.dumps(made))

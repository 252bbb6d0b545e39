"""compare.py REAL STUBBED: two files of cases of the same scenarios, measured on a GPU and on the stubbed runtime; differences of the steady
step's and the run's figures by option, in %, and the cases that differ most."""
import json, sys


def cases(path):
    lines = (json.loads(line) for line in open(path) if line.strip() and not line.startswith("#"))
    return {line["id"]: line for line in lines if "expect" in line}


def figures(case):
    expect = case["expect"]
    found = {f"steady {key}": expect["steady_step"]["peak"][key] for key in ("peak_tensor", "peak_allocated", "peak_reserved") if key in expect["steady_step"]["peak"]}
    return {**found, **{f"run {key}": value for key, value in expect.get("run", {}).items()}}


def options(scenario):
    for key, value in scenario.items():
        if key in ("model", "task", "precision", "attention", "activation_checkpointing", "program", "sdpa_backend"):
            yield f"{key}={value}"
        elif key == "optimizer":
            yield f"optimizer={value['name']}/{value['impl']}"
        elif key not in ("v", "micro_batch_size", "seq_len", "target_seq_len", "model_overrides"):
            yield key


real, stubbed = cases(sys.argv[1]), cases(sys.argv[2])
both = [key for key in real if key in stubbed]
rows, worst = {}, []
for key in both:
    ours, theirs = figures(stubbed[key]), figures(real[key])
    off = {name: 100 * (ours[name] - value) / value for name, value in theirs.items() if name in ours and value}
    worst.append((max(map(abs, off.values()), default=0), key, off))
    for name, value in off.items():
        for option in ("all", *options(real[key]["scenario"])):
            rows.setdefault((option, name), []).append(abs(value))
print(f"{len(both)} cases in both; only real {len(real) - len(both)}, only stubbed {len(stubbed) - len(both)}")
print(f"{'differences in %':<44} {'figure':<24} {'cases':>5} {'median':>9} {'p95':>9} {'worst':>9}")
for (option, name), values in sorted(rows.items(), key=lambda item: (item[0][0] != "all", item[0])):
    values.sort()
    p95 = values[max(0, -(-95 * len(values) // 100) - 1)]
    print(f"{option:<44} {name:<24} {len(values):>5} {values[(len(values) - 1) // 2]:>9.4f} {p95:>9.4f} {values[-1]:>9.4f}")
for value, key, off in sorted(worst, reverse=True)[:10]:
    print(f"\n{key} {json.dumps(real[key]['scenario'])}")
    print("   " + ", ".join(f"{name} {value:+.4f}" for name, value in off.items()))

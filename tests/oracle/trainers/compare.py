"""compare.py WORK HIGHWATER < MEASURED: each case beside the estimate of what `highwater import` makes of its files: peaks of live tensors, allocated and reserved memory of the
steady step, in percent off, and by phase with `--phases`. Models are read from WORK/CASE."""
import json, os, subprocess, sys

COMMANDS = {"trl-sft": "trl sft --config config.yaml", "trl-dpo": "trl dpo --config config.yaml", "axolotl": "axolotl train config.yaml", "llama-factory": "llamafactory-cli train config.yaml",
            "torchtune-full": "tune run full_finetune_single_device --config config.yaml", "torchtune-lora": "tune run lora_finetune_single_device --config config.yaml",
            "torchtune-dpo": "tune run lora_dpo_single_device --config config.yaml"}


# What loops of trainers hold beside: losses, counts of tokens, a norm.
SCALARS = 8192


def estimated(case, work, highwater, more=()):
    folder = f"{work}/{case['id']}"
    os.makedirs(folder, exist_ok=True)
    files = case["files"]
    if case["trainer"] in COMMANDS and "run.sh" not in files:
        files = {**files, "run.sh": COMMANDS[case["trainer"]] + "\n"}
    for name, text in files.items():
        with open(f"{folder}/{name}", "w") as out:
            out.write(text)
    told = [f"--set={key}={json.dumps(value) if not isinstance(value, str) else value}" for key, value in {**case.get("set", {}), **dict(more)}.items()]
    read = subprocess.run([highwater, "import", *sorted(set(files) & {"run.sh", "train.py"}), *told], cwd=folder, capture_output=True, text=True)
    if not read.stdout:
        return None, read.stderr.strip()
    imported = json.loads(read.stdout)
    if "scenario" not in imported:
        return None, read.stdout[:300]
    found = subprocess.run([highwater, "estimate"], input=json.dumps(imported["scenario"]), cwd=folder, capture_output=True, text=True)
    if not found.stdout:
        return imported, found.stderr.strip()
    return imported, json.loads(found.stdout)


def off(estimate, measured):
    return (estimate - measured) / measured * 100


def main():
    work, highwater = sys.argv[1:3]
    by_phase = "--phases" in sys.argv
    more = [part.split("=", 1) for part in sys.argv[3:] if "=" in part]
    more = [(key, json.loads(value)) for key, value in more]
    for line in sys.stdin:
        if not line.startswith("{"):
            continue
        case = json.loads(line)
        if "error" in case:
            print(f"{case['id']:22} NOT RUN {case['error'].splitlines()[-1][:150]}")
            continue
        imported, report = estimated(case, work, highwater, more)
        if not isinstance(report, dict) or "device" not in report:
            print(f"{case['id']:22} NOT ESTIMATED {str(report)[:300]}")
            continue
        certainty = imported.get("certainty")
        step, measured = report["device"]["steady_step"], case["measured"]
        kinds = ("peak_tensor", "peak_allocated", "peak_reserved")
        last = measured["steps"][-1]
        peaks = [step["peak"][kind] for kind in kinds]
        parts = [f"{off(peaks[i], last[i]):+8.3f}%" for i in range(3)]
        first = report["device"]["first_step"]["peak"]["peak_tensor"]
        # `Trainer` holds the inputs of all micro-batches of a step, of which an estimate has those of one; a mask that hides nothing and positions are among them.
        scenario = imported["scenario"]
        one = scenario.get("micro_batch_size", 2) * scenario.get("seq_len", 256) * 8
        rows = 2 if (scenario.get("objective") or {}).get("kind") == "dpo" else 1
        held = [0] + [int(scenario.get("gradient_accumulation_steps", 1) * kinds_of_inputs * rows * one) - step["peak"]["composition"].get("inputs", 0) for kinds_of_inputs in (2, 2.5, 3, 3.5, 4)]
        held.append((scenario.get("gradient_accumulation_steps", 1) - 1) * step["peak"]["composition"].get("inputs", 0))
        evaluation = scenario.get("evaluation") or {}
        if evaluation.get("kind"):  # which keeps labels and most likely tokens, and inputs of the training
            evaluated = evaluation.get("micro_batch_size", scenario.get("micro_batch_size", 2)) * scenario.get("seq_len", 256) * 8
            held = [beside + tensors * evaluated for beside in held for tensors in range(9)]
        if case["trainer"].startswith("torcht"):
            held = [0]
        rest = min((peaks[0] - last[0] + beside for beside in held), key=abs)
        print(f"{case['id']:22} {'EQUAL' if abs(rest) <= SCALARS else 'off  '} {rest:+14,d} {parts[0]} alloc {parts[1]} reserved {parts[2]} first {off(first, measured['steps'][0][0]):+8.3f}% {step['peak']['phase']}"
              f" {certainty} {[a['key'] for a in imported.get('approximated', [])]} {[i['key'] for i in imported['ignored'] if i['matters'] != 'no']}")
        if by_phase:
            full = f"{work}/{case['id']}/full.json"
            full = json.load(open(full))["steady_step"]["phases"] if os.path.exists(full) else {}
            for phase in step["phases"]:
                held = measured["steady_step"].get(phase["phase"])
                if held:
                    print(f"    {phase['phase']:16} {phase['peak_tensor']:>15,d} measured {held[0]:>15,d}  {phase['peak_tensor'] - held[0]:+14,d} reserved {phase['peak_reserved'] - held[2]:+14,d}")
                    own = full.get(phase["phase"], {}).get("composition", {})
                    for kind in sorted({*own, *phase["composition"]}):
                        if own.get(kind, 0) != phase["composition"].get(kind, 0):
                            print(f"        {kind:18} {phase['composition'].get(kind, 0):>15,d} measured {own.get(kind, 0):>15,d}  {phase['composition'].get(kind, 0) - own.get(kind, 0):+14,d}")


if __name__ == "__main__":
    main()

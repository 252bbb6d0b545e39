"""measure.py WORK < CASES: runs each case's trainer in a folder of its own under WORK and writes a line {"id", "trainer", "files", "data", "set", "versions", "measured"}, or "error"
with the last lines that the trainer wrote. Models are made once, in WORK/models. PYTHONPATH may put a trainer's own versions of libraries before the others (SITES/NAME)."""
import json, os, re, shlex, shutil, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import launch, material
SITES = dict(axolotl="axolotl", torchtitan="torchtitan", swift="swift", **{"llama-factory": "llamafactory"}, **{f"torchtune-{recipe}": "torchtune" for recipe in ("full", "lora", "dpo")})
RECIPES = {"torchtune-full": "full_finetune_single_device", "torchtune-lora": "lora_finetune_single_device", "torchtune-dpo": "lora_dpo_single_device"}
SECONDS = 600


def rows(data, program):
    count, tokens = 256 if data["tokens"] < 600 else 96, data["tokens"]
    kind = data["kind"]
    if kind == "text":
        return [dict(text="a" * (tokens - 1))] * count
    if kind in ("long", "exact"):
        return [dict(text="a" * (tokens + 64 * (kind == "long")))] * count
    if kind == "messages":
        return [dict(messages=[dict(role="user", content="a" * 8), dict(role="assistant", content="b" * tokens)])] * count
    if kind == "classes":
        return [dict(text="a" * (tokens + 64), label=number % 2) for number in range(count)]
    if kind.startswith("glue"):
        names = ["sentence1", "sentence2"] if kind == "glue-mrpc" else ["sentence"]
        return [dict(**{name: "a" * (tokens + 64) for name in names}, label=number % 2, idx=number) for number in range(count)]
    if kind == "articles":
        return [dict(article="a" * (tokens + 64), highlights="b" * 400)] * count
    if kind == "ids":
        ids = [20] * (tokens - 1) + [1]
        return [dict(input_ids=ids, attention_mask=[1] * tokens, labels=ids)] * count
    half = tokens // 2
    if kind == "pairs":
        answer = "b" * (tokens - half - 1)
        return [dict(prompt="a" * half, chosen=answer, rejected=answer[1:] + "c")] * count
    if kind == "marked":
        return [dict(prompt="a" * half, completion="b" * (tokens - half - 1), label=number % 2 == 0) for number in range(count)]
    if kind == "argued":
        said = lambda answer: [dict(role="user", content="a" * (2 * tokens)), dict(role="assistant", content=answer)]
        return [dict(prompt="a" * (2 * tokens), chosen=said("b" * tokens), rejected=said("c" * tokens))] * count
    long = "a" * (2 * tokens)
    short = "a" * tokens
    if kind == "factory-sft":
        return [dict(instruction="a", input="", output=long if tokens % 2 == 0 and data.get("cut", True) else short)] * count
    if kind == "alpaca":
        return [dict(instruction="a", input="", output=long)] * count
    if kind == "conversations":
        said = lambda answer: [dict(role="user", content=short), dict(role="assistant", content=answer)]
        return [dict(chosen=said(long), rejected=said(long[1:] + "c"))] * count
    if kind == "factory-pt":
        return [dict(text=long)] * count
    if kind == "factory-dpo":
        return [dict(instruction="a" * tokens, input="", chosen=long, rejected=long[1:] + "c")] * count
    if kind == "factory-kto":
        return [dict(instruction="a" * tokens, input="", output=long, kto_tag=number % 2 == 0) for number in range(count)]
    raise ValueError(kind)


COLUMNS = {"factory-sft": dict(columns=dict(prompt="instruction", query="input", response="output")),
           "factory-pt": dict(columns=dict(prompt="text")),
           "factory-dpo": dict(ranking=True, columns=dict(prompt="instruction", query="input", chosen="chosen", rejected="rejected")),
           "factory-kto": dict(columns=dict(prompt="instruction", query="input", response="output", kto_tag="kto_tag"))}


def prepare(case, work):
    folder = os.path.abspath(f"{work}/{case['id']}")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name, text in case["files"].items():
        with open(f"{folder}/{name}", "w") as out:
            out.write(text)
    models = os.path.abspath(f"{work}/models")
    for name in (name for name in material.MODELS if any(name in text for text in case["files"].values())):
        if not os.path.exists(f"{models}/{name}/tokenizer.json"):
            python([f"{HERE}/material.py", models, name], work, {}, subprocess.DEVNULL)
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        if not os.path.exists(f"{folder}/{name}"):
            os.symlink(f"{models}/{name}", f"{folder}/{name}")
    kind = case["data"]["kind"]
    if case["trainer"] == "torchtitan":
        material.tokenizer(f"{folder}/assets", 1 << 20)
    if case["trainer"] in RECIPES:
        material.lines(f"{folder}/own.jsonl", rows(case["data"], None))
        material.tiktoken(f"{folder}/tokenizer.model")
    elif kind.startswith("factory"):
        material.lines(f"{folder}/data/own.jsonl", rows(case["data"], None))
        with open(f"{folder}/data/dataset_info.json", "w") as out:
            json.dump(dict(own=dict(file_name="own.jsonl", **COLUMNS[kind])), out)
    else:
        own = f"{folder}/nyu-mll/glue" if kind.startswith("glue") else f"{folder}/own/data"
        found = rows(case["data"], None)
        material.lines(f"{own}/train.jsonl", found)
        if "evaluated" in case["data"]:
            material.lines(f"{own}/{case['data'].get('split', 'test')}.jsonl", (found * 4)[:case["data"]["evaluated"] or 8])
        if kind.startswith("glue"):
            glue(own, kind[5:], found[0])
    for name in started(case)[:1]:
        if name.endswith(".py") and not os.path.exists(f"{folder}/{name}"):
            shutil.copy(f"{os.environ['EXAMPLES']}/{name}", folder)
    return folder


def glue(folder, task, row):
    """GLUE's card, which says what its columns are."""
    with open(f"{folder}/README.md", "w") as out:
        out.write("---\nconfigs:\n- config_name: %s\n  data_files:\n" % task)
        for split in ("train", "validation", "test"):
            out.write(f"  - split: {split}\n    path: {'train' if split == 'train' else 'validation'}.jsonl\n")
        out.write("dataset_info:\n- config_name: %s\n  features:\n" % task)
        for name in row:
            out.write(f"  - name: {name}\n    dtype: {'int32' if name == 'idx' else 'string'}\n" if name != "label" else "  - name: label\n    dtype:\n      class_label:\n        names:\n          '0': 'no'\n          '1': 'yes'\n")
        out.write("---\n")


def started(case):
    """The words after `python` or `swift sft` of a command, all of a launcher's."""
    words = shlex.split(case["files"].get("run.sh", "").replace("\\\n", " "))
    if words[:1] and words[0] in launch.LAUNCHERS:
        return words
    return words[1:] if words[:1] == ["python"] else words[2:]


def python(arguments, folder, more, out):
    return subprocess.run([sys.executable, *arguments], cwd=folder, env={**os.environ, **more}, stdout=out, stderr=subprocess.STDOUT, timeout=SECONDS)


def measured(case, work):
    folder = prepare(case, work)
    sites, site = os.environ.get("SITES"), SITES.get(case["trainer"])
    path = ":".join(part for part in (f"{sites}/{site}" if sites and site else "", os.environ.get("PYTHONPATH", "")) if part)
    recipe = RECIPES.get(case["trainer"])
    options = started(case) or (["run", recipe] if recipe else []) + (["config.yaml"] if case["trainer"] in ("axolotl", "llama-factory") else ["--config", "config.yaml"])
    with open(f"{folder}/log", "w") as log:
        try:
            python([f"{HERE}/run.py", case["trainer"], *options], folder, dict(PYTHONPATH=path), log)
        except subprocess.TimeoutExpired:
            return dict(error=f"not done after {SECONDS} s")
    if not os.path.exists(f"{folder}/measured.json"):
        written = [line for line in re.split(r"[\n\r]", open(f"{folder}/log", errors="replace").read()) if line.strip() and "it/s]" not in line]
        return dict(error="\n".join(written[-6:])[-1200:])
    with open(f"{folder}/measured.json") as file:
        found = json.load(file)
    return dict(versions=found.pop("versions"), measured=short(found), full=found)


def short(found):
    peaks = lambda step: {phase: [held["peak_tensor"], held["peak_allocated"], held["peak_reserved"]] for phase, held in found[step]["phases"].items()}
    overall = [max(step[i] for step in found["steps"]) for i in range(3)]
    return dict(loading=found["loading"], num_parameters=found["num_parameters"], num_trainable=found["num_trainable"], steps=found["steps"], overall=overall, first_step=peaks("first_step"), steady_step=peaks("steady_step"))


if __name__ == "__main__":
    for line in sys.stdin:
        case = json.loads(line)
        found = measured(case, sys.argv[1])
        full = found.pop("full", None)
        if full:
            with open(f"{sys.argv[1]}/{case['id']}/full.json", "w") as out:
                json.dump(full, out)
        print(json.dumps({**case, **found}), flush=True)

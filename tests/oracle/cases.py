"""cases.py < SCENARIOS: for each line, a scenario or {"id", "scenario"}, a line {"id", "scenario", "expect"}; with "lengths" beside the scenario (one for
each micro-batch of as many steps as there are) what each step held; with `--events FILE` the first
scenario's allocator events instead, with `--ops` the operations that made them (torch 2.15). With `--apart` each has a process of its own:
then libraries' patches and tables do not stay, and each can have its own settings of the allocator."""
import argparse, gc, hashlib, json, os, sys, warnings
warnings.filterwarnings("ignore")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch

asked_for_devices = torch._C._cuda_getDeviceCount
if "--apart" in sys.argv:  # a process that saw a device cannot be forked: libraries that look for one while they are imported find none
    torch._C._cuda_getDeviceCount = lambda: 0
import transformers
import libraries, program, phases, scenario as scenarios
from recorder import OpNames, Recorder

torch._C._cuda_getDeviceCount = asked_for_devices
for function in vars(transformers.utils.import_utils).values():
    getattr(function, "cache_clear", lambda: None)()

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--events", help="write allocator events of the first scenario here")
arguments.add_argument("--ops", action="store_true", help="with the operation beside each allocation")
arguments.add_argument("--limit", type=int, help="bytes that PyTorch may reserve (set_per_process_memory_fraction)")
arguments.add_argument("--apart", action="store_true", help="a process for each scenario")
arguments = arguments.parse_args()


def device_bytes():
    return torch.cuda.get_device_properties(0).total_memory


def write_events(recorder, written, out):
    limit = f" limit {int(arguments.limit / device_bytes() * device_bytes())}" if arguments.limit else ""
    settings = os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "default")
    out.write(f"# torch {torch.__version__}, transformers {transformers.__version__}, {settings}, {json.dumps(written)}{limit}\n")
    numbers, count = {}, 0
    for event in recorder.events():
        if event[0] == "mark":
            name, figures = recorder.marks[event[1]][0], recorder.figures[event[1]][:4]
            out.write("M " + " ".join(map(str, [name, *figures])) + "\n")
            event = ("alloc", event[2], event[3], "")
        if event[0] == "alloc":
            numbers[event[1]] = count
            out.write(f"A {count} {event[2]} {event[3]}".rstrip() + "\n")
            count += 1
        elif event[0] == "free":
            out.write(f"F {numbers.pop(event[1])}\n")
        elif event[0] == "segment":
            out.write(f"S {event[1]} {event[2]}\n")
        elif event[0] == "oom":
            out.write(f"O {event[1]}\n")


def limited(written):
    """The settings and the limit of the allocator, as far as this process may still choose them."""
    settings = scenarios.allocator_settings(written.get("allocator", {}))
    if arguments.apart and settings:
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = settings
    torch.cuda.init()
    limit = arguments.limit or written.get("memory_limit")
    if limit:
        torch.cuda.set_per_process_memory_fraction(limit / device_bytes())


def events(written):
    import recorder as recorders
    made = []
    program.Recorder = lambda: made.append(recorders.Recorder()) or made[-1]
    try:
        with OpNames() if arguments.ops else open(os.devnull):
            program.run(written)
    except torch.OutOfMemoryError:
        pass
    with open(arguments.events, "w") as out:
        write_events(made[0], written, out)


def steps(written, lengths):
    """What each step of a run held whose micro-batches have these lengths, and the step in which it ran out of memory, if it did."""
    made, failed = [], None
    program.Recorder = lambda: made.append(Recorder()) or made[-1]
    try:
        program.run(written, lengths=lengths)
    except torch.OutOfMemoryError:
        failed = True
    return phases.by_step(made[0], failed)


def case(name, written, lengths=None):
    """One that cannot run does not end the rest."""
    if lengths:
        return case_of_lengths(name, written, lengths)
    try:
        limited(written)
        found = dict(expect=phases.summarize(*program.run(written), "length_mean" in written.get("dataset", {})))
    except Exception as error:
        found = dict(error=str(error)[:300])
    print(json.dumps(dict(id=name, scenario=written, **found)), flush=True)


def case_of_lengths(name, written, lengths):
    try:
        limited(written)
        found = dict(expect=steps(written, lengths))
    except Exception as error:
        found = dict(error=str(error)[:300])
    print(json.dumps(dict(id=name, scenario=written, lengths=lengths, **found)), flush=True)


def device():
    """Which GPU it is, and what is in use on it beside PyTorch's allocator."""
    torch.zeros(8, 8, device="cuda") @ torch.zeros(8, 8, device="cuda")
    free, total = torch.cuda.mem_get_info()
    outside = total - free - torch.cuda.memory_reserved()
    print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}, transformers {transformers.__version__}, total_memory {device_bytes()}, "
          f"in use outside of the allocator (this context, and others on the device) {outside}", flush=True)


def forget():
    torch.cuda.memory._record_memory_history(enabled=None)
    libraries.forget_masks()
    gc.collect()
    if hasattr(torch._C, "_cuda_clearCublasWorkspaces"):
        torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.empty_cache()


def apart(work):
    """-> the status with which a process ended that did the work. This one stays without a context: it could not be forked with one."""
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    return os.waitpid(child, 0)[1]


if os.environ.get("HIGHWATER_REAL_GPU") and not arguments.events:
    apart(device) if arguments.apart else device()
for line in sys.stdin:
    line = json.loads(line)
    written = line.get("scenario", line)
    name = line.get("id") or hashlib.sha1(json.dumps(written, sort_keys=True).encode()).hexdigest()[:12]
    if arguments.events:
        limited(written)
        events(written)
        break
    if arguments.apart:
        if status := apart(lambda: case(name, written, line.get("lengths"))):
            print(json.dumps(dict(id=name, scenario=written, error=f"its process ended with {status}")), flush=True)
        continue
    case(name, written, line.get("lengths"))
    forget()
sys.stdout.flush()
os._exit(0)  # without the stubbed runtime's destructors

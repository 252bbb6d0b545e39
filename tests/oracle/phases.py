"""From events to what the project calls `expect`: per phase the peaks and what is live at the peak, by category."""
import os

# What PyTorch takes for cuBLAS, by compute capability (torch 2.15 around each product; torch 2.6 keeps it).
WORKSPACE = 33554432 if os.environ.get("FAKE_GPU_CC", "80") >= "90" else 8519680
# Marks within a phase that count to it.
PART_OF = dict(forward="forward", forward_end_cast="forward", backward="backward", clip="clip", optimizer_step="optimizer_step", zero_grad="zero_grad",
               evaluation="evaluation", evaluation_end="evaluation")


def rounded(size):
    return (size + 511) // 512 * 512


def categories(events, marks, known):
    """-> list of (kind, storage), sizes, categories. A storage gets the category of the first mark that knows it; a gradient is one in
    any case; what nobody knows and lives when the forward pass has ended was saved for backward."""
    sizes, names, live, sequence, mark_addresses, start = [], [], {}, [], set(), False
    asked, born = 0, []
    for event in events:
        asked += event[0] in ("alloc", "mark")
        if event[0] == "alloc":
            live[event[1]] = len(sizes)
            sequence.append(("alloc", len(sizes)))
            sizes.append(event[2])
            names.append(None)
            born.append(asked)
        elif event[0] == "free":
            if event[1] in mark_addresses:
                mark_addresses.discard(event[1])
            else:
                sequence.append(("free", live.pop(event[1])))
        elif event[0] == "mark":
            if not start:
                start = True
                for address, (_, category) in known.items():
                    names[live[address]] = category
            mark_addresses.add(event[2])
            sequence.append(("mark", event[1]))
            for category, storages in marks[event[1]][1].items():
                if category == "activations":
                    storages = [a for a in live if names[live[a]] is None and not (sizes[live[a]] == WORKSPACE)]
                for address in storages:
                    index = live.get(address)
                    if category == "autocast_weights" and index is not None and born[index] > storages[address]:
                        continue  # another storage at the address of a copy that is gone
                    if index is not None and (names[index] is None or category == "gradients"):
                        names[index] = category
    names = [n or ("workspaces" if s == WORKSPACE else "temporaries") for n, s in zip(names, sizes)]
    return sequence, sizes, names


def summarize(recorder, known, facts, lengths_differ=False):
    marks, figures = recorder.marks, recorder.figures
    sequence, sizes, names = categories(recorder.events(), marks, known)
    total, by, current, spans = 0, {}, None, []
    for kind, index in sequence:
        if kind == "mark":
            current = dict(mark=index, peak_tensor=total, composition={k: v for k, v in by.items() if v})
            spans.append(current)
            continue
        size = rounded(sizes[index]) * (1 if kind == "alloc" else -1)
        by[names[index]] = by.get(names[index], 0) + size
        total += size
        if current and total > current["peak_tensor"]:
            current.update(peak_tensor=total, composition={k: v for k, v in by.items() if v})
    result = dict(facts)
    last = int(marks[-2][0].split(":")[0])
    usual = (("usual_step", last - 1),) if lengths_differ else ()
    for name, step in (("first_step", 0), ("steady_step", last), *usual):
        phases = {}
        for span in spans[:-1]:
            number, _, phase = marks[span["mark"]][0].split(":")
            if int(number) != step or phase not in PART_OF:
                continue
            # The allocator's peaks of a span are read when the next mark is made.
            allocated, reserved = figures[span["mark"] + 1][2:]
            found = phases.setdefault(PART_OF[phase], dict(peak_tensor=0, peak_allocated=0, peak_reserved=0, composition={}))
            if span["peak_tensor"] > found["peak_tensor"]:
                found.update(peak_tensor=span["peak_tensor"], composition=span["composition"])
            found.update(peak_allocated=max(found["peak_allocated"], allocated), peak_reserved=max(found["peak_reserved"], reserved))
        binding = max(phases, key=lambda phase: phases[phase]["peak_tensor"])
        peak = dict(phase=binding, **phases[binding])
        for kind in ("peak_allocated", "peak_reserved"):
            peak[kind] = max(phase[kind] for phase in phases.values())
        result[name] = dict(phases=phases, peak=peak)
    result["run"] = dict(peak_allocated=max(f[2] for f in figures[1:]), peak_reserved=max(f[3] for f in figures[1:]))
    return result

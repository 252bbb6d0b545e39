"""From events to what the project calls `expect`: per phase the peaks and what is live at the peak, by category."""
import os

# What PyTorch takes for cuBLAS, by compute capability (torch 2.15 around each product; torch 2.6 keeps it).
WORKSPACE = 33554432 if os.environ.get("FAKE_GPU_CC", "80") >= "90" else 8519680
# Around a product by cuBLASLt: allocated and freed with nothing between.
LT_WORKSPACE = 1048576
# The allocator's own peaks, as the recorder has them.
PEAKS = ("peak_allocated", "peak_reserved", "peak_active")
# Marks within a phase that count to it.
PART_OF = dict(loading="loading", saving="saving", forward="forward", forward_end_cast="forward", generation="generation", reference_forward="reference_forward", backward="backward", clip="clip", optimizer_step="optimizer_step", zero_grad="zero_grad",
               evaluation="evaluation", evaluation_end="evaluation")


def rounded(size):
    return (size + 511) // 512 * 512


def categories(events, marks, known, seen, unknown):
    """-> list of (kind, storage), sizes, categories. A storage gets the category under which it was first seen, or of the first mark that
    knows it; gradients, the new data of parameters and the buffers of collectives are that in any case. What nobody knows is a buffer (of a library,
    or of collectives) when it lived before the first mark, and was saved for backward when it lives at the end of the forward
    pass, as a cache of keys and values was then."""
    sizes, names, live, sequence, mark_addresses, start = [], [], {}, [], set(), False
    asked, sights = 0, {}
    for at, address, category in seen:
        sights.setdefault(at, []).append((address, category))
    for event in events:
        if event[0] == "alloc":
            live[event[1]] = len(sizes)
            sequence.append(("alloc", len(sizes)))
            sizes.append(event[2])
            names.append(None)
        elif event[0] == "free":
            if event[1] in mark_addresses:
                mark_addresses.discard(event[1])
            else:
                sequence.append(("free", live.pop(event[1])))
        elif event[0] == "mark":
            if not start and not marks[event[1]][0].endswith(":loading"):
                start = True
                for address, (_, category) in known.items():
                    names[live[address]] = category
                for index in live.values():
                    names[index] = names[index] or ("workspaces" if sizes[index] == WORKSPACE else unknown)
            mark_addresses.add(event[2])
            sequence.append(("mark", event[1]))
            for category, storages in marks[event[1]][1].items():
                if category == "activations":
                    storages = [a for a in live if names[live[a]] in (None, "kv_cache") and sizes[live[a]] != WORKSPACE]
                for address in storages:
                    index = live.get(address)
                    if index is not None and (names[index] is None or category in ("gradients", "parameters", "activations", "communication")):
                        names[index] = category
        if event[0] in ("alloc", "mark"):
            asked += 1
            for address, category in sights.get(asked, ()):
                if address in live:  # an empty tensor has none
                    names[live[address]] = names[live[address]] or category
    for (kind, index), following in zip(sequence, sequence[1:]):
        if kind == "alloc" and sizes[index] == LT_WORKSPACE and following == ("free", index):
            names[index] = "workspaces"
    names = [n or ("workspaces" if s == WORKSPACE else "temporaries") for n, s in zip(names, sizes)]
    return sequence, sizes, names


def by_step(recorder, failed):
    """What each step allocated and reserved at most, and reserved at its end; the step that ran out of memory has none."""
    steps = {}
    for (name, _), figures in zip(recorder.marks, recorder.figures[1:]):
        number = int(name.split(":")[0])
        before = steps.get(number, [0, 0, 0])
        steps[number] = [max(before[0], figures[2]), max(before[1], figures[3]), figures[1]]
    last = int(recorder.marks[-1][0].split(":")[0]) if failed else None
    return dict(steps=[held for number, held in sorted(steps.items()) if number != last], **dict(out_of_memory=last) if failed else {})


def summarize(recorder, known, facts, lengths_differ=False):
    marks, figures = recorder.marks, recorder.figures
    sequence, sizes, names = categories(recorder.events(), marks, known, recorder.seen, recorder.unknown)
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
            held = dict(zip(PEAKS, figures[span["mark"] + 1][2:]))
            found = phases.setdefault(PART_OF[phase], dict(peak_tensor=0, **dict.fromkeys(PEAKS, 0), composition={}))
            if span["peak_tensor"] > found["peak_tensor"]:
                found.update(peak_tensor=span["peak_tensor"], composition=span["composition"])
            found.update({kind: max(found[kind], held[kind]) for kind in PEAKS})
        binding = max(phases, key=lambda phase: phases[phase]["peak_tensor"])
        peak = dict(phase=binding, **phases[binding])
        for kind in PEAKS:
            peak[kind] = max(phase[kind] for phase in phases.values())
        result[name] = dict(phases=phases, peak=peak)
    result["run"] = {kind: max(f[2 + i] for f in figures[1:]) for i, kind in enumerate(PEAKS)}
    return result

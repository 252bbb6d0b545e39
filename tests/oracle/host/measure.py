"""Reading host memory from /proc, for the scripts beside this file.

The true total of a process tree is
    sum of anonymous PSS          (exact for copy-on-write pages)
  + shared memory                 (PSS of what is mapped; /dev/shm as a whole for what nobody maps)
  + file pages, each inode once   (the largest residency among the processes)
  + page tables
RSS counts shared pages once per process; PSS misses batches that wait in a queue, which no process
maps.
"""

import ctypes
import gc
import json
import os
import subprocess
import sys
import time

ROOT = os.environ.get("HOST_ORACLE_DIR", os.path.join(os.path.expanduser("~"), ".cache", "highwater-host"))
RECORDS = os.path.join(ROOT, "records.jsonl")


def path(*parts):
    """A file under the working directory, whose folder exists."""
    full = os.path.join(ROOT, *parts)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    return full


def _fields(text):
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        words = rest.split()
        if len(words) == 2 and words[1] == "kB":
            yield name, int(words[0]) * 1024


def _read(pid, name):
    with open(f"/proc/{pid}/{name}") as file:
        return file.read()


def snapshot(pid="self"):
    """Memory of one process in bytes."""
    rollup, status = dict(_fields(_read(pid, "smaps_rollup"))), dict(_fields(_read(pid, "status")))
    shmem = status.get("RssShmem", 0)
    return {
        "rss": rollup["Rss"], "pss": rollup["Pss"], "anon": rollup["Anonymous"],
        "uss": rollup["Private_Clean"] + rollup["Private_Dirty"],
        "pss_anon": rollup["Pss_Anon"], "pss_file": rollup["Pss_File"], "pss_shmem": rollup["Pss_Shmem"],
        "file": max(0, rollup["Rss"] - rollup["Anonymous"] - shmem), "shmem": shmem, "pte": status["VmPTE"],
    }


def file_pages(pid="self"):
    """Resident file-backed bytes by mapping, what was written to left out."""
    pages, key, rss = {}, None, 0
    for line in _read(pid, "smaps").splitlines():
        words = line.split()
        if "-" in words[0] and not words[0].endswith(":"):
            key = (words[4], words[5] if len(words) > 5 else "", words[2]) if words[4] != "0" else None
        elif key and words[0] == "Rss:":
            rss = int(words[1]) * 1024
        elif key and words[0] == "Anonymous:":
            pages[key] = max(pages.get(key, 0), rss - int(words[1]) * 1024)
    shared = ("/dev/shm", "/torch_", "/dev/zero", "/SYSV", "/memfd")
    return {key: size for key, size in pages.items() if not key[1].startswith(shared)}


def descendants(pid):
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                parent = int(_read(name, "stat").rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(name))
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def tree(pid):
    """Memory of a process and all below it; `each` holds the processes."""
    total, files, each = {}, {}, []
    for member in descendants(pid):
        try:
            one, pages = snapshot(member), file_pages(member)
        except (OSError, KeyError):
            continue
        for name, value in one.items():
            total[name] = total.get(name, 0) + value
        for key, size in pages.items():
            files[key] = max(files.get(key, 0), size)
        each.append({**one, "pid": member})
    total["file_union"], total["nproc"], total["each"] = sum(files.values()), len(each), each
    total["true_total"] = total["pss_anon"] + total["pss_shmem"] + total["file_union"] + total["pte"]
    return total


def shared_memory():
    """Bytes in /dev/shm, mapped or not."""
    status = os.statvfs("/dev/shm")
    return (status.f_blocks - status.f_bfree) * status.f_frsize


def trim():
    ctypes.CDLL("libc.so.6").malloc_trim(0)


def steady(value, quiet=1.5, limit=60):
    """Waits until `value()` has not changed for `quiet` seconds."""
    start = since = time.time()
    last = value()
    while time.time() - since < quiet and time.time() - start < limit:
        time.sleep(0.05)
        now = value()
        if now != last:
            last, since = now, time.time()
    return last


# Runs in a process of its own, so that it sees peaks without adding to them.
_SAMPLER = """
import json, select, sys
peak = dict(RssAnon=0, RssFile=0, RssShmem=0, n=0)
print(flush=True)
while True:
    try:
        text = open('/proc/%s/status' % sys.argv[1]).read()
    except OSError:
        break
    for line in text.splitlines():
        name = line.partition(':')[0]
        if name in peak:
            peak[name] = max(peak[name], int(line.split()[1]) * 1024)
    peak['n'] += 1
    if select.select([0], [], [], 0.003)[0]:
        break
print(json.dumps(peak), flush=True)
"""


class Peak:
    """The highest memory of this process while a block runs, sampled every 3 ms: a shorter peak
    can be missed."""

    def __enter__(self):
        gc.collect()
        self.base = snapshot()
        self.sampler = subprocess.Popen([sys.executable, "-S", "-c", _SAMPLER, str(os.getpid())],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.sampler.stdout.readline()
        return self

    def __exit__(self, *_):
        self.sampler.stdin.write("\n")
        self.sampler.stdin.flush()
        self.peak = json.loads(self.sampler.stdout.readline())
        self.sampler.wait()
        gc.collect()
        self.end = snapshot()

    def deltas(self, prefix=""):
        found = {
            "peak_anon_delta": self.peak["RssAnon"] - self.base["anon"],
            "peak_file_delta": self.peak["RssFile"] - self.base["file"],
            "end_anon_delta": self.end["anon"] - self.base["anon"],
            "end_file_delta": self.end["file"] - self.base["file"],
            "samples": self.peak["n"],
        }
        return {prefix + name: value for name, value in found.items()}


def emit(experiment, config, **measured):
    record = json.dumps({"exp": experiment, "config": config, "measured": measured})
    with open(path("records.jsonl"), "a") as file:
        file.write(record + "\n")
    print(record, flush=True)


def run_again(script, *arguments, **environment):
    """Runs a script in a fresh process, so that one case does not see what another left."""
    environment = {**os.environ, "TOKENIZERS_PARALLELISM": "false", "HF_HOME": path("hf", ""), **environment}
    done = subprocess.run([sys.executable, script, *map(str, arguments)], env=environment, check=False)
    if done.returncode != 0:
        print(f"{os.path.basename(script)} {arguments}: exit {done.returncode}", file=sys.stderr)

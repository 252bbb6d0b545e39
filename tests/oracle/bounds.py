"""bounds.py AT_ONCE AWAITED > CASES: what the same scenarios held at most in a steady step, measured on a device that does everything at once and on one
that does nothing before the host waits for it (`FAKE_GPU_SLOW=1`), side by side:

    DIR/run.sh cases.py --apart < scenarios.jsonl > at_once.jsonl
    FAKE_GPU_SLOW=1 DIR/run.sh cases.py --apart < scenarios.jsonl > awaited.jsonl
"""
import json, sys
from phases import PEAKS


def peaks(case):
    found = case["expect"]["steady_step"]["peak"]
    return {kind: found[kind] for kind in PEAKS}


if __name__ == "__main__":
    at_once, awaited = [[json.loads(line) for line in open(name)] for name in sys.argv[1:3]]
    for one, other in zip(at_once, awaited, strict=True):
        assert one["scenario"] == other["scenario"]
        if "expect" in one and "expect" in other:
            print(json.dumps(dict(id=one["id"], scenario=one["scenario"], bounds=dict(at_once=peaks(one), awaited=peaks(other)))))

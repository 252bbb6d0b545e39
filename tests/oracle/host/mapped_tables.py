"""Page tables that a process needs for a memory-mapped file that it has read.

usage: python3 mapped_tables.py [MB]
"""

import os
import random
import sys

import measure
import pyarrow as pa


def main(megabytes):
    file = measure.path("mapped.bin")
    with open(file, "wb") as out:
        for _ in range(megabytes):
            out.write(os.urandom(1_000_000))
    size = megabytes * 1_000_000
    mapped = pa.memory_map(file)
    before = measure.snapshot()["pte"]
    draw = random.Random(0)
    for share in (1, 10, 100):
        # One sample of 1000 bytes in `100 / share` is read, in a random order.
        for _ in range(size // 1000 * share // 100):
            mapped.seek(draw.randrange(size - 1000))
            mapped.read_buffer(1000).to_pybytes()
        tables = measure.snapshot()["pte"] - before
        print(f"{share} % of the samples read: {tables} bytes of page tables, 1 / {size / max(1, tables):.0f} of the file")
    os.remove(file)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)

"""Makes the text files that the other scripts read: Parquet and Arrow, prompt and response.

usage: python3 text_data.py [NAME ...]
"""

import json
import os
import sys

import measure
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

# Name: MB of text, bytes of a row, rows of a Parquet row group.
FILES = {
    "t50": (50, 1000, 100_000), "t100": (100, 1000, 100_000), "t200": (200, 1000, 100_000),
    "t200_s": (200, 200, 100_000), "t200_l": (200, 4000, 100_000), "t200_rg1k": (200, 1000, 1_000),
    "t200_rg10k": (200, 1000, 10_000), "t200_rg1M": (200, 1000, 1_000_000), "t1000": (1000, 1000, 100_000),
}
SYLLABLES = "ba co de fi ga ho in ja ko le mi no op pe qu ra si to ur ve wi xe yo za th er an st".split()
SCHEMA = pa.schema([("prompt", pa.string()), ("response", pa.string())])


def story(random, characters=4_000_000, vocabulary=40_000):
    """Text whose words are as frequent as in a language (Zipf)."""
    words = np.array(["".join(random.choice(SYLLABLES, random.integers(1, 5))) for _ in range(vocabulary)], dtype=object)
    share = np.cumsum(1 / np.arange(1, vocabulary + 1))
    picks = np.searchsorted(share / share[-1], random.random(characters // 3)).clip(0, vocabulary - 1)
    return " ".join(words[picks])[:characters]


def make(name):
    megabytes, row, group = FILES[name]
    random = np.random.default_rng(0)
    text = story(random)
    rows = megabytes * 1_000_000 // row
    starts = random.integers(0, len(text) - 8 * row - 10, (2, rows))
    # About 30 % prompt and 70 % response, lengths spread as log-normal.
    lengths = [np.maximum(8, row * share * random.lognormal(-0.08, 0.4, rows)).astype(int) for share in (0.3, 0.7)]
    parquet, arrow, raw = measure.path("data", f"{name}.parquet"), measure.path("data", f"{name}.arrow"), 0
    with (pq.ParquetWriter(parquet, SCHEMA, compression="snappy", use_dictionary=False) as writer,
          pa.OSFile(arrow, "wb") as sink, pa.ipc.new_file(sink, SCHEMA) as file):
        for first in range(0, rows, group):
            part = slice(first, min(rows, first + group))
            columns = [[text[s:s + n] for s, n in zip(starts[i][part], lengths[i][part])] for i in (0, 1)]
            raw += sum(len(cell) for column in columns for cell in column)
            table = pa.table(columns, schema=SCHEMA)
            writer.write_table(table, row_group_size=group)
            for batch in table.to_batches(max_chunksize=1000):
                file.write_batch(batch)
    with open(measure.path("data", f"{name}.json"), "w") as file:
        json.dump({"rows": rows, "raw": raw, "rg": group, "parquet": os.path.getsize(parquet),
                   "arrow": os.path.getsize(arrow)}, file)


def facts(name):
    """What a file holds; makes it when it is missing."""
    described = measure.path("data", f"{name}.json")
    if not os.path.exists(described):
        make(name)
    with open(described) as file:
        return json.load(file)


if __name__ == "__main__":
    for name in sys.argv[1:] or FILES:
        print(name, facts(name), flush=True)

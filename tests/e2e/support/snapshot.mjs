// A snapshot of torch.cuda.memory as Python's pickler writes it (protocol 4, names through the memo), as large as wanted.
const text = (word) => {
  const bytes = Buffer.from(word);
  return Buffer.concat([Buffer.from([0x8c, bytes.length]), bytes, Buffer.from([0x94])]);
};
const int = (number) => {
  const bytes = Buffer.alloc(5);
  bytes[0] = 0x4a; // BININT
  bytes.writeInt32LE(number, 1);
  return bytes;
};
const long = (number) => {
  const bytes = Buffer.alloc(10);
  bytes.set([0x8a, 8]); // LONG1
  bytes.writeBigInt64LE(BigInt(number), 2);
  return bytes;
};
const get = (place) => Buffer.from([0x6a, place, 0, 0, 0]); // LONG_BINGET
const [EMPTY_DICT, EMPTY_LIST, MARK, SETITEMS, APPENDS, STOP] = ["}", "]", "(", "u", "e", "."].map((code) => Buffer.from(code));
const MEMO = Buffer.from([0x94]);

const NAMES = ["action", "addr", "size", "stream", "frames", "name", "filename", "line", "alloc", "free_requested", "free_completed",
  "forward", "/usr/lib/torch/nn/modules/module.py", "train.py", "backward", "step"];
const place = Object.fromEntries(NAMES.map((name, at) => [name, at + 2]));

/** A dictionary; its places in the memo are counted by no one, as none of them is read again. */
const dict = (pairs) => Buffer.concat([EMPTY_DICT, MEMO, MARK, ...pairs.flatMap(([key, value]) => [get(place[key]), value]), SETITEMS]);
const frame = (line) =>
  dict([["name", get(place.forward)], ["filename", get(place["train.py"])], ["line", int(line)]]);

/** A snapshot of about so many bytes: blocks that come and go, each with eight frames. The peak is 400 MiB. */
export function snapshot(bytes) {
  const MIB = 1 << 20;
  const base = 0x7f0000000000;
  const frames = Buffer.concat([EMPTY_LIST, MEMO, MARK, ...[1, 2, 3, 4, 5, 6, 7, 8].map(frame), APPENDS]);
  const form = (action) => {
    const address = long(base);
    const pairs = [["action", get(place[action])], ["addr", address], ["size", int(4 * MIB)], ["stream", int(0)], ["frames", frames]];
    const event = dict(pairs);
    return { event, at: event.indexOf(address) + 2 };
  };
  const forms = Object.fromEntries(["alloc", "free_requested", "free_completed"].map((action) => [action, form(action)]));
  // The names, in a list of their own, after the dictionary and the key in the memo.
  const head = Buffer.concat([Buffer.from([0x80, 4]), EMPTY_DICT, MEMO, MARK, text("names"), EMPTY_LIST, MARK, ...NAMES.map(text),
    APPENDS, text("segments"), EMPTY_LIST, text("device_traces"), EMPTY_LIST, MARK, EMPTY_LIST, MARK]);
  const all = Buffer.alloc(bytes + 200 * 1024);
  let length = head.copy(all);
  const add = (action, number) => {
    const { event, at } = forms[action];
    event.copy(all, length);
    all.writeBigInt64LE(BigInt(base + number * 4 * MIB), length + at);
    length += event.length;
  };
  const free = (number) => ["free_requested", "free_completed"].forEach((action) => add(action, number));
  let [made, freed] = [0, 0];
  while (length < bytes) {
    if (made - freed < 100) add("alloc", made++);
    else free(freed++);
  }
  while (freed < made) free(freed++);
  length += Buffer.concat([APPENDS, APPENDS, SETITEMS, STOP]).copy(all, length);
  return all.subarray(0, length);
}

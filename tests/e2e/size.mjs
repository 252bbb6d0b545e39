// What links download before their first estimate, compressed as a web server would, against the budgets: by part of
// the program, and by link.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { DIST } from "./support/site.mjs";
import { DEFAULT_LINKS, LINKS, needed } from "./support/links.mjs";

const KIB = 1024;

/** What a first estimate of the default page and the default widget should take, brotli. */
const AIM = 250 * KIB;
/** What it may take until then: above it this stage fails. */
const MOST_OF_DEFAULT = 345 * KIB;
/** What the first estimate of any other link should take, and what it may until then. */
const AIM_OF_LINK = 560 * KIB;
const MOST_OF_LINK = 635 * KIB;

/** What comes after the estimate: other looks, threads beside the page's, use without a network. */
const AFTER = /^(below|decisions|compare|over|sight|drawer|ways)-.*\.css$|^(worker|offline)-.*\.js$|^sw\.js$/;

/** That, parts of the program but the first, links' pictures and other pages. */
const later = (name) => /\.(html|png)$/.test(name) || AFTER.test(name) || (/\.wasm$/.test(name) && !/_start\.wasm$/.test(name));

/** Files of every visit: index.html, and what it or a file of the visit names. */
function everyVisit() {
  const others = new Set(readdirSync(DIST));
  const found = [];
  const visit = (name) => {
    others.delete(name);
    found.push(name);
    if (!/\.(html|css|js)$/.test(name)) return;
    const text = readFileSync(join(DIST, name), "utf8");
    for (const other of [...others]) {
      if (others.has(other) && text.includes(other) && !later(other)) visit(other);
    }
  };
  visit("index.html");
  return found;
}

const sizes = (name) => {
  const body = readFileSync(join(DIST, name));
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  return [body.length, brotliCompressSync(body, options).length];
};
const kib = (bytes) => `${(bytes / KIB).toFixed(1)} KiB`.padStart(11);
const row = ([raw, compressed], what) => console.log(`${kib(raw)} ${kib(compressed)}  ${what}`);
const sum = (all) => all.reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);

console.log(`${"raw".padStart(11)} ${"brotli".padStart(11)}  file`);
const first = everyVisit().map((name) => {
  const size = sizes(name);
  row(size, name.replace(/-[0-9a-f]{8,16}/, "-*"));
  return size;
});
const start = sum(first);
row(start, `in total; the aim is ${kib(AIM).trim()} brotli`);

console.log("\nother parts of the program");
const parts = {};
for (const name of readdirSync(DIST)) {
  const part = /_(\w+)\.wasm$/.exec(name)?.[1];
  if (part && part !== "start") row((parts[part] = sizes(name)), part);
}
const program = sum([...Object.values(parts), start]);
row(program, "all parts together, with what every visit downloads");
const after = readdirSync(DIST).filter((name) => AFTER.test(name));
row(sum(after.map(sizes)), "looks, threads and use without a network, which come later");

console.log("\nbefore the first estimate of a link");
let failed = false;
let above = 0;
for (const link of [...DEFAULT_LINKS, ...LINKS]) {
  const asked = needed(link);
  const all = sum([start, ...asked.map((part) => parts[part] ?? [0, 0])]);
  const most = DEFAULT_LINKS.includes(link) ? MOST_OF_DEFAULT : MOST_OF_LINK;
  row(all, `${link.slice(0, 100) || "/"}${asked.length > 0 ? ` (${asked.join(", ")})` : ""}`);
  above += all[1] > AIM_OF_LINK;
  if (all[1] <= most) continue;
  failed = true;
  console.error(`  over its budget of ${kib(most).trim()}`);
}
console.log(`${above} links are above the aim of ${kib(AIM_OF_LINK).trim()}`);
if (failed) process.exitCode = 1;

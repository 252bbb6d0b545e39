// What a first visit downloads before its first estimate, compressed as a web server would, against the budget.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { DIST } from "./support/site.mjs";

/** What everything needed for the first estimate should take, brotli. */
const BUDGET = 250 * 1024;

/**
 * What it may take until it is within the budget: above it this stage fails. The program is 1,400 KiB in
 * all; what does not run before the first estimate lies in a second file (`xtask/src/split`). Of
 * the first one, functions are about 263 KiB, constants (texts, tables, places where it could panic) 48,
 * and 15 say what the two files and the page have in common.
 */
const CEILING = 346 * 1024;

/** What comes after the estimate: the rest of the program, its looks, threads beside the page's, use without a network. */
const AFTER = /_rest\.wasm$|^(below|decisions|compare|over)-.*\.css$|^(worker|offline)-.*\.js$|^sw\.js$/;

/** That, and links' pictures and other pages. */
const later = (name) => /\.(html|png)$/.test(name) || AFTER.test(name);

/** Files of the first visit: index.html, and what it or a file of the first visit names. */
function firstVisit() {
  const others = new Set(readdirSync(DIST));
  const found = [];
  const visit = (name) => {
    others.delete(name);
    const body = readFileSync(join(DIST, name));
    found.push({ name, body });
    if (!/\.(html|css|js)$/.test(name)) return;
    const text = body.toString();
    for (const other of [...others]) {
      if (others.has(other) && text.includes(other) && !later(other)) visit(other);
    }
  };
  visit("index.html");
  return found;
}

const brotli = (body) =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`.padStart(11);

let raw = 0;
let total = 0;
console.log(`${"raw".padStart(11)} ${"brotli".padStart(11)}  file`);
for (const { name, body } of firstVisit()) {
  const compressed = brotli(body);
  raw += body.length;
  total += compressed;
  console.log(`${kib(body.length)} ${kib(compressed)}  ${name.replace(/-[0-9a-f]{8,16}/, "-*")}`);
}
console.log(`${kib(raw)} ${kib(total)}  in total; the budget is ${kib(BUDGET).trim()} brotli`);
for (const name of readdirSync(DIST).filter((name) => AFTER.test(name))) {
  const body = readFileSync(join(DIST, name));
  console.log(`${kib(body.length)} ${kib(brotli(body))}  comes after the first estimate`);
}
if (total > BUDGET) console.log(`over the budget by ${kib(total - BUDGET).trim()}`);
if (total > CEILING) {
  console.error(`The first visit has grown beyond ${kib(CEILING).trim()}.`);
  process.exitCode = 1;
}

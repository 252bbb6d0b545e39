// For which links functions of the program run until the first estimate is on screen: `cargo xtask build` cuts the
// program by it. The program of the built page is one that notes in its memory, from NOTES on, a byte for each of its
// FUNCTIONS that ran. FILE gets the names of the parts, and on a second line the number of each function's part: the
// first one, that of all links that ask for one (public/needed.js), or the last one where a function never ran.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DESKTOP, PHONE, launch, painted } from "./support/browser.mjs";
import { LINKS, PARTS, lines, needed } from "./support/links.mjs";
import { DIST, serve } from "./support/site.mjs";

const CHINESE = { locale: "zh-CN" };
const DARK = { colorScheme: "dark" };
const NARROW = { viewport: PHONE, deviceScaleFactor: 3, hasTouch: true };

/** Visits of the default page and the default widget. */
const DEFAULT = [
  ["", {}],
  ["", { ...CHINESE, ...DARK, ...NARROW }],
  ["?v=1&lang=zh", { reducedMotion: "reduce" }],
  ["?v=1&embed=1", {}],
  ["?v=1&mb=16&embed=1&theme=dark", CHINESE],
  ["?v=1&embed=1&lang=zh", { ...DARK, viewport: { width: 320, height: 600 } }],
];

/** Configs of the catalog: FAMILY/models/ID.json. */
const FAMILIES = join(import.meta.dirname, "../../src/models/families");

/** How long what the page does by itself may take after the estimate, in milliseconds. */
const SETTLES = 300;

/** How often a page may crash. */
const TRIES = 2;

const [notes, functions] = process.argv.slice(2, 4).map(Number);
const parts = ["start", ...PARTS, "later"];
/** For each function that ran, what all links for which it did ask for. */
const asked = new Map();

function note(found, needs) {
  for (const index of found) {
    const before = asked.get(index) ?? needs;
    asked.set(index, before.filter((part) => needs.includes(part)));
  }
}

/** The part of a function: of those for which alone it ran the rarest. */
function part(index) {
  if (!asked.has(index)) return parts.length - 1;
  return Math.max(0, ...asked.get(index).map((name) => parts.indexOf(name)));
}

/** In the page: parts that the link does not ask for do not come. */
function withoutOthers() {
  const never = new Promise(() => {});
  const bring = (first, all) => {
    globalThis.first = first;
    return all ? never : Promise.resolve();
  };
  Object.defineProperty(globalThis, "highwaterParts", { get: () => bring, set: () => {} });
}

function functionsThatRan([notes, functions]) {
  const all = new Uint8Array(globalThis.first.memory.buffer, notes, functions);
  return [...all.keys()].filter((index) => all[index] !== 0);
}

/** Opens a link in a page of its own; the functions that ran. */
async function visit(browser, url, options) {
  const context = await browser.newContext({
    viewport: DESKTOP,
    locale: "en-US",
    // The page's own script is still within it.
    bypassCSP: true,
    serviceWorkers: "block",
    ...options,
  });
  const page = await context.newPage();
  await page.addInitScript(withoutOthers);
  await page.goto(url);
  await page.locator("#skeleton").waitFor({ state: "detached" });
  await painted(page);
  await page.waitForTimeout(SETTLES);
  // What comes from outside at any time.
  await page.emulateMedia({ colorScheme: options.colorScheme === "dark" ? "light" : "dark" });
  await page.setViewportSize({ width: 700, height: 500 });
  await painted(page);
  const found = await page.evaluate(functionsThatRan, [notes, functions]);
  await context.close();
  return found;
}

/** Opens links, each again where its page crashed: what runs for one that crashes again and again is not known. */
async function visitAll(visits) {
  const site = await serve();
  for (const [query, options] of visits) {
    let found;
    for (let tries = 1; !found; tries++) {
      const browser = await launch();
      try {
        found = await visit(browser, site.url + query, options);
      } catch (error) {
        console.log(`${query}: ${error.message}`);
        if (tries === TRIES) found = [];
      }
      await browser.close();
    }
    note(found, needed(query));
  }
  await site.close();
}

/** A link to each model of the catalog, so that its config is where the rest of its family is. */
function models() {
  const found = readdirSync(FAMILIES, { recursive: true }).map((path) => /models.([^/\\]+)\.json$/.exec(path)?.[1]);
  return found.filter(Boolean).map((model) => ({ link: `v=1&model=${model}`, scenario: { model, v: 1 } }));
}

/** Has the program, as a thread beside the page's, estimate scenarios. */
async function estimate(cases) {
  const named = (end) => join(DIST, readdirSync(DIST).find((name) => end.test(name)));
  const listeners = [];
  Object.assign(globalThis, {
    self: globalThis,
    addEventListener: (type, listener) => type === "message" && listeners.push(listener),
    postMessage: () => {},
    highwaterParts: () => Promise.resolve(),
  });
  const { default: start } = await import(pathToFileURL(named(/^web-[0-9a-f]+\.js$/)));
  const program = await WebAssembly.compile(readFileSync(named(/_bg\.wasm$/)));
  const { memory } = await start({ module_or_path: program });
  while (listeners.length === 0) await new Promise((next) => setTimeout(next));
  const all = () => new Uint8Array(memory.buffer, notes, functions);
  for (const { link, scenario } of cases) {
    all().fill(0);
    for (const listener of listeners) listener({ data: `estimate\n${JSON.stringify(scenario)}` });
    const ran = all();
    note([...ran.keys()].filter((index) => ran[index] !== 0), needed(link));
  }
}

await visitAll([...DEFAULT, ...LINKS.map((link) => [link, {}])]);
await estimate([...lines("watched.jsonl"), ...models()]);
const all = [...Array(functions).keys()].map(part);
for (const [index, name] of parts.entries()) {
  console.log(`${String(all.filter((one) => one === index).length).padStart(6)} functions: ${name}`);
}
writeFileSync(process.argv[4], `${parts.join(" ")}\n${all.join(" ")}\n`);
process.exit();

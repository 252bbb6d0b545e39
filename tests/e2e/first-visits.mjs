// First visits to the page, to see what of its program runs until the first estimate is on screen:
// `cargo xtask build` cuts the rest off by it. The page's program is one that notes in its memory,
// from NOTES on, a byte for each of its FUNCTIONS that ran; they are written to FILE.
import { writeFileSync } from "node:fs";
import { DESKTOP, PHONE, estimateShown, launch, painted } from "./support/browser.mjs";
import { serve } from "./support/site.mjs";

const CHINESE = { locale: "zh-CN" };
const DARK = { colorScheme: "dark" };
const NARROW = { viewport: PHONE, deviceScaleFactor: 3, hasTouch: true };

/** Links, and what opens them: the page by itself, decoders and the options that are asked for most. */
const VISITS = [
  ["", {}],
  ["", { ...CHINESE, ...DARK, ...NARROW }],
  ["?v=1&mb=16&embed=1", {}],
  ["?v=1&model=llama-3.1-8b&precision=amp_bf16&mb=8&seq=2048&gpu=h100-80gb", DARK],
  ["?v=1&model=mistral-7b&precision=bf16&ckpt=full&seq=4096", {}],
  ["?v=1&model=qwen3-8b&precision=bf16&ckpt=full&accum=4&clip=1", CHINESE],
];

/** How long what the page does by itself may take after the estimate, in milliseconds. */
const SETTLES = 300;

/** In the page: the rest of the program does not come. */
function withoutRest() {
  const never = new Promise(() => {});
  const bring = (first) => {
    globalThis.first = first;
    return never;
  };
  Object.defineProperty(globalThis, "highwaterRest", { get: () => bring, set: () => {} });
}

/** In the page: the functions that ran, those that would bring the rest among them. */
function functionsThatRan([notes, functions]) {
  const { first } = globalThis;
  first.bringRest();
  const all = new Uint8Array(first.memory.buffer, notes, functions);
  return [...all.keys()].filter((index) => all[index] !== 0);
}

const [notes, functions] = process.argv.slice(2, 4).map(Number);
const file = process.argv[4];
const ran = new Uint8Array(functions);
const site = await serve();
const browser = await launch();
for (const [query, options] of VISITS) {
  const context = await browser.newContext({
    viewport: DESKTOP,
    locale: "en-US",
    // The page's own script is still within it.
    bypassCSP: true,
    serviceWorkers: "block",
    ...options,
  });
  const page = await context.newPage();
  await page.addInitScript(withoutRest);
  await page.goto(site.url + query);
  await estimateShown(page);
  await painted(page);
  await page.waitForFunction(() => globalThis.first);
  await page.waitForTimeout(SETTLES);
  const found = await page.evaluate(functionsThatRan, [notes, functions]);
  const before = ran.reduce((sum, one) => sum + one, 0);
  for (const index of found) ran[index] = 1;
  const added = ran.reduce((sum, one) => sum + one, 0) - before;
  console.log(`${found.length} of ${functions} functions ran, ${added} for the first time: ${query || "no query"}`);
  await context.close();
}
await browser.close();
await site.close();
writeFileSync(file, ran);

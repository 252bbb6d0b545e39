// Random edits of one page for long: how its memory goes on, and that it goes on answering. `cargo xtask monkey` runs it.
// usage: node monkey.mjs [EDITS] [SEED]
import { launch, open } from "./support/browser.mjs";
import { scramble } from "./support/monkey.mjs";
import { serve } from "./support/site.mjs";

const EDITS = Number(process.argv[2] ?? 20_000);
const SEED = Number(process.argv[3] ?? 1);

/** After so many edits a line is written. */
const EVERY = 1000;
/** The page is asked for so many at once. */
const AT_ONCE = 50;

/** Keeps the program's memory at hand, and counts answers: another total in a bar. Runs in the page. */
function watch() {
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const own = WebAssembly[name];
    WebAssembly[name] = async (...given) => {
      const made = await own.apply(WebAssembly, given);
      globalThis.programMemory ??= (made.instance ?? made).exports?.memory;
      return made;
    };
  }
  globalThis.answers = 0;
  new MutationObserver((all) => {
    if (all.some(({ target }) => target.matches(".capacity-numbers strong"))) globalThis.answers += 1;
  }).observe(document, { subtree: true, attributeFilter: ["title"] });
}

const site = await serve();
const browser = await launch();
const { page, problems } = await open(browser, "about:blank", { ready: false, serviceWorkers: "block" });
await page.addInitScript(watch);
await page.goto(site.url);
await page.locator("html[data-whole]").waitFor();
const client = await page.context().newCDPSession(page);

const mib = (bytes) => (bytes / 2 ** 20).toFixed(1).padStart(8);
const expected = /Service Worker registration blocked|worker sent|huggingface/;
const unexpected = () => problems.filter((problem) => !expected.test(problem));

console.log("   edits       JS  program     nodes listeners  answers        s");
const begun = Date.now();
for (let made = 0; made < EDITS && unexpected().length === 0; ) {
  const count = Math.min(AT_ONCE, EDITS - made);
  await scramble(page, { seed: SEED + made, count });
  made += count;
  if (made % EVERY && made < EDITS) continue;
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await client.send("Memory.getDOMCounters");
  const [program, answers] = await page.evaluate(() => {
    const said = [globalThis.programMemory?.buffer.byteLength ?? 0, globalThis.answers];
    globalThis.answers = 0;
    return said;
  });
  const counts = [nodes, jsEventListeners, answers].map((count) => String(count).padStart(9));
  const seconds = ((Date.now() - begun) / 1000).toFixed(0).padStart(8);
  console.log(`${String(made).padStart(8)} ${mib(usedSize)} ${mib(program)} ${counts.join(" ")} ${seconds}`);
}
await browser.close();
await site.close();
for (const problem of unexpected().slice(0, 10)) console.error(problem);
process.exitCode = unexpected().length ? 1 : 0;

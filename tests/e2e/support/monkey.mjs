// Whoever types and clicks at random: every control, key and figure of the page, several of them in one task, and in no
// order that a person would choose.
import assert from "node:assert/strict";
import { estimateShown, open } from "./browser.mjs";

/** What is typed. */
const TEXTS = [
  ...["1", "0", "-3", "8k", "17", "x", "", "1e9", "3.5", "64", "2GiB", "18446744073709551616", "all-linear", "q_proj"],
  "qwen2.5-0.5b",
  '{"model_type": "llama"}',
  "?v=1&model=gpt2&mb=2",
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB",
];

/** What addresses are gone to, as Back and Forward do. */
const QUERIES = ["", "?v=1&mb=2", "?v=1&model=gpt2", "?v=1&mb=4&vs_mb=8", "?v=1&gpus=4&dp=fsdp2&model=qwen2.5-0.5b"];

const KEYS = ["Escape", "Escape", "Enter", "ArrowRight", "ArrowLeft", "ArrowUp", "PageDown", "Home", "End", "+", "0", "c", "?", "/"];

/**
 * Makes `count` edits, up to `most` of them in one task, and lets the page go on for up to `pause` milliseconds after each
 * task, now and then for up to `rest`. Returns the last of them in words. Runs in the page.
 */
async function edits({ seed, count, most, pause, rest, texts, queries, keys }) {
  // mulberry32: the same edits for the same seed, as far as the page is the same.
  const random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const one = (all) => all[Math.floor(random() * all.length)];
  const tell = (element, ...types) => {
    for (const type of types) element.dispatchEvent(new Event(type, { bubbles: true }));
  };
  const isSeen = (element) => element.getClientRects().length > 0;
  // What saves files, copies or leaves the page is nobody's edit.
  const leaves = /cop(y|ied)|复制|PNG|SVG|JSON$|CSV|Markdown|save|保存|reload|try again/i;
  const CONTROLS = `select:enabled, input:enabled:not([type=file]), textarea:not([readonly]), button:enabled, summary,
    canvas, .menu a`;
  const acts = {
    SELECT(select) {
      const options = [...select.options].filter((option) => !option.disabled);
      if (options.length) select.value = one(options).value;
      tell(select, "input", "change");
    },
    INPUT(input) {
      if (input.type === "checkbox") return input.click();
      const steps = Number(input.max) - Number(input.min);
      input.value = input.type === "range" ? Math.round(Number(input.min) + random() * steps) : one(texts);
      tell(input, "input", "change");
    },
    TEXTAREA(area) {
      area.value = one(texts);
      tell(area, "input", "change");
    },
    CANVAS(canvas) {
      const box = canvas.getBoundingClientRect();
      const [clientX, clientY] = [box.x + random() * box.width, box.y + random() * box.height];
      for (const type of one([["pointermove"], ["pointerdown", "pointermove", "pointerup", "click"], ["pointerleave"]])) {
        canvas.dispatchEvent(new PointerEvent(type, { clientX, clientY, bubbles: true }));
      }
    },
  };
  const last = [];
  for (let made = 0; made < count; ) {
    for (let task = 1 + Math.floor(random() * most); task > 0 && made < count; task -= 1, made += 1) {
      const all = [...document.querySelectorAll(CONTROLS)];
      const element = one(all.filter((one) => isSeen(one) && !leaves.test(one.textContent)));
      const kind = random();
      let said;
      if (kind < 0.06) {
        const key = one(keys);
        said = `key ${key}`;
        const on = document.activeElement ?? document.body;
        on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      } else if (kind < 0.08) {
        const query = one(queries);
        said = `address ${query}`;
        history.replaceState(null, "", location.pathname + query);
        dispatchEvent(new PopStateEvent("popstate"));
      } else if (element) {
        if (kind < 0.4) element.focus?.();
        const name = (element.id || element.textContent || element.type || "").slice(0, 30);
        said = `${element.tagName.toLowerCase()} ${name}${kind < 0.4 ? ", focused" : ""}`;
        (acts[element.tagName] ?? ((other) => other.click()))(element);
        // Once more in the same task: what the first one has changed is not drawn yet.
        if (kind > 0.9 && element.isConnected) element.click();
      }
      last.push(said);
      if (last.length > 12) last.shift();
    }
    // Now and then a rest, in which what waits for one begins.
    await new Promise((done) => setTimeout(done, random() * (random() < 0.06 ? rest : pause)));
  }
  return last;
}

/** Makes random edits in a page (see [`edits`]); the last of them in words. */
export const scramble = (page, { seed, count = 100, most = 4, pause = 6, rest = 800 }) =>
  page.evaluate(edits, { seed, count, most, pause, rest, texts: TEXTS, queries: QUERIES, keys: KEYS });

/** For how long parts of the program are held back, in milliseconds. */
const HELD = 1500;

const isExpected = (problem) =>
  /Service Worker registration blocked|worker-[0-9a-f]+\.js|net::ERR_FAILED|net::ERR_ABORTED/.test(problem);

/**
 * Opens a page for random edits; `threads`: whether it has any beside its own, `held`: whether all parts of the program but
 * the first come late. `tab.faults()` are the problems that nobody expects.
 */
export async function openForEdits(browser, url, { threads = true, held = false, ...options } = {}) {
  const tab = await open(browser, "about:blank", { ready: false, serviceWorkers: "block", ...options });
  const { page, problems } = tab;
  if (!threads) await page.route(/worker-[0-9a-f]+\.js$/, (route) => route.abort());
  let parts = 0;
  await page.route(/\.wasm$/, async (route) => {
    if (held && parts++ > 0) await new Promise((done) => setTimeout(done, HELD));
    await route.continue();
  });
  await page.goto(url);
  await estimateShown(page);
  if (!held) await page.locator("html[data-whole]").waitFor();
  const faults = () => problems.filter((problem) => !isExpected(problem));
  const close = () => {
    problems.splice(0, problems.length, ...faults());
    return tab.close();
  };
  return { ...tab, faults, close };
}

/** Goes to a configuration that has an answer: by the address, which a widget does not follow, and by the offers beside what
 * has none. Runs in the page. */
async function repair() {
  history.replaceState(null, "", `${location.pathname}?v=1&mb=3`);
  dispatchEvent(new PopStateEvent("popstate"));
  for (let left = 40; left > 0 && document.querySelector("main.stale"); left -= 1) {
    document.querySelector('[id$="-problem"] button')?.click();
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Random edits of each link, of which so many have one seed. */
const EDITS = 250;
const AT_ONCE = 50;

/** Whether a link goes on without an error, and answers, after random edits. */
export async function outlives(browser, url, options) {
  const { page, faults, close } = await openForEdits(browser, url, options);
  for (let made = 0; made < EDITS && !faults().length; made += AT_ONCE) {
    const last = await scramble(page, { seed: made, count: AT_ONCE });
    if (faults().length) console.log(`the last edits: ${last.join("; ")}`);
  }
  // What was clicked while parts of the program came is done when they are there: before what follows.
  await page.locator("html[data-whole]").waitFor();
  await page.evaluate(repair);
  await page.locator("main:not(.stale)").waitFor();
  assert.equal(await page.locator(".failure").count(), 0);
  await close();
}

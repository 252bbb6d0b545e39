// Searches are made by threads beside the page's: it answers meanwhile, and does without them where there are none.
import { test } from "node:test";
import assert from "node:assert/strict";
import { advised, open, openWithBreakingThreads, openWithoutThreads, rested } from "./support/browser.mjs";
import { slider } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

/** A scenario of which a single estimate is long: all stages of a pipeline. */
const LONG = "?v=1&model=llama-3.1-70b&precision=bf16&gpus=8&nodes=4&tp=4&pp=8&pp_mb=16&dp=fsdp2";

const fits = (page) => page.getByTestId("fits");
const found = (page, axis) => fits(page).locator(`[data-axis="${axis}"] [data-fits]`);

/** What is found along some axes. */
async function all(page) {
  await fits(page).getByRole("button", { name: "Find all" }).click();
  const values = {};
  for (const axis of ["micro_batch_size", "seq_len", "gpus", "hardware.gpu"]) {
    await found(page, axis).waitFor();
    values[axis] = await found(page, axis).innerText();
  }
  return values;
}

const tasks = () => {
  globalThis.tasks = [];
  const note = (list) => globalThis.tasks.push(...list.getEntries().map((entry) => entry.duration));
  new PerformanceObserver(note).observe({ type: "longtask" });
};

test("threads find what the page finds without them", async () => {
  const query = "?v=1&model=qwen2.5-0.5b&seq=512&gpu=rtx-4090";
  const beside = await open(browser, site.url + query);
  await assert.doesNotReject(beside.page.waitForEvent("worker", { timeout: 10_000 }).catch((late) => {
    if (beside.page.workers().length === 0) throw late;
  }));
  const values = await all(beside.page);
  await beside.close();
  const without = await openWithoutThreads(browser, site.url + query);
  assert.deepEqual(await all(without.page), values);
  assert.equal(without.page.workers().length, 0);
  await without.close();
});

test("a long search leaves the page free", async () => {
  const { page, close } = await open(browser, site.url + LONG);
  await advised(page);
  await page.evaluate(tasks);
  await fits(page).getByRole("button", { name: "Find all" }).click();
  await found(page, "seq_len").waitFor({ timeout: 60_000 });
  const long = await page.evaluate(() => globalThis.tasks.sort((a, b) => b - a));
  console.log(`tasks of the page above 50 ms while threads search: ${long.map(Math.round)}`);
  assert.ok(long.length < 3, `${long}`);
  await close();
});

const total = (page) => page.getByTestId("device-bar").locator("strong").getAttribute("title");

/** Milliseconds for which the page's own thread has worked since this call, whatever else the machine does. */
async function work(page) {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  const before = await worked();
  return async () => Math.round((await worked()) - before);
}

/** What is shown after the micro-batch has become larger step by step, and how long the page has worked for it. */
async function changed(page) {
  await rested(page, 1500);
  const before = await total(page);
  const worked = await work(page);
  await slider(page, "Micro-batch size").focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowUp");
  await page.waitForFunction((of) => document.querySelector("[data-testid=device-bar] strong").title !== of, before);
  await rested(page, 1500); // the last of them settles
  return [await total(page), await worked()];
}

for (const [name, query] of Object.entries({
  "a pipeline": LONG,
  "a generation": "?v=1&model=llama-3.1-8b&precision=bf16&gpu=h100-80gb&eval=generate&new_tokens=512&beams=4",
})) {
  test(`${name} is answered by threads as by the page, which they leave free`, async () => {
    const beside = await open(browser, site.url + query);
    const [shown, held] = await changed(beside.page);
    const same = await open(browser, beside.page.url());
    assert.equal(await total(same.page), shown, "the page that opens with it shows the same");
    await same.close();
    await beside.close();
    const without = await openWithoutThreads(browser, site.url + query);
    const [shownAlone, heldAlone] = await changed(without.page);
    assert.equal(shownAlone, shown);
    console.log(`work of the page's thread while ${name} is changed: ${held} ms; without threads: ${heldAlone} ms`);
    assert.ok(2 * held < heldAlone, `${held} against ${heldAlone} ms`);
    await without.close();
  });
}

test("a thread that breaks off is told, and the page goes on without it", async () => {
  const { page, close } = await openWithBreakingThreads(browser, `${site.url}?v=1&model=qwen2.5-0.5b&seq=512&gpu=rtx-4090`);
  const told = page.getByTestId("broke-off");
  await told.waitFor({ timeout: 20_000 });
  assert.match(await told.getByRole("link").getAttribute("href"), /v=1/);
  const before = await total(page);
  await slider(page, "Micro-batch size").focus();
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction((of) => document.querySelector("[data-testid=device-bar] strong").title !== of, before);
  await close();
});

test("many steps are run beside the page, whose thread has little to do meanwhile", async () => {
  const query = "?v=1&model=qwen2.5-0.5b&precision=bf16&mb=4&seq=2048&lengths=mean:616,p95:1800,longest:2048";
  /** What is said, and for how many milliseconds the page worked meanwhile. */
  const ran = async ({ page }) => {
    const panel = page.getByTestId("steps-panel");
    await panel.scrollIntoViewIfNeeded();
    await advised(page);
    const worked = await work(page);
    await panel.getByRole("button", { name: "Draw" }).click();
    await page.locator("#steps").waitFor({ timeout: 60_000 });
    return [await panel.getByRole("status").innerText(), await worked()];
  };
  const beside = await open(browser, site.url + query);
  const [shown, worked] = await ran(beside);
  await beside.close();
  const without = await openWithoutThreads(browser, site.url + query);
  const [shownAlone, workedAlone] = await ran(without);
  console.log(`work of the page's thread while many steps are run: ${worked} ms; without threads: ${workedAlone} ms`);
  assert.match(shown, /GiB/);
  assert.equal(shown, shownAlone);
  assert.ok(2 * worked < workedAlone, `${worked} against ${workedAlone} ms`);
  await without.close();
});

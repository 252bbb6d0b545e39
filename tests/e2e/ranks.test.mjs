// The ranks of a job, the schedule of a pipeline, and GPUs with several processes.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, open, painted, rested } from "./support/browser.mjs";
import { query } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const PIPELINE = "?v=1&model=llama-3.2-1b&precision=bf16&gpus=8&pp=4&schedule=1f1b&pp_mb=8";
/** A key of the address, once what was done is written there. */
async function asked(page, key) {
  await rested(page, 500);
  return new URLSearchParams(query(page)).get(key);
}

const ranks = (page) => page.getByTestId("ranks");

test("every stage of a pipeline is a rank that opens, and is compared with another", async () => {
  for (const [locale, viewport] of [["en-US", undefined], ["zh-CN", PHONE]]) {
    const { page, close } = await open(browser, `${site.url}${PIPELINE}`, { locale, viewport });
    const parts = ranks(page).locator(".rank-strip button");
    await parts.nth(3).waitFor();
    assert.equal(await parts.count(), 4);
    await ranks(page).scrollIntoViewIfNeeded();
    await accessible(page, `ranks in ${locale}`);
    assert.equal(await ranks(page).locator('.rank-strip [aria-pressed="true"]').count(), 1);
    const total = () => page.getByTestId("device-bar").locator("strong").innerText();
    const binding = await total();
    await parts.nth(1).click();
    await painted(page);
    assert.equal(await asked(page, "pp_rank"), "1");
    assert.notEqual(await total(), binding, "another rank is looked at");
    const compare = ranks(page).locator("tbody tr").nth(2).getByRole("button").nth(1);
    await compare.click();
    await painted(page);
    assert.equal(await asked(page, "pp_rank"), "2");
    assert.equal(await page.getByTestId("compare").count(), 1, "both are side by side");
    await close();
  }
});

test("the schedule says what a rank does, by keys and in a table, and a click opens the rank", async () => {
  const { page, close } = await open(browser, `${site.url}${PIPELINE}`);
  const canvas = page.locator("#schedule canvas");
  await canvas.scrollIntoViewIfNeeded();
  await painted(page);
  const summary = () => page.locator("#schedule-summary").innerText();
  assert.match(await summary(), /^Up to 4 micro-batches are in flight, on rank 0\./);
  await canvas.focus();
  await page.keyboard.press("Home");
  assert.match(await summary(), /^rank 0: forward pass of micro-batch 0 on stage 0; 1 in flight/i);
  await page.keyboard.press("ArrowDown");
  assert.match(await summary(), /^rank 1: /i);
  await page.keyboard.press("Enter");
  await painted(page);
  assert.equal(await asked(page, "pp_rank"), "1");
  await close();
});

test("GPUs with several jobs each have a row", async () => {
  const link = `${site.url}?v=1&model=smollm2-135m&gpus=7&procs_by_gpu=2,2,2,2,1,1,1`;
  const { page, close } = await open(browser, link);
  const rows = ranks(page).locator("tbody tr");
  await rows.nth(1).waitFor();
  assert.match(await rows.nth(0).innerText(), /GPU 0 and 3 like it\s+2 processes/);
  assert.match(await rows.nth(1).innerText(), /GPU 4 and 2 like it\s+1 process/);
  await close();
});

test("one GPU has no ranks and no schedule", async () => {
  const { page, close } = await open(browser, site.url);
  await page.getByTestId("node").waitFor();
  await rested(page, 600);
  assert.equal(await ranks(page).count(), 0);
  assert.equal(await page.locator("#schedule").count(), 0);
  await close();
});

test("a rank without room says how much it lacks", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=llama-3.3-70b&gpus=8&dp=fsdp2`);
  await ranks(page).scrollIntoViewIfNeeded();
  const spare = ranks(page).locator("tbody tr").first().locator("td").nth(3);
  await spare.waitFor();
  assert.match(await spare.innerText(), /^\u2212\s*[\d.]+$/);
  assert.match(await spare.getAttribute("title"), /^\u2212[\d,]+/);
  await close();
});

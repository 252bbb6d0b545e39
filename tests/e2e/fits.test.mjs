// What fits: found axis by axis, applied with a click, given up when something changes.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, open, painted, rested } from "./support/browser.mjs";
import { query, type, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const SMALL = "?v=1&model=qwen2.5-0.5b&seq=512&gpu=rtx-4090";
const panel = (page) => page.getByTestId("fits");
const row = (page, axis) => panel(page).locator(`[data-axis="${axis}"]`);
const find = (page, axis) => row(page, axis).getByRole("button", { name: /^Find/ });
const found = (page, axis) => row(page, axis).locator("[data-fits]");

/** Whether the configuration on screen fits, once it is asked. */
const fits = async (page) => /^Fits/.test(await verdict(page));

test("the largest micro-batch is found, applied, fits, and one more does not", async () => {
  const { page, close } = await open(browser, site.url + SMALL);
  await panel(page).scrollIntoViewIfNeeded();
  await find(page, "micro_batch_size").click();
  await found(page, "micro_batch_size").waitFor();
  const largest = Number(await found(page, "micro_batch_size").innerText());
  assert.ok(largest > 1, `${largest}`);
  await row(page, "micro_batch_size").getByRole("button", { name: /^Use it/ }).click();
  await painted(page);
  assert.equal(new URLSearchParams(query(page)).get("mb"), `${largest}`);
  assert.ok(await fits(page), "what is found fits");
  assert.equal(await found(page, "micro_batch_size").count(), 0, "the answer was of another scenario");
  await type(page, "Micro-batch size", `${largest + 1}`);
  assert.ok(!(await fits(page)), "one more does not");
  await page.goBack();
  await painted(page);
  assert.equal(new URLSearchParams(query(page)).get("mb"), null, "one step back undoes it");
  await close();
});

test("all are found at once, in both languages and on a phone, and an axis without effect says why", async () => {
  for (const [locale, viewport, all] of [
    ["en-US", undefined, "Find all"],
    ["zh-CN", PHONE, "全部求解"],
  ]) {
    const { page, close } = await open(browser, site.url + SMALL, { locale, viewport });
    await panel(page).getByRole("button", { name: all }).click();
    for (const axis of ["micro_batch_size", "seq_len", "model", "gpus", "hardware.gpu"]) {
      await found(page, axis).waitFor();
    }
    assert.equal(await found(page, "lora.r").count(), 0);
    assert.match(await row(page, "lora.r").innerText(), /LoRA/);
    assert.equal(await row(page, "lora.r").getByRole("button").count(), 0);
    await accessible(page, `what fits in ${locale}`);
    await close();
  }
});

test("a change stops the search, and no old answer stands beside it", async () => {
  const { page, close } = await open(browser, site.url + SMALL);
  await find(page, "hardware.gpu").click();
  await found(page, "hardware.gpu").waitFor();
  await find(page, "model").click();
  await type(page, "Micro-batch size", "4");
  assert.equal(await panel(page).locator("[data-fits]").count(), 0);
  await find(page, "model").waitFor();
  await rested(page, 800);
  assert.equal(await panel(page).locator("[data-fits]").count(), 0, "nor later");
  await close();
});

test("where nothing fits, words say so", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=llama-3.1-70b&gpu=rtx-4090`);
  await find(page, "micro_batch_size").click();
  await found(page, "micro_batch_size").waitFor();
  assert.equal(await found(page, "micro_batch_size").innerText(), "nothing fits");
  assert.equal(await row(page, "micro_batch_size").getByRole("button").count(), 0);
  await close();
});

test("the number of GPUs is a curve with a table, and a click goes to a number", async () => {
  const link = `${site.url}?v=1&model=llama-3.2-1b&precision=bf16&gpus=8&dp=fsdp2`;
  const { page, close } = await open(browser, link);
  await row(page, "curve").getByRole("button", { name: "Draw it" }).click();
  const canvas = page.locator("#gpus canvas");
  await canvas.waitFor();
  await canvas.scrollIntoViewIfNeeded();
  await painted(page);
  const summary = () => page.locator("#gpus-summary").innerText();
  assert.match(await summary(), /^FSDP2: a rank needs .* on 1 and .* on 1024 GPUs\. .* do not shrink, mostly /);
  await canvas.focus();
  await page.keyboard.press("End");
  assert.match(await summary(), /^1024 GPUs: DDP .*FSDP2 /);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.match(await summary(), /^2 GPUs: /);
  await page.locator("#gpus").getByRole("button", { name: "Table" }).click();
  const table = page.locator("#gpus").getByRole("table");
  assert.match(await table.innerText(), /RAM of a node/);
  assert.match(await table.innerText(), /does not shrink/);
  await accessible(page, "the curve");
  await canvas.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await painted(page);
  assert.ok(await canvas.isHidden(), "it was of another scenario");
  await rested(page, 500);
  assert.equal(new URLSearchParams(query(page)).get("gpus"), "2");
  await close();
});

test("a bar shows all that is needed with the capacity in it where it does not fit", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=llama-3.1-70b&gpu=rtx-4090`);
  const bar = page.getByTestId("device-bar").locator(".track");
  const line = await bar.locator(".line.capacity").boundingBox();
  const segments = await bar.locator(".segment").all();
  const last = await segments.at(-1).boundingBox();
  assert.ok(line.x + line.width < last.x, "what does not fit lies beyond the line");
  for (const segment of segments) {
    const seen = await segment.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return width < 2 || document.elementFromPoint(x + width / 2, y + height / 2) === element;
    });
    assert.ok(seen, "nothing lies over a part");
  }
  await close();
});

test("another situation has no difference to the one before", async () => {
  const { page, close } = await open(browser, site.url);
  await type(page, "Micro-batch size", "8");
  const change = page.getByTestId("device-bar").locator(".change");
  assert.ok(await change.isVisible(), "a change of a setting has one");
  await page.getByRole("button", { name: "Situations" }).click();
  await page.locator("#situations a, [data-testid=situations] a").nth(1).click();
  await painted(page);
  assert.ok(!(await change.isVisible()));
  await close();
});

test("a model whose kernels take no float32 is shown in what they take", async () => {
  const { page, close } = await open(browser, site.url);
  const box = page.getByRole("combobox", { name: /^Model/ });
  await box.click();
  await box.fill("qwen3-next");
  await page.getByRole("option").first().click();
  await painted(page);
  assert.doesNotMatch(await verdict(page), /last valid/);
  assert.equal(new URLSearchParams((await rested(page, 500), query(page))).get("precision"), "bf16");
  await close();
});

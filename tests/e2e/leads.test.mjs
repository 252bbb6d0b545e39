// From what one has to what one does: method and GPUs on top, settings by any name, the way back, where the peak moves.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, open, painted } from "./support/browser.mjs";
import { box, query, slider, type, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const group = (page, name) => page.getByRole("group", { name, exact: true });
const choose = (page, name, button) => group(page, name).getByRole("button", { name: button, exact: true }).click();
const finder = (page) => page.getByRole("combobox", { name: /Find a setting/ });
/** A change that rests so long is a step of the history. */
const settled = (page) => page.waitForTimeout(900);

test("QLoRA of an 8B on a card of 24 GB takes three choices, and what it set is taken back one by one", async () => {
  const { page, close } = await open(browser, site.url);
  const model = page.locator("#model");
  await model.fill("llama-3.1-8b");
  await model.press("Enter");
  await page.locator('[id="hardware.gpu"]').selectOption("rtx-4090");
  await choose(page, "Method", "QLoRA");
  assert.match(await verdict(page), /^Fits/);
  await page.waitForURL(/quant=nf4/);
  const chips = page.locator(".set-by > button");
  assert.ok((await chips.count()) >= 4, "what QLoRA sets is shown");
  await accessible(page, "what a method has set");
  const before = await chips.count();
  await page.getByRole("button", { name: /Take back: Optimizer/ }).click();
  await page.waitForURL((address) => !address.search.includes("paged_adamw_8bit"));
  assert.equal(await chips.count(), before - 1);
  await choose(page, "Method", "Full");
  await page.waitForURL((address) => !address.search.includes("quant="));
  await close();
});

test("several GPUs divide the training state, and one divides nothing", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&gpu=h100-80gb`, { viewport: PHONE });
  await choose(page, "GPUs", "8");
  await page.waitForURL(/gpus=8/);
  assert.match(query(page), /dp_kind=fsdp2|dp=fsdp2/);
  assert.match(query(page), /ram=2TiB/);
  await choose(page, "GPUs", "1");
  await page.waitForURL((address) => !address.search.includes("fsdp2"));
  await close();
});

test("a setting is found by the names of frameworks, and its group opens", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`);
  await finder(page).fill("per_device_train_batch_size");
  await finder(page).press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "micro_batch_size");
  await finder(page).fill("checkpoint");
  await page.getByRole("option", { name: /^Activation checkpointing/ }).and(page.locator('[aria-selected="true"]')).waitFor();
  await finder(page).fill("expandable");
  await page.getByRole("option", { name: /expandable/i }).first().click();
  await page.waitForFunction(() => document.activeElement?.id === "allocator.expandable_segments");
  await finder(page).fill("zebra crossing");
  await page.getByText("No setting has this name.").waitFor();
  await finder(page).fill("");
  await page.getByText("Changed from the default").waitFor();
  await page.getByRole("option", { name: /Micro-batch.*8/ }).waitFor();
  await accessible(page, "settings that are found");
  await close();
});

test("a change is taken back and done again, by keys, by arrows and from the list", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=4`);
  await type(page, "Micro-batch", "8");
  await settled(page);
  await type(page, "Sequence length", "512");
  await settled(page);
  await slider(page, "Micro-batch").focus();
  await page.keyboard.press("Control+z");
  await painted(page);
  assert.equal(await box(page, "Sequence length").inputValue(), "256");
  await page.keyboard.press("Control+z");
  await painted(page);
  assert.equal(await box(page, "Micro-batch").inputValue(), "4");
  await page.getByRole("button", { name: "Redo" }).click();
  await page.keyboard.press("Control+Shift+Z");
  await painted(page);
  assert.equal(await box(page, "Sequence length").inputValue(), "512");
  assert.ok(await page.getByRole("button", { name: "Redo" }).isDisabled());
  await page.getByRole("button", { name: "Changes" }).click();
  const line = page.getByRole("button", { name: /Micro-batch.* 4 → 8/ });
  await accessible(page, "the list of changes");
  await line.click();
  await painted(page);
  assert.equal(await box(page, "Micro-batch").inputValue(), "4");
  assert.equal(await box(page, "Sequence length").inputValue(), "256");
  // Keys in a text box are the box's own.
  await box(page, "Micro-batch").fill("16");
  await settled(page);
  await box(page, "Micro-batch").press("Control+z");
  assert.notEqual(await page.getByRole("button", { name: "Undo", exact: true }).first().isDisabled(), true);
  await close();
});

test("below the micro-batch's slider stands which phase binds, and a click goes to where it changes", async () => {
  const link = "?v=1&model=qwen2.5-1.5b&seq=256&mb=2&gpu=a100-80gb";
  const { page, close } = await open(browser, site.url + link);
  const ribbon = page.locator('.field:has(#micro_batch_size-slider) .ribbon');
  const parts = ribbon.locator(".ribbon-part");
  await ribbon.locator('.ribbon-part[data-phase="optimizer_step"]').waitFor();
  const phases = await parts.evaluateAll((all) => all.map((one) => [one.dataset.phase, one.dataset.fits]));
  assert.deepEqual(phases[0], ["optimizer_step", "true"]);
  assert.ok(phases.some(([phase, fits]) => phase === "backward" && fits === "true"));
  assert.equal(phases.at(-1)[1], "false", "what does not fit is marked");
  const track = await page.locator("#micro_batch_size-slider").boundingBox();
  const drawn = await ribbon.locator(".ribbon-track").boundingBox();
  assert.ok(Math.abs(track.x + 9 - drawn.x) < 2 && Math.abs(track.width - 18 - drawn.width) < 3, "as wide as the thumb's way");
  const tick = ribbon.locator(".ribbon-tick").first();
  const from = Number(await tick.innerText());
  await tick.click();
  await painted(page);
  assert.equal(await box(page, "Micro-batch").inputValue(), String(from));
  assert.equal(await page.locator(".verdict").getAttribute("data-binding"), "backward");
  await type(page, "Micro-batch", String(from - 1));
  assert.equal(await page.locator(".verdict").getAttribute("data-binding"), "optimizer_step");
  await close();
});

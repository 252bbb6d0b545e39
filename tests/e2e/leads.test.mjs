// From what one has to what one does: method and GPUs on top, settings by any name, the way back, where the peak moves.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, open, painted, rested } from "./support/browser.mjs";
import { box, openSettings, query, slider, type, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const group = (page, name) => page.getByRole("group", { name, exact: true });
const choose = (page, name, button) => group(page, name).getByRole("button", { name: button, exact: true }).click();
const finder = (page) => page.getByRole("combobox", { name: /Find a setting/ });
/** A change that rests so long is a step of the history. */
const settled = (page) => rested(page, 900);

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

test("frozen parts are those that users of such a model freeze, and a layer by itself has none", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=llama-3.2-1b`);
  const full = await verdict(page);
  await choose(page, "Method", "Frozen parts");
  await page.waitForURL(/frozen=model\.embed_tokens/);
  assert.match(query(page), /layers\.13\./);
  assert.doesNotMatch(query(page), /layers\.14\./);
  assert.notEqual(await verdict(page), full);
  const button = group(page, "Method").getByRole("button", { name: "Frozen parts" });
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  await page.getByRole("button", { name: /^Take back: Frozen modules .* and \d+ more$/ }).waitFor();
  await choose(page, "Method", "Full");
  await page.waitForURL((address) => !address.search.includes("frozen="));
  await page.goto(`${site.url}?v=1&linear=1000x1000`);
  await page.locator("html[data-whole]").waitFor();
  assert.ok(await button.isDisabled());
  assert.equal(await button.getAttribute("title"), "No part of this model is usually frozen.");
  await close();
});

test("the changed settings are counted, and are alone in sight where one wants them so", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=llama-3.2-1b&mb=8&expandable=1`);
  const changed = page.getByRole("button", { name: /^Changed \(\d+\)$/ });
  await choose(page, "Method", "LoRA");
  await page.waitForURL(/lora=/);
  const count = Number((await changed.innerText()).match(/\d+/)[0]);
  await changed.click();
  const fields = page.locator(".controls :is(.controls > .field, .group .field):visible");
  await page.locator("#seq_len").waitFor({ state: "hidden" });
  const keys = await fields.evaluateAll((all) => all.map((one) => one.querySelector("label").htmlFor));
  assert.equal(keys.filter((key) => key !== "model").length, count, keys.join());
  for (const key of ["micro_batch_size", "lora", "allocator.expandable_segments"]) assert.ok(keys.includes(key), key);
  await accessible(page, "changed settings alone");
  await type(page, "Micro-batch", "2");
  await page.locator("#micro_batch_size").waitFor({ state: "hidden" });
  assert.equal(await changed.innerText(), `Changed (${count - 1})`);
  await finder(page).click();
  await page.getByText("Changed from the default: LoRA").waitFor();
  await page.getByRole("option", { name: /^LoRA adapters/ }).waitFor();
  await page.keyboard.press("Escape");
  await changed.click();
  await page.locator("#seq_len").waitFor();
  await close();
});

test("options of what is not chosen are a line that leads to what brings them, and nothing that is set is lost", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=smollm2-135m`);
  for (const title of await page.getByTestId("controls").locator(".group-title").all()) await title.click();
  await painted(page);
  assert.equal(await page.locator(".group .field.idle").count(), 0, "nothing is greyed");
  await page.getByRole("button", { name: /^ZeRO stage and \d+ more: with DeepSpeed ZeRO$/ }).click();
  await page.waitForFunction(() => document.activeElement?.id === "parallelism.dp.kind");
  await page.locator('[id="parallelism.dp.kind"]').selectOption("deepspeed_zero");
  const stage = page.getByRole("slider", { name: "ZeRO stage" });
  await stage.waitFor();
  await type(page, "ZeRO stage", "1");
  await page.waitForURL(/zero=1/);
  // What is set stays in sight without an effect; what has none and is as usual goes.
  await page.locator('[id="parallelism.dp.kind"]').selectOption("fsdp2");
  await page.getByRole("switch", { name: "ZeRO: contiguous gradients" }).waitFor({ state: "detached" });
  assert.ok(await stage.isDisabled());
  await page.locator('[id="parallelism.dp.stage-note"]').getByText("An option of DeepSpeed ZeRO.").waitFor();
  await close();
});

test("several GPUs divide the training state, and one divides nothing", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&gpu=h100-80gb`, { viewport: PHONE });
  await openSettings(page);
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

test("the ribbon below the micro-batch's slider shows which phase binds and the last value that fits, and a click goes to where it changes", async () => {
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
  const most = Number(await ribbon.locator(".ribbon-limit").innerText());
  assert.match(await ribbon.locator(".ribbon-track").getAttribute("title"), new RegExp(`The last that fits is ${most}\\.`));
  for (const [value, standing] of [[most, "tight"], [most + 1, "exceeds"]]) {
    await type(page, "Micro-batch", String(value));
    await painted(page);
    assert.equal(await page.locator(".verdict").getAttribute("data-standing"), standing);
  }
  await close();
});

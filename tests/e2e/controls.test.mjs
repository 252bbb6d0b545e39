// Working with the page: the peak changes its moment, and the address keeps up.
import { test } from "node:test";
import assert from "node:assert/strict";
import { estimateShown, open, rested } from "./support/browser.mjs";
import { drag, query, slider, type, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const MICRO_BATCH = "Micro-batch size";

const { browser, site } = await stage();

/** Waits until the verdict names a moment. */
async function says(page, moment) {
  await page.getByTestId("verdict").filter({ hasText: moment }).waitFor();
}

test("dragging the micro-batch slider moves the peak from the optimizer step to backward", async () => {
  const { page, close } = await open(browser, site.url);
  await says(page, "optimizer step");
  const before = await verdict(page);
  const entries = await page.evaluate(() => history.length);
  await drag(page, MICRO_BATCH, 0.6);
  await says(page, "backward");
  assert.notEqual(await verdict(page), before);
  await page.waitForURL(/[?&]mb=\d+/);
  await rested(page, 900);
  assert.equal(await page.evaluate(() => history.length), entries + 1, "a drag is one step of the history");
  await drag(page, MICRO_BATCH, 0);
  await says(page, "optimizer step");
  await close();
});

test("the keyboard moves the slider, the answer and the address", async () => {
  const { page, close } = await open(browser, site.url);
  const element = slider(page, MICRO_BATCH);
  await element.focus();
  const before = await element.getAttribute("aria-valuetext");
  await page.keyboard.press("End");
  await says(page, "backward");
  assert.notEqual(await element.getAttribute("aria-valuetext"), before);
  await page.keyboard.press("Home");
  await says(page, "optimizer step");
  await page.waitForURL(/[?&]mb=1(&|$)/);
  await close();
});

test("slider and text box are one value, and the text box takes 2k for 2048", async () => {
  const { page, close } = await open(browser, site.url);
  await type(page, "Sequence length", "2k");
  await page.waitForURL(/[?&]seq=(2048|2k)(&|$)/);
  const announced = await slider(page, "Sequence length").getAttribute("aria-valuetext");
  assert.match(announced, /2[, ]?048/);
  await close();
});

test("Back goes through the steps, and then returns to where the reader came from", async () => {
  const { page, close } = await open(browser, `${site.url}embed-demo.html`, { ready: false });
  for (const frame of page.frames().slice(1)) await estimateShown(frame);
  await page.goto(site.url);
  await says(page, "optimizer step");
  await drag(page, MICRO_BATCH, 0.8);
  await page.waitForURL(/mb=/);
  await rested(page, 900);
  const dragged = page.url();
  await drag(page, MICRO_BATCH, 0.2);
  await page.waitForURL((address) => address.href !== dragged);
  await rested(page, 900);
  await page.goBack();
  await page.waitForURL(dragged);
  await says(page, "backward");
  await page.goBack();
  await page.waitForURL((address) => !address.search.includes("mb="));
  await says(page, "optimizer step");
  await page.goBack();
  await page.waitForURL(/embed-demo\.html$/);
  await close();
});

test("a choice changes the answer and the address, and the default leaves it", async () => {
  const { page, close } = await open(browser, site.url);
  const before = await verdict(page);
  const precision = page.getByRole("combobox", { name: "Precision" });
  const options = await precision.locator("option").evaluateAll((all) => all.map((o) => o.value));
  const initial = await precision.inputValue();
  await precision.selectOption(options.find((value) => value === "bf16"));
  await page.waitForURL(/bf16/);
  assert.notEqual(await verdict(page), before);
  await precision.selectOption(initial);
  await page.waitForURL((url) => !url.search.includes("bf16"));
  assert.equal(await verdict(page), before);
  assert.doesNotMatch(query(page), /precision=/);
  await close();
});

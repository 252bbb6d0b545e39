// Steps: the browser's own way back and forth beside the page's, what is given back, and the session of an earlier visit.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, estimateShown, open, painted, rested } from "./support/browser.mjs";
import { box, openSettings, query, type } from "./support/controls.mjs";
import { openDrawer } from "./support/drawer.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const LINK = `${site.url}?v=1&model=smollm2-135m&mb=4`;
const undo = (page) => page.getByRole("button", { name: "Undo", exact: true });
const redo = (page) => page.getByRole("button", { name: "Redo", exact: true });
const entries = (page) => page.evaluate(() => history.length);
/** A change that rests so long is a step. */
const settled = (page) => rested(page, 900);

/** Changes a number, and waits until it is a step. */
async function change(page, name, value) {
  await type(page, name, value);
  await settled(page);
}

/** The micro-batch and the sequence length on screen. */
async function shown(page) {
  await painted(page);
  return [await box(page, "Micro-batch").inputValue(), await box(page, "Sequence length").inputValue()];
}

test("Back and Forward go through the steps as the arrows do", async () => {
  const { page, close } = await open(browser, LINK);
  const before = await entries(page);
  await change(page, "Micro-batch", "8");
  await change(page, "Sequence length", "512");
  assert.equal(await entries(page), before + 2);
  await page.goBack();
  assert.deepEqual(await shown(page), ["8", "256"]);
  await page.goBack();
  assert.deepEqual(await shown(page), ["4", "256"]);
  assert.match(query(page), /mb=4/);
  assert.ok(await undo(page).isDisabled());
  await page.goForward();
  assert.deepEqual(await shown(page), ["8", "256"]);
  await redo(page).click();
  await page.waitForURL(/seq=512/);
  assert.deepEqual(await shown(page), ["8", "512"]);
  assert.ok(await redo(page).isDisabled());
  await undo(page).click();
  await undo(page).click();
  await page.waitForURL((address) => /mb=4/.test(address.search) && !/seq=512/.test(address.search));
  assert.equal(await entries(page), before + 2, "neither way makes entries");
  await page.goForward();
  assert.deepEqual(await shown(page), ["8", "256"]);
  // Another change takes the place of what was taken back.
  await change(page, "Micro-batch", "16");
  assert.ok(await redo(page).isDisabled());
  assert.equal(await entries(page), before + 2);
  await page.goBack();
  assert.deepEqual(await shown(page), ["8", "256"]);
  await close();
});

test("a jump over several steps is one way in the history, and a link to a part of the page is no step", async () => {
  const { page, close } = await open(browser, LINK);
  await change(page, "Micro-batch", "8");
  await openDrawer(page);
  await page.keyboard.press("Escape");
  await change(page, "Micro-batch", "16");
  await page.getByRole("button", { name: "Changes" }).click();
  await page.getByRole("button", { name: /Micro-batch.* 4 → 8/ }).click();
  await page.waitForURL(/mb=4/);
  assert.deepEqual(await shown(page), ["4", "256"]);
  await page.goForward();
  assert.deepEqual(await shown(page), ["8", "256"]);
  await page.goForward();
  assert.deepEqual(await shown(page), ["8", "256"], "the part of the page");
  await page.goForward();
  assert.deepEqual(await shown(page), ["16", "256"]);
  await close();
});

test("after the page is loaded anew Back still goes through the steps before, and out at their end", async () => {
  const { page, close } = await open(browser, LINK);
  await change(page, "Micro-batch", "8");
  await change(page, "Micro-batch", "16");
  await page.reload();
  await estimateShown(page);
  await page.locator("html[data-whole]").waitFor();
  await painted(page);
  await change(page, "Micro-batch", "32");
  await page.goBack();
  assert.deepEqual(await shown(page), ["16", "256"]);
  await page.goBack();
  assert.deepEqual(await shown(page), ["8", "256"]);
  await page.goBack();
  assert.deepEqual(await shown(page), ["4", "256"]);
  await page.goForward();
  await page.goForward();
  await page.goForward();
  assert.deepEqual(await shown(page), ["32", "256"]);
  await undo(page).click();
  await page.waitForURL(/mb=16/);
  assert.deepEqual(await shown(page), ["16", "256"]);
  await page.goBack();
  await page.goBack();
  assert.deepEqual(await shown(page), ["4", "256"]);
  await page.goBack();
  assert.equal(page.url(), "about:blank");
  await close();
});

test("a situation is one step, with what it compares", async () => {
  const { page, close } = await open(browser, LINK);
  const before = await entries(page);
  const menu = page.getByRole("navigation", { name: "Situations" });
  await menu.getByRole("button").click();
  await menu.getByRole("link").nth(3).click();
  await page.waitForURL((address) => !address.search.includes("smollm2"));
  assert.equal(await entries(page), before + 1);
  await undo(page).click();
  await page.waitForURL(/smollm2-135m/);
  assert.deepEqual(await shown(page), ["4", "256"]);
  assert.doesNotMatch(query(page), /&a=/);
  await close();
});

test("the tour gives back what was there, and leaves no steps", async () => {
  const { page, close } = await open(browser, LINK);
  await change(page, "Micro-batch", "8");
  const before = [await entries(page), query(page)];
  await page.getByRole("button", { name: "Tour", exact: true }).click();
  const tour = page.getByRole("dialog", { name: /tour/ });
  for (let stop = 0; stop < 4; stop += 1) {
    await tour.getByRole("button", { name: "Next" }).click();
    await settled(page);
  }
  assert.deepEqual(await shown(page), ["16", "256"]);
  await page.keyboard.press("Escape");
  await tour.waitFor({ state: "hidden" });
  assert.deepEqual(await shown(page), ["8", "256"]);
  await settled(page);
  assert.deepEqual([await entries(page), query(page)], before);
  // What the reader has made of it stays, and is one step.
  await page.getByRole("button", { name: "Tour", exact: true }).click();
  await change(page, "Sequence length", "1024");
  await page.keyboard.press("Escape");
  await tour.getByRole("button", { name: /End/ }).click();
  await page.waitForURL(/seq=(1024|1k)/);
  await undo(page).click();
  await page.waitForURL(/mb=8/);
  assert.deepEqual(await shown(page), ["8", "256"]);
  await close();
});

test("a later visit offers the last session, and does not move anything for it", async () => {
  for (const viewport of [undefined, PHONE]) {
    const { page, close } = await open(browser, `${LINK}&gpu=rtx-4090&lora=8`, viewport && { viewport });
    const offer = page.getByRole("complementary", { name: "Go on where you were" });
    await openSettings(page);
    await change(page, "Micro-batch", "8");
    await page.goto(site.url);
    await estimateShown(page);
    await offer.waitFor();
    assert.ok((await page.evaluate(() => globalThis.layoutShift)) < 0.1);
    assert.equal(query(page), "", "nothing is restored unasked");
    await accessible(page, "the offer to go on");
    await offer.getByRole("button", { name: "SmolLM2 135M, LoRA, GeForce RTX 4090" }).click();
    await page.waitForURL(/smollm2-135m.*mb=8/);
    await offer.waitFor({ state: "detached" });
    await openSettings(page);
    assert.deepEqual(await shown(page), ["8", "256"]);
    await page.goBack();
    assert.equal(query(page), "");
    await page.goto(site.url);
    await offer.getByRole("button", { name: "Not now" }).click();
    await offer.waitFor({ state: "detached" });
    await page.goto(`${site.url}?v=1&mb=3`);
    await estimateShown(page);
    await page.locator("html[data-whole]").waitFor();
    await painted(page);
    assert.equal(await offer.count(), 0, "an address says what is wanted");
    await close();
  }
});

test("without storage steps are steps all the same", async () => {
  const { page, close } = await open(browser, "about:blank", { ready: false });
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, "localStorage", { get: () => { throw new DOMException("forbidden", "SecurityError"); } });
  });
  await page.goto(LINK);
  await estimateShown(page);
  await page.locator("html[data-whole]").waitFor();
  await change(page, "Micro-batch", "8");
  await page.goBack();
  assert.deepEqual(await shown(page), ["4", "256"]);
  await close();
});

// Help in place, the tour, the list of keys, the situations.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { estimateShown, open, painted } from "./support/browser.mjs";
import { unfold } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

test("each control says what it does, by keys and by touch, one at a time", async () => {
  const { page, close } = await open(browser, site.url, { hasTouch: true });
  await unfold(page, /Method/);
  const help = page.locator("details.help");
  assert.ok((await help.count()) >= 15);
  await help.nth(2).locator("summary").focus();
  await page.keyboard.press("Enter");
  await help.nth(2).getByText("per_device_train_batch_size").waitFor();
  const more = await help.nth(2).getByRole("link").evaluate((link) => link.href);
  assert.equal(more, `${site.url}docs/scenario.html#micro_batch_size`);
  await help.nth(3).locator("summary").tap();
  await help.nth(3).getByText("Tokens per sample").waitFor();
  assert.equal(await page.locator("details.help[open]").count(), 1);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0);
  await accessible(page, "the page with help open");
  await close();
});

test("the tour shows the peak moving, with keys alone, and can be taken again", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=llama-2-7b&precision=bf16`);
  const says = (text) => page.getByTestId("verdict").filter({ hasText: text }).waitFor();
  const tour = page.getByRole("dialog", { name: /tour/ });
  await page.getByRole("button", { name: "Tour", exact: true }).focus();
  await page.keyboard.press("Enter");
  await tour.waitFor();
  await says("optimizer step");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tour-next");
  await accessible(page, "the page during the tour");
  await page.keyboard.press("Enter");
  await page.locator("#phases[data-pointed-out]").waitFor();
  await page.keyboard.press("Enter");
  await says("backward");
  await page.keyboard.press("ArrowLeft");
  await says("optimizer step");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.locator("#crossover[data-pointed-out]").waitFor();
  assert.equal(await page.locator("[data-pointed-out]").count(), 1);
  await page.keyboard.press("Escape");
  await tour.waitFor({ state: "hidden" });
  assert.equal(await page.locator("[data-pointed-out]").count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.id), "tour-button");
  await page.keyboard.press("Enter");
  for (let stop = 0; stop < 7; stop += 1) {
    await tour.waitFor();
    await page.keyboard.press("Enter");
    await painted(page);
  }
  await tour.waitFor({ state: "hidden" });
  await close();
});

test("a question mark lists the keys, Escape closes the list", async () => {
  const { page, close } = await open(browser, site.url);
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keys" });
  await list.waitFor();
  assert.match(await list.innerText(), /search for a model/);
  assert.equal(await list.getByRole("link").getAttribute("href"), "docs/index.html");
  await painted(page);
  await accessible(page, "the page with the list of keys");
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  await page.getByRole("textbox", { name: "Micro-batch size" }).focus();
  await page.keyboard.press("?");
  assert.equal(await list.isVisible(), false, "not while one types");
  await close();
});

test("every situation opens with an answer, and Back returns", async () => {
  const { page, close } = await open(browser, site.url);
  const menu = page.getByRole("navigation", { name: "Situations" });
  const button = menu.getByRole("button");
  await button.click();
  await accessible(page, "the page with the menu of situations");
  const names = await menu.getByRole("link").allInnerTexts();
  assert.ok(names.length >= 8);
  for (const name of names) {
    if (!(await menu.getByRole("link").first().isVisible())) await button.click();
    await menu.getByRole("link", { name, exact: true }).click();
    await painted(page);
    await estimateShown(page);
    assert.equal(await page.locator('[data-stale="true"]').count(), 0, name);
  }
  await page.goBack();
  await estimateShown(page);
  await close();
});

test("the words are explained, with formula and source", async () => {
  const { page, close } = await open(browser, site.url);
  await page.getByRole("button", { name: "What the words mean" }).click();
  const words = page.locator("#glossary");
  await words.getByText("What forward saves").waitFor();
  assert.match(await words.innerText(), /max_memory_reserved/);
  await close();
});

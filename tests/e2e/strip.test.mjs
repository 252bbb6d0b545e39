// The strip of a first visit: what one can start from.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { DESKTOP, PHONE, open, painted, rested } from "./support/browser.mjs";
import { focused, settled, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const strip = (page) => page.getByTestId("start");

test("the strip stands on a first visit alone, moves nothing, and closes for good by its use", async () => {
  for (const [locale, viewport, lines] of [
    ["en-US", DESKTOP, 1],
    ["zh-CN", DESKTOP, 1],
    ["en-US", PHONE, 2],
    ["zh-CN", PHONE, 2],
  ]) {
    const { page, close } = await open(browser, site.url, { locale, viewport });
    await strip(page).waitFor();
    const tops = await strip(page).locator(":scope > *").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ top, height }) => Math.round((top + height / 2) / 16)));
    assert.ok(new Set(tops).size <= lines, `${tops}`);
    await rested(page, 300);
    assert.equal(await page.evaluate(() => globalThis.layoutShift), 0);
    await accessible(page, "the strip");
    await strip(page).getByRole("button").first().click();
    await painted(page);
    await accessible(page, "its GPUs");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await strip(page).getByRole("button", { name: "RTX 4090", exact: false }).click();
    await settled(page, "gpu=rtx-4090");
    await strip(page).waitFor({ state: "detached" });
    assert.equal(await focused(page), "hardware.gpu");
    assert.ok(await page.locator(".start-place").isVisible(), "its place stays, so that nothing moves under the pointer");
    await page.goto(site.url);
    await page.locator("html[data-whole]").waitFor();
    assert.equal(await page.locator(".start-place").count(), 0, "it was used");
    await close();
  }
  for (const query of ["?v=1&mb=2", "?v=1&embed=1"]) {
    const { page, close } = await open(browser, site.url + query);
    assert.equal(await page.locator(".start-place").count(), 0, query);
    await close();
  }
});

test("each choice of the strip leads to where one starts, and closing it keeps the focus", async () => {
  const starts = [
    ["An error or a configuration", async (page) => assert.equal(await focused(page), "opened-text")],
    ["My model", async (page) => assert.equal(await focused(page), "model")],
    ["Close this line", async (page) => assert.match(await page.evaluate(() => document.activeElement.textContent), /Situations/)],
  ];
  for (const [name, check] of starts) {
    const { page, close } = await open(browser, site.url);
    await strip(page).getByRole("button", { name, exact: true }).click();
    await strip(page).waitFor({ state: "detached" });
    assert.equal(await page.locator(".start-place").isVisible(), !name.startsWith("Close"));
    await check(page);
    await close();
  }
  const { page, close } = await open(browser, site.url);
  await strip(page).getByRole("button", { name: "An example" }).click();
  await strip(page).getByRole("link").first().click();
  await strip(page).waitFor({ state: "detached" });
  assert.match(page.url(), /\?v=1/);
  assert.match(await page.evaluate(() => document.activeElement.textContent), /Situations/);
  assert.match(await verdict(page), /\d/);
  await close();
});

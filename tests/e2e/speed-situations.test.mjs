// A slider answers in the next frames in every situation of the menu.
import { test } from "node:test";
import assert from "node:assert/strict";
import { estimateShown, open } from "./support/browser.mjs";
import { EAGER, judge, measureInput, times } from "./support/speed.mjs";
import { stage } from "./support/stage.mjs";

const PRESSES = 12;

const { browser, site } = await stage({ browser: EAGER });

test("a slider answers in every situation of the menu", async () => {
  const { page, close } = await open(browser, site.url);
  await page.evaluate(measureInput);
  const menu = page.getByRole("navigation", { name: "Situations" });
  await menu.getByRole("button").click();
  const names = await menu.getByRole("link").allInnerTexts();
  for (const name of names) {
    const link = menu.getByRole("link", { name, exact: true });
    if (!(await link.isVisible())) await menu.getByRole("button").click();
    await link.click();
    await estimateShown(page);
    const measured = await times(page, PRESSES, 400);
    assert.ok(measured.length >= PRESSES / 2, `${name}: ${measured.length} events`);
    judge(name.split("\n")[0], measured);
  }
  await close();
});

// Nothing jumps: what is on screen stays where it is while numbers change.
import { test } from "node:test";
import assert from "node:assert/strict";
import { DESKTOP, PHONE, open, painted, rested } from "./support/browser.mjs";
import { openSettings, slider } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

/** Layout shift that six sweeps may add up to, as the browser counts it. */
const SHIFT = 0.1;
const SWEEPS = 6;

const { browser, site } = await stage();

/** Adds up layout shifts from now on, those soon after an input, too. */
function count(page) {
  return page.evaluate(() => {
    globalThis.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.shifted += entry.value;
    }).observe({ type: "layout-shift" });
  });
}

/** Moves a slider from one end to the other, stop by stop. */
async function sweep(page, element, back) {
  const stops = await element.evaluate(({ min, max }) => [Number(min), Number(max)]);
  for (let at = stops[0]; at <= stops[1]; at += 1) {
    const value = back ? stops[1] - (at - stops[0]) : at;
    await element.evaluate((slider, value) => {
      slider.value = value;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }, value);
    await painted(page);
  }
}

for (const [name, options, query] of [
  ["a screen", { viewport: DESKTOP }, "?v=1"],
  ["a phone", { viewport: PHONE }, "?v=1"],
  ["a phone in Chinese, whose GPU is too small", { viewport: PHONE, locale: "zh-CN" }, "?v=1&gpu=rtx-4090"],
]) {
  test(`sweeps of the batch size shift next to nothing on ${name}`, async () => {
    const { page, close } = await open(browser, `${site.url}${query}`, options);
    await openSettings(page);
    const batch = page.getByRole("slider").first();
    await batch.scrollIntoViewIfNeeded();
    // The first advice comes once the page has nothing else to do; it belongs to the opening, not to a sweep.
    await page.locator("[data-testid=remedies][aria-busy=false]").waitFor();
    await painted(page);
    await count(page);
    for (let turn = 0; turn < SWEEPS; turn += 1) await sweep(page, batch, turn % 2 === 1);
    await rested(page, 1_500);
    const shifted = await page.evaluate(() => globalThis.shifted);
    console.log(`layout shift of ${SWEEPS} sweeps on ${name}: ${shifted.toFixed(3)}`);
    assert.ok(shifted <= SHIFT, `${shifted}`);
    await close();
  });
}

test("on a phone the slider stays under the thumb that moves it", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1`, { viewport: PHONE, hasTouch: true, isMobile: true });
  await openSettings(page);
  const batch = slider(page, "Micro-batch size");
  await batch.scrollIntoViewIfNeeded();
  const track = await batch.boundingBox();
  const thumb = await page.context().newCDPSession(page);
  const touch = (type, x) =>
    thumb.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [{ x, y: track.y + track.height / 2 }],
    });
  await touch("touchStart", track.x + 20);
  const values = new Set();
  for (let move = 0; move <= 30; move += 1) {
    await touch("touchMove", track.x + 20 + ((track.width - 40) * move) / 30);
    await painted(page);
    values.add(await batch.inputValue());
    assert.equal((await batch.boundingBox()).y, track.y, `at ${[...values].at(-1)}`);
  }
  await touch("touchEnd");
  await rested(page, 1_500);
  assert.equal((await batch.boundingBox()).y, track.y, "and when it rests");
  assert.ok(values.size > 5, "it was moved");
  await close();
});

test("a bar says by an arrow where it ended before, when that is beyond its end", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=512`);
  await slider(page, "Micro-batch size").focus();
  await page.keyboard.press("Home");
  const far = page.getByTestId("device-bar").locator(".far-ghost");
  await far.waitFor();
  assert.match(await far.innerText(), /^[\d.]+\s[GT]iB \u2192$/);
  assert.ok(await page.getByTestId("device-bar").locator(".line.ghost").isHidden());
  await close();
});

test("parts under a hundredth stand behind their number, and a legend is one line", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`, { viewport: PHONE });
  const host = page.getByTestId("host-bar");
  const few = host.locator(".legend-item").filter({ hasText: /^\+\d/ });
  assert.match(await few.getAttribute("title"), /, /);
  const tops = await host.locator(".legend-item").evaluateAll((all) => all.map((item) => item.getBoundingClientRect().top));
  assert.equal(new Set(tops).size, 1);
  await host.locator(".legend-item").last().scrollIntoViewIfNeeded();
  assert.ok(await host.locator(".legend-item").last().isVisible());
  await close();
});

// What the reader's system asks for: less motion, colours of its own.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { launch, open } from "./support/browser.mjs";
import { slider } from "./support/controls.mjs";
import { serve } from "./support/site.mjs";

let browser;
let site;
before(async () => {
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** Moves the batch size across the switch of the peak, and names the animations that this starts. */
async function movesThatExplain(page) {
  const batch = slider(page, "Micro-batch size");
  await batch.focus();
  await page.keyboard.press("Home");
  await page.waitForTimeout(1200);
  const before = await page.locator(".verdict").innerText();
  for (let press = 0; press < 8; press += 1) await page.keyboard.press("ArrowRight");
  const moving = await page.evaluate(() =>
    document.getAnimations().map((animation) => animation.animationName ?? "transition"),
  );
  assert.notEqual(await page.locator(".verdict").innerText(), before, "another phase binds");
  return moving;
}

test("the moment at which another phase binds is shown by motion, unless the reader wants none", async () => {
  const moved = {};
  for (const reducedMotion of ["no-preference", "reduce"]) {
    const { page, close } = await open(browser, `${site.url}?v=1`, { reducedMotion });
    moved[reducedMotion] = await movesThatExplain(page);
    await close();
  }
  assert.ok(
    moved["no-preference"].some((name) => name.startsWith("turn-")),
    moved["no-preference"].join(),
  );
  assert.deepEqual(moved.reduce, []);
});

test("with the system's own colours bars keep theirs, and have an edge", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1`, { forcedColors: "active" });
  const tracks = await page.locator(".track").evaluateAll((all) =>
    all.map((track) => {
      const part = track.querySelector(".segment");
      const { borderTopWidth } = getComputedStyle(track);
      return [borderTopWidth, getComputedStyle(part).forcedColorAdjust];
    }),
  );
  assert.ok(tracks.length >= 2, "GPU memory and host RAM");
  for (const [edge, adjust] of tracks) {
    assert.notEqual(edge, "0px");
    assert.ok(["none", "preserve-parent-color"].includes(adjust), adjust);
  }
  await close();
});

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

/** The words of the verdict that name the phase of the peak. */
const phase = (verdict) => /VRAM (.+?);/.exec(verdict)?.[1];

/** Moves the batch size across the switch of the peak, and names the animations that this starts. */
async function movesThatExplain(page) {
  const verdict = () => page.locator(".verdict").innerText();
  const batch = slider(page, "Micro-batch size");
  await batch.focus();
  await page.keyboard.press("Home");
  await page.waitForTimeout(1200);
  const before = phase(await verdict());
  await page.evaluate(() => {
    window.started = [];
    for (const kind of ["animationstart", "transitionrun"]) {
      document.addEventListener(kind, (event) =>
        window.started.push(event.animationName ?? "transition"),
      );
    }
  });
  for (let press = 0; press < 8; press += 1) await page.keyboard.press("ArrowRight");
  // A worker may give the answer some frames after the key.
  const deadline = Date.now() + 10_000;
  while (phase(await verdict()) === before && Date.now() < deadline) await page.waitForTimeout(50);
  assert.notEqual(phase(await verdict()), before, "another phase binds");
  await page.waitForTimeout(300);
  return page.evaluate(() => window.started);
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

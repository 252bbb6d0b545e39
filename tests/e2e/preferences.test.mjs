// What the reader's system asks for: less motion, colours of its own.
import { test } from "node:test";
import assert from "node:assert/strict";
import { open, painted, rested } from "./support/browser.mjs";
import { slider } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

/** The words of the verdict that name the phase of the peak. */
const phase = (verdict) => /VRAM (.+?);/.exec(verdict)?.[1];

/** Moves the batch size across the switch of the peak, and names the animations that this starts. */
async function movesThatExplain(page) {
  const verdict = () => page.locator(".verdict").innerText();
  const batch = slider(page, "Micro-batch size");
  await batch.focus();
  await page.keyboard.press("Home");
  await rested(page, 1200);
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
  await rested(page, 300);
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

/** Relative luminance of a computed colour. */
const luminance = (colour) => {
  const [r, g, b] = colour.match(/[\d.]+/g).map((channel) => Number(channel) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

/** Contrast of two colours. */
const contrast = (a, b) => {
  const [high, low] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};

for (const colorScheme of ["light", "dark"]) {
  test(`the chosen one of several stands out from its neighbours, ${colorScheme}`, async () => {
    const { page, close } = await open(browser, `${site.url}?v=1`, { colorScheme });
    const chosen = await page.locator('.toggle button[aria-pressed="true"]').evaluateAll((all) =>
      all.map((button) => ({
        edge: /rgb\([^)]*\)/.exec(getComputedStyle(button).boxShadow)?.[0],
        around: getComputedStyle(button.parentElement).backgroundColor,
      })),
    );
    assert.ok(chosen.length >= 3);
    for (const { edge, around } of chosen) {
      assert.ok(edge && contrast(edge, around) >= 3, `${edge} on ${around}`);
    }
    await close();
  });
}

test("with the system's own colours every part of a bar and of its legend has an edge", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`, { forcedColors: "active" });
  const parts = await page.locator(".bars :is(.segment, .swatch)").evaluateAll((all) => {
    const ink = getComputedStyle(document.body).color;
    return all.map((part) => [getComputedStyle(part).boxShadow, ink]);
  });
  assert.ok(parts.length > 10);
  for (const [edge, ink] of parts) assert.ok(edge.startsWith(ink), `${edge} of ${ink}`);
  await close();
});

test("on paper the page is one white sheet with drawn figures and a table of the settings", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8&lora=16`, { colorScheme: "dark" });
  await page.locator(".recomputing.waiting").waitFor({ state: "detached" });
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  assert.equal(pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g).length, 1, "one page");
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await painted(page);
  const inks = await page.locator("#phases canvas, #timeline canvas, #crossover canvas").evaluateAll((all) =>
    all.map((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    }),
  );
  assert.equal(inks.length, 3);
  for (const colours of inks) assert.ok(colours > 20, `${colours} colours`);
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(ground, "rgb(255, 255, 255)");
  const sheet = page.getByTestId("printed");
  assert.match(await sheet.getByRole("heading").innerText(), /Qwen2\.5 1\.5B/);
  for (const setting of ["Micro-batch size", "Optimizer", "Precision"]) {
    assert.ok(await sheet.getByRole("rowheader", { name: setting }).isVisible(), setting);
  }
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  await sheet.waitFor({ state: "detached" });
  await close();
});

// What stays in sight while one scrolls: the strip, the settings as a sheet, what is pointed at, a tensor's life.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { DESKTOP, PHONE, estimateShown, open, painted } from "./support/browser.mjs";
import { box, slider, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const TOUCH = { viewport: PHONE, hasTouch: true, isMobile: true };
/** The strip itself takes no room: its box is what is seen. */
const strip = (page) => page.getByTestId("strip").locator(".strip-box");
const stands = (page, standing) => page.locator(`.strip[data-standing="${standing}"] .strip-box`).waitFor();
const handle = (page) => page.locator("#settings-handle");
const sheet = (page) => page.getByTestId("controls");
const opened = (page) => page.locator("html[data-settings=open]").waitFor();
const closed = (page) => page.locator("html[data-settings=closed]").waitFor();

/** Where an element is once it moves no more. */
async function rest(page, locator) {
  let before;
  for (;;) {
    const now = await locator.boundingBox();
    if (before && ["x", "y", "width", "height"].every((side) => before[side] === now[side])) return now;
    before = now;
    await painted(page);
  }
}

/** Waits for what comes above the figures: from then on they stay where they are. */
async function settled(page) {
  await page.locator("[data-testid=remedies][aria-busy=false]").waitFor();
  await page.getByTestId("tensors").scrollIntoViewIfNeeded();
  await page.getByTestId("tensors").locator("tbody tr").first().waitFor();
  await painted(page);
}

/** Fingers on the screen. */
async function finger(page) {
  const session = await page.context().newCDPSession(page);
  const send = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  return {
    down: (x, y) => send("touchStart", [{ x, y }]),
    move: (x, y) => send("touchMove", [{ x, y }]),
    up: () => send("touchEnd", []),
  };
}

for (const [what, options] of [
  ["a screen", { viewport: DESKTOP }],
  ["a phone in Chinese", { viewport: PHONE, locale: "zh-CN" }],
]) {
  test(`the strip says what the verdict says once that is scrolled away, on ${what}`, async () => {
    const { page, close } = await open(browser, `${site.url}?v=1&mb=4`, options);
    await strip(page).waitFor({ state: "hidden" });
    const shift = await page.evaluate(() => globalThis.layoutShift);
    await page.mouse.move(options.viewport.width - 40, 300);
    await page.mouse.wheel(0, 1200);
    await strip(page).waitFor();
    const bounds = await rest(page, strip(page));
    assert.equal(bounds.y, 0);
    assert.equal(bounds.height, 56);
    assert.ok((await page.evaluate(() => globalThis.layoutShift)) - shift < 0.001, "nothing moves for it");
    const said = await page.getByTestId("verdict").innerText();
    const numbers = await strip(page).locator(".strip-numbers").allInnerTexts();
    for (const number of numbers) assert.ok(said.includes(number.match(/[\d.]+/)[0]), `${number} in ${said}`);
    const phase = (await strip(page).locator(".strip-phase").innerText()).trim().toLowerCase();
    assert.ok(said.toLowerCase().includes(phase), `${phase} in ${said}`);
    await accessible(page, "the page with the strip");
    await page.mouse.wheel(0, -4000);
    await strip(page).waitFor({ state: "hidden" });
    await close();
  });
}

test("the strip follows a slider and takes the last change back", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=4`);
  await page.mouse.move(900, 300);
  await page.mouse.wheel(0, 1500);
  await strip(page).waitFor();
  const undo = strip(page).locator("button");
  assert.ok(await undo.isDisabled());
  await slider(page, "Micro-batch size").press("End");
  await stands(page, "exceeds");
  await page.locator(".strip button:enabled").waitFor();
  await undo.click();
  await stands(page, "fits");
  assert.equal(await box(page, "Micro-batch size").inputValue(), "4");
  await close();
});

test("the strip and the contents cover nothing that has the focus", async () => {
  const { page, close } = await open(browser, site.url);
  await settled(page);
  const last = page.locator(".answer button, .answer canvas").last();
  await last.focus();
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press("Shift+Tab");
    const covered = await page.evaluate(() => {
      const element = document.activeElement;
      const { left, top, height } = element.getBoundingClientRect();
      const at = document.elementFromPoint(left + 3, Math.max(top, 0) + Math.min(height, innerHeight) / 2);
      return element.contains(at) || at?.contains(element) ? "" : `${element.outerHTML.slice(0, 80)} under ${at?.className}`;
    });
    assert.equal(covered, "");
  }
  await close();
});

test("neither paper nor another page has the strip or the sheet", async () => {
  const whole = await open(browser, site.url, { viewport: PHONE });
  await whole.page.evaluate(() => scrollTo(0, 900));
  await strip(whole.page).waitFor();
  await whole.page.emulateMedia({ media: "print" });
  for (const part of [strip(whole.page), handle(whole.page)]) await part.waitFor({ state: "hidden" });
  await whole.close();
  const embedded = await open(browser, `${site.url}?v=1&embed=1`, { viewport: PHONE });
  assert.equal(await strip(embedded.page).count(), 0);
  assert.equal(await handle(embedded.page).count(), 0);
  await embedded.close();
});

test("on a phone the settings are a sheet: sliders below, verdict, bars and phases above", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=2`, TOUCH);
  assert.ok(await slider(page, "Micro-batch size").isHidden());
  assert.match(await handle(page).innerText(), /^Settings$/);
  await handle(page).tap();
  await opened(page);
  const below = await rest(page, sheet(page));
  assert.ok(below.height <= 0.55 * PHONE.height, `${below.height} px`);
  for (const name of ["Micro-batch size", "Sequence length"]) {
    const bounds = await slider(page, name).boundingBox();
    assert.ok(bounds.y > below.y && bounds.y + bounds.height <= PHONE.height, `${name} at ${bounds.y}`);
  }
  await strip(page).waitFor();
  const top = await rest(page, strip(page));
  const figure = await page.locator("#phases canvas").boundingBox();
  const bar = await rest(page, handle(page));
  assert.ok(figure.y >= top.y + top.height && figure.y + figure.height <= bar.y, "the phases are in sight");
  await accessible(page, "the open sheet");

  // A finger drags the batch size: the slider stays under it, the answer follows.
  const batch = slider(page, "Micro-batch size");
  const track = await batch.boundingBox();
  const thumb = await finger(page);
  const binding = page.locator(".verdict");
  assert.equal(await binding.getAttribute("data-binding"), "optimizer_step");
  const picture = () => page.locator("#phases canvas").evaluate((canvas) => canvas.toDataURL());
  const before = await picture();
  await thumb.down(track.x + 20, track.y + track.height / 2);
  for (let move = 0; move <= 20; move += 1) {
    await thumb.move(track.x + 20 + ((track.width - 40) * move) / 20, track.y + track.height / 2);
    await painted(page);
    assert.equal((await batch.boundingBox()).y, track.y);
  }
  await thumb.up();
  assert.equal(await binding.getAttribute("data-binding"), "backward");
  assert.notEqual(await picture(), before);
  await page.waitForFunction(() => document.querySelector("#settings-handle").innerText === "Settings (1 changed)");
  await close();
});

test("the sheet is closed by its handle, by Escape and by a swipe, and gives the focus back", async () => {
  const { page, close } = await open(browser, site.url, TOUCH);
  for (const how of ["tap", "key", "swipe"]) {
    await handle(page).tap();
    await opened(page);
    await slider(page, "Sequence length").focus();
    const at = await rest(page, handle(page));
    if (how === "tap") await handle(page).tap();
    if (how === "key") await page.keyboard.press("Escape");
    if (how === "swipe") {
      const thumb = await finger(page);
      await thumb.down(at.x + 100, at.y + 30);
      for (let by = 0; by <= 160; by += 20) await thumb.move(at.x + 100, at.y + 30 + by);
      const drawn = await handle(page).boundingBox();
      assert.ok(drawn.y > at.y + 100, "it follows the finger");
      await thumb.up();
    }
    await closed(page);
    if (how === "key") assert.equal(await page.evaluate(() => document.activeElement.id), "settings-handle");
    const low = await rest(page, handle(page));
    assert.equal(low.y + low.height, PHONE.height);
    assert.ok(await slider(page, "Sequence length").isHidden());
  }
  // A swipe up opens it, and a short one does nothing.
  const at = await rest(page, handle(page));
  const thumb = await finger(page);
  for (const [by, then] of [[20, closed], [120, opened]]) {
    await thumb.down(at.x + 100, at.y + 30);
    await thumb.move(at.x + 100, at.y + 30 - by / 2);
    await thumb.move(at.x + 100, at.y + 30 - by);
    await thumb.up();
    await painted(page);
    await then(page);
  }
  await close();
});

test("the sheet opens for a key that leads into it, and on a page without an answer", async () => {
  const { page, close } = await open(browser, site.url, { viewport: PHONE });
  await page.keyboard.press("/");
  await opened(page);
  await page.waitForFunction(() => document.activeElement.id === "model");
  await close();
  const wrong = await open(browser, `${site.url}?v=1&mb=0`, { viewport: PHONE, ready: false });
  await opened(wrong.page);
  await wrong.close();
});

test("without the rest of the program the controls follow the figure", async () => {
  const options = { viewport: PHONE, ready: false, serviceWorkers: "block" };
  const { page, problems, context } = await open(browser, "about:blank", options);
  await page.route(/_later-?\w*\.wasm|_later\.wasm/, (route) => route.abort());
  await page.goto(site.url);
  await estimateShown(page);
  const [figure, controls] = [page.getByTestId("phases"), sheet(page)];
  const above = await figure.boundingBox();
  assert.ok((await controls.boundingBox()).y >= above.y + above.height);
  assert.equal(await handle(page).count(), 0);
  assert.ok(problems.every((problem) => /wasm|Failed to load/.test(problem)));
  await context.close();
});

test("what is pointed at is said at the lower edge, where its own line is out of sight", async () => {
  const { page, close } = await open(browser, site.url);
  const dock = page.getByTestId("dock");
  const canvas = page.locator("#crossover canvas");
  await canvas.scrollIntoViewIfNeeded();
  await settled(page);
  await page.locator("#crossover canvas").evaluate((element) => {
    scrollBy(0, element.getBoundingClientRect().top - 70);
  });
  const bounds = await rest(page, canvas);
  await page.mouse.move(bounds.x + bounds.width / 2, bounds.y + bounds.height / 2);
  await dock.waitFor();
  assert.equal((await dock.innerText()).trim(), await page.locator("#crossover-summary").innerText());
  const at = await dock.boundingBox();
  assert.ok(at.y > bounds.y + bounds.height / 2 && at.y + at.height <= DESKTOP.height);
  await page.mouse.move(5, 5);
  await dock.waitFor({ state: "hidden" });
  await close();
});

test("what is pinned is explained at the lower edge, and let go there", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`);
  const dock = page.getByTestId("dock");
  const part = page.getByTestId("device-bar").locator(".legend-item").filter({ hasText: /activations/i });
  await part.click();
  await dock.filter({ hasText: /^Activations at the highest point: / }).waitFor();
  await dock.getByRole("button", { name: "Let go" }).click();
  await dock.waitFor({ state: "hidden" });
  assert.equal(await part.getAttribute("aria-pressed"), "false");
  await close();
});

test("a tensor that is pointed at shows its life in the timeline on the same screen", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`, { viewport: { width: 1280, height: 800 } });
  const rows = page.getByTestId("tensors").locator("tbody tr");
  await settled(page);
  await rows.nth(7).evaluate((row) => scrollBy(0, row.getBoundingClientRect().top - 560));
  await page.mouse.move(5, 5);
  await painted(page);
  const timeline = page.locator("#timeline canvas");
  const picture = () => timeline.evaluate((canvas) => canvas.toDataURL());
  const before = await picture();
  const row = await rows.nth(7).boundingBox();
  await page.mouse.move(row.x + 40, row.y + row.height / 2);
  await painted(page);
  const bounds = await timeline.boundingBox();
  assert.ok(bounds.y >= 56 && bounds.y + bounds.height <= row.y, "the timeline is above it, on the screen");
  assert.notEqual(await picture(), before, "the life is drawn");
  const why = await page.getByTestId("tensors").locator(".explained").boundingBox();
  assert.ok(why.y >= row.y + row.height && why.y + why.height <= 800, "and why it is there is said below");
  assert.match(await verdict(page), /./);
  await close();
});

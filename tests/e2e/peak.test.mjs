// The peak moves from one phase to another: along sliders, at the bars, in the verdict, and by itself.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, open, painted, rested } from "./support/browser.mjs";
import { box, drag, openSettings, slider, type, unfold } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

/** The situation that has its switch between 2 and 16 samples. */
const SWITCHES = "?v=1&model=qwen2.5-1.5b&seq=256&mb=2&gpu=a100-80gb";
const MOVES = { reducedMotion: "no-preference" };

const field = (page, key) => page.locator(`.field:has([id="${key}-slider"])`);
const ticks = (page, key) => field(page, key).locator(".ribbon-tick");
const binding = (page) => page.locator(".verdict").getAttribute("data-binding");
const known = (page, key) => field(page, key).locator(".ribbon-track:not(.waiting) .ribbon-part").first().waitFor();
const chip = (page) => page.getByTestId("moved");
/** The gesture of a setting ends after a rest, which the scales show. */
const gestureOver = (page) => rested(page, 1_700);

/** The middle of the crown and of a phase's place in the figure. */
const crownMiddle = (page) =>
  page.locator("#phases .crown").evaluate((crown) => {
    const { left, width } = crown.getBoundingClientRect();
    return left + width / 2;
  });

test("one click on the tick below a slider shows the switch of the situation", async () => {
  const { page, close } = await open(browser, site.url + SWITCHES);
  assert.equal(await binding(page), "optimizer_step");
  await known(page, "micro_batch_size");
  const tick = ticks(page, "micro_batch_size").first();
  const from = await tick.innerText();
  await tick.click();
  await painted(page);
  assert.equal(await binding(page), "backward");
  assert.equal((await chip(page).locator("span").innerText()).trim(), `peak moved: optimizer step \u2192 backward at ${from}`);
  await accessible(page, "a peak that has moved");
  await close();
});

test("other sliders show what binds along them once they are used, and keep it when they move", async () => {
  const { page, close } = await open(browser, site.url + SWITCHES);
  await slider(page, "Sequence length").hover();
  await known(page, "seq_len");
  const tick = ticks(page, "seq_len").first();
  const from = Number(await tick.innerText());
  await tick.click();
  await painted(page);
  assert.equal(await box(page, "Sequence length").inputValue(), String(from));
  assert.equal(await binding(page), "backward");
  assert.equal(await field(page, "seq_len").locator(".ribbon-track.waiting").count(), 0, "it holds along its own slider");
  await slider(page, "Sequence length").focus();
  await page.keyboard.press("ArrowLeft");
  await painted(page);
  assert.equal(await binding(page), "optimizer_step", "the stop before it");
  const fits = await field(page, "seq_len").locator(".ribbon-part").last().getAttribute("data-fits");
  assert.equal(fits, "false", "the longest does not fit");
  // Another setting changes it: the last one stays until the new one is there.
  await type(page, "Micro-batch", "32");
  await field(page, "seq_len").locator(".ribbon-track.waiting .ribbon-part").first().waitFor();
  await slider(page, "Sequence length").hover();
  await known(page, "seq_len");
  assert.equal(await ticks(page, "seq_len").filter({ hasText: String(from) }).count(), 0);
  await close();
});

test("a slider in a group has a ribbon, too, and one without an effect has none", async () => {
  const { page, close } = await open(browser, `${site.url}${SWITCHES}&lora=16`);
  await unfold(page, /LoRA, quantization/);
  await slider(page, "Rank").first().hover();
  await known(page, "lora.r");
  const name = await field(page, "lora.r").locator(".ribbon-track").getAttribute("aria-label");
  assert.match(name, /binds.* The last that fits is \d+/);
  await close();
  const full = await open(browser, site.url + SWITCHES);
  await unfold(full.page, /LoRA, quantization/);
  assert.ok(!(await field(full.page, "lora.r").locator(".ribbon").isVisible()), "no adapters");
  await full.close();
});

test("Shift and an arrow go to where another phase binds, and a slider is one stop of Tab", async () => {
  const { page, close } = await open(browser, site.url + SWITCHES);
  await known(page, "micro_batch_size");
  const from = await ticks(page, "micro_batch_size").first().innerText();
  const batch = slider(page, "Micro-batch");
  await batch.focus();
  assert.match(await batch.getAttribute("aria-keyshortcuts"), /Space/);
  await page.keyboard.press("Shift+ArrowRight");
  await painted(page);
  assert.equal(await box(page, "Micro-batch").inputValue(), from);
  await page.keyboard.press("Home");
  await page.keyboard.press("Tab");
  const next = await page.evaluate(() => [document.activeElement.id, document.activeElement.closest(".ribbon")]);
  assert.ok(next[0] !== "micro_batch_size" && next[1] === null, "neither the box nor a tick is another stop");
  const stops = await field(page, "micro_batch_size").locator(".ribbon button").evaluateAll((all) => all.map((one) => one.tabIndex));
  assert.ok(stops.length >= 2 && stops.every((stop) => stop === -1));
  await close();
});

test("the crown goes from the loser to the winner within 200 ms, and at once where motion is not wanted", async () => {
  for (const [options, moves] of [[MOVES, true], [{}, false]]) {
    const { page, close } = await open(browser, site.url + SWITCHES, options);
    await known(page, "micro_batch_size");
    const from = Number(await ticks(page, "micro_batch_size").first().innerText());
    await type(page, "Micro-batch", String(from - 1));
    await rested(page, 400);
    const before = await crownMiddle(page);
    await page.evaluate(() => {
      globalThis.moves = [];
      const crown = document.querySelector("#phases .crown");
      crown.addEventListener("transitionrun", () => {
        for (const animation of crown.getAnimations()) {
          const { delay, duration } = animation.effect.getTiming();
          globalThis.moves.push([animation.transitionProperty, delay + duration]);
        }
      });
    });
    await ticks(page, "micro_batch_size").first().click();
    await page.waitForFunction(() => document.querySelector(".verdict").dataset.binding === "backward");
    await rested(page, 300);
    assert.ok((await crownMiddle(page)) < before, "backward is to the left of the optimizer step");
    const ways = (await page.evaluate(() => globalThis.moves)).filter(([property]) => property === "translate");
    assert.equal(ways.length > 0, moves, "it is seen in between");
    // What the browser was told: how many frames it has time for is the machine's.
    assert.ok(ways.every(([, ms]) => ms > 100 && ms <= 200), `${ways}`);
    await close();
  }
});

test("a note says that the peak has moved, is announced once, and stays until a gesture does not move it", async () => {
  const { page, close } = await open(browser, site.url + SWITCHES, MOVES);
  await known(page, "micro_batch_size");
  await page.evaluate(() => {
    globalThis.spoken = [];
    const status = document.querySelector('[data-testid="moved-aloud"]');
    new MutationObserver(() => status.textContent && globalThis.spoken.push(status.textContent)).observe(status, {
      childList: true,
      characterData: true,
      subtree: true,
    });
    globalThis.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.shifted += entry.value;
    }).observe({ type: "layout-shift" });
  });
  assert.equal(await chip(page).count(), 0);
  await drag(page, "Micro-batch", 0.6);
  await chip(page).waitFor();
  const exact = await ticks(page, "micro_batch_size").first().innerText();
  assert.match(await chip(page).innerText(), new RegExp(`optimizer step \u2192 backward at ${exact}`));
  await page.getByTestId("moved-aloud").filter({ hasText: `The peak moved from the optimizer step to backward at ${exact}.` }).waitFor();
  assert.equal((await page.evaluate(() => globalThis.spoken)).length, 1);
  assert.ok((await page.evaluate(() => globalThis.shifted)) < 0.02, "nothing moved for it");
  // It outlives the gesture.
  await gestureOver(page);
  assert.equal(await chip(page).count(), 1);
  await slider(page, "Micro-batch").focus();
  await page.keyboard.press("ArrowRight");
  await painted(page);
  assert.equal(await chip(page).count(), 0, "this gesture did not move it");
  await gestureOver(page);
  await drag(page, "Micro-batch", 0.0);
  await chip(page).filter({ hasText: `backward \u2192 optimizer step at ${Number(exact) - 1}` }).waitFor();
  await chip(page).getByRole("button", { name: "Dismiss" }).click();
  assert.equal(await chip(page).count(), 0);
  await close();
});

test("scales hold still while a slider is dragged, and settle after", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=qwen2.5-1.5b&seq=256&mb=48&gpu=rtx-4090`, MOVES);
  const limit = () =>
    page.getByTestId("device-bar").locator(".line.capacity").evaluate((line) => line.getBoundingClientRect().left);
  /** The figure's axis, as it is drawn. */
  const axis = () =>
    page.locator("#phases canvas").evaluate((canvas) => {
      const copy = new OffscreenCanvas(30, canvas.height).getContext("2d", { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, 30, canvas.height);
      return data.reduce((sum, one, at) => (sum * 31 + one * (at % 251)) % 1_000_003, 7);
    });
  await page.locator("#phases canvas").scrollIntoViewIfNeeded();
  await gestureOver(page);
  const element = slider(page, "Micro-batch");
  const track = await element.boundingBox();
  const at = (share) => [track.x + 9 + share * (track.width - 18), track.y + track.height / 2];
  const share = await element.evaluate((e) => (e.value - e.min) / (e.max - e.min));
  const [first, drawn] = [await limit(), await axis()];
  await page.mouse.move(...at(share));
  await page.mouse.down();
  for (let step = 1; step <= 12; step += 1) {
    await page.mouse.move(...at(share - (share * step) / 12));
    await painted(page);
    assert.equal(await limit(), first, `at ${await element.inputValue()}`);
    assert.equal(await axis(), drawn, `at ${await element.inputValue()}`);
  }
  // A rest with the thumb held is no end.
  await gestureOver(page);
  assert.equal(await limit(), first);
  await page.mouse.up();
  await gestureOver(page);
  await rested(page, 1_600);
  assert.notEqual(await limit(), first, "it has settled");
  assert.notEqual(await axis(), drawn);
  await close();
});

test("a slider plays by itself to a little beyond what fits, and one Undo takes it back", async () => {
  const { page, close } = await open(browser, `${site.url}${SWITCHES.replace("mb=2", "mb=24")}`, MOVES);
  await known(page, "micro_batch_size");
  const name = /^Play through the values: Micro-batch/;
  const play = page.getByRole("button", { name });
  assert.equal(await play.getAttribute("aria-pressed"), "false");
  await play.click();
  assert.equal(await play.getAttribute("aria-pressed"), "true");
  await page.waitForFunction(() => document.querySelector(".play[aria-pressed]")?.getAttribute("aria-pressed") === "false");
  const ended = Number(await box(page, "Micro-batch").inputValue());
  assert.match(await page.getByTestId("verdict").innerText(), /Does not fit/);
  assert.equal(ended, 48, "two stops beyond the last that fits");
  await rested(page, 900);
  await page.keyboard.press("Control+z");
  await painted(page);
  assert.equal(await box(page, "Micro-batch").inputValue(), "24", "one step");
  await close();
});

test("any input stops a slider that plays, and Space plays it", async () => {
  const { page, close } = await open(browser, site.url + SWITCHES, MOVES);
  await known(page, "micro_batch_size");
  const play = page.getByRole("button", { name: /^Play through the values: Micro-batch/ });
  const pressed = (is) => page.waitForFunction((is) => document.querySelector("#micro_batch_size-slider").closest(".field").querySelector(".play").ariaPressed === is, is);
  await slider(page, "Micro-batch").focus();
  await page.keyboard.press("Space");
  await pressed("true");
  await page.waitForFunction(() => Number(document.querySelector("#micro_batch_size").value) >= 4);
  await page.keyboard.press("Space");
  await pressed("false");
  const at = await box(page, "Micro-batch").inputValue();
  await rested(page, 900);
  assert.equal(await box(page, "Micro-batch").inputValue(), at, "it stays where it is");
  await play.click();
  await pressed("true");
  await page.keyboard.press("a");
  await pressed("false");
  await play.click();
  await pressed("true");
  await play.click();
  await pressed("false");
  await play.click();
  await page.mouse.click(700, 400);
  await pressed("false");
  await accessible(page, "a slider that has played");
  await close();
});

test("on a phone the note, the crown and the ribbons find room", async () => {
  for (const locale of ["en-US", "zh-CN"]) {
    const { page, close } = await open(browser, site.url + SWITCHES, { viewport: PHONE, locale, ...MOVES });
    await page.locator("#settings-handle").waitFor();
    await openSettings(page);
    await known(page, "micro_batch_size");
    await ticks(page, "micro_batch_size").first().click();
    await chip(page).waitFor();
    const inside = await chip(page).evaluate((note) => {
      const [text, own] = [note.querySelector("span"), note.getBoundingClientRect()];
      return text.scrollWidth <= text.clientWidth && own.left >= 0 && own.right <= innerWidth;
    });
    assert.ok(inside, locale);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width);
    await close();
  }
});

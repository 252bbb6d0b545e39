// The widget in somebody else's page.
import { test } from "node:test";
import assert from "node:assert/strict";
import { estimateShown, open, painted, rested } from "./support/browser.mjs";
import { slider } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

/** A frame's height may be off by rounding. */
const ROUNDING_PX = 2;

const { browser, site } = await stage();

/** The two frames of the demonstration page, each with its estimate. */
async function embeds(page) {
  const elements = await page.locator("iframe").elementHandles();
  assert.equal(elements.length, 2);
  const found = [];
  for (const element of elements) {
    const frame = await element.contentFrame();
    await element.scrollIntoViewIfNeeded();
    await estimateShown(frame);
    found.push({ element, frame });
  }
  return found;
}

/** How much of the content does not fit in the frame, downwards and sideways. */
function overflow(frame) {
  return frame.evaluate(() => {
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = document.documentElement;
    return { down: scrollHeight - clientHeight, sideways: scrollWidth - clientWidth };
  });
}

/** Waits until a frame is as high as its content. */
async function fits({ element, frame }) {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { down, sideways } = await overflow(frame);
    const { height } = await element.boundingBox();
    const content = await frame.evaluate(() => document.body.getBoundingClientRect().height);
    if (down <= 0 && sideways <= 0 && Math.abs(height - content) <= ROUNDING_PX + 2) return;
    await frame.waitForTimeout(50);
  }
  assert.fail(`the frame does not follow its content: ${JSON.stringify(await overflow(frame))}`);
}

test("two embedded estimates say where the peak is, and their heights follow the content", async () => {
  const { page, close } = await open(browser, `${site.url}embed-demo.html`, { ready: false });
  const [small, large] = await embeds(page);
  assert.match(await small.frame.getByTestId("verdict").innerText(), /optimizer step/);
  assert.match(await large.frame.getByTestId("verdict").innerText(), /backward/);
  await fits(small);
  await fits(large);
  for (const width of [800, 400, 1100]) {
    await page.setViewportSize({ width, height: 800 });
    await fits(small);
    await fits(large);
  }
  await close();
});

/** The height that the dialog's code says for a widget of these panels. */
async function saidHeight(panels) {
  const { page, close } = await open(browser, site.url);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("tab", { name: "Embed" }).click();
  const names = { bars: "bars", phases: "phases", crossover: "peak by batch size" };
  for (const [panel, name] of Object.entries(names)) {
    await page.getByRole("checkbox", { name, exact: true }).setChecked(panels.includes(panel));
  }
  const code = await page.getByRole("textbox", { name: "Embed it in a page" }).inputValue();
  await close();
  return Number(/height="(\d+)"/.exec(code)[1]);
}

for (const panels of [["bars", "phases"], ["bars"], ["phases", "crossover"]]) {
  test(`a widget with ${panels.join(" and ")} fits in the height that its code says, at each width`, async () => {
    const said = await saidHeight(panels);
    for (const locale of ["en-US", "zh-CN"]) {
      const query = `?v=1&embed=1&mb=40&panels=${panels.join(".")}`;
      const { page, close } = await open(browser, `${site.url}${query}`, { locale, viewport: { width: 320, height: said } });
      for (const width of [320, 360, 480, 640, 800, 960]) {
        await page.setViewportSize({ width, height: said });
        await painted(page);
        const height = await page.evaluate(() => document.body.getBoundingClientRect().height);
        assert.ok(height <= said, `${height} px of ${said} in ${locale} at ${width}`);
        const { down, sideways } = await overflow(page);
        assert.deepEqual([down, sideways], [0, 0], `at ${width}`);
      }
      await close();
    }
  });
}

test("the widget names its configuration, has legends, and four controls in two by two", async () => {
  for (const width of [320, 640, 960]) {
    const { page, close } = await open(browser, `${site.url}?v=1&embed=1`, { viewport: { width, height: 800 } });
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "GPU memory of Qwen2.5 1.5B, AdamW");
    assert.equal(await page.locator(".legend:visible").count(), 2);
    const places = await page.locator(".widget-controls > .field").evaluateAll((all) =>
      all.map((field) => field.getBoundingClientRect()).map(({ left, bottom }) => `${left} ${bottom}`),
    );
    assert.equal(places.length, 4);
    const [columns, rows] = [0, 1].map((at) => new Set(places.map((place) => place.split(" ")[at])).size);
    assert.deepEqual([columns, rows], [2, 2], places.join("; "));
    const canvas = await page.locator("#phases canvas").boundingBox();
    assert.equal(Math.round(canvas.height), 140);
    await close();
  }
  const { page, close } = await open(browser, `${site.url}?v=1&embed=1`, { locale: "zh-CN" });
  assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Qwen2.5 1.5B（AdamW）的显存");
  await close();
});

test("the widget says what a part is where the pointer is", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&embed=1`, { viewport: { width: 360, height: 800 } });
  const says = page.locator("#phases-summary");
  const before = await says.innerText();
  const box = await page.locator("#phases canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.7);
  await page.waitForFunction((before) => document.querySelector("#phases-summary").innerText !== before, before);
  assert.match(await says.innerText(), /GiB/);
  const title = await page.locator(".segment").first().getAttribute("title");
  assert.match(title, /^parameters: .* bytes\)$/);
  await close();
});

test("several estimates on one page load the program once", async () => {
  const before = site.asked.length;
  const { page, close } = await open(browser, `${site.url}embed-demo.html`, { ready: false });
  await embeds(page);
  const programs = site.asked.slice(before).filter((path) => path.endsWith("_start.wasm"));
  assert.equal(programs.length, 1, programs.join());
  await close();
});

test("an embedded estimate can be worked with, and never writes an address or takes the focus", async () => {
  const { page, close } = await open(browser, `${site.url}embed-demo.html`, { ready: false });
  const [{ frame }] = await embeds(page);
  const address = frame.url();
  const entries = await page.evaluate(() => history.length);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "BODY");
  assert.equal(await frame.evaluate(() => document.activeElement.tagName), "BODY");
  await slider(frame, "Micro-batch size").focus();
  await page.keyboard.press("End");
  await frame.getByTestId("verdict").filter({ hasText: "backward" }).waitFor();
  await rested(frame, 700);
  assert.equal(await frame.evaluate(() => location.href), address);
  assert.match(page.url(), /embed-demo\.html$/);
  assert.equal(await page.evaluate(() => history.length), entries);
  await close();
});

test("Open in Highwater leads from the widget to the whole page in the same state", async () => {
  const tab = await open(browser, `${site.url}?v=1&mb=16&embed=1`);
  const said = await tab.page.getByTestId("verdict").innerText();
  const link = tab.page.getByRole("link", { name: /Highwater/ }).first();
  const href = await link.evaluate((element) => element.href);
  await tab.close();
  assert.doesNotMatch(href, /embed=1/);
  const whole = await open(browser, href);
  assert.equal(await whole.page.getByTestId("verdict").innerText(), said);
  await whole.close();
});

test("a sandboxed frame without a script in its host works too", async () => {
  const tab = await open(browser, `${site.url}embed-demo.html`, { ready: false });
  await embeds(tab.page);
  await tab.page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.title = "sandboxed";
    frame.src = "index.html?v=1&embed=1&mb=4";
    frame.width = "800";
    frame.height = "600";
    document.body.append(frame);
  });
  const element = await tab.page.locator('iframe[title="sandboxed"]').elementHandle();
  await element.scrollIntoViewIfNeeded();
  await estimateShown(await element.contentFrame());
  await painted(tab.page);
  await tab.close();
});

test("a widget that is asked tells its height in the forms that hosts understand", async () => {
  const { page, close } = await open(browser, `${site.url}embed-demo.html`, { ready: false });
  for (const frame of page.frames().slice(1)) await frame.getByTestId("verdict").waitFor();
  const heights = await page.evaluate(
    () =>
      new Promise((done) => {
        const told = {};
        addEventListener("message", ({ data }) => {
          if (typeof data === "string") {
            const { context, height } = JSON.parse(data);
            if (context === "iframe.resize") told.medium = height;
          } else {
            told.own = data.highwater?.height;
            if (data.sentinel === "amp" && data.type === "embed-size") told.amp = data.height;
          }
          if (told.own && told.amp && told.medium) done(told);
        });
        document.querySelector("iframe").contentWindow.postMessage({ highwater: "height" }, "*");
      }),
  );
  assert.ok(heights.own > 100, JSON.stringify(heights));
  assert.deepEqual(new Set(Object.values(heights)).size, 1, JSON.stringify(heights));
  await close();
});

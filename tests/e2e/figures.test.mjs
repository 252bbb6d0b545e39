// Figures: keys, highlighting across all of them, looking closer, single tensors.
import { test } from "node:test";
import assert from "node:assert/strict";
import { open, painted, rested } from "./support/browser.mjs";
import { verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const canvas = (page, id) => page.locator(`#${id} canvas`);
const summary = (page, id) => page.locator(`#${id}-summary`).innerText();
const legend = (page, name) =>
  page.getByTestId("device-bar").getByRole("button", { name: new RegExp(`^${name}`) });

/** Scrolls a figure into view and waits until it is drawn. */
async function see(page, id) {
  await canvas(page, id).scrollIntoViewIfNeeded();
  await rested(page, 150);
  await painted(page);
}

/** What changes when a figure is drawn differently. */
const picture = (page, id) => canvas(page, id).evaluate((element) => element.toDataURL());

test("arrow keys lead through the phases, each is said, Enter pins and Escape lets go", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`);
  const whole = await summary(page, "phases");
  await canvas(page, "phases").focus();
  await page.keyboard.press("ArrowRight");
  const binding = await summary(page, "phases");
  assert.match(binding, /^Backward: 31\.\d\sGiB of live tensors\.$/, "it begins where the peak is");
  await page.keyboard.press("ArrowRight");
  assert.match(await summary(page, "phases"), /^The optimizer step: /);
  await page.keyboard.press("Home");
  assert.match(await summary(page, "phases"), /^Forward: /);
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  const part = await summary(page, "phases");
  assert.match(part, /^Zero_grad: [a-z ]+ [\d.]+\s[A-Za-z]+, <?\d+% of/);
  const spoken = page.locator("#phases [role=status]");
  assert.equal((await spoken.innerText()).trim(), part);
  assert.ok((await page.locator(".legend-item.receding").count()) > 0, "others recede");
  await page.keyboard.press("Enter");
  await canvas(page, "phases").blur();
  assert.equal(await summary(page, "phases"), whole, "nothing is pointed at any more");
  assert.ok((await page.locator('.legend-item[aria-pressed="true"]').count()) === 1);
  assert.ok((await page.locator(".legend-item.receding").count()) > 0, "what is pinned stays");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator('.legend-item[aria-pressed="true"]').count(), 0);
  assert.equal(await page.locator(".legend-item.receding").count(), 0);
  await close();
});

test("a legend is one stop of Tab, and arrows lead from part to part", async () => {
  const { page, close } = await open(browser, site.url);
  const items = page.getByTestId("device-bar").locator(".legend-item");
  const stops = await items.evaluateAll((all) => all.filter((item) => item.tabIndex === 0).length);
  assert.equal(stops, 1);
  await items.first().focus();
  const named = () => page.evaluate(() => document.activeElement.innerText.split("\n")[0]);
  const first = await named();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await named(), first);
  await page.keyboard.press("End");
  assert.equal(await items.last().evaluate((item) => item === document.activeElement), true);
  await page.keyboard.press("Home");
  assert.equal(await named(), first);
  await close();
});

test("what is pointed at is highlighted in bars, figures and table alike", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`);
  await see(page, "phases");
  const plain = await picture(page, "phases");
  await legend(page, "activations").hover();
  await painted(page);
  assert.notEqual(await picture(page, "phases"), plain, "the phases follow");
  const table = page.getByTestId("table").locator("table").first();
  const dim = await table.locator("tbody tr.receding").count();
  assert.equal(dim, (await table.locator("tbody tr").count()) - 1, "all other rows recede");
  await legend(page, "activations").click();
  await page.mouse.move(5, 5);
  await painted(page);
  assert.equal(await legend(page, "activations").getAttribute("aria-pressed"), "true");
  await see(page, "timeline");
  const pinned = await picture(page, "timeline");
  await page.keyboard.press("Escape");
  await painted(page);
  assert.notEqual(await picture(page, "timeline"), pinned, "the timeline follows");
  await table.getByRole("button", { name: "forward" }).click();
  assert.ok((await table.locator("td.receding").count()) > 0, "a phase is a column");
  await page.keyboard.press("Escape");
  await close();
});

const whole = (page) => page.locator("#timeline").getByRole("button", { name: "Whole run" });

test("panels are painted each for itself, so that those that do not change keep their painting", async () => {
  const { page, close } = await open(browser, site.url);
  for (const panels of [".bars > *", ".controls > *", ".question > .figure"]) {
    const all = page.locator(panels);
    const isolated = await all.evaluateAll((elements) =>
      elements.map((element) => getComputedStyle(element).isolation),
    );
    assert.ok(isolated.length > 1, panels);
    assert.deepEqual([...new Set(isolated)], ["isolate"], panels);
  }
  await close();
});

test("the timeline is looked at closely with the mouse, and whole again", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`);
  await see(page, "timeline");
  assert.equal(await whole(page).isDisabled(), true);
  const before = await picture(page, "timeline");
  const box = await canvas(page, "timeline").boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.2, y);
  await page.mouse.down();
  for (let part = 0.2; part < 0.4; part += 0.02) await page.mouse.move(box.x + box.width * part, y);
  const brushed = await picture(page, "timeline");
  assert.notEqual(brushed, before, "the selection is shown");
  await page.mouse.up();
  await whole(page).and(page.locator(":enabled")).waitFor();
  await rested(page, 600);
  await page.mouse.move(5, 5);
  await painted(page);
  assert.notEqual(await picture(page, "timeline"), before);
  assert.equal(await page.locator('.legend-item[aria-pressed="true"]').count(), 0, "no click");
  await whole(page).click();
  await page.mouse.move(5, 5);
  await painted(page);
  assert.equal(await picture(page, "timeline"), before);
  await close();
});

test("the timeline is looked at closely with keys", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`);
  await see(page, "timeline");
  await canvas(page, "timeline").focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await summary(page, "timeline"), /live \(/);
  await page.keyboard.press("+");
  assert.equal(await whole(page).isEnabled(), true);
  await rested(page, 600);
  const first = await summary(page, "timeline");
  await page.keyboard.press("End");
  assert.notEqual(await summary(page, "timeline"), first);
  await page.keyboard.press("-");
  assert.equal(await whole(page).isDisabled(), true);
  await page.keyboard.press("+");
  await page.keyboard.press("0");
  assert.equal(await whole(page).isDisabled(), true);
  await close();
});

test("the timeline is looked at closely with a finger, and the page still scrolls", async () => {
  const viewport = { width: 390, height: 844 };
  const { page, context, close } = await open(browser, site.url, { viewport, hasTouch: true });
  await see(page, "timeline");
  const box = await canvas(page, "timeline").boundingBox();
  const touch = await context.newCDPSession(page);
  const y = box.y + 80;
  const at = (part) => [{ x: box.x + box.width * part, y }];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0.3) });
  for (let part = 0.3; part < 0.6; part += 0.02) {
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(part) });
  }
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await whole(page).and(page.locator(":enabled")).waitFor();
  const action = await canvas(page, "timeline").evaluate((e) => getComputedStyle(e).touchAction);
  assert.equal(action, "pan-y");
  await close();
});

test("what counts as used is a choice: live tensors, allocated or reserved", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`);
  const live = await picture(page, "phases");
  await page.getByRole("button", { name: "reserved", exact: true }).click();
  await page.mouse.move(5, 5);
  await painted(page);
  assert.notEqual(await picture(page, "phases"), live);
  await page.getByRole("button", { name: "live tensors", exact: true }).click();
  await page.mouse.move(5, 5);
  await painted(page);
  assert.equal(await picture(page, "phases"), live);
  await close();
});

test("GiB and GB, and the exact bytes of each number", async () => {
  const { page, close } = await open(browser, site.url);
  assert.match(await verdict(page), /GiB/);
  await page.getByRole("button", { name: "GB", exact: true }).click();
  const said = await verdict(page);
  assert.match(said, /\d\sGB/);
  assert.doesNotMatch(said, /GiB/);
  const exact = await page.getByTestId("device-bar").locator("strong").getAttribute("title");
  assert.match(exact, /^\d{1,3}(,\d{3})+ bytes$/);
  await close();
});

test("each figure has a table of the same numbers", async () => {
  const { page, close } = await open(browser, site.url);
  for (const id of ["phases", "timeline", "crossover"]) {
    await see(page, id);
    await page.locator(`#${id}`).getByRole("button", { name: /^Table / }).click();
    const rows = page.locator(`#${id}-table tbody tr`);
    await rows.first().waitFor();
    assert.ok((await rows.count()) > 3, id);
  }
  await close();
});

test("the tensors at the peak add up to it, are filtered by category and followed in time", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`);
  const panel = page.getByTestId("tensors");
  await panel.scrollIntoViewIfNeeded();
  const rows = panel.locator("tbody tr");
  await rows.first().waitFor();
  const peak = (await summary(page, "phases")).match(/[\d.]+\sGiB/)[0];
  assert.ok((await panel.locator(".figure-summary").innerText()).includes(`${peak} together`));
  const cells = await rows.first().locator("td").allInnerTexts();
  assert.match(cells[0], /^[\d.]+\s[KMG]iB$/, "together");
  assert.match(cells[3], /^\[[\d, ]+\] (float32|bfloat16)/, "shape and type");
  assert.match(cells[4], /step \d, |with the model/, "born");
  const shown = await rows.count();
  await panel.getByRole("button", { name: /^Show \d+ more$/ }).click();
  assert.ok((await rows.count()) > shown);
  await panel.getByRole("combobox", { name: "Category" }).selectOption("optimizer_states");
  await rested(page, 100);
  const of = await rows.locator("button").evaluateAll((all) => all.map((one) => one.title));
  assert.deepEqual([...new Set(of)], ["optimizer states"]);
  const why = panel.locator(".explained");
  assert.match(await why.innerText(), /^Optimizer states at the highest point: \d+ tensors, [\d.]+\s[KMG]iB\. They are \d+ \u00d7 \[/);
  await see(page, "timeline");
  const before = await picture(page, "timeline");
  await rows.first().locator("button").focus();
  await rows.first().locator("button").press("Enter");
  await see(page, "timeline");
  assert.notEqual(await picture(page, "timeline"), before, "its life is in the timeline");
  await page.keyboard.press("Escape");
  const phase = page.getByTestId("table").locator("thead button").filter({ hasText: "Backward" });
  await phase.scrollIntoViewIfNeeded();
  await phase.click();
  await page.mouse.move(0, 0); // else a row that scrolls under the pointer is looked at
  await panel.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => /^Backward needs [\d.]+\s[KMG]iB/.test(document.querySelector("[data-testid=tensors] .explained").innerText));
  await page.keyboard.press("Escape");
  await close();
});

test("parts of the bars that hold no tensors are explained where they are pinned", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=8`);
  const why = page.getByTestId("tensors").locator(".explained");
  for (const [bar, part, says] of [
    ["device-bar", "CUDA context", /^CUDA takes [\d.]+\s[GM]iB on this GPU outside of PyTorch's allocator\./],
    ["device-bar", "cached", /^The caching allocator holds [\d.]+\s[GM]iB, live tensors take /],
    ["device-bar", "\\+\\d", /^Parts of less than 1 % of their bar are shown as one\. On the GPU: .*, together [\d.]+\s[KM]iB\./],
    ["host-bar", "libraries", /^Libraries: [\d.]+\s[GM]iB at the node's highest point/],
    ["host-bar", "page cache", /^Page cache: [\d.]+\s[GM]iB of files/],
  ]) {
    const item = page.getByTestId(bar).locator(".legend-item").filter({ hasText: new RegExp(`^${part}`, "i") }).first();
    await item.scrollIntoViewIfNeeded();
    await item.click();
    await page.mouse.move(0, 0);
    await page.getByTestId("tensors").scrollIntoViewIfNeeded();
    await page.waitForFunction(
      ([says]) => new RegExp(says).test(document.querySelector("[data-testid=tensors] .explained").innerText),
      [says.source],
    );
    if (part !== "\\+\\d") assert.match(await why.innerText(), / Source: /);
    await page.keyboard.press("Escape");
  }
  await close();
});

// Controls by keys and for readers: one stop of Tab and one name for each, help that follows, descriptions that exist.
import { test } from "node:test";
import assert from "node:assert/strict";
import { controls } from "./support/axe.mjs";
import { PHONE, open, painted } from "./support/browser.mjs";
import { box, slider, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

/** Opens all groups of settings, and waits for what comes below when it is seen. */
async function openAll(page) {
  await page.locator(".group-title").first().waitFor();
  const folded = page.locator(".group-title[aria-expanded=false]");
  while ((await folded.count()) > 0) await folded.first().click();
  await page.getByTestId("tensors").scrollIntoViewIfNeeded();
  await page.getByTestId("tensors").locator("tbody tr").first().waitFor();
  await page.locator("[data-testid=remedies][aria-busy=false]").waitFor();
  await painted(page);
}

/**
 * Names that several controls have. A slider and the box of the same number are one; what heads a row or a column is told
 * by its table and the cells beside it.
 */
function twice(all) {
  const boxes = new Set(all.filter((one) => one.kind === "slider").map((one) => one.id.replace(/-slider$/, "")));
  const names = new Map();
  for (const { id, kind, name, heads } of all) {
    if (heads || (kind === "input" && boxes.has(id))) continue;
    names.set(name, [...(names.get(name) ?? []), `${kind}#${id}`]);
  }
  return [...names].filter(([, of]) => of.length > 1);
}

for (const [what, link, options] of [
  ["in English", "?v=1&lora=16&gpus=8&dp=fsdp2", {}],
  ["in Chinese", "?v=1&lora=16&gpus=8&dp=fsdp2", { locale: "zh-CN" }],
  ["beside another configuration", "?v=1&mb=16&a=v%3D1", {}],
  ["of one linear layer", "?v=1&linear=10000x50000&mb=5000&opt=none", {}],
]) {
  test(`every control has one name, one stop and help that follows it, ${what}`, async () => {
    const { page, close } = await open(browser, site.url + link, options);
    await openAll(page);
    const all = await controls(page);
    assert.equal(await page.locator(".group-title[aria-expanded=false]").count(), 0, "all groups are open");
    assert.ok(all.filter((one) => one.kind === "slider").length > 10);
    assert.deepEqual(all.filter((one) => !one.name.trim()), [], "none is without a name");
    assert.deepEqual(twice(all), [], "no two have the same");
    for (const { id } of all.filter((one) => one.kind === "slider")) {
      const stops = all.filter((one) => [id, id.replace(/-slider$/, "")].includes(one.id) && one.stop);
      assert.equal(stops.length, 1, `${id} is one stop of Tab`);
    }
    const wrong = await page.evaluate(() =>
      [...document.querySelectorAll(".field:has(summary)")].flatMap((field) => {
        const label = field.querySelector("label");
        const help = field.querySelector("summary");
        const control = document.getElementById(label.htmlFor);
        const follows = control.compareDocumentPosition(help) & Node.DOCUMENT_POSITION_FOLLOWING;
        const name = help.getAttribute("aria-label");
        const says = name.includes(label.textContent.trim()) && name.includes(help.textContent.trim());
        return follows && says ? [] : [label.htmlFor];
      }),
    );
    assert.deepEqual(wrong, [], "the help follows its control and has its label");
    const nowhere = await page.evaluate(() =>
      ["aria-describedby", "aria-labelledby", "aria-controls", "aria-activedescendant", "for"].flatMap((name) =>
        [...document.querySelectorAll(`[${name}]`)].filter((one) => one.checkVisibility()).flatMap((element) =>
          element
            .getAttribute(name)
            .split(" ")
            .filter((id) => !document.getElementById(id))
            .map((id) => `${element.localName}#${element.id} ${name}: ${id}`),
        ),
      ),
    );
    assert.deepEqual(nowhere, [], "what describes a control is there");
    await close();
  });
}

test("Tab stops once at a slider, digits and Enter lead into its box, and Tab goes on", async () => {
  const { page, close } = await open(browser, site.url);
  const length = slider(page, "Sequence length");
  const before = await verdict(page);
  await length.focus();
  await page.keyboard.type("2048");
  assert.equal(await page.evaluate(() => document.activeElement.id), "seq_len");
  assert.equal(await box(page, "Sequence length").inputValue(), "2048");
  assert.notEqual(await verdict(page), before);
  await page.keyboard.press("Tab");
  const name = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.equal(await name(), "Sequence length ?");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "seq_len-slider");
  await page.keyboard.press("Enter");
  await page.keyboard.type("512");
  assert.equal(await box(page, "Sequence length").inputValue(), "512");
  await page.waitForURL(/seq=512/);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("ArrowRight");
  assert.equal(await box(page, "Sequence length").inputValue(), "768");
  await close();
});

test("the widget of another page is typed into by keys, too", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&embed=1&mb=4`);
  await slider(page, "Micro-batch size").focus();
  await page.keyboard.type("12");
  assert.equal(await box(page, "Micro-batch size").inputValue(), "12");
  await close();
});

test("the open sheet of a phone has every control once, too", async () => {
  const { page, close } = await open(browser, site.url, { viewport: PHONE });
  await page.locator("#settings-handle").click();
  await openAll(page);
  assert.deepEqual(twice(await controls(page)), []);
  await close();
});

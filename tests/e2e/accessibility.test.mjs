// WCAG 2.2 AA as far as a program can tell, in every theme and language.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, estimateShown, launch, open } from "./support/browser.mjs";
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

for (const colorScheme of ["light", "dark"]) {
  for (const locale of ["en-US", "zh-CN"]) {
    for (const [form, query] of [["whole", ""], ["embedded", "?v=1&embed=1&mb=16"]]) {
      test(`axe finds nothing in the ${form} page, ${colorScheme}, ${locale}`, async () => {
        const options = { colorScheme, locale };
        const { page, close } = await open(browser, site.url + query, options);
        await accessible(page, `${form} page`);
        await close();
      });
    }
  }
}

test("axe finds nothing on a phone, with a problem shown, and in the page that embeds", async () => {
  const phone = await open(browser, site.url, { viewport: PHONE });
  await accessible(phone.page, "the page on a phone");
  await phone.close();

  const wrong = await open(browser, `${site.url}?v=1&mb=0&colour=blue`, { ready: false });
  await wrong.page.getByTestId("controls").waitFor();
  await accessible(wrong.page, "the page with problems");
  await wrong.close();

  const host = await open(browser, `${site.url}embed-demo.html`, { ready: false });
  for (const frame of host.page.frames().slice(1)) await estimateShown(frame);
  await accessible(host.page, "the page that embeds");
  await host.close();
});

test("everything that does something is reached by Tab, in visual order and visibly", async () => {
  const { page, close } = await open(browser, site.url);
  const expected = await page.evaluate(
    () =>
      [...document.querySelectorAll("a[href], button, input, select, textarea, [tabindex='0']")]
        .filter((e) => !e.disabled && e.checkVisibility({ visibilityProperty: true })).length,
  );
  const seen = new Set();
  for (let press = 0; press < expected + 5; press += 1) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const style = getComputedStyle(element);
      const outlined = style.outlineStyle !== "none" || style.boxShadow !== "none";
      element.dataset.tabbed ??= String(globalThis.tabbed = (globalThis.tabbed ?? 0) + 1);
      return outlined ? element.dataset.tabbed : `unseen: ${element.outerHTML.slice(0, 80)}`;
    });
    if (name === null) break;
    assert.ok(!name.startsWith("unseen"), name);
    seen.add(name);
  }
  assert.equal(seen.size, expected);
  await close();
});

// WCAG 2.2 AA as far as a program can tell, in every theme and language.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, estimateShown, open, painted } from "./support/browser.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

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

test("axe finds nothing in dialogs, in sheets, in an open menu and beside another configuration", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=16&a=v%3D1`);
  await accessible(page, "two configurations");
  const button = (name) => page.getByRole("button", { name, exact: true });
  await button("Situations").click();
  await accessible(page, "the menu of situations");
  await page.keyboard.press("Escape");
  await button("Share").click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  for (const tab of await dialog.getByRole("tab").all()) {
    await tab.click();
    await painted(page);
    await accessible(page, `sharing: ${await tab.innerText()}`);
  }
  await page.keyboard.press("Escape");
  for (const name of ["Keys", "Tour"]) {
    await button(name).click();
    await painted(page);
    await accessible(page, name);
    await page.keyboard.press("Escape");
  }
  await close();
});

test("everything that does something is reached by Tab, and shows that it is", async () => {
  const { page, close } = await open(browser, site.url);
  // Single tensors come when they are first seen, and what to change after further estimates:
  // what comes above the focus once it has passed is not reached before it comes round again.
  await page.getByTestId("tensors").scrollIntoViewIfNeeded();
  await page.getByTestId("tensors").locator("tbody tr").first().waitFor();
  await page.getByRole("button", { name: /still leaves 10 % free$/ }).waitFor();
  await page.locator('[data-room="longer_sequence"]').waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  const unseen = new Set();
  for (let press = 0; press < 500; press += 1) {
    await page.keyboard.press("Tab");
    const markup = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      element.dataset.tabbed = "yes";
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      return outlineStyle === "none" && boxShadow === "none" ? element.outerHTML : "";
    });
    if (markup === null) break;
    if (markup) unseen.add(markup.slice(0, 100));
  }
  assert.deepEqual([...unseen], [], "focus is visible");
  const unreached = await page.evaluate(() =>
    [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
      .filter((element) => !element.disabled && element.tabIndex >= 0)
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => !element.dataset.tabbed)
      .map((element) => element.outerHTML.slice(0, 100)),
  );
  assert.deepEqual(unreached, []);
  await close();
});

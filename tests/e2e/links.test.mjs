// Links: every one opens, and opens what it was made from.
import { test } from "node:test";
import assert from "node:assert/strict";
import { open } from "./support/browser.mjs";
import { copyLink, drag, slider, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

test("a copied link opens the same state for somebody else", async () => {
  const first = await open(browser, site.url, { permissions: ["clipboard-read", "clipboard-write"] });
  await drag(first.page, "Micro-batch size", 0.7);
  await first.page.getByRole("combobox", { name: "Optimizer", exact: true }).selectOption("sgd");
  const said = await verdict(first.page);
  const link = await copyLink(first.page);
  assert.ok(link.startsWith(site.url), link);
  await first.close();

  const second = await open(browser, link);
  assert.equal(await verdict(second.page), said);
  const value = await slider(second.page, "Micro-batch size").getAttribute("aria-valuetext");
  assert.match(new URL(link).search, new RegExp(`mb=${value}`));
  await second.close();
});

const BAD = {
  "an unknown key": "v=1&colour=blue",
  "a negative number": "v=1&mb=-3",
  "a word for a number": "v=1&mb=many",
  "a number beyond all limits": "v=1&mb=99999999999999999999999999",
  "zero": "v=1&mb=0",
  "an unknown model": "v=1&model=no-such-model",
  "a version of the future": "v=999&mb=4",
  "broken escapes": "v=1&model=%E0%A4%A&mb=%%%",
  "markup": "v=1&model=%3Cscript%3Ealert(1)%3C/script%3E",
  "nothing but noise": "&&&===&?&=1",
};

for (const [what, query] of Object.entries(BAD)) {
  test(`an address with ${what} gives a notice and never a blank page`, async () => {
    const tab = await open(browser, `${site.url}?${query}`, { ready: false });
    await tab.page.getByTestId("controls").waitFor();
    if (what !== "nothing but noise") {
      await tab.page.locator(".notice:visible, .field-problem:visible").first().waitFor();
    }
    assert.ok((await tab.page.locator("body").innerText()).length > 200);
    await tab.close();
  });
}

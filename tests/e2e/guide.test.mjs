// The guide beside the page: every link leads somewhere, both themes can be read, nothing is wider than a phone.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, open } from "./support/browser.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

/** The addresses of a page's links, without those of other hosts. */
const links = (page) =>
  page.locator("a[href]").evaluateAll((all) =>
    all.map((link) => link.href).filter((address) => address.startsWith(location.origin)),
  );

/** Pages of the guide, which lead to each other. */
async function pages() {
  const { page, close } = await open(browser, `${site.url}docs/index.html`, { ready: false });
  const all = (await links(page)).map((address) => address.replace(/#.*/, ""));
  await close();
  return [...new Set(all)].filter((address) => address.startsWith(`${site.url}docs/`));
}

test("every link of the guide leads to something that is there", async () => {
  const all = await pages();
  assert.ok(all.length >= 10, `${all.length} pages`);
  const { page, close } = await open(browser, all[0], { ready: false });
  const [ids, asked] = [new Map(), new Set()];
  for (const address of all) {
    await page.goto(address);
    const own = await page.locator("[id]").evaluateAll((marked) => marked.map(({ id }) => id));
    ids.set(address, new Set(own));
    for (const link of await links(page)) asked.add(link);
  }
  for (const link of asked) {
    const [address, id] = link.split("#");
    if (id) assert.ok(ids.get(address)?.has(decodeURIComponent(id)), link);
    else assert.equal((await page.request.get(address)).status(), 200, link);
  }
  await close();
});

test("the guide can be read on a phone and a desk, light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await open(browser, site.url, {
      ready: false,
      colorScheme,
      viewport: colorScheme === "dark" ? PHONE : undefined,
    });
    for (const address of await pages()) {
      await page.goto(address);
      await accessible(page, `${address}, ${colorScheme}`);
    }
    await close();
  }
  const { page, close } = await open(browser, site.url, { ready: false, viewport: PHONE });
  for (const address of await pages()) {
    await page.goto(address);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${address} is ${wide} px wider than a phone`);
  }
  await close();
});

test("an anchor of a setting leads to its entry, in both languages", async () => {
  for (const [file, name] of [["scenario.html", "Rank"], ["scenario.zh.html", "秩"]]) {
    const address = `${site.url}docs/${file}#lora.r`;
    const { page, close } = await open(browser, address, { ready: false });
    const top = await page.locator(":target").evaluate((entry) => entry.getBoundingClientRect().top);
    assert.ok(top > -1 && top < 200, `${top}`);
    assert.match(await page.locator(":target + p").innerText(), new RegExp(name));
    await close();
  }
});

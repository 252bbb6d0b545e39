// When the page cannot start there is a sentence and a link, never a blank page or one that seems
// to load for ever.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { launch, open } from "./support/browser.mjs";
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

test("without scripts there is a sentence and a link in both languages, and no skeleton", async () => {
  const options = { javaScriptEnabled: false, ready: false };
  const { page, problems, close } = await open(browser, site.url, options);
  const said = page.locator(".noscript");
  assert.match(await said.nth(0).innerText(), /needs JavaScript and WebAssembly/);
  assert.match(await said.nth(1).innerText(), /需要 JavaScript 和 WebAssembly/);
  for (const at of [0, 1]) {
    assert.match(await said.nth(at).getByRole("link").getAttribute("href"), /^https:/);
  }
  assert.ok(await page.locator("#skeleton").isHidden());
  // Scripts that are announced beforehand are not loaded: that is the point.
  problems.splice(0);
  await close();
});

/** Opens the page in a browser whose WebAssembly was taken away or broken. */
async function broken(breaks, options = {}) {
  const context = await browser.newContext({ locale: "en-US", ...options });
  const page = await context.newPage();
  await breaks(page);
  await page.goto(`${site.url}${options.query ?? ""}`);
  const said = page.getByRole("alert");
  await said.waitFor();
  assert.ok(await page.locator("#skeleton").isHidden());
  assert.match(await said.getByRole("link").getAttribute("href"), /webassembly\.org/);
  const text = await said.innerText();
  await context.close();
  return text;
}

const without = (page) => page.addInitScript(() => delete globalThis.WebAssembly);

test("without WebAssembly there is a sentence and a link", async () => {
  assert.match(await broken(without), /could not start/);
  assert.match(await broken(without, { locale: "zh-CN" }), /无法启动/);
  assert.match(await broken(without, { query: "?v=1&lang=zh" }), /无法启动/);
});

test("when the program does not arrive or does not compile there is a sentence and a link", async () => {
  const lost = (page) => page.route(/\.wasm$/, (route) => route.abort());
  assert.match(await broken(lost), /could not start/);
  const garbled = (page) =>
    page.route(/\.wasm$/, (route) => route.fulfill({ contentType: "application/wasm", body: "no" }));
  assert.match(await broken(garbled), /could not start/);
  const scriptless = (page) => page.route(/web-.*\.js$/, (route) => route.abort());
  assert.match(await broken(scriptless), /could not start/);
});

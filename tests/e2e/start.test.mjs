// When the page cannot start there is a sentence and a link, never a blank page or one that seems
// to load for ever.
import { test } from "node:test";
import assert from "node:assert/strict";
import { estimateShown, open, painted } from "./support/browser.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

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

/** Opens the page in a browser whose WebAssembly was taken away or broken; a remedy is offered, a link unless told. */
async function broken(breaks, { remedy = "link", ...options } = {}) {
  const context = await browser.newContext({ locale: "en-US", ...options });
  const page = await context.newPage();
  await breaks(page);
  await page.goto(`${site.url}${options.query ?? ""}`);
  const said = page.getByRole("alert");
  await said.waitFor();
  assert.ok(await page.locator("#skeleton").isHidden());
  const offered = said.getByRole(remedy);
  await offered.waitFor();
  if (remedy === "link") assert.match(await offered.getAttribute("href"), /webassembly\.org/);
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

test("when the program does not arrive or does not compile there is a sentence and a remedy", async () => {
  const lost = (page) => page.route(/\.wasm$/, (route) => route.abort());
  assert.match(await broken(lost, { remedy: "button" }), /has not come yet/);
  const garbled = (page) =>
    page.route(/\.wasm$/, (route) => route.fulfill({ contentType: "application/wasm", body: "no" }));
  assert.match(await broken(garbled), /could not start/);
  const scriptless = (page) => page.route(/web-.*\.js$/, (route) => route.abort());
  assert.match(await broken(scriptless), /could not start/);
});

const REST = /_later\.wasm$/;

for (const [name, query, options] of [
  ["page", "", {}],
  ["link in Chinese to another decoder", "?v=1&model=llama-3.2-3b&precision=bf16&mb=4", { locale: "zh-CN" }],
]) {
  test(`the first estimate of a ${name} does without the rest of the program, which comes after it`, async () => {
    const { page, close } = await open(browser, "about:blank", { ready: false, ...options });
    let release;
    const held = new Promise((done) => (release = done));
    let asked = false;
    await page.route(REST, async (route) => {
      asked = true;
      await held;
      await route.continue();
    });
    await page.goto(site.url + query);
    await estimateShown(page).catch(() =>
      assert.fail("the first answer waits for parts that its link does not ask for"),
    );
    await painted(page);
    assert.equal(await page.locator("canvas").count(), 1, "of the figures only the first");
    release();
    await page.locator("html[data-whole]").waitFor();
    assert.ok((await page.locator("canvas").count()) > 1);
    assert.ok(asked, "the page is one file: nothing was cut off");
    await close();
  });
}

test("what is asked of the rest before it is there waits for it", async () => {
  const { page, problems, close } = await open(browser, "about:blank", { ready: false });
  let asked = 0;
  // The first time it is lost on its way.
  await page.route(REST, (route) => (asked++ ? route.continue() : route.abort()));
  await page.goto(site.url);
  await estimateShown(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("dialog").waitFor();
  assert.ok(asked > 1);
  await page.locator("html[data-whole]").waitFor();
  // The network's failure, as the browser says it.
  problems.splice(0);
  await close();
});

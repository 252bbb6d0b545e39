// When the rest of the program cannot be fetched, the page says so, the last answer stands, and what
// the reader did meanwhile happens when it is there.
import { test } from "node:test";
import assert from "node:assert/strict";
import { estimateShown, open, painted } from "./support/browser.mjs";
import { box, query, slider, type, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const REST = /_(?!start)\w+\.wasm/;
const MICRO_BATCH = "Micro-batch size";

const { browser, site } = await stage();

/** Opens a page whose rest is answered as `answers` says; what the browser says of it is expected. */
async function without(answers, query, options = {}) {
  // The service worker would fetch it, too, out of reach of this test.
  const blocked = { ready: false, serviceWorkers: "block", ...options };
  const tab = await open(browser, "about:blank", blocked);
  await tab.page.route(REST, answers);
  await tab.page.goto(site.url + query);
  const close = async () => {
    const expected = /_\w+\.wasm|Failed to load resource/;
    assert.deepEqual(
      tab.problems.splice(0).filter((problem) => !expected.test(problem)),
      [],
    );
    await tab.close();
  };
  return { ...tab, close, notice: tab.page.getByRole("alert") };
}

const abort = (route) => route.abort();
const gone = (route) => route.fulfill({ status: 404, body: "not found" });

test("without a network for the rest the last answer stands, and changes happen when it comes", async () => {
  const { page, notice, close } = await without(abort, "?v=1&mb=4");
  await estimateShown(page);
  const before = await verdict(page);
  await type(page, MICRO_BATCH, "16");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await notice.waitFor();
  assert.match(await notice.innerText(), /has not come yet.*last answer stands/);
  assert.equal(await verdict(page), before);
  assert.equal(await box(page, MICRO_BATCH).inputValue(), "16");
  // It is not there yet: the page stays as it is.
  await notice.getByRole("button", { name: "Try again" }).click();
  await painted(page);
  await notice.waitFor();
  assert.equal(await verdict(page), before);
  await page.unroute(REST);
  await notice.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("dialog").waitFor();
  assert.equal(await notice.count(), 0);
  assert.notEqual(await verdict(page), before);
  await page.waitForURL(/mb=16/);
  await page.keyboard.press("Escape");
  await slider(page, MICRO_BATCH).press("ArrowRight");
  assert.ok(Number(await box(page, MICRO_BATCH).inputValue()) > 16, "it goes on");
  await close();
});

test("it comes by itself when the network does", async () => {
  const lost = new Map();
  const times = (url) => lost.set(url, (lost.get(url) ?? 0) + 1).get(url);
  const { page, notice, close } = await without(
    (route) => (times(route.request().url()) <= 4 ? route.abort() : route.continue()),
    "",
  );
  await notice.waitFor();
  await page.locator("html[data-whole]").waitFor();
  assert.equal(await notice.count(), 0);
  await close();
});

test("where the server has another version, trying again opens it", async () => {
  const { page, notice, close } = await without(gone, "?v=1&mb=4", { locale: "zh-CN" });
  await estimateShown(page);
  await notice.waitFor();
  assert.match(await notice.innerText(), /尚未取得.*上一次的结果保持不变/);
  await page.unroute(REST);
  await Promise.all([
    page.waitForEvent("load"),
    notice.getByRole("button", { name: "重试" }).click(),
  ]);
  await page.locator("html[data-whole]").waitFor();
  assert.equal(query(page), "v=1&mb=4");
  await close();
});

test("a link whose first answer needs a part that does not come says so, and works when it is there", async () => {
  const { page, problems, notice, close } = await without(abort, "?v=1&model=bert-base&mb=4");
  await notice.waitFor();
  assert.match(await notice.innerText(), /has not come yet/);
  assert.ok(await page.locator("#skeleton").isHidden());
  assert.equal(await notice.count(), 1);
  // The page stays where there is no server at all.
  await notice.getByRole("button").click();
  await painted(page);
  await notice.waitFor();
  await page.unroute(REST);
  await notice.getByRole("button").click();
  await page.locator("html[data-whole]").waitFor();
  await estimateShown(page);
  assert.ok(problems.length > 0);
  await close();
});

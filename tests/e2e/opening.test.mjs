// Links open with the parts of the program that their text asks for, and soon on a slow network.
import { test } from "node:test";
import assert from "node:assert/strict";
import { estimateShown, open } from "./support/browser.mjs";
import { DEFAULT_LINKS, LINKS, needed } from "./support/links.mjs";
import { stage } from "./support/stage.mjs";

/** Links of which each asks for other parts. */
const KINDS = [...new Map([...DEFAULT_LINKS, ...LINKS].reverse().map((link) => [needed(link).sort().join(), link])).values()];

/** A slow network and a slow processor (1.6 Mbit/s, 150 ms, four times slower). */
const SLOW = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };
const SLOWER = 4;

/** The most until the first estimate there, in milliseconds. */
const MOST = 5500;

/** Visits of which the fastest counts: what else the machine does is no part of the page. */
const TRIES = 4;

const { browser, site } = await stage({ site: { compress: true } });

/** Milliseconds from a visit of a link to its first estimate, on the slow network. */
async function firstEstimate(link) {
  const { page, context } = await open(browser, "about:blank", { ready: false, serviceWorkers: "block" });
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", SLOW);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  await page.goto(site.url + link);
  await estimateShown(page);
  const first = await page.evaluate(() => performance.now());
  await context.close();
  return first;
}

test("links open without a part that their text does not ask for", async () => {
  for (const link of KINDS) {
    const { page, close } = await open(browser, site.url + link, { serviceWorkers: "block", ready: false });
    await page.locator("html[data-whole]").waitFor();
    assert.equal(await page.evaluate(() => history.state?.highwater), undefined, link);
    await close();
  }
});

for (const link of ["", "?v=1&embed=1", "?v=1&model=llama-3.1-8b", "?v=1&model=t5-base&embed=1"]) {
  test(`${link || "the page"} has its first estimate soon on a slow network`, async () => {
    const times = [];
    while (times.length < TRIES && !times.some((first) => first < MOST)) times.push(await firstEstimate(link));
    console.log(`${link || "/"}: first estimate after ${times.map((first) => (first / 1000).toFixed(1)).join(", ")} s`);
    assert.ok(Math.min(...times) < MOST, `${times} ms`);
  });
}

// Chromium as a person would have it, and what every test looks at while it runs.
import { chromium } from "playwright-core";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Nothing in a test takes longer than this. */
const LIMIT_MS = 20_000;

/** The sizes that are looked at. */
export const DESKTOP = { width: 1280, height: 720 };
export const PHONE = { width: 390, height: 844 };

/** Starts the browser; it may be told more. */
export function launch(...more) {
  const names = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];
  const executablePath = names.find((name) => name && existsSync(name));
  assert.ok(executablePath, "no Chromium: set CHROMIUM to its path");
  return chromium.launch({ executablePath, args: [...ARGUMENTS, ...more], timeout: LIMIT_MS });
}

/**
 * Opens an address in a fresh profile and waits for the first estimate and what comes after it. `tab.problems` collects
 * console errors and warnings, uncaught errors and failed requests; `tab.close()` asserts that
 * there are none, unless the test took them out.
 */
export async function open(browser, url, options = {}) {
  const { ready = true, ...rest } = options;
  const isExpected = (text) => rest.serviceWorkers === "block" && /Service Worker registration blocked/.test(text);
  const context = await browser.newContext({
    viewport: DESKTOP,
    locale: "en-US",
    colorScheme: "light",
    reducedMotion: "reduce",
    ...rest,
  });
  context.setDefaultTimeout(LIMIT_MS);
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !isExpected(message.text())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error}`));
  page.on("requestfailed", (request) => {
    if (!isCalledOff(request)) problems.push(`failed: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  await page.addInitScript(observe);
  await page.goto(url);
  if (ready) await estimateShown(page);
  if (ready) await page.locator("html[data-whole]").waitFor();
  const close = async () => {
    await context.close();
    assert.deepEqual(problems, [], `problems at ${url}`);
  };
  return { page, context, problems, close };
}

/** Whether the page was left, or did not want it any more. */
function isCalledOff(request) {
  return request.failure()?.errorText === "net::ERR_ABORTED";
}

/**
 * Adds up layout shifts, as the browser counts them, and notes when the first estimate was in a
 * frame. Runs in the page.
 */
function observe() {
  globalThis.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) globalThis.layoutShift += entry.value;
    }
  }).observe({ type: "layout-shift", buffered: true });
  const watcher = new MutationObserver(() => {
    const verdict = document.querySelector('[data-testid="verdict"]');
    if (!/\d/.test(verdict?.textContent ?? "")) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => (globalThis.estimateShownAt = performance.now())));
  });
  watcher.observe(document, { childList: true, characterData: true, subtree: true });
}

/** A page whose browser has no threads, from the start; that their script does not come is no problem. */
export async function openWithoutThreads(browser, url) {
  // The service worker would fetch the script, too, out of reach of the test.
  const opened = await open(browser, "about:blank", { serviceWorkers: "block", ready: false });
  await opened.page.route(/worker-[0-9a-f]+\.js$/, (route) => route.abort());
  await opened.page.goto(url);
  await opened.page.locator("html[data-whole]").waitFor();
  const close = () => {
    const expected = /worker-[0-9a-f]+\.js|Failed to load resource/;
    const others = opened.problems.splice(0).filter((problem) => !expected.test(problem));
    opened.problems.push(...others);
    return opened.close();
  };
  return { ...opened, close };
}

/** What a thread says and does that breaks off over everything that it is asked. */
const BREAKS = `let ready = false;
addEventListener("message", () => {
  if (ready) throw new Error("broken off on purpose");
  ready = true;
  postMessage(null);
});`;

/** A page whose threads break off. */
export async function openWithBreakingThreads(browser, url) {
  const opened = await open(browser, "about:blank", { serviceWorkers: "block", ready: false });
  const script = { contentType: "text/javascript", body: BREAKS };
  await opened.page.route(/worker-[0-9a-f]+\.js$/, (route) => route.fulfill(script));
  await opened.page.goto(url);
  await opened.page.locator("html[data-whole]").waitFor();
  const close = () => {
    const expected = /broken off on purpose/;
    const others = opened.problems.splice(0).filter((problem) => !expected.test(problem));
    opened.problems.push(...others);
    return opened.close();
  };
  return { ...opened, close };
}

/** Waits until the first estimate is on screen. */
export async function estimateShown(page) {
  await page.getByTestId("verdict").filter({ hasText: /\d/ }).waitFor();
}

/** Scrolls every figure into view, since what is not seen is not drawn, and back. */
export async function seeAll(page) {
  for (const canvas of await page.locator("canvas").all()) {
    await canvas.scrollIntoViewIfNeeded();
    await rested(page, 120);
  }
  await page.evaluate(() => scrollTo(0, 0));
  await painted(page);
}

/** Waits for two frames, in which what was set is painted, and for the answer where a thread works it out. */
export async function painted(page) {
  await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    do {
      await frame();
      await frame();
    } while (document.documentElement.dataset.answer === "coming");
  });
}

/**
 * Waits until the page has rested for `ms` after what was done is painted, so that its timers of less than that have gone
 * off. The page counts: a machine that delays its timers delays the end of the rest as well.
 */
export async function rested(page, ms) {
  await painted(page);
  await page.evaluate((ms) => new Promise((done) => setTimeout(done, ms)), ms);
}

/** Waits until advice and what else the page works out at rest is there. */
export async function advised(page) {
  await rested(page, 500);
  const busy = page.locator('[data-testid="remedies"][aria-busy="true"]');
  // A generation's takes half a minute.
  await busy.waitFor({ state: "detached", timeout: 120_000 });
}

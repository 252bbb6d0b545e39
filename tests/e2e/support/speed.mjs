// From an input event to the painted frame, in a browser that waits for no screen: what is measured is the page's
// own time. A screen of 60 Hz adds up to 17 ms of waiting, on an empty page, too.
import assert from "node:assert/strict";
import { slider } from "./controls.mjs";

const BUDGET_MS = 16;

/** Five times the budget for the median: a busy machine is not a change of order. */
const LIMIT_MS = 5 * BUDGET_MS;

/** Such a browser. */
export const EAGER = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

/**
 * In the page: the time from each input event to the end of the work of the frame that shows it,
 * as the browser paints right after. A message posted in the frame's callback runs when the frame
 * is rendered.
 */
export function measureInput() {
  globalThis.inputTimes = [];
  addEventListener(
    "input",
    (event) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => globalThis.inputTimes.push(performance.now() - event.timeStamp);
        port2.postMessage(null);
      });
    },
    { capture: true },
  );
}

/**
 * Presses arrow keys on the batch size after a rest of some milliseconds, and gives the sorted times from event to
 * painted frame.
 */
export async function times(page, presses, rest = 1000) {
  await page.waitForTimeout(rest);
  await page.evaluate(() => (globalThis.inputTimes = []));
  await slider(page, "Micro-batch size").focus();
  for (let press = 0; press < presses; press += 1) {
    await page.keyboard.press(press % 12 < 6 ? "ArrowRight" : "ArrowLeft");
    await page.waitForTimeout(30);
  }
  return (await page.evaluate(() => globalThis.inputTimes)).sort((a, b) => a - b);
}

/** Prints what was measured and sees that its order is right. */
export function judge(name, sorted) {
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)];
  console.log(
    `${name}: input to painted frame, median ${at(0.5).toFixed(1)} ms, ` +
      `p95 ${at(0.95).toFixed(1)} ms (budget ${BUDGET_MS} ms)`,
  );
  assert.ok(at(0.5) < LIMIT_MS, `${name}: ${at(0.5)} ms`);
}

/** How much slower this machine is now than the one for which limits are meant, at least 1. */
export const slowness = (page) =>
  page.evaluate(() => {
    const once = () => {
      const begun = performance.now();
      let sum = 0;
      for (let at = 0; at < 20_000_000; at++) sum = (sum * 31 + at) | 0;
      return sum === 1 ? 0 : performance.now() - begun;
    };
    once();
    return Math.max(1, Math.min(once(), once(), once()) / 20);
  });

// What becomes of the page when the program breaks off, or a thread beside it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { estimateShown, open, painted } from "./support/browser.mjs";
import { openForEdits, scramble } from "./support/monkey.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

test("a group is opened and folded any number of times in one task", async () => {
  const { page, close } = await openForEdits(browser, site.url);
  const title = page.locator(".group-title").first();
  for (const [clicks, is] of [[2, "false"], [3, "true"], [5, "false"]]) {
    await title.evaluate((button, clicks) => {
      for (; clicks > 0; clicks -= 1) button.click();
    }, clicks);
    await painted(page);
    assert.equal(await title.getAttribute("aria-expanded"), is);
  }
  await close();
});

/** Breaks the program off: the next element that it makes, for a button, cannot be made. */
const breakOff = (frame, button = "[aria-controls=situations]") =>
  frame.evaluate((button) => {
    const own = Document.prototype.createElement;
    Document.prototype.createElement = () => {
      Document.prototype.createElement = own;
      throw new Error("broken on purpose");
    };
    document.querySelector(button).click();
  }, button);

const notice = (page, said) => page.locator(".notice").filter({ hasText: said });

test("a program that breaks off is loaded again with its configuration and says so, and does without what breaks", async () => {
  const { page, problems, close } = await openForEdits(browser, `${site.url}?v=1&mb=4`);
  const loaded = () => page.waitForEvent("load");
  await Promise.all([loaded(), breakOff(page)]);
  await estimateShown(page);
  await notice(page, "loaded again").waitFor();
  await page.getByTestId("remedies").first().waitFor();
  assert.match(page.url(), /\?v=1&mb=4$/);
  await Promise.all([loaded(), breakOff(page)]);
  await notice(page, "left out").waitFor();
  assert.equal(await page.getByTestId("timeline").count(), 0);
  // No third time: it has stopped, the last answer stays, and nothing of it is called.
  await breakOff(page);
  const stopped = page.getByRole("alert").filter({ hasText: "has stopped" });
  await stopped.waitFor();
  problems.splice(0);
  await scramble(page, { seed: 1, count: 40 });
  await estimateShown(page);
  assert.equal(await stopped.count(), 1);
  await close();
});

test("a page that was loaded anew by hand just now is not loaded again: it says that it has stopped", async () => {
  const { page, problems, close } = await openForEdits(browser, `${site.url}?v=1&mb=4`);
  await page.reload();
  await page.locator("html[data-whole]").waitFor();
  await breakOff(page);
  await page.getByRole("alert").filter({ hasText: "has stopped" }).waitFor();
  problems.splice(0);
  await close();
});

test("a frame without storage is loaded again, too", async () => {
  const { page, problems, close } = await openForEdits(browser, site.url);
  await page.evaluate((src) => {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    Object.assign(frame, { src, width: 640, height: 600 });
    document.body.prepend(frame);
  }, `${site.url}?v=1&embed=1&mb=4`);
  const inside = page.frameLocator("iframe");
  await inside.getByTestId("verdict").filter({ hasText: /\d/ }).waitFor();
  const [, frame] = page.frames();
  await frame.waitForFunction(() => document.documentElement.dataset.whole !== undefined);
  await breakOff(frame, "[aria-controls=phases-table]");
  await inside.locator(".notice").filter({ hasText: "loaded again" }).waitFor();
  assert.match(frame.url(), /embed=1&mb=4/);
  problems.splice(0);
  await close();
});

test("a thread that breaks off once is started again and asked once more", async () => {
  const tab = await open(browser, "about:blank", { ready: false, serviceWorkers: "block" });
  const { page, problems } = tab;
  const breaks = `let ready = false;
    addEventListener("message", () => {
      if (ready) throw new Error("broken off on purpose");
      ready = true;
      postMessage(null);
    });`;
  let asked = 0;
  await page.route(/worker-[0-9a-f]+\.js$/, (route) =>
    asked++ ? route.continue() : route.fulfill({ contentType: "text/javascript", body: breaks }),
  );
  await page.goto(`${site.url}?v=1&model=qwen2.5-0.5b&seq=512&gpu=rtx-4090`);
  await page.locator("html[data-whole]").waitFor();
  const fits = page.getByTestId("fits");
  await fits.getByRole("button", { name: "Find all" }).click();
  await fits.locator('[data-axis="micro_batch_size"] [data-fits=true]').waitFor();
  assert.ok(asked > 1, "another thread was started");
  assert.equal(await page.getByTestId("broke-off").count(), 0);
  const others = problems.splice(0);
  problems.push(...others.filter((problem) => !/broken off on purpose/.test(problem)));
  await tab.close();
});

// Host RAM on the page: a node with its ranks, an optimizer on the CPU.
import { test } from "node:test";
import assert from "node:assert/strict";
import { open } from "./support/browser.mjs";
import { unfold, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

test("a node with three ranks has a bar for each and one for what is there once", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=smollm2-135m&gpus=3`);
  const rows = page.getByTestId("node").locator(".node-row");
  assert.equal(await rows.count(), 4);
  // Not the text on screen: what is far below is not rendered.
  assert.match(await rows.nth(2).textContent(), /rank 2/);
  assert.match(await rows.last().textContent(), /once per node/);
  assert.match(await page.getByTestId("node").textContent(), /One more rank: .* more, mostly .*libraries/);
  await close();
});

test("putting the optimizer on the CPU frees GPU memory and takes host RAM", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=smollm2-135m`);
  const before = await verdict(page);
  await unfold(page, /offload/);
  await page.getByRole("switch", { name: "Optimizer offloading" }).check();
  await page.waitForURL(/offload_opt=1|offload_opt=true/);
  assert.notEqual(await verdict(page), before);
  assert.match(await page.getByTestId("host-bar").innerText(), /offload/);
  await close();
});

// Graphs that come along: found among models, fetched when chosen, opened by links.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible } from "./support/axe.mjs";
import { open } from "./support/browser.mjs";
import { verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const graphs = JSON.parse(readFileSync("../../public/graphs/index.json", "utf8"));
const model = (page) => page.getByRole("combobox", { name: /Model|模型/ }).first();
const other = (page, first) =>
  page.waitForFunction((first) => document.querySelector('[data-testid="verdict"]').innerText !== first, first);

/** Types into the box for the model and chooses a line. */
async function choose(page, typed, name) {
  await page.locator("html[data-whole]").waitFor();
  await model(page).fill(typed);
  await page.getByRole("option", { name }).first().click();
}

test("a graph is found beside the models, and choosing it opens it", async () => {
  const { page, close } = await open(browser, site.url);
  const first = await verdict(page);
  const asked = [];
  page.on("request", (request) => /graphs\//.test(request.url()) && asked.push(request.url()));
  await choose(page, "resnet50 timm", /ResNet-50.*timm/);
  await other(page, first);
  assert.equal(await model(page).inputValue(), "ResNet-50");
  await page.getByTestId("controls").getByText(/^\d+ operations, 25\.6M parameters$/).waitFor();
  const { digest } = graphs.find(({ id }) => id === "timm-resnet50");
  await page.waitForURL((url) => url.search.includes(`graph=timm-resnet50.pt2~${digest}`) && url.search.includes("loss=cross_entropy"));
  assert.equal(asked.length, 1, "only the chosen graph is fetched");
  await accessible(page);
  const second = await verdict(page);
  await choose(page, "yolo11x", /YOLO11x/);
  await other(page, second);
  assert.equal(await model(page).inputValue(), "YOLO11x");
  await close();
});

test("a link with its digest opens the graph by itself", async () => {
  const { digest, name } = graphs.find(({ id }) => id === "unet");
  for (const locale of ["en-US", "zh-CN"]) {
    const link = `${site.url}?v=1&graph=unet.pt2~${digest}&mb=3&loss=mean`;
    const { page, close } = await open(browser, link, { ready: false, locale });
    await page.getByTestId("controls").getByText(/31\.0M/).waitFor();
    assert.equal(await model(page).inputValue(), name);
    assert.equal(await page.locator("#micro_batch_size").inputValue(), "3");
    assert.equal(await page.locator("#model-problem").isVisible(), false);
    await close();
  }
});

test("where a graph cannot be fetched the page says so and keeps its answer", async () => {
  const { page, problems, close } = await open(browser, site.url, { serviceWorkers: "block" });
  const first = await verdict(page);
  await page.route(/graphs\/.*\.pt2$/, (route) => route.abort());
  await choose(page, "flux", /FLUX/);
  await page.getByText(/could not be fetched/).first().waitFor();
  assert.equal(await verdict(page), first);
  assert.ok(problems.splice(0).every((problem) => /flux|ERR_FAILED/.test(problem)));
  await close();
});

// Sharing: the dialog, the widget's options, saved files, and the page without a network.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { open } from "./support/browser.mjs";
import { query, verdict } from "./support/controls.mjs";
import { paste } from "./support/drawer.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

async function shared(page, tab) {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  await dialog.waitFor();
  await dialog.getByRole("tab", { name: tab }).click();
  return dialog;
}

test("the dialog keeps the focus, arrows walk its tabs, and Esc returns to the page", async () => {
  const { page, close } = await open(browser, site.url);
  const dialog = await shared(page, "Link");
  await dialog.getByRole("tab", { name: "Link" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await dialog.getByRole("tab", { name: "Embed" }).getAttribute("aria-selected"), "true");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  const focused = await page.evaluate(() => document.activeElement.textContent.trim());
  assert.equal(focused, "Share");
  await close();
});

test("options of the widget rewrite the snippet and its preview at once", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=16`);
  const dialog = await shared(page, "Embed");
  const snippet = () => dialog.getByRole("textbox", { name: "Embed it in a page" }).inputValue();
  assert.match(await snippet(), /<iframe src="[^"]*mb=16&amp;embed=1"/);
  assert.match(await snippet(), /embed\.js/);
  await dialog.getByRole("checkbox", { name: "GPU" }).uncheck();
  await dialog.getByRole("combobox", { name: "Colours" }).selectOption({ label: "dark" });
  await dialog.getByRole("combobox", { name: "Height" }).selectOption({ index: 1 });
  await dialog.getByRole("checkbox", { name: "peak by batch size" }).check();
  await dialog.getByRole("checkbox", { name: "phases" }).uncheck();
  const text = await snippet();
  assert.match(text, /theme=dark/);
  assert.match(text, /controls=mb\.seq\.precision/);
  assert.match(text, /panels=bars\.crossover/);
  assert.match(text, /title="GPU memory of Qwen2.5 1.5B, AdamW"/);
  assert.doesNotMatch(text, /<script/);
  const preview = page.frameLocator("iframe.preview");
  // Until then it is a preview of the options before.
  await preview.locator(".widget:not(:has(#phases)) #crossover canvas").waitFor();
  await preview.getByTestId("verdict").waitFor();
  assert.equal(await preview.getByRole("slider").count(), 2);
  await close();
});

test("the widget is looked at in three widths, light and dark", async () => {
  const { page, close } = await open(browser, site.url);
  const dialog = await shared(page, "Embed");
  const frame = dialog.locator("iframe.preview");
  const preview = page.frameLocator("iframe.preview");
  for (const width of [360, 640, 960]) {
    await dialog.getByRole("button", { name: `${width} px` }).click();
    assert.equal(await frame.getAttribute("width"), String(width));
  }
  const ground = () => preview.locator(".widget").evaluate((widget) => getComputedStyle(widget).backgroundColor);
  const seen = [];
  for (const ink of ["dark", "light"]) {
    await dialog.getByRole("group", { name: "Colours of the preview" }).getByRole("button", { name: ink }).click();
    await preview.locator(`html[data-theme="${ink}"] [data-testid="verdict"]`).waitFor();
    seen.push(await ground());
  }
  assert.notEqual(seen[0], seen[1]);
  await close();
});

test("the configuration is written as trainers read it, copied, saved, and read again as the same", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=3&seq=384&precision=amp_bf16`);
  const dialog = await shared(page, "Configuration");
  const text = () => dialog.getByRole("textbox", { name: "Configuration" }).inputValue();
  const format = dialog.getByRole("combobox", { name: "Format" });
  await format.selectOption("axolotl");
  const axolotl = await text();
  assert.match(axolotl, /^# Highwater's estimate: Fits/);
  assert.match(axolotl, /mb=3/, "the link stands in the comment");
  assert.match(axolotl, /micro_batch_size: 3/);
  await format.selectOption("peft");
  assert.equal(await text(), "");
  assert.match(await dialog.locator(".field-note").last().innerText(), /nothing that peft would say/);
  await format.selectOption("slurm");
  assert.match(await text(), /#SBATCH/);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Save", exact: true }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^highwater-slurm/);
  await page.keyboard.press("Escape");
  const address = query(page);
  await paste(page, axolotl);
  await page.waitForFunction(() => /Filled in/.test(document.body.textContent));
  assert.equal(query(page), address, "the same configuration");
  await close();
});

for (const [kind, looks] of [
  ["SVG", /^<svg[\s\S]*Qwen2\.5 1\.5B[\s\S]*<\/svg>/],
  ["PNG", /^\x89PNG/],
]) {
  test(`each figure is saved as ${kind} with its configuration`, async () => {
    const { page, close } = await open(browser, site.url);
    // The picture over batch sizes is worked out beside the page.
    await page.locator(".recomputing.waiting").waitFor({ state: "detached" });
    const dialog = await shared(page, "Export");
    const rows = dialog.locator(".export-row");
    assert.ok((await rows.count()) >= 3);
    let saved = 0;
    for (let at = 0; at < (await rows.count()); at += 1) {
      const button = rows.nth(at).getByRole("button", { name: kind });
      if (await button.isDisabled()) {
        // What nobody looked at yet is not drawn, and says so.
        assert.match(await button.getAttribute("title"), /^Not drawn yet/);
        continue;
      }
      saved += 1;
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        button.click(),
      ]);
      assert.match(download.suggestedFilename(), new RegExp(`^highwater-.*\\.${kind.toLowerCase()}$`));
      const content = await readFile(await download.path());
      assert.match(content.toString("latin1"), looks);
      assert.ok(content.length > 4_000, `${content.length} bytes`);
    }
    assert.ok(saved >= 3, `${saved} saved`);
    await close();
  });
}

test("the numbers are saved as JSON, Markdown and CSV", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&mb=3`);
  const dialog = await shared(page, "Export");
  const saved = async (name) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name, exact: true }).click(),
    ]);
    return readFile(await download.path(), "utf8");
  };
  const json = JSON.parse(await saved("JSON"));
  assert.equal(json.scenario.micro_batch_size, 3);
  assert.ok(json.report.device.steady_step.peak.peak_tensor > 1e9);
  assert.match(await saved("Markdown"), /\| parameters \|/);
  const csv = await saved("CSV");
  assert.match(csv, new RegExp(`optimizer_step,peak_tensor,${json.report.device.steady_step.peak.peak_tensor}`));
  await close();
});

test("the page opens without a network after the first visit, with the address's configuration", async () => {
  const { page, context, close } = await open(browser, site.url, { serviceWorkers: "allow" });
  await page.evaluate(() => navigator.serviceWorker.ready);
  const held = () => page.evaluate(async () => (await (await caches.open("highwater")).keys()).length);
  for (let tries = 0; tries < 100 && (await held()) < 6; tries += 1) await page.waitForTimeout(100);
  await context.setOffline(true);
  await page.goto(`${site.url}?v=1&mb=16`);
  await page.getByTestId("verdict").waitFor();
  assert.match(await verdict(page), /backward/);
  assert.match(query(page), /mb=16/);
  await context.setOffline(false);
  await close();
});

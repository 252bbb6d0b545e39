// Two configurations side by side: kept, changed, compared, swapped, shared.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, estimateShown, open, painted, rested } from "./support/browser.mjs";
import { query, type, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const SMALL = "?v=1&model=smollm2-135m";
const panel = (page) => page.getByTestId("compare");
const sides = (page) => panel(page).locator(".sides li");
const detail = (page) => page.getByTestId("compared");
const settings = (page) => detail(page).getByRole("region", { name: "Settings that differ" });

test("what is on screen is kept as A, and what is changed then is B", async () => {
  const { page, close } = await open(browser, `${site.url}${SMALL}`);
  const before = await verdict(page);
  await page.getByRole("button", { name: "Compare" }).click();
  await panel(page).getByText("A is kept").waitFor();
  await page.waitForURL(/[?&]a=v%3D1/);
  await type(page, "Micro-batch size", "16");
  await settings(page).getByRole("row", { name: /Micro-batch size 2 16/ }).waitFor();
  await settings(page).getByRole("row", { name: /Global batch size 2 16/ }).waitFor();
  assert.equal(await sides(page).count(), 2);
  const [a, b] = await sides(page).allInnerTexts();
  const plain = (text) => text.replaceAll(/\s+/g, " ").trim();
  assert.ok(plain(a).endsWith(plain(before)), a);
  assert.ok(plain(b).endsWith(plain(await verdict(page))), b);
  assert.notEqual(plain(a).slice(1), plain(b).slice(1));
  await accessible(page, "two configurations side by side");
  await close();
});

test("both bars stand on one scale, and the parts add up to the difference", async () => {
  const { page, close } = await open(browser, `${site.url}${SMALL}&mb=16&a=v%3D1%26model%3Dsmollm2-135m`);
  await sides(page).nth(1).waitFor();
  const widths = await panel(page).locator(".node-row").evaluateAll((rows) =>
    rows.map((row) => {
      const number = parseFloat(row.querySelector(".node-number").innerText);
      const parts = [...row.querySelectorAll(".segment:not(.uncounted)")];
      return { number, width: parts.reduce((sum, part) => sum + parseFloat(part.style.width), 0) };
    }),
  );
  assert.equal(widths.length, 4);
  const [a, b] = widths;
  assert.ok(Math.abs(a.width / b.width - a.number / b.number) < 0.02, JSON.stringify(widths));
  const table = detail(page).getByRole("region", { name: "GPU memory" });
  const cells = (row) => row.locator("td").allInnerTexts();
  const rows = await table.locator("tbody tr").all();
  const numbers = await Promise.all(rows.map(cells));
  const total = numbers.pop();
  for (const side of [0, 1]) {
    const sum = numbers.reduce((all, row) => all + (parseFloat(row[side]) || 0), 0);
    assert.ok(Math.abs(sum - parseFloat(total[side])) < 0.1, `${sum} of ${total[side]}`);
  }
  await close();
});

test("swapping, keeping and closing follow in the address, and Back leads on", async () => {
  const { page, close } = await open(browser, `${site.url}${SMALL}&mb=16&a=v%3D1%26model%3Dsmollm2-135m`);
  await sides(page).nth(1).waitFor();
  const [a, b] = await sides(page).allInnerTexts();
  await panel(page).getByRole("button", { name: "Swap A and B" }).click();
  await page.waitForURL(/a=v%3D1%26model%3Dsmollm2-135m%26mb%3D16/);
  await painted(page);
  await rested(page, 200);
  assert.deepEqual((await sides(page).allInnerTexts()).map((text) => text.slice(1)), [b.slice(1), a.slice(1)]);
  await panel(page).getByRole("button", { name: "Keep B as A" }).click();
  await panel(page).getByText("A is kept").waitFor();
  await panel(page).getByRole("button", { name: "Close" }).click();
  await panel(page).waitFor({ state: "detached" });
  await page.getByTestId("device-bar").waitFor();
  await page.waitForURL((url) => !url.search.includes("a="));
  await page.keyboard.press("c");
  await panel(page).waitFor();
  await page.keyboard.press("c");
  await panel(page).waitFor({ state: "detached" });
  await close();
});

test("pointing at a part of one side shows it in both", async () => {
  const { page, close } = await open(browser, `${site.url}${SMALL}&mb=16&a=v%3D1%26model%3Dsmollm2-135m`);
  await sides(page).nth(1).waitFor();
  const table = detail(page).getByRole("region", { name: "GPU memory" });
  await table.getByRole("button", { name: "activations" }).focus();
  await panel(page).locator(".segment.receding").first().waitFor();
  for (const row of (await panel(page).locator(".node-row").all()).slice(0, 2)) {
    const bright = await row.locator(".segment:not(.receding)").evaluateAll((all) =>
      all.map((one) => one.dataset.part),
    );
    assert.match(bright.join(), /^(activations|small)?$/);
  }
  await close();
});

test("the memory-bound trainer and its lean form are compared by the menu of situations", async () => {
  const { page, close } = await open(browser, site.url);
  const menu = page.getByRole("navigation", { name: "Situations" });
  await menu.getByRole("button").click();
  await menu.getByRole("link", { name: /in memory \(A\) beside read on demand/ }).click();
  await sides(page).nth(1).waitFor();
  const [a, b] = await sides(page).allInnerTexts();
  assert.match(a, /Host RAM runs out|host RAM missing/i);
  assert.match(b, /Fits/);
  await settings(page).getByRole("row", { name: /Global batch size 16 16/ }).waitFor();
  await settings(page).getByRole("row", { name: /DataLoader workers 4 0/ }).waitFor();
  await detail(page).getByRole("region", { name: "Host RAM" }).getByRole("row", { name: /dataset/ }).waitFor();
  await close();
});

test("the widget compares, too, on a phone and in Chinese", async () => {
  const link = `${site.url}${SMALL}&mb=16&embed=1&a=v%3D1%26model%3Dsmollm2-135m`;
  const { page, close } = await open(browser, link, { viewport: PHONE, locale: "zh-CN" });
  await sides(page).nth(1).waitFor();
  assert.match(await detail(page).innerText(), /全局批次大小/);
  const wider = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
  assert.ok(wider <= 0, `${wider} px wider than the screen`);
  await accessible(page, "the widget with two configurations");
  assert.match(query(page), /a=/);
  await close();
});

test("what is wrong with A is said, and B stands", async () => {
  const { page, problems, close } = await open(browser, `${site.url}${SMALL}&a=v%3D1%26mb%3Dmany`);
  await estimateShown(page);
  await page.locator(".notice").filter({ hasText: "micro_batch_size" }).waitFor();
  assert.equal(problems.length, 0);
  await close();
});

// From a number to a decision: ready plans, plan search, the map, and the way to each question.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, open, painted } from "./support/browser.mjs";
import { query, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

/** It does not fit, as most people start. */
const TOO_LARGE = "?v=1&mb=8&seq=512&gpu=a100-40gb";
const SMALL = "?v=1&model=qwen2.5-0.5b&mb=2&seq=256&precision=bf16&gpu=rtx-4090";
const fits = async (page) => /^Fits/.test(await verdict(page));

test("a ready plan is tried, fits as it says, is undone, and stands beside what was there", async () => {
  const { page, close } = await open(browser, site.url + TOO_LARGE);
  assert.ok(!(await fits(page)));
  const plan = page.locator('[data-plan="least_intrusive"]');
  await plan.waitFor();
  assert.equal(await plan.getAttribute("data-fits"), "true");
  assert.ok((await plan.locator(".plan-steps li").count()) > 0);
  const promised = (await plan.locator("strong").innerText()).match(/[\d.]+/)[0];
  const before = query(page);
  await plan.getByRole("button", { name: /^Try it/ }).click();
  await painted(page);
  assert.ok(await fits(page));
  assert.ok((await verdict(page)).includes(promised), `${promised}: ${await verdict(page)}`);
  await page.goBack();
  await painted(page);
  assert.equal(query(page), before);
  assert.ok(!(await fits(page)));
  await page.locator('[data-plan="least_intrusive"]').getByRole("button", { name: /^Compare/ }).click();
  await painted(page);
  assert.ok(new URLSearchParams(query(page)).has("a"), "both are in the address");
  await close();
});

test("where there is room it says what for, and a click goes there", async () => {
  const { page, close } = await open(browser, `${site.url}${SMALL}&ckpt=full`);
  const larger = page.locator('[data-room="larger_micro_batch"]');
  await larger.waitFor();
  const size = (await larger.locator("strong").innerText()).match(/Micro-batch (\d+)/)[1];
  await larger.getByRole("button").click();
  await painted(page);
  assert.equal(new URLSearchParams(query(page)).get("mb"), size);
  assert.ok(await fits(page));
  await close();
});

test("plans are searched for, one is used, and a lock that leaves none is named", async () => {
  const { page, close } = await open(browser, `${site.url}${TOO_LARGE}`);
  const panel = page.getByTestId("plans");
  await panel.getByRole("button", { name: "Search", exact: true }).click();
  await panel.locator('[data-done="true"]').waitFor({ timeout: 60_000 });
  assert.ok((await panel.locator(".plan-table tbody tr").count()) > 1);
  await accessible(page, "plans");
  await panel.getByRole("button", { name: /^Use it/ }).first().click();
  await painted(page);
  assert.ok(await fits(page));
  await page.goBack();
  await painted(page);
  for (const name of ["parallelism", "micro-batch", "checkpointing", "precision", "optimizer", "attention", "offload"]) {
    await panel.getByRole("checkbox", { name: `May change: ${name}`, exact: true }).uncheck();
  }
  assert.equal(await panel.locator("[data-done]").count(), 0, "what was found was for other options");
  await panel.getByRole("button", { name: "Search", exact: true }).click();
  await panel.getByText(/^Nothing fits while/).waitFor({ timeout: 60_000 });
  await close();
});

test("a plan on any GPU names the smallest that fits, and goes there", async () => {
  const { page, close } = await open(browser, site.url + SMALL.replace("rtx-4090", "h100-80gb"));
  const panel = page.getByTestId("plans");
  await panel.locator("#plan-gpu").selectOption("any");
  await panel.getByRole("button", { name: "Search", exact: true }).click();
  await panel.locator('[data-done="true"]').waitFor({ timeout: 60_000 });
  const rows = panel.locator(".plan-table tbody tr");
  assert.ok((await rows.count()) > 0);
  const text = await rows.first().innerText();
  const gpu = text.match(/GPU: ([^;\n]+)/)[1];
  assert.ok(!/H100/.test(gpu), text);
  await rows.first().getByRole("button", { name: /^Use it/ }).click();
  await painted(page);
  assert.ok(await fits(page));
  assert.notEqual(new URLSearchParams(query(page)).get("gpu"), "h100-80gb");
  await close();
});

test("the map is drawn, says what a cell needs, and goes there by mouse and by keys", async () => {
  const { page, close } = await open(browser, site.url + SMALL);
  const panel = page.getByTestId("map-panel");
  await panel.getByRole("button", { name: "Draw it" }).click();
  const canvas = page.locator("#map canvas");
  await canvas.waitFor({ timeout: 60_000 });
  await page.getByText(/cells fit; 4,?096 in all/).waitFor({ timeout: 60_000 });
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => /Micro-batch size \d+, Sequence length/i.test(document.querySelector("#map-summary")?.textContent ?? ""));
  await page.keyboard.press("Enter");
  await painted(page);
  assert.notEqual(new URLSearchParams(query(page)).get("mb"), "2");
  await page.selectOption("#map-y", "gradient_accumulation_steps");
  await page.waitForFunction(() => /Gradient accumulation/i.test(document.querySelector("#map-summary")?.textContent ?? ""));
  await close();
});

test("each question has a place that the table of contents leads to, and links open there", async () => {
  for (const options of [{}, { viewport: PHONE }]) {
    const { page, close } = await open(browser, site.url + SMALL, options);
    const contents = page.getByRole("navigation", { name: "On this page" });
    await contents.getByRole("link", { name: "Why?" }).click();
    await page.waitForFunction(() => {
      const { top } = document.querySelector("#why").getBoundingClientRect();
      return top >= 0 && top < innerHeight / 2;
    });
    await page.waitForURL(/#why$/);
    await accessible(page, "contents");
    await close();
  }
  const { page, close } = await open(browser, `${site.url}${SMALL}#when`);
  await page.waitForFunction(() => {
    const { top } = document.querySelector("#when")?.getBoundingClientRect() ?? { top: -1 };
    return top >= 0 && top < innerHeight / 2;
  });
  await page.waitForFunction(
    () => document.querySelector('.contents [aria-current="true"]')?.getAttribute("href") === "#when",
  );
  await close();
});

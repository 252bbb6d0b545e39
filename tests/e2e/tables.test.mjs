// What is compared: plans and advice on one scale, the nearest where nothing fits, measured cases like the run, sources.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, open, painted } from "./support/browser.mjs";
import { query, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

/** It does not fit, as most people start. */
const TOO_LARGE = "?v=1&mb=8&seq=512&gpu=a100-40gb";
/** No plan fits. */
const HOPELESS = "?v=1&model=llama-3.1-8b&mb=2&seq=512&gpu=t4";

const plans = (page) => page.getByTestId("plans");
const rows = (page) => plans(page).locator(".plan-table tbody tr");
const head = (page, name) => plans(page).getByRole("columnheader", { name });

async function searched(page) {
  await plans(page).getByRole("button", { name: "Search", exact: true }).click();
  await plans(page).locator('[data-done="true"]').waitFor({ timeout: 60_000 });
}

/** The numbers of a column, from the top. */
const column = (page, name) =>
  rows(page).evaluateAll(
    (all, name) => all.map((row) => Number.parseFloat(row.querySelector(`[data-label="${name}"]`).innerText.replace(name, ""))),
    name,
  );

test("plans stand in a table: the first choice is marked, a click on a head orders, what all share is said once", async () => {
  const { page, close } = await open(browser, site.url + TOO_LARGE);
  await searched(page);
  assert.ok((await rows(page).count()) > 2);
  assert.equal(await rows(page).first().getAttribute("data-first"), "true");
  assert.equal(await plans(page).getByText("first choice", { exact: true }).count(), 1);
  const shared = await plans(page).locator(".shared").innerText();
  const said = shared.match(/^All plans: ([^;.]+)/)?.[1];
  assert.ok(said, shared);
  const heads = await rows(page).locator(".plan-own").allInnerTexts();
  assert.ok(heads.length > 2 && heads.every((text) => !text.includes(said)), "no row repeats it");
  assert.equal(await head(page, "Changes").getAttribute("aria-sort"), "ascending");
  const sort = head(page, "operations").getByRole("button");
  await sort.focus();
  await page.keyboard.press("Enter");
  const computed = await column(page, "operations");
  assert.deepEqual(computed, [...computed].sort((a, b) => a - b));
  assert.equal(await head(page, "operations").getAttribute("aria-sort"), "ascending");
  assert.equal(await sort.evaluate((button) => button === document.activeElement), true, "the focus stays");
  await page.keyboard.press("Enter");
  assert.equal(await head(page, "operations").getAttribute("aria-sort"), "descending");
  assert.deepEqual(await column(page, "operations"), computed.toReversed());
  assert.equal(await head(page, "Changes").getAttribute("aria-sort"), null);
  const bars = await rows(page).locator(".meter").evaluateAll((all) => all.map((bar) => Number(bar.style.getPropertyValue("--part"))));
  assert.ok(bars.length > 0 && bars.every((part) => part >= 0 && part <= 1));
  await accessible(page, "plans in an order");
  await close();
});

test("where nothing fits the nearest three are named with what is missing, and one of them is tried", async () => {
  const { page, close } = await open(browser, site.url + HOPELESS);
  await searched(page);
  assert.equal(await rows(page).count(), 0);
  const missing = plans(page).getByRole("listitem").filter({ hasText: / missing; needs / });
  assert.equal(await missing.count(), 3);
  assert.match(await plans(page).locator(".looked-legend").innerText(), /too large for the GPU/);
  await accessible(page, "nothing fits");
  const before = query(page);
  await missing.first().getByRole("button", { name: /^Try it/ }).click();
  await painted(page);
  assert.notEqual(query(page), before);
  assert.match(await verdict(page), /^Does not fit/);
  await close();
});

test("on a phone plans are cards within the page's width, with heads to order by", async () => {
  const { page, close } = await open(browser, site.url + TOO_LARGE, { viewport: PHONE });
  await searched(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= PHONE.width, `${wide} px`);
  const box = await plans(page).locator(".scroll").first().evaluate((scroll) => [scroll.scrollWidth, scroll.clientWidth]);
  assert.ok(box[0] <= box[1], "nothing is cut off");
  await head(page, "GPU memory").getByRole("button").click();
  assert.equal(await head(page, "GPU memory").getAttribute("aria-sort"), "ascending");
  const needed = await column(page, "GPU memory");
  assert.deepEqual(needed, [...needed].sort((a, b) => a - b));
  // Where one has scrolled to, the strip that stays in sight covers parts of links; what is pointed at dims the rest.
  await page.mouse.move(0, 0);
  await page.evaluate(() => scrollTo(0, 0));
  await accessible(page, "plans on a phone");
  await close();
});

test("advice is grouped by its price, with savings on one scale, and a click applies it", async () => {
  const { page, close } = await open(browser, site.url + TOO_LARGE);
  const advice = page.getByTestId("remedies");
  await advice.locator("[data-price]").first().waitFor();
  await page.waitForFunction(() => document.querySelector('[data-testid="remedies"]')?.getAttribute("aria-busy") === "false");
  const prices = await advice.locator("[data-price]").evaluateAll((all) => all.map((group) => group.dataset.price));
  assert.deepEqual(prices, ["free", "slower", "learning"].filter((price) => prices.includes(price)));
  assert.ok(prices.length >= 2, prices.join());
  for (const group of await advice.locator("[data-price]").all()) {
    const parts = await group.locator(".meter").evaluateAll((all) => all.map((bar) => Number(bar.style.getPropertyValue("--part"))));
    assert.ok(parts.length > 0 && parts.every((part) => part > 0 && part <= 1), parts.join());
  }
  assert.ok((await advice.locator(".meter-mark").count()) > 0, "what is missing is marked");
  await accessible(page, "grouped advice");
  const before = query(page);
  await advice.locator('[data-price="slower"] li').first().getByRole("button").click();
  await painted(page);
  assert.notEqual(query(page), before);
  await close();
});

test("at the verdict stands how many measured cases are like the run, and what they say; nothing moves", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=llama-3.1-8b&mb=1&seq=512&precision=bf16`);
  const button = page.getByRole("button", { name: /measured cases like it$/ });
  await button.waitFor();
  assert.ok(Number((await button.innerText()).match(/[\d,]+/)[0].replace(",", "")) > 50);
  assert.ok((await page.evaluate(() => globalThis.layoutShift)) < 0.1);
  const bars = () => page.locator(".bars").boundingBox();
  const before = await bars();
  await button.click();
  const note = page.locator("#near-note");
  await note.getByText(/llama \(all weights trained, one GPU, training\).*equal to the byte in \d/).waitFor();
  assert.match(await note.getByRole("link").getAttribute("href"), /docs\/accuracy\.html/);
  await accessible(page, "measured cases");
  assert.deepEqual(await bars(), before);
  await page.keyboard.press("Escape");
  await note.waitFor({ state: "hidden" });
  await close();
});

test("where no case is like the run that is said, with the nearest, in both languages", async () => {
  const link = `${site.url}?v=1&model=phi-2&gpus=2&dp=fsdp2&precision=bf16&lora=16&lora_targets=q_proj,v_proj&quant=nf4`;
  for (const [lang, none, nearest] of [
    ["en", "No measured case like it", /Nearest, phi in other runs: \d/],
    ["zh", "没有同类实测", /最接近的，phi 的其他运行：\d/],
  ]) {
    const { page, problems, close } = await open(browser, `${link}&lang=${lang}`);
    const button = page.getByRole("button", { name: none });
    await button.click();
    await page.locator("#near-note").getByText(nearest).waitFor();
    problems.splice(0);
    await close();
  }
});

test("what others would say links its source", async () => {
  const { page, close } = await open(browser, site.url);
  const links = page.getByTestId("others").getByRole("link");
  await links.first().waitFor();
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.equal(addresses.length, await page.getByTestId("others").locator("li").count());
  assert.ok(addresses.every((address) => address.startsWith("https://")), addresses.join());
  await close();
});

test("a model that nobody knows by its name is reached by its size, its config or its graph", async () => {
  const { page, close } = await open(browser, site.url);
  const model = page.locator("#model");
  const ways = page.getByRole("listbox", { name: "Models" }).getByRole("option");
  await model.fill("zzyzx-13b");
  await page.getByText("Nothing is called so. What is left:").waitFor();
  assert.deepEqual((await ways.allInnerTexts()).map((text) => text.split("\n")[0]), ["a decoder of 13.0B parameters", "Its config.json", "Its graph, model.pt2"]);
  await accessible(page, "ways that are left");
  await model.press("Enter");
  await page.waitForURL(/params=13000000000/);
  assert.match(await verdict(page), /\d/);
  assert.equal(await model.inputValue(), "a decoder of 13.0B parameters");
  await model.fill("zzyzx");
  await ways.filter({ hasText: "model.pt2" }).click();
  await page.waitForFunction(() => document.activeElement?.id === "found-none-shape");
  await model.fill("zzyzx");
  await ways.filter({ hasText: "config.json" }).click();
  await page.waitForFunction(() => document.activeElement?.id === "model-config");
  // A config of a type that is not read leads to the graph, too.
  await page.locator("#model-config").fill(JSON.stringify({ model_type: "detr", d_model: 256 }));
  await page.locator("#found-none-shape").waitFor();
  await close();
});

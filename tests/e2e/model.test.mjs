// The box for the model: found by a few letters, pasted, or fetched when asked for.
import { test } from "node:test";
import assert from "node:assert/strict";
import { open, painted } from "./support/browser.mjs";
import { verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const box = (page) => page.getByRole("combobox", { name: "Model", exact: true });
const options = (page) => page.getByRole("listbox", { name: "Models" }).getByRole("option");
const problem = (page) => page.locator("#model-problem");

const LLAMA = {
  model_type: "llama",
  vocab_size: 32000,
  hidden_size: 2048,
  intermediate_size: 5632,
  num_hidden_layers: 22,
  num_attention_heads: 32,
  num_key_value_heads: 4,
};

test("a slash, a few letters and Enter choose a model, and it is remembered here", async () => {
  const { page, close } = await open(browser, site.url);
  const said = await verdict(page);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "model");
  await page.keyboard.type("lama 8b");
  await options(page).first().waitFor();
  assert.match(await options(page).first().innerText(), /Llama 3\.1 8B/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/model=llama-3\.1-8b/);
  assert.notEqual(await verdict(page), said);
  assert.equal(await box(page).inputValue(), "Llama 3.1 8B");
  await page.reload();
  await box(page).click();
  await page.getByText("Recent, on this machine").waitFor();
  assert.match(await options(page).first().innerText(), /Llama 3\.1 8B/);
  await close();
});

test("arrows move in the list, Escape leaves the model as it was", async () => {
  const { page, close } = await open(browser, site.url);
  await box(page).focus();
  await page.keyboard.type("qwen3");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const active = await box(page).getAttribute("aria-activedescendant");
  assert.equal(active, "model-2");
  assert.equal(await page.locator(`#${active}`).getAttribute("aria-selected"), "true");
  await page.keyboard.press("Escape");
  assert.equal(await box(page).getAttribute("aria-expanded"), "false");
  assert.equal(await box(page).inputValue(), "Qwen2.5 1.5B");
  assert.doesNotMatch(page.url(), /model=/);
  await close();
});

test("a config.json pasted into the same box is estimated", async () => {
  const { page, close } = await open(browser, site.url);
  const said = await verdict(page);
  await box(page).fill(JSON.stringify(LLAMA));
  await page.waitForURL(/config=/);
  await painted(page);
  assert.notEqual(await verdict(page), said);
  assert.match(await box(page).inputValue(), /llama/);
  await close();
});

/** Types the name of a repository and chooses to fetch it; what the hub answers is given. */
async function fetched(page, answer) {
  let asked = 0;
  await page.route("https://huggingface.co/**", (route) => {
    asked += 1;
    return answer(route);
  });
  await box(page).fill("someone/their-model");
  await options(page).filter({ hasText: "Fetch its config.json" }).waitFor();
  assert.equal(asked, 0, "nothing is fetched before it is asked for");
  await page.keyboard.press("Enter");
  return () => asked;
}

test("a repository's config is fetched when the reader asks for it, and only then", async () => {
  const { page, close } = await open(browser, site.url);
  const asked = await fetched(page, (route) =>
    route.fulfill({ json: LLAMA, headers: { "Access-Control-Allow-Origin": "*" } }),
  );
  await page.waitForURL(/config=/);
  assert.equal(asked(), 1);
  await close();
});

for (const [what, answer, says] of [
  ["offline", (route) => route.abort("internetdisconnected"), /cannot be reached/],
  ["gated", (route) => route.fulfill({ status: 401, headers: { "Access-Control-Allow-Origin": "*" } }), /let in/],
  ["without a config", (route) => route.fulfill({ status: 404, headers: { "Access-Control-Allow-Origin": "*" } }), /no config\.json/],
]) {
  test(`a repository that is ${what} is said to be so, and the last picture stays`, async () => {
    const { page, problems, close } = await open(browser, site.url);
    const said = await verdict(page);
    await fetched(page, answer);
    await problem(page).filter({ hasText: says }).waitFor();
    assert.equal(await verdict(page), said);
    await problem(page).getByRole("button").click();
    await problem(page).waitFor({ state: "hidden" });
    problems.splice(0);
    await close();
  });
}

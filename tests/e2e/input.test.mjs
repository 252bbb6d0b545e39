// Wrong input: said beside the field, and the last good picture stays.
import { test } from "node:test";
import assert from "node:assert/strict";
import { open } from "./support/browser.mjs";
import { box, query, type, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const MICRO_BATCH = "Micro-batch size";

const { browser, site } = await stage();

/** The message that a text box points to. */
async function problem(page, name) {
  const ids = (await box(page, name).getAttribute("aria-describedby")).split(" ");
  const id = ids.find((one) => one.endsWith("-problem"));
  await page.locator(`#${id}`).filter({ visible: true }).waitFor();
  return page.locator(`#${id}`);
}

for (const [what, text] of Object.entries({
  "a word": "many",
  "a negative number": "-4",
  "zero": "0",
  "a huge number": "9".repeat(40),
  "nothing": " ",
})) {
  test(`${what} as micro-batch size is refused beside the field, and the last picture stays`, async () => {
    const { page, close } = await open(browser, site.url);
    const said = await verdict(page);
    await type(page, MICRO_BATCH, text);
    const message = await problem(page, MICRO_BATCH);
    assert.ok((await message.innerText()).length > 10);
    assert.equal(await box(page, MICRO_BATCH).getAttribute("aria-invalid"), "true");
    assert.equal(await verdict(page), said, "the last good answer stays");
    await page.locator('[data-stale="true"]').waitFor();
    await type(page, MICRO_BATCH, "2");
    await page.locator('[data-stale="true"]').waitFor({ state: "detached" });
    assert.equal(await verdict(page), said);
    assert.doesNotMatch(query(page), /mb=/);
    await close();
  });
}

test("one click repairs a value that is too large", async () => {
  const { page, close } = await open(browser, site.url);
  await type(page, MICRO_BATCH, "999999999");
  const message = await problem(page, MICRO_BATCH);
  await message.getByRole("button").click();
  await message.waitFor({ state: "hidden" });
  assert.equal(await box(page, MICRO_BATCH).getAttribute("aria-invalid"), "false");
  await close();
});

/** Chooses a model of one's own and puts its configuration into the box for it. */
async function own(page, text) {
  await page.getByRole("button", { name: "config.json", exact: true }).click();
  await page.getByRole("textbox", { name: "Contents of config.json" }).fill(text);
}

const LLAMA = {
  model_type: "llama",
  vocab_size: 32000,
  hidden_size: 2048,
  intermediate_size: 5632,
  num_hidden_layers: 22,
  num_attention_heads: 32,
  num_key_value_heads: 4,
};

test("a pasted config.json is estimated, and its link opens the same again", async () => {
  const { page, close } = await open(browser, site.url);
  const before = await verdict(page);
  await own(page, JSON.stringify(LLAMA, null, 2));
  await page.getByTestId("verdict").filter({ hasNotText: before }).waitFor();
  await page.waitForURL(/config=/);
  const said = await verdict(page);
  await page.reload();
  assert.equal(await verdict(page), said);
  await close();
});

for (const [what, text] of Object.entries({
  "is not JSON": '{"model_type": "llama", ',
  "lacks fields": '{"model_type": "llama", "hidden_size": 4096}',
  "is of no known family": '{"model_type": "no-such-thing"}',
  "is a list": "[1, 2, 3]",
  "has absurd sizes": JSON.stringify({ ...LLAMA, hidden_size: -1, num_hidden_layers: 1e30 }),
})) {
  test(`a config.json that ${what} is refused with the reason, and the last picture stays`, async () => {
    const { page, close } = await open(browser, site.url);
    const said = await verdict(page);
    await own(page, text);
    await page.locator(".field-problem:visible").first().waitFor();
    assert.equal(await verdict(page), said);
    await close();
  });
}

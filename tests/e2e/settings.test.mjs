// Everything that a scenario can say has a control, folded where it matters less.
import { test } from "node:test";
import assert from "node:assert/strict";
import { DESKTOP, PHONE, open } from "./support/browser.mjs";
import { box, openSettings, query, slider, type, unfold, verdict } from "./support/controls.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const groups = (page) => page.getByTestId("controls").locator(".group-title");

test("folded groups say what differs, and a link opens those that it sets something in", async () => {
  for (const viewport of [DESKTOP, PHONE]) {
    const link = `${site.url}?v=1&model=smollm2-135m&lora=8&expandable=1`;
    const { page, close } = await open(browser, link, { viewport });
    await openSettings(page);
    const states = await groups(page).evaluateAll((all) =>
      all.filter((one) => one.getAttribute("aria-expanded") === "true").map((one) => one.innerText),
    );
    assert.equal(states.length, 2, states.join());
    await groups(page).first().click();
    assert.match(await groups(page).first().innerText(), /Rank 8/);
    await page.getByRole("textbox", { name: "Rank" }).waitFor({ state: "hidden" });
    await close();
  }
});

test("a situation of the menu opens the groups that it sets something in", async () => {
  const { page, close } = await open(browser, site.url);
  const menu = page.getByRole("navigation", { name: "Situations" });
  await menu.getByRole("button").click();
  await menu.getByRole("link", { name: /Two LoRA jobs/ }).click();
  await page.getByRole("textbox", { name: "Rank", exact: true }).waitFor();
  const folded = await groups(page).evaluateAll((all) =>
    all.filter((one) => one.getAttribute("aria-expanded") === "false").map((one) => one.innerText),
  );
  assert.match(folded.join(), /Memory savers/);
  assert.doesNotMatch(folded.join(), /LoRA|loading|Machine/);
  await close();
});

test("LoRA over a quantized base is switched on by hand, and its options wait for it", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=smollm2-135m`);
  await unfold(page, /LoRA/);
  const rank = slider(page, "Rank");
  assert.equal(await rank.count(), 0);
  const full = await verdict(page);
  await page.getByRole("button", { name: /^Rank and \d+ more: with LoRA$/ }).click();
  await page.waitForFunction(() => document.activeElement?.id === "lora");
  await page.keyboard.press("Space");
  await page.waitForURL(/lora=16/);
  assert.ok(await rank.isEnabled());
  const adapted = await verdict(page);
  assert.notEqual(adapted, full);
  await rank.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/lora=32/);
  await page.getByRole("group", { name: "Target modules" }).getByRole("button", { name: "all-linear" }).click();
  await page.waitForURL(/lora_targets=all-linear/);
  assert.equal(await page.locator('[id="lora.target_modules"]').inputValue(), "all-linear");
  await page.getByRole("combobox", { name: "Quantization" }).selectOption("nf4");
  await page.waitForURL(/quant=nf4/);
  await page.getByRole("switch", { name: "Double quantization" }).check();
  await page.waitForURL(/quant_double=1/);
  assert.notEqual(await verdict(page), adapted);
  await page.getByRole("switch", { name: "LoRA adapters" }).uncheck();
  await page.getByText("Quantized weights cannot be trained").first().waitFor();
  await close();
});

test("a limit that there need not be is set by slider, by text, and taken away again", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=smollm2-135m`);
  await unfold(page, /allocator/);
  const name = "max_split_size_mb";
  assert.equal(await box(page, name).inputValue(), "no limit");
  await slider(page, name).focus();
  await page.keyboard.press("End");
  await page.waitForURL(/max_split=1024/);
  await type(page, name, "128");
  await page.waitForURL(/max_split=128/);
  await type(page, name, "");
  await page.waitForURL((url) => !url.search.includes("max_split"));
  await type(page, "garbage_collection_threshold", "0.8");
  await page.waitForURL(/gc=0.8/);
  await type(page, "roundup_power2_divisions", "[256:1,>:8]");
  await page.waitForURL(/roundup=/);
  await type(page, "roundup_power2_divisions", "three");
  await page.locator(".field-problem:visible").waitFor();
  await close();
});

test("frozen parts are offered by the model's own names, and kernels of Liger by their own", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=smollm2-135m`);
  await unfold(page, /LoRA/);
  await unfold(page, /Liger/);
  const full = await verdict(page);
  const frozen = page.getByRole("group", { name: "Frozen modules" });
  await frozen.getByRole("button", { name: "layers" }).click();
  await page.waitForURL(/frozen=layers/);
  assert.notEqual(await verdict(page), full);
  assert.equal(await frozen.getByRole("button", { name: "layers" }).getAttribute("aria-pressed"), "true");
  await frozen.getByRole("button", { name: "layers" }).click();
  await page.waitForURL((url) => !url.search.includes("frozen"));
  const kernels = page.getByRole("group", { name: "Liger kernels" });
  await kernels.getByRole("button", { name: "rms_norm" }).click();
  await kernels.getByRole("button", { name: "swiglu" }).click();
  await page.waitForURL(/liger=rms_norm,swiglu/);
  await close();
});

test("what is wrong with a setting that is folded away is said above the answer", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=smollm2-135m`);
  await unfold(page, /Liger/);
  await type(page, "Liger kernels", "rms_nrom");
  await page.locator(".field-problem:visible").waitFor();
  await unfold(page, /allocator/);
  await groups(page).filter({ hasText: "Liger" }).click();
  await page.locator(".notice").filter({ hasText: "rms_nrom" }).waitFor();
  await page.locator(".notice").getByRole("button").click();
  await page.locator('[data-stale="true"]').waitFor({ state: "detached" });
  await page.waitForURL(/liger=rms_norm/);
  await close();
});

test("another optimizer takes an implementation that it has", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=smollm2-135m`);
  await page.getByRole("combobox", { name: "Optimizer", exact: true }).selectOption("lion");
  await page.waitForURL(/opt=lion/);
  assert.equal(await page.locator('[data-stale="true"]').count(), 0);
  assert.doesNotMatch(query(page), /impl=/);
  await close();
});

test("a run is sharded over several GPUs by hand, and options of other frameworks say whose they are", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&model=smollm2-135m`);
  await unfold(page, /Parallelism/);
  const tensor = slider(page, "Tensor parallel ranks");
  assert.equal(await tensor.count(), 0);
  await page.getByRole("button", { name: "Data parallel ranks and 4 more: with several GPUs" }).click();
  await page.waitForFunction(() => document.activeElement?.id === "hardware.gpus_per_node");
  const alone = await verdict(page);
  await type(page, "GPUs per node", "8");
  await page.getByRole("combobox", { name: "Data parallelism" }).selectOption({ label: "FSDP2, fully_shard" });
  await page.waitForURL(/gpus=8&dp=fsdp2/);
  await page.getByTestId("controls").getByText("8 GPUs = 8 data", { exact: true }).waitFor();
  assert.ok(await tensor.isEnabled());
  assert.notEqual(await verdict(page), alone);
  assert.ok(await page.getByRole("switch", { name: "FSDP2: reshard after forward" }).isChecked());
  assert.equal(await page.getByRole("switch", { name: "FSDP1: forward prefetch" }).count(), 0);
  await page.getByRole("button", { name: /^FSDP1: .* more: with FSDP1$/ }).waitFor();
  const prefetch = page.getByRole("switch", { name: "FSDP1: forward prefetch" });
  await page.locator("#find-setting").fill("forward_prefetch");
  await page.locator("#find-setting").press("Enter");
  await prefetch.waitFor();
  assert.ok(await prefetch.isDisabled());
  await page.getByText("An option of FSDP1.").waitFor();
  await page.getByRole("button", { name: "FSDP1: forward prefetch. Decided by: Data parallelism" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.closest(".field").querySelector("label").htmlFor), "parallelism.dp.forward_prefetch");
  await close();
});

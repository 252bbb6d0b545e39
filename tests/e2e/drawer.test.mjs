// From what people have to what they change: the drawer that opens over any place of the page.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible } from "./support/axe.mjs";
import { DESKTOP, PHONE, open } from "./support/browser.mjs";
import { focused, settled, verdict } from "./support/controls.mjs";
import { drawer, drop, given, openDrawer, paste, titles } from "./support/drawer.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

const LINK = "?v=1&model=llama-2-7b&seq=512&mb=1&gpu=h100-80gb";
const ERROR =
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 448.00 MiB. GPU 0 has a total capacity of " +
  "23.64 GiB of which 100.00 MiB is free. Process 1234 has 23.53 GiB memory in use. Of the allocated memory " +
  "22.90 GiB is allocated by PyTorch, and 180.00 MiB is reserved by PyTorch but unallocated.";
const YAML = [
  "base_model: NousResearch/Meta-Llama-3-8B",
  "sequence_len: 4096",
  "micro_batch_size: 4",
  "adapter: lora",
  "lora_r: 16",
  "lora_target_linear: true",
  "bf16: true",
  "my_own_key: 3",
].join("\n");
const CONFIGS = "../fixtures/inputs/configs";

const ways = (page) => page.getByTestId("ways-out");
const outcome = (page) => page.getByTestId("drawer-verdict");
const isOpen = (page) => drawer(page).evaluate((dialog) => dialog.open);

test("an error pasted with its YAML leads to three remedies, and one click makes it fit, in sight of the verdict", async () => {
  for (const [locale, viewport, colorScheme, names] of [
    ["en-US", DESKTOP, "light", [/^PyTorch ran out of GPU memory$/, /^axolotl configuration$/]],
    ["zh-CN", PHONE, "dark", [/^PyTorch 显存不足$/, /^axolotl 配置$/]],
  ]) {
    const { page, close } = await open(browser, site.url + LINK, { locale, viewport, colorScheme });
    // From anywhere on the page.
    await page.evaluate(() => scrollTo(0, 3000));
    await paste(page, `${ERROR}\n\n${YAML}\n`);
    await settled(page, "lora");
    const said = await titles(page);
    assert.equal(said.length, 2);
    for (const [at, name] of names.entries()) assert.match(said[at], name);
    await settled(page, "gpu=rtx-4090");
    await given(page).getByText("my_own_key").waitFor();
    assert.ok((await given(page).locator("[data-part]").count()) >= 2, "a bar of holders");
    await ways(page).locator(".remedy:not(.grey)").nth(2).waitFor();
    assert.equal(await ways(page).locator(".remedy").count(), 3);
    assert.equal(await outcome(page).getAttribute("data-standing"), "exceeds");
    await accessible(page, "the drawer with an error and its configuration");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    const before = await outcome(page).innerText();
    const estimated = await given(page).locator(".fits strong").last().innerText();
    await ways(page).locator('.remedy[data-fits="true"]').first().getByRole("button").click();
    await page.waitForFunction(
      (before) => document.querySelector('[data-testid="drawer-verdict"]').innerText !== before,
      before,
    );
    assert.notEqual(await outcome(page).getAttribute("data-standing"), "exceeds");
    // The failure is still that of the settings that failed, and one click leads back to them.
    await given(page).getByText(/before a change was tried|尝试更改之前/).waitFor();
    const [tried, ran] = [new URL(page.url()).search, estimated];
    assert.equal(await given(page).locator(".fits strong").last().innerText(), ran);
    await drawer(page).getByRole("button", { name: /Back to the settings before|回到更改前的设置/ }).click();
    await page.waitForFunction((tried) => location.search !== tried, tried);
    await given(page).getByText(/before a change was tried|尝试更改之前/).waitFor({ state: "detached" });
    await page.waitForFunction(
      (before) => document.querySelector('[data-testid="drawer-verdict"]').innerText === before,
      before,
    );
    const line = await outcome(page).boundingBox();
    assert.ok(line.y >= 0 && line.y + line.height <= viewport.height, "the verdict is in sight");
    await close();
  }
});

test("an error first and its YAML second are both kept, as the other way round, and a second YAML takes the first one's place", async () => {
  const { page, close } = await open(browser, site.url + LINK);
  await paste(page, ERROR);
  assert.deepEqual(await titles(page), ["PyTorch ran out of GPU memory"]);
  await paste(page, YAML);
  assert.deepEqual(await titles(page), ["axolotl configuration", "PyTorch ran out of GPU memory"]);
  await settled(page, "gpu=rtx-4090");
  await paste(page, YAML.replace("micro_batch_size: 4", "micro_batch_size: 8"));
  await settled(page, "mb=8");
  assert.deepEqual(await titles(page), ["axolotl configuration", "PyTorch ran out of GPU memory"]);
  // What was filled in is taken back, the error stays.
  await given(page).getByRole("button", { name: "Take it back" }).click();
  await settled(page, "mb=4");
  assert.deepEqual(await titles(page), ["PyTorch ran out of GPU memory"]);
  await given(page).getByRole("button", { name: /^Remove: / }).click();
  assert.deepEqual(await titles(page), []);
  await close();

  const other = await open(browser, site.url + LINK);
  await paste(other.page, YAML);
  await settled(other.page, "lora");
  assert.match(other.page.url(), /gpu=h100-80gb/);
  await paste(other.page, ERROR);
  await settled(other.page, "gpu=rtx-4090");
  assert.deepEqual(await titles(other.page), ["PyTorch ran out of GPU memory", "axolotl configuration"]);
  // The GPUs of this capacity are one choice.
  await given(other.page).getByRole("combobox", { name: "It ran on" }).selectOption("rtx-3090");
  await settled(other.page, "gpu=rtx-3090");
  await other.close();
});

test("files that are dropped are read together, each with its name, and DeepSpeed's file joins the trainer's", async () => {
  const { page, close } = await open(browser, site.url + LINK);
  await drop(page, [`${CONFIGS}/deepspeed_zero2.json`]);
  await given(page).getByText("DeepSpeed configuration").waitFor();
  await drop(page, [{ name: "job.log", text: ERROR }, `${CONFIGS}/axolotl_lora.yml`]);
  await settled(page, "lora");
  const said = await titles(page);
  assert.deepEqual(said, ["PyTorch ran out of GPU memory", "axolotl + DeepSpeed configuration"]);
  await given(page).getByText("deepspeed_zero2.json, axolotl_lora.yml").waitFor();
  await drop(page, ["../fixtures/inputs/snapshots/linear.pickle"]);
  await given(page).getByText("Allocated at most").waitFor();
  assert.equal((await titles(page)).length, 3);
  await drop(page, [{ name: "notes.txt", text: "Good morning" }]);
  await given(page).getByText(/Not understood/).waitFor();
  await accessible(page, "the drawer with many things");
  await close();
});

test("on a wide screen the drawer lies beside the verdict, on a phone it shows it; Escape closes it and the focus returns", async () => {
  for (const viewport of [DESKTOP, { width: 960, height: 700 }, { width: 2560, height: 1200 }]) {
    const { page, close } = await open(browser, site.url + LINK, { viewport });
    await openDrawer(page);
    assert.equal(await focused(page), "opened-text");
    const [own, answer] = [await drawer(page).boundingBox(), await page.locator(".verdict").boundingBox()];
    assert.ok(own.x + own.width <= answer.x, `${own.x + own.width} to ${answer.x}`);
    // What lies beside it stays at hand.
    await page.getByTestId("device-bar").getByRole("button").first().click();
    await drawer(page).locator("textarea").first().focus();
    await page.keyboard.press("Escape");
    assert.equal(await isOpen(page), false);
    await close();
  }
  const { page, close } = await open(browser, site.url + LINK, { viewport: PHONE });
  await openDrawer(page);
  const box = await drawer(page).boundingBox();
  assert.deepEqual([box.x, box.width], [0, PHONE.width]);
  await accessible(page, "the empty drawer on a phone");
  await page.keyboard.press("Escape");
  assert.equal(await isOpen(page), false);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("href")), "#opened");
  // The same link opens it again.
  await openDrawer(page);
  await drawer(page).getByRole("button", { name: "Close", exact: true }).click();
  assert.equal(await isOpen(page), false);
  await close();
});

test("a text that is typed is read when the reader says so, and one pasted into a field is the field's own", async () => {
  const { page, close } = await open(browser, `${site.url}${LINK}#opened`);
  assert.equal(await isOpen(page), true, "a link leads to the drawer");
  assert.ok(!page.url().includes("#"));
  const box = drawer(page).locator("#opened-text");
  await box.pressSequentially("gpt2");
  assert.deepEqual(await titles(page), []);
  await box.press("Control+Enter");
  await settled(page, "model=gpt2");
  assert.deepEqual(await titles(page), ["A model"]);
  await box.focus();
  await paste(page, YAML);
  await settled(page, "lora");
  assert.equal(await box.inputValue(), "");
  assert.equal((await titles(page))[0], "axolotl configuration");
  await page.keyboard.press("Escape");
  const field = page.locator("#seq_len");
  await field.focus();
  await field.press("Control+A");
  await paste(page, "1024");
  assert.equal(await field.inputValue(), "1024");
  assert.equal(await isOpen(page), false);
  await close();
});

test("what was read of a configuration and what was not is listed, and nothing is lost by a text that is none", async () => {
  const { page, close } = await open(browser, site.url + LINK);
  await paste(page, readFileSync(`${CONFIGS}/axolotl_qlora.yaml`, "utf8"));
  await settled(page, "quant=nf4");
  await given(page).getByText(/Filled in from \d+ keys/).waitFor();
  await given(page).getByText("Keys that were read").click();
  await given(page).getByText(/^load_in_4bit: true$/).waitFor();
  const before = await verdict(page);
  await paste(page, "Good morning, this is no configuration at all");
  await given(page).getByText(/^Not understood/).waitFor();
  assert.deepEqual(await titles(page), ["Not read", "axolotl configuration"]);
  assert.equal(await verdict(page), before);
  await close();
});

// A slider answers in the next frame.
import { test } from "node:test";
import assert from "node:assert/strict";
import { open } from "./support/browser.mjs";
import { EAGER, judge, measureInput, times } from "./support/speed.mjs";
import { stage } from "./support/stage.mjs";

const PRESSES = 60;

const { browser, site } = await stage({ browser: EAGER });

for (const [name, query] of Object.entries({
  "Qwen2.5 1.5B in fp32": "?v=1",
  "Llama 2 7B in bf16 autocast": "?v=1&model=llama-2-7b&precision=amp_bf16",
  "Llama 3.1 8B on 8 GPUs under FSDP2": "?v=1&model=llama-3.1-8b&precision=bf16&gpus=8&dp=fsdp2",
})) {
  test(`a slider answers in the next frame: ${name}`, async () => {
    const { page, close } = await open(browser, site.url + query);
    await page.evaluate(measureInput);
    const measured = await times(page, PRESSES);
    assert.ok(measured.length >= PRESSES * 0.9, `${measured.length} events`);
    judge(name, measured);
    await close();
  });
}

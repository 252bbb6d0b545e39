// Nothing dies: whatever is clicked, typed and gone to, however much of it in one task, before the rest of the program is there
// and after, with threads beside the page's.
import { test } from "node:test";
import { outlives } from "./support/monkey.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

for (const [name, query, options] of [
  ["the page", "", {}],
  ["a widget", "?v=1&embed=1", { held: true }],
  ["a link to several GPUs", "?v=1&model=qwen2.5-0.5b&gpus=4&dp=fsdp2&seq=512", { held: true }],
  ["a link with an objective", "?v=1&model=qwen2.5-0.5b&seq=512&objective=dpo", {}],
]) {
  test(`random edits of ${name} make no error, and it goes on answering`, () =>
    outlives(browser, site.url + query, options));
}

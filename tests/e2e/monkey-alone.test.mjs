// Nothing dies without threads beside the page's either: a thousand more random edits (see monkey.test.mjs).
import { test } from "node:test";
import { PHONE } from "./support/browser.mjs";
import { outlives } from "./support/monkey.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

for (const [name, query, options] of [
  ["a link to another family", "?v=1&model=bert-base&mb=4", {}],
  ["a link in Chinese", "?v=1&lang=zh&seq=512", { held: true }],
  ["a phone", "?v=1&seq=512", { viewport: PHONE, hasTouch: true, held: true }],
  ["two configurations", "?v=1&seq=512&mb=4&vs_mb=8", {}],
]) {
  test(`random edits of ${name} make no error, and it goes on answering`, () =>
    outlives(browser, site.url + query, { threads: false, ...options }));
}

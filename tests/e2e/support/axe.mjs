// Accessibility, as axe-core sees it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * All controls that are shown, in the order of the document: the name that assistive technology hears, as axe computes it,
 * and what else can be said of each.
 */
export async function controls(page) {
  await page.evaluate(SOURCE);
  return page.evaluate(() => {
    const kinds = "a[href], button, input, select, textarea, summary, canvas";
    const all = [...document.querySelectorAll(kinds)]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => !element.closest("[aria-hidden=true], [inert]"));
    globalThis.axe.setup(document.documentElement);
    const found = all.map((element) => ({
      id: element.id,
      kind: element.type === "range" ? "slider" : element.localName,
      name: globalThis.axe.commons.text.accessibleText(element),
      stop: element.tabIndex >= 0,
      heads: element.closest("th") !== null,
    }));
    globalThis.axe.teardown();
    return found;
  });
}

/** Asserts that axe finds nothing in a page or a frame. */
export async function accessible(frame, what) {
  await frame.evaluate(SOURCE);
  const violations = await frame.evaluate(async (tags) => {
    const { violations } = await globalThis.axe.run(document, {
      runOnly: { type: "tag", values: tags },
    });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes.slice(0, 3).map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
    }));
  }, RULES);
  assert.deepEqual(violations, [], `accessibility of ${what}`);
}

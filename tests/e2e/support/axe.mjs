// Accessibility, as axe-core sees it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

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

// Each key of a scenario has a control, which a search brings where what it is an option of is not chosen.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { accessible } from "./support/axe.mjs";
import { open, painted } from "./support/browser.mjs";
import { ROOT } from "./support/site.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

/** The keys of the schema, dotted where they are nested. */
function keys() {
  const schema = JSON.parse(readFileSync(join(ROOT, "public/scenario.schema.json"), "utf8"));
  const of = (properties, above) =>
    Object.entries(properties).flatMap(([name, property]) =>
      property.properties ? of(property.properties, `${above}${name}.`) : [`${above}${name}`],
    );
  return of(schema.properties, "").filter((key) => key !== "v");
}

/** Finds the controls of keys by the search, as they are options of what is not chosen; a control is then drawn. */
function reveal(page, keys) {
  return page.evaluate(async (keys) => {
    const until = async (found, frames = 300) => {
      for (let frame = 0; frame < frames && !found(); frame += 1) await new Promise(requestAnimationFrame);
      return found();
    };
    const finder = document.getElementById("find-setting");
    for (const key of keys) {
      finder.focus();
      finder.value = key;
      finder.dispatchEvent(new Event("input", { bubbles: true }));
      await until(() => false, 2);
      const lines = [...document.querySelectorAll("#find-setting-list [role=option]")];
      const called = lines.find((line) => line.querySelector(".found-detail").textContent.startsWith(`${key} `));
      (called ?? lines[0]).click();
      // The focus goes to the control in a later frame.
      const focused = () => document.activeElement.closest(".field")?.querySelector(`[id="${key}"]`);
      if (!(await until(focused))) throw new Error(`the search does not lead to ${key}`);
    }
  }, keys);
}

/** Each key's control as a reader finds it: the number of controls, whether it is disabled, and its texts. */
function fields(page, keys) {
  return page.evaluate(async (keys) => {
    const all = [];
    for (const key of keys) {
      const controls = document.querySelectorAll(`[id="${key}"]`);
      const field = controls[0].closest(".field");
      const summary = field.querySelector("summary");
      // What it does is said to who comes near.
      summary.focus({ preventScroll: true });
      await new Promise(requestAnimationFrame);
      all.push({
        key,
        controls: controls.length,
        disabled: controls[0].disabled,
        label: field.querySelector(".field-label").textContent,
        note: document.getElementById(`${key}-note`)?.textContent ?? "",
        help: summary.title,
      });
    }
    return all;
  }, keys);
}

test("every key of a scenario has a control, named and explained in both languages", async () => {
  const { page, close } = await open(browser, site.url);
  for (const title of await page.getByTestId("controls").locator(".group-title").all()) await title.click();
  await painted(page);
  const drawn = await page.locator("[data-testid=controls] [id]").evaluateAll((all) => all.map(({ id }) => id));
  const options = keys().filter((key) => !drawn.includes(key));
  assert.ok(options.length > 0 && options.length < keys().length);
  await reveal(page, options);
  const labels = [];
  for (const language of ["en", "zh"]) {
    await page.locator("html").and(page.locator(`[lang|=${language}]`)).waitFor();
    for (const { key, controls, disabled, label, note, help } of await fields(page, keys())) {
      assert.equal(controls, 1, key);
      assert.ok(label.length > 1, key);
      assert.ok(help.length > 5, key);
      assert.ok(!options.includes(key) || (disabled && note.length > 5), key);
      labels.push(label);
    }
    await accessible(page, `all controls in ${language}`);
    if (language === "en") await page.getByRole("button", { name: "中文" }).click();
  }
  assert.ok(labels.some((label) => /[\u4e00-\u9fff]/.test(label)));
  await close();
});

// The drawer for what people have at hand, and giving things to it as a person does.

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { painted } from "./browser.mjs";
import { openSettings } from "./controls.mjs";

/** The drawer, closed or open. */
export const drawer = (page) => page.getByTestId("opened");

/** The list of what was given. */
export const given = (page) => drawer(page).locator(".given");

/** What things were taken for, the latest first. */
export const titles = (page) => given(page).locator("h3").allInnerTexts();

/** Opens the drawer by the link in the controls. */
export async function openDrawer(page) {
  await openSettings(page);
  await page.getByRole("link", { name: /From an error|从报错/ }).click();
  await drawer(page).and(page.locator("[open]")).waitFor();
}

/** Puts a text on the clipboard and presses the keys that paste, wherever the focus is. */
export async function paste(page, text) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await page.keyboard.press("Control+V");
  await painted(page);
}

/** Drops files, each by its path or as a name and a text, anywhere on the page. */
export async function drop(page, files) {
  const read = (file) =>
    typeof file === "string"
      ? [basename(file), readFileSync(file).toString("base64")]
      : [file.name, Buffer.from(file.text).toString("base64")];
  await page.evaluate((files) => {
    const data = new DataTransfer();
    for (const [name, bytes] of files) data.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files.map(read));
  await drawer(page).and(page.locator("[open]")).waitFor();
}

// Handling controls as a person does: with the mouse, with keys.

import { painted } from "./browser.mjs";

/** The slider of a number, by its label. */
export const slider = (page, name) => page.getByRole("slider", { name });

/** The text box of a number, by its label. */
export const box = (page, name) => page.getByRole("textbox", { name });

/** Drags a slider's thumb with the mouse to a share of its track, in small moves. */
export async function drag(page, name, share, { moves = 30 } = {}) {
  const element = slider(page, name);
  await element.scrollIntoViewIfNeeded();
  const track = await element.boundingBox();
  const y = track.y + track.height / 2;
  const x = (part) => track.x + 8 + part * (track.width - 16);
  const from = await element.evaluate((e) => (e.value - e.min) / (e.max - e.min));
  await page.mouse.move(x(from), y);
  await page.mouse.down();
  for (let move = 1; move <= moves; move += 1) {
    await page.mouse.move(x(from + ((share - from) * move) / moves), y);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  await page.mouse.up();
}

/** Opens the settings where they are a sheet, as on a phone. */
export async function openSettings(page) {
  const handle = page.locator("#settings-handle");
  if ((await handle.isVisible()) && (await handle.getAttribute("aria-expanded")) === "false") {
    await handle.click();
    await page.locator("html[data-settings=open]").waitFor();
  }
}

/** Opens a folded group of controls, if it is folded. */
export async function unfold(page, name) {
  const title = page.getByTestId("controls").getByRole("button", { name }).and(page.locator(".group-title"));
  if ((await title.getAttribute("aria-expanded")) === "false") await title.click();
}

/** Puts a text into the text box of a number at once, as by pasting. */
export async function type(page, name, text) {
  await box(page, name).fill(text);
  await painted(page);
}

/** What the page says, once what was done is painted. */
export async function verdict(page) {
  await painted(page);
  return page.getByTestId("verdict").innerText();
}

/** The query of the address, without the question mark. */
export const query = (page) => new URL(page.url()).search.slice(1);

/** Copies the link; what landed in the clipboard. */
export async function copyLink(page) {
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The id of the element that has the focus. */
export const focused = (page) => page.evaluate(() => document.activeElement.id);

/** Waits until the query of the page has a part. */
export const settled = (page, part) => page.waitForURL((url) => url.search.includes(part));

// How the page looks: pictures to look at.
import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DESKTOP, PHONE, open, painted, rested } from "./support/browser.mjs";
import { ROOT } from "./support/site.mjs";
import { stage } from "./support/stage.mjs";

/** Where the pictures go; the summary of a run names it. */
const PICTURES = join(ROOT, "target/screenshots");

mkdirSync(PICTURES, { recursive: true });
const { browser, site } = await stage();

/** Makes the window as high as the page: what is out of sight is not drawn. */
async function whole(page) {
  const { width } = page.viewportSize();
  for (let look = 0; look < 2; look += 1) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height });
    await rested(page, 500);
  }
}

const SIZES = [
  ["320x640", { width: 320, height: 640 }],
  ["390x844", PHONE],
  ["768x1024", { width: 768, height: 1024 }],
  ["1280x720", DESKTOP],
  ["1920x1080", { width: 1920, height: 1080 }],
];

for (const [size, viewport] of SIZES) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [language, locale] of [["en", "en-US"], ["zh", "zh-CN"]]) {
      test(`pictures at ${size}, ${colorScheme}, ${language}`, async () => {
        const options = { viewport, colorScheme, locale };
        const { page, close } = await open(browser, `${site.url}?v=1&mb=8`, options);
        assert.equal(await page.evaluate(() => document.documentElement.lang.slice(0, 2)), language);
        await painted(page);
        await rested(page, 500);
        const name = join(PICTURES, `${size}-${colorScheme}-${language}`);
        await page.screenshot({ path: `${name}.png` });
        await whole(page);
        await page.screenshot({ path: `${name}-whole.png` });
        await close();
      });
    }
  }
}

test("pictures of the widget in its demonstration page", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await open(browser, `${site.url}embed-demo.html`, {
      ready: false,
      colorScheme,
    });
    for (const frame of page.frames().slice(1)) await frame.getByTestId("verdict").waitFor();
    await rested(page, 500);
    await page.screenshot({ path: join(PICTURES, `embed-${colorScheme}.png`), fullPage: true });
    await close();
  }
});

// How the page looks: pictures to look at, and what a program can say of them.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DESKTOP, PHONE, launch, open, painted, seeAll } from "./support/browser.mjs";
import { ROOT, serve } from "./support/site.mjs";

/** Where the pictures go; the summary of a run names it. */
const PICTURES = join(ROOT, "target/screenshots");

let browser;
let site;
before(async () => {
  mkdirSync(PICTURES, { recursive: true });
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** Makes the window as high as the page: what is out of sight is not drawn. */
async function whole(page) {
  const { width } = page.viewportSize();
  for (let look = 0; look < 2; look += 1) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(500);
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
        await page.waitForTimeout(500);
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
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(PICTURES, `embed-${colorScheme}.png`), fullPage: true });
    await close();
  }
});

// 640 px is a window of 1280 px at 200 % zoom.
for (const width of [320, 390, 640, 768, 960, 1280, 1920]) {
  test(`nothing is wider than a screen of ${width} px`, async () => {
    for (const locale of ["en-US", "zh-CN"]) {
      const viewport = { width, height: 800 };
      const { page, close } = await open(browser, site.url, { viewport, locale });
      const wide = await page.evaluate(() => {
        const { clientWidth, scrollWidth } = document.documentElement;
        if (scrollWidth <= clientWidth) return [];
        return [...document.querySelectorAll("body *")]
          .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
          .slice(0, 5)
          .map((element) => element.outerHTML.slice(0, 100));
      });
      assert.deepEqual(wide, [], locale);
      await close();
    }
  });
}

for (const deviceScaleFactor of [1, 2, 1.5]) {
  test(`figures have one dot per pixel of the screen at a pixel ratio of ${deviceScaleFactor}`, async () => {
    const { page, close } = await open(browser, site.url, { deviceScaleFactor });
    await seeAll(page);
    const figures = await page.locator("canvas").evaluateAll((all) =>
      all.map((canvas) => {
        const box = canvas.getBoundingClientRect();
        return {
          dots: [canvas.width, canvas.height],
          pixels: [box.width * devicePixelRatio, box.height * devicePixelRatio],
          drawn: canvas
            .getContext("2d")
            .getImageData(0, 0, canvas.width, canvas.height)
            .data.some((value) => value !== 0),
        };
      }),
    );
    assert.ok(figures.length >= 2, `${figures.length} canvases`);
    for (const { dots, pixels, drawn } of figures) {
      assert.ok(drawn, "something is drawn");
      for (const side of [0, 1]) {
        assert.ok(Math.abs(dots[side] - pixels[side]) <= 1, `${dots} dots on ${pixels} pixels`);
      }
    }
    await close();
  });
}

test("figures follow the colour scheme and the width of the window", async () => {
  const { page, close } = await open(browser, site.url);
  const canvas = page.locator("canvas").first();
  const picture = () => canvas.evaluate((element) => element.toDataURL());
  const light = await picture();
  await page.emulateMedia({ colorScheme: "dark" });
  await painted(page);
  assert.notEqual(await picture(), light);
  const before = (await canvas.boundingBox()).width;
  await page.setViewportSize({ width: 1000, height: 720 });
  await painted(page);
  await painted(page);
  const box = await canvas.boundingBox();
  assert.notEqual(box.width, before);
  assert.ok(Math.abs((await canvas.evaluate((element) => element.width)) - box.width) <= 1);
  await close();
});

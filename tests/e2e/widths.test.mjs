// The page in windows of all widths and on screens of all densities: what a program can say of its look.
import { test } from "node:test";
import assert from "node:assert/strict";
import { open, painted, seeAll } from "./support/browser.mjs";
import { stage } from "./support/stage.mjs";

const { browser, site } = await stage();

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

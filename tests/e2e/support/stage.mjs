// What the tests of a file share: the built page, served, and a browser.
import { after } from "node:test";
import { launch } from "./browser.mjs";
import { serve } from "./site.mjs";

/** Serves the page as `site` says (see [`serve`]) and starts a browser, which may be told more; both end with the file. */
export async function stage({ site: how, browser: more = [] } = {}) {
  const site = await serve(how);
  const browser = await launch(...more);
  after(async () => {
    await browser.close();
    await site.close();
  });
  return { browser, site };
}

// Start from what people have: a failure's text, a snapshot, a scenario, pasted, opened or dropped.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, launch, open } from "./support/browser.mjs";
import { verdict } from "./support/controls.mjs";
import { serve } from "./support/site.mjs";

let browser;
let site;
before(async () => {
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const LLAMA = "?v=1&model=llama-2-7b&precision=fp32&seq=512&mb=1&gpu=h100-80gb";
const ERROR =
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 172.00 MiB. GPU 0 has a total capacity of " +
  "23.64 GiB of which 100.00 MiB is free. Process 1234 has 23.53 GiB memory in use. Of the allocated memory " +
  "22.90 GiB is allocated by PyTorch, and 180.00 MiB is reserved by PyTorch but unallocated.";
const panel = (page) => page.getByTestId("opened");
const box = (page) => panel(page).locator("textarea");
const said = (page) => panel(page).getByRole("status");

test("an error says who holds what, which tensor asked, and chooses the GPU that it was", async () => {
  for (const [locale, viewport, asked] of [
    ["en-US", undefined, "Asked for"],
    ["zh-CN", PHONE, "请求"],
  ]) {
    const { page, close } = await open(browser, site.url + LLAMA, { locale, viewport });
    await panel(page).scrollIntoViewIfNeeded();
    await box(page).fill(ERROR);
    await said(page).getByText(asked).waitFor();
    const text = await said(page).innerText();
    assert.match(text, /172\u{a0}MiB/u);
    assert.match(text, /layers\.\*\.mlp .*× 96/, "11008 x 4096 x 4 bytes are gradients of an MLP's three projections");
    assert.ok((await said(page).locator("[data-part]").count()) >= 2, "a bar of holders");
    await accessible(page);
    await said(page).getByRole("button", { name: /RTX 4090/ }).click();
    await page.waitForURL(/gpu=rtx-4090/);
    await box(page).fill("");
    assert.equal(await said(page).innerText(), "");
    await close();
  }
});

test("a scenario that is pasted is filled in, and taken back", async () => {
  const { page, close } = await open(browser, site.url + LLAMA);
  const before = await verdict(page);
  await page.getByRole("link", { name: /From an error/ }).click();
  await panel(page).evaluate((panel) => new Promise((seen) => new IntersectionObserver(([entry]) => entry.isIntersecting && seen()).observe(panel)));
  await box(page).fill('{"v":1,"model":"gpt2","micro_batch_size":3}');
  await said(page).getByRole("button").waitFor();
  await page.waitForURL(/model=gpt2/);
  await said(page).getByRole("button").click();
  await page.waitForURL(/model=llama-2-7b/);
  assert.equal(await verdict(page), before);
  await close();
});

test("a snapshot is read here and stands beside the estimate; what is none says why", async () => {
  const { page, close } = await open(browser, site.url + LLAMA);
  await panel(page).scrollIntoViewIfNeeded();
  const file = panel(page).locator("input[type=file]");
  await file.setInputFiles("../fixtures/inputs/snapshots/linear.pickle");
  await said(page).getByText("Allocated at most").waitFor();
  assert.match(await said(page).innerText(), /Reserved at most[^]*Estimated/);
  await page.locator("#snapshot canvas").waitFor();
  await page.getByText(/^Measured: [\d.]+\s.* at most; estimated/).waitFor();
  await file.setInputFiles("../fixtures/inputs/snapshots/trained.pickle");
  const purposes = said(page).getByRole("table");
  await purposes.waitFor();
  assert.match(await purposes.innerText(), /Measured, backward\s+Estimated, [^]*optimizer states\s+19\.1\s/);
  await file.setInputFiles({ name: "hostile.pickle", mimeType: "", buffer: Buffer.from("\x80\x04cos\nsystem\n.", "latin1") });
  await said(page).getByText("hostile.pickle").waitFor();
  assert.match(await said(page).innerText(), /builds an object|never run/);
  await box(page).fill("Good morning");
  await said(page).getByText(/Not understood/).waitFor();
  await close();
});

test("a file that is dropped anywhere is read", async () => {
  const { page, close } = await open(browser, site.url + LLAMA);
  await panel(page).waitFor({ state: "attached" });
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "job.log"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, ERROR);
  await panel(page).scrollIntoViewIfNeeded();
  await said(page).getByText("job.log").waitFor();
  assert.match(await said(page).textContent(), /172\u{a0}MiB/u);
  await close();
});

test("a trainer's configuration is filled in, what is not followed is listed, and it is taken back", async () => {
  const { page, close } = await open(browser, site.url + LLAMA);
  await panel(page).scrollIntoViewIfNeeded();
  const folder = "../fixtures/inputs/configs";
  await panel(page)
    .locator("input[type=file]")
    .setInputFiles([`${folder}/torchtune_lora.yaml`]);
  await said(page).getByText(/Filled in from \d+ keys/).waitFor();
  await page.waitForURL(/lora/);
  await accessible(page);
  await said(page).getByRole("button").first().click();
  await page.waitForURL(/model=llama-2-7b/);
  await close();
});

// What people have is read: a failure's text, a snapshot, a scenario, pasted, opened or dropped.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./support/axe.mjs";
import { PHONE, advised, open, openWithoutThreads } from "./support/browser.mjs";
import { verdict } from "./support/controls.mjs";
import { drawer, drop, given as said, openDrawer, paste } from "./support/drawer.mjs";
import { snapshot } from "./support/snapshot.mjs";
import { slowness } from "./support/speed.mjs";
import { stage } from "./support/stage.mjs";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

const { browser, site } = await stage();

const LLAMA = "?v=1&model=llama-2-7b&precision=fp32&seq=512&mb=1&gpu=h100-80gb";
const ERROR =
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 172.00 MiB. GPU 0 has a total capacity of " +
  "23.64 GiB of which 100.00 MiB is free. Process 1234 has 23.53 GiB memory in use. Of the allocated memory " +
  "22.90 GiB is allocated by PyTorch, and 180.00 MiB is reserved by PyTorch but unallocated.";

test("an error says who holds what, which tensor asked, and chooses the GPU that it was", async () => {
  for (const [locale, viewport, asked] of [
    ["en-US", undefined, "Asked for"],
    ["zh-CN", PHONE, "请求"],
  ]) {
    const { page, close } = await open(browser, site.url + LLAMA, { locale, viewport });
    await paste(page, ERROR);
    await said(page).getByText(asked, { exact: true }).waitFor();
    const text = await said(page).innerText();
    assert.match(text, /172\u{a0}MiB/u);
    assert.match(text, /layers\.\*\.mlp .*× 96/, "11008 x 4096 x 4 bytes are gradients of an MLP's three projections");
    assert.ok((await said(page).locator("[data-part]").count()) >= 2, "a bar of holders");
    await accessible(page);
    await said(page).getByRole("combobox").selectOption("rtx-4090");
    await page.waitForURL(/gpu=rtx-4090/);
    await said(page).getByRole("button", { name: /Remove|移除/ }).click();
    assert.equal(await said(page).innerText(), "");
    await close();
  }
});

test("a job whose trainer's version no file says is estimated as the earlier one by a click", async () => {
  const { page, close } = await open(browser, `${site.url}?v=1&gpu=a100-40gb`);
  const job = ["base_model: NousResearch/Meta-Llama-3-8B", "adapter: qlora", "load_in_4bit: true", "lora_r: 8"];
  job.push("lora_target_linear: true", "sequence_len: 2048", "micro_batch_size: 1", "bf16: true", "lora_dropout: 0.05");
  await paste(page, job.join("\n"));
  await page.waitForURL(/lora_kernels=/);
  const certainty = page.getByTestId("certainty");
  await certainty.getByText(/At most [\d.]+\u{a0}GiB, with an earlier version \(lora\.kernels\)/u).waitFor();
  await said(page).getByRole("button", { name: "Estimate the earlier version" }).click();
  await page.waitForURL((address) => !address.search.includes("lora_kernels"));
  await certainty.waitFor({ state: "hidden" });
  await close();
});

test("what of a job is not modelled is said at the verdict until another configuration comes", async () => {
  const { page, close } = await open(browser, site.url);
  const job = ["base_model: Qwen/Qwen2.5-0.5B", "sequence_len: 512", "micro_batch_size: 1", "bf16: true", "torch_compile: true"];
  await paste(page, job.join("\n"));
  const certainty = page.getByTestId("certainty");
  await certainty.getByText("Approximately: these settings are not modelled: torch_compile.").waitFor();
  await paste(page, '{"v":1,"model":"gpt2"}');
  await certainty.waitFor({ state: "hidden" });
  await close();
});

test("a scenario that is pasted is filled in, and taken back", async () => {
  const { page, close } = await open(browser, site.url + LLAMA);
  const before = await verdict(page);
  await openDrawer(page);
  await drawer(page).locator("#opened-text").fill('{"v":1,"model":"gpt2","micro_batch_size":3}');
  await page.waitForURL(/model=gpt2/);
  await said(page).getByRole("button", { name: "Take it back" }).click();
  await page.waitForURL(/model=llama-2-7b/);
  assert.equal(await verdict(page), before);
  await close();
});

test("a snapshot is read here and stands beside the estimate; what is none says why", async () => {
  const { page, close } = await open(browser, site.url + LLAMA);
  await openDrawer(page);
  const file = drawer(page).locator("input[type=file]");
  await file.setInputFiles("../fixtures/inputs/snapshots/linear.pickle");
  await said(page).getByText("Allocated at most").waitFor();
  assert.match(await said(page).innerText(), /Reserved at most[^]*Estimated/);
  await page.locator("#snapshot canvas").waitFor();
  await page.getByText(/^Measured: [\d.]+\s.* at most; estimated/).waitFor();
  await file.setInputFiles("../fixtures/inputs/snapshots/trained.pickle");
  const purposes = said(page).getByRole("table").filter({ hasText: "Measured, backward" });
  await purposes.waitFor();
  assert.match(await purposes.innerText(), /Measured, backward\s+Estimated, [^]*optimizer states\s+19\.1\s/);
  const before = await verdict(page);
  await file.setInputFiles({ name: "hostile.pickle", mimeType: "", buffer: Buffer.from("\x80\x04cos\nsystem\n.", "latin1") });
  await said(page).getByText(/builds an object|never run/).waitFor();
  assert.match(await said(page).innerText(), /hostile\.pickle/);
  await paste(page, "Good morning");
  await said(page).getByText(/Not understood/).waitFor();
  // The last answer stays.
  assert.equal(await verdict(page), before);
  await close();
});

test("a snapshot's segments are drawn in pieces and over time, and its largest blocks have stacks", async () => {
  for (const [locale, viewport, colorScheme, free] of [
    ["en-US", undefined, "light", /At the peak, after [\d,]+ events: [\d.]+\s[MG]iB of the [\d.]+\s[MG]iB in segments \(\d+\) is free/],
    ["zh-CN", PHONE, "dark", /峰值时（[\d,]+ 个事件之后）：\d+ 个段共 .+其中空闲/],
  ]) {
    const { page, close } = await open(browser, site.url + LLAMA, { locale, viewport, colorScheme });
    await openDrawer(page);
    await drawer(page).locator("input[type=file]").setInputFiles("../fixtures/inputs/snapshots/trained.pickle");
    const block = said(page).locator("details").first();
    await block.locator("summary").click();
    const frames = block.locator("li");
    assert.ok((await frames.count()) > 2 && (await frames.count()) <= 30);
    assert.match(await frames.first().innerText(), /:\d+ \S/);
    await accessible(page);
    // The link leads out of the drawer, which lies over the page on a phone.
    await said(page).getByRole("link", { name: /over time|随时间/ }).click();
    assert.equal(await drawer(page).isVisible(), false);
    const figure = page.locator("#segments");
    const canvas = figure.locator("canvas");
    await canvas.scrollIntoViewIfNeeded();
    await figure.locator(".figure-summary").getByText(free).waitFor();
    // The first key leads to the largest piece that is free, the next ones to what tensors hold.
    await canvas.focus();
    await canvas.press("ArrowRight");
    const spoken = figure.getByRole("status");
    assert.match(await spoken.textContent(), /^[\d.]+\s[KMG]iB(: free; segment \d+ of |：空闲；第 \d+ 段)/);
    await canvas.press("Home");
    assert.match(await spoken.textContent(), /\.py:\d+ .+(segment 1 of|第 1 段)/);
    await page.locator("#fullness canvas").press("End");
    assert.match(await page.locator("#fullness").getByRole("status").textContent(), /(held in segment 1 of|第 1 段).+/);
    await figure.getByRole("button").click();
    assert.ok((await figure.locator("tbody tr").count()) > 1);
    await accessible(page);
    if (viewport) assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await close();
  }
});

test("a file that is dropped anywhere is read", async () => {
  const { page, close } = await open(browser, site.url + LLAMA);
  await drop(page, [{ name: "job.log", text: ERROR }]);
  await said(page).getByText("job.log").waitFor();
  assert.match(await said(page).textContent(), /172\u{a0}MiB/u);
  await close();
});

test("a trainer's configuration is filled in, what is not followed is listed, and it is taken back", async () => {
  const { page, close } = await open(browser, site.url + LLAMA);
  await openDrawer(page);
  const folder = "../fixtures/inputs/configs";
  await drawer(page)
    .locator("input[type=file]")
    .setInputFiles([`${folder}/torchtune_lora.yaml`]);
  await said(page).getByText(/Filled in from \d+ keys/).waitFor();
  await page.waitForURL(/lora/);
  await accessible(page);
  await said(page).getByRole("button").first().click();
  await page.waitForURL(/model=llama-2-7b/);
  await close();
});

/** The size of a large snapshot in bytes, and the most that the page's processes may hold of memory meanwhile. */
const LARGE = 200e6;
const MOST_MEMORY = 1.5e9;

/** What the processes of a browser hold now, in bytes: the size of each one's resident set. */
function resident(browserOf) {
  const children = new Map();
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8"))[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It has ended meanwhile.
    }
  }
  const all = [browserOf];
  for (const one of all) all.push(...(children.get(one) ?? []));
  const size = (process) => {
    try {
      const status = readFileSync(`/proc/${process}/status`, "utf8");
      return /--type=renderer/.test(readFileSync(`/proc/${process}/cmdline`, "utf8"))
        ? 1024 * Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0)
        : 0;
    } catch {
      return 0;
    }
  };
  return Math.max(0, ...all.map(size));
}

test("a snapshot of 200 MB is read by a thread of its own while the page stays free", { skip: process.platform !== "linux" }, async () => {
  const folder = mkdtempSync(`${tmpdir()}/highwater-`);
  writeFileSync(`${folder}/large.pickle`, snapshot(LARGE));
  try {
    const { page, close } = await open(browser, site.url + LLAMA);
    await openDrawer(page);
    await advised(page);
    const slow = await slowness(page);
    await page.evaluate(() => {
      globalThis.tasks = [];
      const note = (list) => globalThis.tasks.push(...list.getEntries().map(({ startTime, duration }) => [startTime, duration]));
      new PerformanceObserver(note).observe({ type: "longtask" });
      // What shows the answer is no reading any more.
      const see = () => {
        if (/Allocated at most/.test(document.querySelector("#opened").textContent)) globalThis.shown ??= performance.now();
      };
      new MutationObserver(see).observe(document.querySelector("#opened"), { subtree: true, childList: true, characterData: true });
    });
    const before = resident(process.pid);
    const begun = performance.now();
    await drawer(page).locator("input[type=file]").setInputFiles(`${folder}/large.pickle`);
    await said(page).getByText("Reading the snapshot").waitFor();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, resident(process.pid))), 100);
    await said(page).getByText("Allocated at most").waitFor({ timeout: 60_000 });
    clearInterval(watch);
    const seconds = (performance.now() - begun) / 1000;
    assert.match(await said(page).innerText(), /Allocated at most\s+400\sMiB/);
    const [tasks, after] = await page.evaluate(() => {
      const isAfter = ([start, duration]) => start + duration >= globalThis.shown;
      const durations = (tasks) => tasks.map(([, duration]) => Math.round(duration));
      return [durations(globalThis.tasks.filter((task) => !isAfter(task))), durations(globalThis.tasks.filter(isAfter))];
    });
    console.log(
      `200 MB in ${seconds.toFixed(1)} s; tasks of the page above 50 ms: ${tasks} meanwhile, ${after} to show it; ` +
        `memory ${Math.round(before / 1e6)} to ${Math.round(most / 1e6)} MB; machine ${slow.toFixed(2)}`,
    );
    assert.deepEqual(tasks.filter((task) => task > 50 * slow), []);
    assert.ok(most < MOST_MEMORY, `${most} bytes`);
    assert.ok(seconds < 10 * slow, `${seconds} s`);
    await close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("without threads a snapshot is read by the page", async () => {
  const alone = await openWithoutThreads(browser, site.url + LLAMA);
  await openDrawer(alone.page);
  const file = drawer(alone.page).locator("input[type=file]");
  await file.setInputFiles("../fixtures/inputs/snapshots/linear.pickle");
  await said(alone.page).getByText("Allocated at most").waitFor();
  await alone.close();
});

// The program comes in parts: one with which the default page makes its first estimate, some that other links need for
// theirs (needed.js), and all others when that estimate is on screen. What the reader does before they are there is kept
// until then; where one does not come, the page says so, and the last answer stays.

/** How long to wait for a network that failed, in milliseconds; the last one is for every time after. */
const AGAIN = [400, 1000, 3000];

/** How often a part may fail to come before the reader is told. */
const PATIENCE = 3;

/** After how long the reader is told what the page waits for, in milliseconds. */
const SOON = 700;

const MISSING = {
  en: ["A part of Highwater has not come yet. The last answer stands, and changes wait. ", "Try again"],
  zh: ["Highwater 的一部分尚未取得。上一次的结果保持不变，更改将稍后生效。", "重试"],
};
/** The same before there is an answer. */
const NOTHING = { en: ["Highwater has not come yet. ", "Try again"], zh: ["Highwater 尚未取得。", "重试"] };
const COMING = { en: ["Loading: ", " of "], zh: ["正在加载：", " / "] };

const named = document.getElementById("parts");
/** The address and the bytes of each part. A page that was not cut has everything in one file. */
const files = named ? JSON.parse(named.content) : {};
/** Whether all parts are there. */
let whole = !named;
/** A page that lacked a part was opened anew to have them all. */
const wantsAll = history.state?.highwater === "whole";
const wanted = wantsAll ? Object.keys(files) : ["start", ...needed(location.search)];
let notice;
const waiting = new Set();
const wake = () => {
  for (const again of waiting) again();
};
addEventListener("online", wake);

/** What the reader does with controls, in order, until somebody hears of it. */
let kept = [];
const KEPT = "click input change keydown focus blur focusin focusout toggle close popstate".split(" ");
const PASSING = "pointerdown pointermove pointerup pointercancel pointerenter pointerleave".split(" ");

function keep(event) {
  const { target, type } = event;
  if (whole || (target instanceof Node && notice?.contains(target))) return;
  event.stopImmediatePropagation();
  if (!KEPT.includes(type)) return;
  kept = kept.filter((other) => other.target !== target || other.type !== type);
  kept.push(event);
  if (type === "click") target.closest?.("button")?.setAttribute("aria-busy", true);
}
for (const type of [...KEPT, ...PASSING]) addEventListener(type, keep, true);

/** Tells the program what was kept, each in a task of its own. What the browser does with a click by itself it has done. */
function replay() {
  const event = kept.shift();
  if (!event) return;
  setTimeout(replay);
  const { target, type } = event;
  if (target instanceof Element && !target.isConnected) return;
  target.closest?.("button")?.removeAttribute("aria-busy");
  const done = target.closest?.("a, label, summary, [type=checkbox], [type=radio]");
  if (type !== "click" || !done) target.dispatchEvent(new event.constructor(type, event));
}

/** Says that a part does not come; `again` is for who does not want to wait. */
function miss(again) {
  notice?.remove();
  const [sentence, name] = inTheReaders(document.getElementById("skeleton") ? NOTHING : MISSING);
  const button = document.createElement("button");
  button.textContent = name;
  button.addEventListener("click", again);
  notice = tell(sentence, button);
  notice.classList.add("missing");
}

/** The page anew, which has its configuration in its address, if there is a server to give it. */
async function anew() {
  const found = await fetch(location, { cache: "reload" }).catch(() => undefined);
  if (found) location.reload();
}

/** Bytes of the parts that came, of those that a first estimate waits for. */
let came = 0;
async function counted(response) {
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true }));
    if (done) return;
    came += value.length;
    progress?.();
  }
}
let progress;
setTimeout(() => {
  const skeleton = document.querySelector("#skeleton .verdict");
  if (!skeleton || !named) return;
  const line = document.createElement("p");
  line.className = "coming";
  skeleton.append(line);
  const all = wanted.reduce((sum, part) => sum + files[part][1], 0);
  const [coming, of] = inTheReaders(COMING);
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  progress = () => (line.textContent = `${coming}${megabytes(Math.min(came, all))}${of}${megabytes(all)} MB`);
  progress();
}, SOON);

/** Fetches a part, however long it takes. */
async function come(part) {
  const [address] = files[part];
  for (let tries = 1; ; tries++) {
    let gone = false;
    try {
      const response = await fetch(address);
      gone = !response.ok;
      counted(response.clone());
      return await WebAssembly.compileStreaming(response);
    } catch (error) {
      if (part === "start" && error instanceof WebAssembly.CompileError) throw error;
      // A server that has it no more has another version of the page.
      if (gone || tries >= PATIENCE || !navigator.onLine) miss(gone ? anew : wake);
      await new Promise((done) => {
        const again = () => {
          waiting.delete(again);
          done();
        };
        waiting.add(again);
        setTimeout(again, AGAIN[Math.min(tries, AGAIN.length) - 1]);
      });
    }
  }
}
const modules = {};
const module = (part) => (modules[part] ??= come(part));
if (named) wanted.forEach(module);
self.highwaterStart = named && modules.start;

/** Puts a part beside the first one: from here on its functions are called. What it calls of the first part is
 * exported, or is in its table, by numbers from the end. */
const joined = { start: true };
async function join(part, first) {
  const found = await module(part);
  if (joined[part]) return;
  const numbered = (_, name) => first[name] ?? first.t0.get(first.t0.length - 1 - name);
  new WebAssembly.Instance(found, { first: new Proxy({}, { get: numbered }) });
  joined[part] = true;
  // For other threads (src/page/browser/workers.rs).
  (self.highwaterJoined ??= []).push(found);
}

/** The looks of what is below; where they do not come it works all the same. */
const worn = (href) =>
  new Promise((done) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href, onload: done, onerror: done });
    document.head.append(link);
  });

/** Joins the parts that the link needs, or all of them. */
self.highwaterParts = async (first, all) => {
  if (whole) return;
  const parts = all ? Object.keys(files) : wanted;
  const busy = all ? document.querySelectorAll(".controls, .masthead") : [];
  for (const element of busy) element.setAttribute("aria-busy", true);
  const looks = all ? named.dataset.styles.split(" ").map(worn) : [];
  await Promise.all([...parts.map((part) => join(part, first)), ...looks]);
  notice?.remove();
  if (!all) return;
  whole = true;
  for (const element of busy) element.removeAttribute("aria-busy");
  // From the page on: a sandboxed frame's scripts have no address to start from, and it does without.
  import(new URL(named.dataset.offline, document.baseURI)).catch(() => {});
  setTimeout(replay);
};

/** Whether the program stopped since it lacks a part: then the page opens anew and has all of them from the start. */
self.highwaterLacks = (error) => {
  if (whole || wantsAll || !(error instanceof WebAssembly.RuntimeError)) return false;
  whole = true;
  history.replaceState({ ...history.state, highwater: "whole" }, "");
  location.reload();
  return true;
};

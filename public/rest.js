// The rest of the program: functions that the first estimate does not need, in a file of their own.
// It comes when that estimate is on screen. What the reader does before is kept until it is there; where
// it does not come, the page says so, and the last answer stands. A function of it that the program
// calls by itself before, for a link to another family for example, waits for it.

/** How long to wait for a network that failed, in milliseconds; the last one is for every time after. */
const AGAIN = [400, 1000, 3000];

/** How often the file may fail to come before the reader is told. */
const PATIENCE = 3;

const MISSING = {
  en: ["A part of Highwater has not come yet. The last answer stands, and changes wait. ", "Try again"],
  zh: ["Highwater 的一部分尚未取得。上一次的结果保持不变，更改将稍后生效。", "重试"],
};

const named = document.getElementById("rest");
const address = named?.content;
// A page that was not cut has everything in one file.
let there = !address;
/** A call of the program was broken off: nothing may call it any more. */
let broken = false;
let coming;
let notice;
let wake = () => {};

/** What the reader does with controls, in order, until there is somebody to hear of it. */
const kept = [];
const KEPT = "click input change keydown focus blur focusin focusout toggle close popstate".split(" ");
const PASSING = "pointerdown pointermove pointerup pointercancel pointerenter pointerleave".split(" ");

function keep(event) {
  if (there || (event.target instanceof Node && notice?.contains(event.target))) return;
  event.stopImmediatePropagation();
  if (KEPT.includes(event.type)) kept.push(event);
}
for (const type of [...KEPT, ...PASSING]) addEventListener(type, keep, true);

/** Tells the program what was kept. What the browser does with a click by itself it has done. */
function replay() {
  for (const event of kept.splice(0)) {
    const done = event.target.closest?.("a, label, summary, [type=checkbox], [type=radio]");
    if (event.type === "click" && done) continue;
    event.target.dispatchEvent(new event.constructor(event.type, event));
  }
}

/** Puts the rest beside the first part: from here on its functions are called directly. What it calls of the first
 * part is exported, or stands in its table, by numbers from the end. */
function join(module, first) {
  if (there || broken) return;
  const numbered = (_, name) => first[name] ?? first.t0.get(first.t0.length - 1 - name);
  new WebAssembly.Instance(module, { first: new Proxy({}, { get: numbered }) });
  // For other threads (src/browser/workers.rs).
  self.highwaterJoined = module;
  there = true;
  notice?.remove();
  // From the page on: a sandboxed frame's scripts have no address to start from, and it does without.
  import(new URL(named.dataset.offline, document.baseURI)).catch(() => {});
  setTimeout(replay);
}

/** The looks of what stands below, once; where they do not come it works all the same. */
let looks;
const worn = (href) =>
  new Promise((done) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href, onload: done, onerror: done });
    document.head.append(link);
  });
const dress = () => (looks ??= Promise.all(named.dataset.styles.split(" ").map(worn)));

/** Says that the rest does not come; `again` is for who does not want to wait. */
function miss(again) {
  notice?.remove();
  const [sentence, name] = inTheReaders(MISSING);
  const button = document.createElement("button");
  button.textContent = name;
  button.addEventListener("click", again);
  notice = tell(sentence, button);
  notice.classList.add("missing");
}

/** The page anew, which has its configuration in its address, if there is a server to give it. */
async function anew() {
  const found = await fetch(address, { cache: "reload" }).catch(() => undefined);
  if (found) location.reload();
}

/** The file's content at once, though everything else stands still meanwhile. */
function read() {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${address}: ${request.status}`);
  return Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0) & 255);
}

/** Brings the rest in its own time. A program that was broken off waits for ever. */
async function bring(first) {
  for (let tries = 1; !there; tries++) {
    coming = new AbortController();
    let gone = false;
    try {
      const response = await fetch(address, { signal: coming.signal });
      gone = !response.ok;
      const [module] = await Promise.all([WebAssembly.compileStreaming(response), dress()]);
      join(module, first);
    } catch {
      if (there) return;
      if (broken) await new Promise(() => {});
      // A server that has it no more has another version of the page.
      if (gone || tries >= PATIENCE || !navigator.onLine) miss(gone ? anew : () => wake());
      await new Promise((again) => {
        wake = again;
        setTimeout(again, AGAIN[Math.min(tries, AGAIN.length) - 1]);
      });
    }
  }
}
addEventListener("online", () => wake());

/** Brings the rest while the program waits. Where it does not come the call is broken off. */
function bringAtOnce(first) {
  coming?.abort();
  dress();
  for (let tries = 1; !there; tries++) {
    try {
      join(new WebAssembly.Module(read()), first);
    } catch (error) {
      if (tries < PATIENCE) continue;
      broken = true;
      miss(anew);
      throw error;
    }
  }
}

self.highwaterRest = (first, atOnce) => {
  if (!atOnce) return bring(first);
  bringAtOnce(first);
  return Promise.resolve();
};

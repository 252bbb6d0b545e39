// What becomes of the page when the program cannot start or breaks off.

/** Of words in both languages those that the reader has. */
function inTheReaders(words) {
  const asked = new URLSearchParams(location.search).get("lang") ?? navigator.language;
  return words[asked.slice(0, 2)] ?? words.en;
}

/** Tells the reader what broke and offers what to do: never a page that seems to load for ever. */
function tell(sentence, remedy) {
  const panel = document.createElement("p");
  panel.className = "failure";
  panel.setAttribute("role", "alert");
  panel.append(sentence, remedy);
  document.body.prepend(panel);
  const skeleton = document.getElementById("skeleton");
  if (skeleton) skeleton.hidden = true;
  return panel;
}

// While only the skeleton stands, whatever breaks kept WebAssembly from starting.
const SAID = {
  en: ["Highwater could not start: this browser lacks WebAssembly, or something stopped it. ", "Which browsers have it"],
  zh: ["Highwater 无法启动：此浏览器不支持 WebAssembly，或其被阻止。", "哪些浏览器支持"],
};
function cannotStart() {
  if (!document.getElementById("skeleton") || document.querySelector(".failure")) return;
  const [sentence, name] = inTheReaders(SAID);
  const link = document.createElement("a");
  link.href = "https://webassembly.org/features/";
  link.textContent = name;
  tell(sentence, link);
}
if (typeof WebAssembly !== "object") cannotStart();

/** What is said when the program has stopped, and what it has given away; nothing before it has started. */
let stopped;
let given;
self.highwaterStarts = (...known) => ([stopped, given] = known);

/** A page that has lived for so long, in milliseconds, begins to count anew. */
const LIVED = 60_000;

// How often the page was just loaded again because the program broke off. A window keeps its name, without storage, too.
const [, count = "", own] = /^highwater(\d) (.*)/s.exec(self.name) ?? [];
if (count) self.name = own;
self.highwaterFailures = count;

/**
 * The program broke off in the midst of a call, and what it held is as it was then: nothing of it is called any more. The page
 * is loaded again with what its address says, twice at most: the second time without what is below (src/page/app/engine.rs).
 */
self.highwaterBroken = () => {
  if (!given) return;
  // Events, timers, observers and threads find no function to call.
  for (const table of Object.values(given).filter((one) => one instanceof WebAssembly.Table)) {
    for (let at = table.length; at--; ) table.set(at, null);
  }
  given = undefined;
  const stop = () => document.querySelector(".failure") ?? tell(stopped, "");
  const isYoung = performance.now() < LIVED;
  const before = isYoung ? Number(count) : 0;
  // Where no name is kept the browser knows that it was loaded again.
  const isLoadedAgain = performance.getEntriesByType("navigation")[0]?.type === "reload";
  if (before > 1 || (isYoung && !before && isLoadedAgain)) return stop();
  // Without a network the last answer stays.
  fetch(location.href, { mode: "no-cors" }).then(() => {
    self.name = `highwater${before + 1} ${self.name}`;
    location.reload();
  }, stop);
};

function failed(event) {
  const cause = event.error ?? event.reason;
  // That there was nothing to call is nobody's business.
  if (stopped && !given) event.preventDefault();
  // Where it lacks a part the page is opened anew with all of them.
  else if (self.highwaterLacks?.(cause)) {
    given = undefined;
    event.preventDefault();
  }
  else if (given && cause instanceof WebAssembly.RuntimeError) highwaterBroken();
  else cannotStart();
}
addEventListener("error", failed, true);
addEventListener("unhandledrejection", failed);

// What stands beside the page's own program: offline use, newer versions, and a word when the
// program cannot start.

// Asks for the service worker once the page has settled, and tells the page of newer versions.
// A sandboxed frame has no storage of its own and does without.
const worker = self.origin !== "null" && isSecureContext ? navigator.serviceWorker : undefined;
worker?.addEventListener("message", (event) => {
  if (event.data?.highwater === "update") dispatchEvent(new Event("highwater-update"));
});
addEventListener("load", () => setTimeout(() => worker?.register("sw.js").catch(() => {}), 1500));
addEventListener("visibilitychange", () => {
  if (!document.hidden) worker?.controller?.postMessage({ highwater: "check" });
});

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
addEventListener("error", cannotStart, true);
addEventListener("unhandledrejection", cannotStart);
if (typeof WebAssembly !== "object") cannotStart();

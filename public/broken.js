// A word when the program cannot start or goes on no more.

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
function cannotStart(event) {
  // For which parts.js has a remedy.
  if (self.highwaterLacks?.(event?.error ?? event?.reason)) return;
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

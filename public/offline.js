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

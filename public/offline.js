// Offline use and newer versions: it comes with the rest of the program.

// A sandboxed frame has no storage of its own and does without a service worker.
const worker = self.origin !== "null" && isSecureContext ? navigator.serviceWorker : undefined;
worker?.addEventListener("message", (event) => {
  if (event.data?.highwater === "update") dispatchEvent(new Event("highwater-update"));
});
// Once the page has settled.
setTimeout(() => worker?.register("sw.js").catch(() => {}), 1500);
addEventListener("visibilitychange", () => {
  if (!document.hidden) worker?.controller?.postMessage({ highwater: "check" });
});

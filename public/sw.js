// Keeps the page for use without a network. Pages come from the network where there is one, so a
// reload always shows the newest version; files with a hash in their name never change.
const CACHE = "highwater";
const HASHED = /["'](?:\.\/)?([\w-]+-[0-9a-f]{8,}(?:_\w+)?\.(?:js|css|wasm|svg))["']/g;

const at = (name) => new URL(name, registration.scope).href;

/** Whether the cache holds another page than this; then it is filled with this one's files. */
async function keep(response) {
  const text = await response.text();
  const cache = await caches.open(CACHE);
  const before = await (await cache.match(at("./")))?.text();
  if (before === text) return false;
  const files = new Set([...text.matchAll(HASHED)].map(([, name]) => at(name)));
  const held = new Set((await cache.keys()).map((request) => request.url));
  await cache.addAll([...files].filter((file) => !held.has(file)));
  await cache.put(at("./"), new Response(text, { headers: { "Content-Type": "text/html; charset=utf-8" } }));
  // Pages that are still open may yet ask for the files of the version before.
  const old = [...held].filter((file) => !files.has(file) && file !== at("./"));
  if (before === undefined) await Promise.all(old.map((file) => cache.delete(file)));
  return before !== undefined;
}

async function check() {
  const response = await fetch(at("./"), { cache: "no-cache" });
  if (!response.ok || !(await keep(response))) return;
  for (const client of await clients.matchAll()) client.postMessage({ highwater: "update" });
}

async function page(request) {
  const isThis = [at("./"), at("index.html")].includes(request.url.replace(/[?#].*$/, ""));
  try {
    const response = await fetch(request);
    if (isThis && response.ok) await keep(response.clone());
    return response;
  } catch (error) {
    const kept = isThis && (await (await caches.open(CACHE)).match(at("./")));
    if (kept) return kept;
    throw error;
  }
}

/** A graph keeps its name when it is exported anew: it comes from the network where there is one. */
async function graph(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}

async function file(request) {
  return (await (await caches.open(CACHE)).match(request)) ?? fetch(request);
}

addEventListener("install", (event) => event.waitUntil(check().then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("message", (event) => {
  if (event.data?.highwater === "check") event.waitUntil(check().catch(() => {}));
});
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  if (request.url.startsWith(at("graphs/"))) return event.respondWith(graph(request));
  event.respondWith(request.mode === "navigate" ? page(request) : file(request));
});

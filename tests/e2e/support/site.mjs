// The built page, served on loopback under a sub-path, as static hosting would.
import { createServer } from "node:http";
import { brotliCompressSync, constants } from "node:zlib";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** What `cargo xtask build` made. */
export const DIST = join(ROOT, "target/dist");

/** The page works under any path; the tests use one that is not the root. */
const BASE = "/docs/highwater/";

/** The policy of public/docs/hosting.md. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "img-src 'self' data:",
  "connect-src 'self' https://huggingface.co",
  "object-src 'none'",
  "base-uri 'none'",
].join("; ");

const TYPES = {
  ".pt2": "application/octet-stream",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Names with a hash change with their content; the others are asked for anew, as public/docs/hosting.md says. */
const caching = (name) =>
  /-[0-9a-f]{8,16}/.test(name) ? "public, max-age=31536000, immutable" : "no-store";

/** Files as a server sends them that compresses, each once. */
const compressed = new Map();
function brotli(file, body) {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  if (!compressed.has(file)) compressed.set(file, brotliCompressSync(body, options));
  return compressed.get(file);
}

async function answer(request, response, compress) {
  const { pathname } = new URL(request.url, "http://localhost");
  const name = pathname === BASE ? "index.html" : pathname.slice(BASE.length);
  const file = normalize(join(DIST, decodeURIComponent(name)));
  const type = TYPES[extname(file)];
  try {
    if (!pathname.startsWith(BASE) || !file.startsWith(DIST + sep) || !type) throw new Error("no");
    const body = await readFile(file);
    const headers = {
      "Content-Type": type,
      "Cache-Control": caching(name),
      "Content-Security-Policy": POLICY,
      // A frame with `sandbox="allow-scripts"` has an origin of its own.
      "Access-Control-Allow-Origin": "*",
    };
    if (compress) headers["Content-Encoding"] = "br";
    response.writeHead(200, headers).end(compress ? brotli(file, body) : body);
  } catch {
    response.writeHead(404, { "Content-Type": "text/plain" }).end("not found");
  }
}

/**
 * Serves the page on a free port; `url` is its address, `asked` the paths that were asked for,
 * `close` ends it.
 */
export async function serve({ compress = false } = {}) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    return answer(request, response, compress);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${server.address().port}${BASE}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { url, asked, close };
}

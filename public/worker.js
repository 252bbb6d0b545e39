// A thread beside the page's: the same program, whose parts the page hands over, so that they are neither fetched nor
// compiled again. It says when it is ready (src/page/browser/workers.rs).
// What fails while a file is read is the thread's failure, as all else.
addEventListener("unhandledrejection", ({ reason }) => reportError(reason));
addEventListener(
  "message",
  async ({ data: { glue, first, parts } }) => {
    self.highwaterParts = async (exports) => {
      // As in parts.js.
      const numbered = (_, name) => exports[name] ?? exports.t0.get(exports.t0.length - 1 - name);
      for (const part of parts ?? []) new WebAssembly.Instance(part, { first: new Proxy({}, { get: numbered }) });
    };
    const { default: start } = await import(glue);
    await start({ module_or_path: first });
  },
  { once: true },
);

// A thread beside the page's: the same program, whose parts the page hands over, so that they are neither fetched nor
// compiled again. It says when it is ready (src/browser/workers.rs).
// What fails while a file is read is the thread's failure, as all else.
addEventListener("unhandledrejection", ({ reason }) => reportError(reason));
addEventListener(
  "message",
  async ({ data: { glue, first, rest } }) => {
    self.highwaterRest = async (exports) => {
      // As in rest.js.
      const numbered = (_, name) => exports[name] ?? exports.t0.get(exports.t0.length - 1 - name);
      if (rest) new WebAssembly.Instance(rest, { first: new Proxy({}, { get: numbered }) });
      rest = undefined;
    };
    const { default: start } = await import(glue);
    await start({ module_or_path: first });
  },
  { once: true },
);

// The rest of the program: functions that the first estimate does not need, in a file of their own.
// It comes when that estimate is on screen. A function of it that is called before waits for it.

/** How long to wait for a network that failed, in milliseconds. */
const AGAIN = 3000;

let coming;
let there = false;

/** Puts the rest beside the first part: from here on its functions are called directly. */
function join(module, first) {
  if (!there) new WebAssembly.Instance(module, { first });
  there = true;
}

/** The file's content at once, though everything else stands still meanwhile. */
function read(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${address}: ${request.status}`);
  return Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0) & 255);
}

async function bring(address, first) {
  while (!there) {
    coming = new AbortController();
    try {
      join(await WebAssembly.compileStreaming(fetch(address, { signal: coming.signal })), first);
    } catch {
      if (!there) await new Promise((again) => setTimeout(again, AGAIN));
    }
  }
}

// A page that was not cut has everything in one file.
self.highwaterRest = (first, atOnce) => {
  const address = document.getElementById("rest")?.content;
  if (!address || there) return Promise.resolve();
  if (!atOnce) return bring(address, first);
  coming?.abort();
  join(new WebAssembly.Module(read(address)), first);
  return Promise.resolve();
};

// Heights of embedded Highwater widgets follow their content. Any host page can use these lines.
addEventListener("message", (event) => {
  const height = event.data?.highwater?.height;
  if (!Number.isFinite(height)) return;
  for (const frame of document.querySelectorAll("iframe")) {
    if (frame.contentWindow === event.source) frame.style.height = `${Math.ceil(height)}px`;
  }
});

// Functions that run in a page: each is sent there as its own text.

/** Sends a form as pages could before there were scripts. */
export async function submitForm({ action }) {
  const form = Object.assign(document.createElement("form"), {
    action,
    method: "POST",
    enctype: "text/plain",
    target: "frame",
  });
  const field = Object.assign(document.createElement("input"), { name: '{"x":"', value: '"}' });
  const frame = Object.assign(document.createElement("iframe"), { name: "frame" });
  document.body.append(frame, form);
  form.append(field);
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  form.submit();
  await loaded;
}

/** Reports a record as the SDK does, without and with credentials, and as a page that adds headers. */
export async function report({ target, record }) {
  const send = (withCredentials) =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open("POST", `${target}/sync_js`);
      request.withCredentials = withCredentials;
      request.setRequestHeader("content-type", "application/x-www-form-urlencoded");
      request.onload = () => resolve(`${request.status} ${request.responseText}`);
      request.onerror = () => resolve("nothing");
      request.send(`data=${encodeURIComponent(btoa(record))}`);
    });
  const config = await fetch(`${target}/config?appid=demo-app`);
  const asked = await fetch(`${target}/sync_json`, {
    method: "POST",
    headers: { "content-type": "application/json", appid: "demo-app", "x-sdk": "1" },
    body: record,
  });
  return [await send(false), await send(true), config.status, asked.status];
}

/** Types a text into the search of the documentation, and returns what it finds. */
export async function searchDocs(text) {
  const field = document.getElementById("search");
  const state = document.getElementById("state");
  state.textContent = "";
  field.value = text;
  field.dispatchEvent(new Event("input"));
  while (state.textContent === "") await new Promise((resolve) => setTimeout(resolve, 10));
  const links = Array.from(document.querySelectorAll("#found a"), ({ href }) => href);
  return { state: state.textContent, links };
}

/** Loads a script again, and returns the violations of the page's policy until it has run. */
export async function violationsOf(url) {
  const found = [];
  const observer = new ReportingObserver((reports) => found.push(...reports.map(({ type }) => type)), {
    buffered: true,
  });
  observer.observe();
  await fetch(url);
  found.push(...observer.takeRecords().map(({ type }) => type));
  return found;
}

/** Returns the pictures of a page and their widths, which are 0 for those that could not be drawn. */
export async function chartsOf() {
  const images = Array.from(document.images);
  await Promise.allSettled(images.map((image) => image.decode()));
  return images.map(({ src, naturalWidth }) => ({ url: src, width: naturalWidth }));
}

/** Returns the colour of a line, which comes from the style of its picture. */
export function strokeOf(selector) {
  return getComputedStyle(document.querySelector(selector)).stroke;
}

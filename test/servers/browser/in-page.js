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

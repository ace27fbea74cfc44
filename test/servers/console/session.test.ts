import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessibilityFaults, type Browser, openBrowser, type Page } from "./browser.ts";
import { keys, signIn, withKeys } from "./keys.ts";
import { openServed, type Served } from "./served.ts";

let served: Served;
let browser: Browser;
let evilPort = 0;
/** Serves an empty page under every name and port that is not the server's. */
const evil = createServer((_request, response) => {
  response
    .writeHead(200, { "content-type": "text/html" })
    .end("<!doctype html><title>page</title><body></body>");
});

beforeAll(async () => {
  evil.listen(0, "127.0.0.1");
  await once(evil, "listening");
  evilPort = (evil.address() as AddressInfo).port;
  [served, browser] = await Promise.all([openServed(withKeys), openBrowser()]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  evil.close();
});

const signInAt = (page: Page, key: string): Promise<void> => signIn(page, `${served.url}/console/`, key);

const channel = {
  name: "made-by-a-page",
  projectId: 1,
  pushIdProperty: "mail",
  url: "https://receiver.example/push",
  delivery: { batchSize: 1 },
  contentTemplate: [],
};
const body = JSON.stringify(channel);

async function channelsSoFar(): Promise<number> {
  const response = await fetch(`${served.url}/v1/channels`, { headers: { "x-api-key": keys.ops } });
  return ((await response.json()) as { channels?: unknown[] }).channels?.length ?? 0;
}

/** Calls from a page: the status that it can read, or nothing. */
function call(page: Page, path: string, init: object): Promise<string> {
  const [url, options] = [served.url + path, { credentials: "include", ...init }].map((one) =>
    JSON.stringify(one),
  );
  return page.evaluate(`fetch(${url}, ${options}).then((r) => r.type + " " + r.status, () => "nothing")`);
}

const json = { "content-type": "application/json" };
const script = { ...json, "connect-protocol-version": "1" };

describe("signing in", () => {
  test("asks for a key, says what is wrong with it, and ends by signing out", async () => {
    const { page, faults, close } = await browser.open();
    await signInAt(page, "nope");
    await page.getByText("the key is not known to this server").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults.filter((fault) => !fault.includes("401"))).toEqual([]);
    await signInAt(page, keys.ops);
    await page.getByText("Signed in as ops").waitFor();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(await page.evaluate("JSON.stringify({ ...localStorage })")).not.toContain(keys.ops);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).first().waitFor();
    await close();
  });

  test("with a key that may only read says so", async () => {
    const { page, close } = await browser.open();
    await signInAt(page, keys.viewer);
    await page.getByText("Read only").waitFor();
    expect(await call(page, "/v1/webhook/stats", {})).toBe("basic 200");
    expect(await call(page, "/v1/channels", { method: "POST", headers: script, body })).toBe("basic 403");
    expect(await channelsSoFar()).toBe(0);
    await close();
  });
});

describe("a page of somebody else, in the browser of who is signed in", () => {
  test.each([
    ["another site", () => `http://evil.example:${evilPort}/`],
    ["another port of the same host, which gets the cookie", () => `http://127.0.0.1:${evilPort}/`],
  ])("at %s reads nothing and changes nothing", async (_name, address) => {
    const { page, open, close } = await browser.open();
    await signInAt(page, keys.ops);
    await page.getByText("Signed in as ops").waitFor();
    const hostile = await open();
    await hostile.goto(address());
    for (const mode of ["cors", "no-cors"]) {
      const readable = /^(?:nothing|opaque 0)$/;
      expect(await call(hostile, "/v1/webhook/stats", { mode })).toMatch(readable);
      expect(await call(hostile, "/console/session", { mode })).toMatch(readable);
      for (const headers of [json, script, { "content-type": "text/plain" }]) {
        expect(await call(hostile, "/v1/channels", { mode, method: "POST", headers, body })).toMatch(
          readable,
        );
      }
    }
    await hostile.evaluate(formTo(`${served.url}/v1/channels`));
    expect(await channelsSoFar()).toBe(0);
    expect(await hostile.evaluate(frameOf(`${served.url}/console/`))).toBe("blocked");
    await close();
  });
});

test("a form of the console's own origin changes nothing either, and a script of it does", async () => {
  const { page, close } = await browser.open();
  await signInAt(page, keys.ops);
  await page.getByText("Signed in as ops").waitFor();
  expect(await call(page, "/v1/channels", { method: "POST", headers: json, body })).toBe("basic 403");
  expect(await channelsSoFar()).toBe(0);
  expect(await call(page, "/v1/channels", { method: "POST", headers: script, body })).toBe("basic 200");
  expect(await channelsSoFar()).toBe(1);
  await close();
});

/** Sends JSON by a form, as pages could before there were scripts. */
const formTo = (action: string): string => `new Promise((resolve) => {
  const form = Object.assign(document.createElement("form"), { action: ${JSON.stringify(action)}, method: "POST", enctype: "text/plain", target: "frame" });
  const text = ${JSON.stringify(body)};
  const field = Object.assign(document.createElement("input"), { name: text.slice(0, -1) + ',"x":"', value: '"}' });
  const frame = Object.assign(document.createElement("iframe"), { name: "frame" });
  document.body.append(frame, form);
  form.append(field);
  frame.addEventListener("load", () => resolve(), { once: true });
  form.submit();
})`;

/** Loads a page in a frame; one that refuses to be framed leaves a document that cannot be read. */
const frameOf = (url: string): string => `new Promise((resolve) => {
  const frame = Object.assign(document.createElement("iframe"), { src: ${JSON.stringify(url)} });
  frame.addEventListener("load", () => {
    const isShown = frame.contentWindow.length > 0 || frame.contentDocument?.querySelector("#app") != null;
    resolve(isShown ? "shown" : "blocked");
  });
  document.body.append(frame);
})`;

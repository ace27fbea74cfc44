import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { compressOnce } from "../../../gateway/http/compress.ts";
import { createApiPages } from "../../../gateway/openapi/pages.ts";
import { createPages } from "../../../gateway/pages/pages.ts";

let described = 0;
const document = { openapi: "3.1.0", info: { title: "x".repeat(5_000) } };
const pages = createPages({
  isDraining: () => false,
  checks: () => ({}),
  metrics: { contentType: "text/plain", text: async () => "" },
  pages: createApiPages(async () => {
    described++;
    return document;
  }),
  reportFault: () => {},
});
const server = createServer((request, response) => {
  const isServed = pages.serve(request.url ?? "", request, response);
  for (const _ of isServed ? [] : [0]) response.writeHead(404).end();
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("the document is made once", async () => {
  for (const encoding of ["identity", "gzip", "br"]) {
    const response = await fetch(`${url}/openapi.json`, { headers: { "accept-encoding": encoding } });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("vary")).toBe("accept-encoding");
    expect(await response.json()).toEqual(document);
  }
  expect(described).toBe(1);
});

test("a fixed body is compressed once for each encoding", async () => {
  const compress = compressOnce();
  const text = Buffer.from("x".repeat(5_000));
  const encodings = ["gzip", "br", "gzip", "br"] as const;
  const bodies = await Promise.all(encodings.map((encoding) => compress(text, encoding)));
  expect(bodies[2]).toBe(bodies[0]);
  expect(bodies[3]).toBe(bodies[1]);
  expect(gunzipSync(bodies[0]!)).toEqual(text);
  expect(brotliDecompressSync(bodies[1]!)).toEqual(text);
});

test("the page allows nothing from elsewhere and nothing inline", async () => {
  const response = await fetch(`${url}/docs`);
  const policy = response.headers.get("content-security-policy");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain("unsafe");
  const html = await response.text();
  expect(html).not.toMatch(/<script(?! src="docs\/)|<style|\son\w+=|https?:/);
});

test("what the page links to is there", async () => {
  const html = await (await fetch(`${url}/docs`)).text();
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link as string);
  const answers = await Promise.all(links.map((link) => fetch(new URL(link, `${url}/docs`))));
  expect(answers.map((answer) => [answer.status, answer.headers.get("content-type")])).toEqual([
    [200, "text/css; charset=utf-8"],
    [200, "image/png"],
    [200, "text/javascript; charset=utf-8"],
    [200, "text/javascript; charset=utf-8"],
  ]);
  const script = await answers.at(-1)?.text();
  expect(script).toContain('url: "openapi.json"');
});

test("files of the package change rarely, and are kept", async () => {
  const response = await fetch(`${url}/docs/swagger-ui.css`);
  expect(response.headers.get("cache-control")).toBe("public, max-age=86400");
  await response.arrayBuffer();
});

test.each([
  "/docs/",
  "/docs/package.json",
  "/docs/index.html",
  "/docs/..%2fpackage.json",
  "/docs/swagger-initializer.js",
])("%s is not served", async (path) => {
  expect((await fetch(url + path)).status).toBe(404);
});

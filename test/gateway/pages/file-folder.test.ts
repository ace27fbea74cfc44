import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFileFolder } from "../../../gateway/pages/file-folder.ts";
import { createPages } from "../../../gateway/pages/pages.ts";

const folder = mkdtempSync(join(tmpdir(), "engage-folder-"));
const script = "export const x = 1;\n".repeat(200);
const page = "<!doctype html><title>page</title>";
mkdirSync(join(folder, "assets"));
writeFileSync(join(folder, "index.html"), page);
writeFileSync(join(folder, "assets/a-1.js"), script);
writeFileSync(join(folder, "assets/a-1.js.br"), brotliCompressSync(script));
writeFileSync(join(folder, "assets/b-2.css"), "a{}");
writeFileSync(join(folder, "notes.xyz"), "?");

const pages = createPages({
  isDraining: () => false,
  checks: () => ({}),
  metrics: { contentType: "text/plain", text: async () => "" },
  folders: [
    createFileFolder({
      path: "/app/",
      folder,
      hashedFolder: "assets",
      pageHeaders: { "content-security-policy": "default-src 'none'" },
    }),
    createFileFolder({
      path: "/missing/",
      folder: join(folder, "none"),
      hashedFolder: "assets",
      pageHeaders: {},
    }),
  ],
  reportFault: () => {},
});
const server = createServer((incoming, response) => {
  if (!pages.serve(incoming.url!, incoming, response)) response.writeHead(404).end("other");
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends the path as it is, which `fetch` would shorten. */
function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path, method, headers, agent: false },
      async (response) => {
        const body = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode!, headers: response.headers, body });
      },
    );
    sent.on("error", reject).end();
  });
}

describe("a folder of built files", () => {
  test.each([
    ["/app/", page, "text/html; charset=utf-8", "no-cache", "default-src 'none'"],
    ["/app/index.html", page, "text/html; charset=utf-8", "no-cache", "default-src 'none'"],
    [
      "/app/assets/a-1.js",
      script,
      "text/javascript; charset=utf-8",
      "public, max-age=31536000, immutable",
      undefined,
    ],
    [
      "/app/assets/b-2.css",
      "a{}",
      "text/css; charset=utf-8",
      "public, max-age=31536000, immutable",
      undefined,
    ],
    ["/app/notes.xyz", "?", "application/octet-stream", "no-cache", undefined],
  ])("serves %s, and its head alone", async (path, body, type, cache, policy) => {
    const answer = await get(path);
    expect([answer.status, answer.body.toString()]).toEqual([200, body]);
    expect(answer.headers).toMatchObject({
      "content-type": type,
      "content-length": String(body.length),
      "cache-control": cache,
      vary: "accept-encoding",
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
      "x-content-type-options": "nosniff",
    });
    expect(answer.headers["content-security-policy"]).toBe(policy);
    const head = await get(path, {}, "HEAD");
    expect([head.status, head.body.length, head.headers["content-length"]]).toEqual([
      200,
      0,
      String(body.length),
    ]);
  });

  test.each([
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, br;q=0", "gzip"],
    ["gzip", "gzip"],
    ["zstd", undefined],
  ])("to a caller that accepts %j it sends %s", async (accepted, encoding) => {
    const answer = await get("/app/assets/a-1.js", { "accept-encoding": accepted });
    expect([answer.headers["content-encoding"], answer.headers.vary]).toEqual([encoding, "accept-encoding"]);
    const plain: Record<string, () => string> = {
      br: () => (answer.body.equals(brotliCompressSync(script)) ? script : ""),
      gzip: () => gunzipSync(answer.body).toString(),
      none: () => answer.body.toString(),
    };
    expect(plain[encoding ?? "none"]!()).toBe(script);
  });

  test("has one tag for all encodings, with which nothing is sent again", async () => {
    const { etag } = (await get("/app/")).headers;
    for (const tags of [etag!, `"other", ${etag}`, etag!.slice(2), "*"]) {
      const again = await get("/app/", { "if-none-match": tags, "accept-encoding": "br" });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
      expect(again.headers).toMatchObject({ "cache-control": "no-cache", vary: "accept-encoding" });
      expect(again.headers["content-length"]).toBeUndefined();
    }
    expect((await get("/app/", { "if-none-match": 'W/"other"' })).status).toBe(200);
  });

  test.each([
    "/app/nothing.js",
    "/app/assets",
    "/app/assets/",
    "/app/../package.json",
    "/app/assets/../index.html",
    "/app/%69ndex.html",
    "/app/..%2findex.html",
    "/app//etc/passwd",
    "/app/__proto__",
  ])("has nothing at %s", async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers["content-type"]]).toEqual([404, "application/json"]);
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      code: 5,
      message: expect.stringContaining(path),
    });
  });

  test("is also found without its last slash", async () => {
    const answer = await get("/app");
    expect([answer.status, answer.headers.location]).toEqual([308, "app/"]);
  });

  test("leaves paths beside it to others", async () => {
    expect((await get("/application")).body.toString()).toBe("other");
  });

  test("refuses to be written to", async () => {
    const answer = await get("/app/", {}, "POST");
    expect([answer.status, answer.headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  test("that is not there is a fault of the server", async () => {
    expect((await get("/missing/")).status).toBe(500);
  });
});

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHttpClient, type ReceivedResponse } from "../../../base/net/http-client.ts";
import { createOutbound } from "../../../base/net/outbound.ts";
import { packageVersion } from "../../../base/package/root.ts";

const maxResponseBytes = 1_000;

/** Makes one call to a server that responds with these bytes; returns the outcome and the request headers. */
async function call(
  body: Buffer,
  encoding: string | undefined,
  { headers = {}, status = 200 }: { headers?: Record<string, string>; status?: number } = {},
): Promise<{ readonly response: ReceivedResponse; readonly seen: IncomingHttpHeaders }> {
  let seen: IncomingHttpHeaders = {};
  const server = createServer((request, response) => {
    seen = request.headers;
    response.writeHead(status, encoding === undefined ? {} : { "content-encoding": encoding }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = createHttpClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    method: "POST",
    maxConnections: 1,
    maxResponseBytes,
    tls: {},
    outbound: createOutbound({ allow: ["127.0.0.0/8"] }),
  });
  onTestFinished(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  const response = await client.exchange(headers, Buffer.from("[]"), new AbortController().signal);
  return { response, seen };
}

const text = '{"return_code":1}';
const plain = Buffer.from(text);
const bomb = Buffer.alloc(50_000_000);

describe("a body is read with its encoding undone", () => {
  test.each<[encoding: string | undefined, body: Buffer]>([
    [undefined, plain],
    ["identity", plain],
    ["gzip", gzipSync(plain)],
    ["x-gzip", gzipSync(plain)],
    ["GZIP", gzipSync(plain)],
    ["gzip", Buffer.concat([gzipSync(plain.subarray(0, 5)), gzipSync(plain.subarray(5))])],
    ["deflate", deflateSync(plain)],
    ["deflate", deflateRawSync(plain)],
    ["br", brotliCompressSync(plain)],
    ["br, gzip", gzipSync(brotliCompressSync(plain))],
    ["identity, gzip", gzipSync(plain)],
  ])("%s", async (encoding, body) => {
    const { response } = await call(body, encoding);
    expect(response).toMatchObject({ status: 200, text, isTruncated: false, bodyFault: undefined });
  });

  test.each(["gzip", "deflate", "br", "br, gzip"])("an empty one of %s", async (encoding) => {
    const { response } = await call(Buffer.alloc(0), encoding);
    expect(response).toMatchObject({ text: "", isTruncated: false, bodyFault: undefined });
  });
});

describe("a body that can't be read has a fault, and its status", () => {
  test.each<[encoding: string, body: Buffer, fault: RegExp]>([
    [
      "zstd",
      zstdCompressSync(plain),
      /^response has the content encoding "zstd", valid are gzip, deflate and br$/,
    ],
    ["constructor", plain, /content encoding "constructor"/],
    ["gzip, gzip, gzip", plain, /content encoding "gzip, gzip, gzip"/],
    ["x".repeat(500), plain, /^response has the content encoding "x{100}…" \(500 characters\)/],
    ["gzip", plain, /^response is not gzip: incorrect header check$/],
    ["gzip", gzipSync(plain).subarray(0, -6), /^response is not gzip: unexpected end of file$/],
    ["deflate", plain, /^response is not deflate: /],
    ["br", plain, /^response is not br: /],
    ["br, gzip", gzipSync(plain), /^response is not br: /],
  ])("%s %#", async (encoding, body, fault) => {
    const { response } = await call(body, encoding, { status: 503 });
    expect(response).toMatchObject({ status: 503, text: "", bodyFault: expect.stringMatching(fault) });
  });
});

describe("of a bomb no more than the limit is kept", () => {
  test.each<[encoding: string, body: Buffer]>([
    ["gzip", gzipSync(bomb)],
    ["deflate", deflateSync(bomb)],
    ["br", brotliCompressSync(bomb)],
    ["gzip, gzip", gzipSync(gzipSync(bomb))],
    // Nothing comes out of it.
    ["gzip", Buffer.concat(new Array<Buffer>(1_000).fill(gzipSync(Buffer.alloc(0))))],
  ])("%s %#", async (encoding, body) => {
    const { response } = await call(body, encoding);
    expect(response).toMatchObject({ isTruncated: true, bodyFault: undefined });
    expect(response.text.length).toBeLessThanOrEqual(maxResponseBytes);
  });
});

describe("a call names its sender and what it can read", () => {
  const own = { "user-agent": `engage/${packageVersion()}`, "accept-encoding": "gzip, deflate, br" };
  test.each<[string, Record<string, string>, object]>([
    ["by itself", {}, own],
    ["unless the caller does", { "User-Agent": "shop/1" }, { ...own, "user-agent": "shop/1" }],
    ["in any case of letters", { "ACCEPT-encoding": "br" }, { ...own, "accept-encoding": "br" }],
  ])("%s", async (_name, headers, expected) => {
    expect((await call(plain, undefined, { headers })).seen).toMatchObject(expected);
  });
});

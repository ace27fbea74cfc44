import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, describe, expect, test, vi } from "vitest";
import { serve } from "../../../gateway/methods.ts";
import { Library } from "../testproto/gen/engage/test/v1/library_pb.ts";
import { openRestServer } from "./rest-server.ts";

const server = await openRestServer({ limits: { maxMessageBytes: 100_000, compressMinBytes: 1_000 } });
afterAll(() => server[Symbol.asyncDispose]());

/** Sends these bytes, which need not be HTTP, and returns all that comes back. */
async function exchange(head: readonly string[], body: string | Buffer = ""): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  const answer = readText(socket);
  socket.write(`${head.join("\r\n")}\r\nhost: x\r\n\r\n`);
  socket.write(body);
  return answer;
}

describe("an error answer before the body was read", () => {
  test.each([
    [
      "to a body that is declared too large",
      ["POST /v1/echo HTTP/1.1", "content-type: application/json", "content-length: 3000000"],
      413,
    ],
    ["to the wrong method", ["PUT /v1/echo HTTP/1.1", "content-length: 3000000"], 405],
    [
      "to a stream with too large a body",
      ["POST /v1/books:watch HTTP/1.1", "content-type: application/json", "content-length: 3000000"],
      413,
    ],
  ])("%s reaches a caller that is still sending, and ends the connection", async (_name, head, status) => {
    const answer = await exchange(head, Buffer.alloc(3_000_000, " "));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toMatch(/\{"code":.*\}$/);
  });

  test("to a body that turns out too large reaches its caller", async () => {
    const chunk = `2710\r\n${" ".repeat(10_000)}\r\n`;
    const head = ["POST /v1/echo HTTP/1.1", "content-type: application/json", "transfer-encoding: chunked"];
    const answer = await exchange(head, `${chunk.repeat(30)}0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain("MESSAGE_TOO_LARGE");
  });

  test("to a body that turns out too large reaches a caller that reads once it has sent everything", async () => {
    const socket = connect(server.port, "127.0.0.1").pause();
    socket.on("error", () => {});
    const head = "POST /v1/echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json";
    socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n`);
    const chunk = `2710\r\n${" ".repeat(10_000)}\r\n`;
    await promisify<string, void>(socket.write.bind(socket))(`${chunk.repeat(2_000)}0\r\n\r\n`);
    expect(await readText(socket)).toMatch(/^HTTP\/1.1 413 /);
  });

  test("leaves the connection open when there was no body", async () => {
    const get = "DELETE /v1/echo HTTP/1.1\r\nhost: x\r\n\r\n";
    const answer = await exchange([`${get}GET /v1/books/5 HTTP/1.1`, "connection: close"]);
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 405", "HTTP/1.1 200"]);
  });
});

describe("compression", () => {
  const large = JSON.stringify({ text: "x".repeat(5_000) });
  const post = (body: NonNullable<RequestInit["body"]>, headers: Record<string, string>): Promise<Response> =>
    fetch(`${server.url}/v1/echo`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...headers },
    });

  test.each([
    ["gzip", "gzip, br", gunzipSync],
    ["br", "br;q=1, gzip;q=0", brotliDecompressSync],
  ])("an answer is sent in %s to a caller that asks for %s", async (encoding, accept, inflate) => {
    const raw = await exchange(
      [
        "POST /v1/echo HTTP/1.1",
        "content-type: application/json",
        `accept-encoding: ${accept}`,
        "connection: close",
        `content-length: ${large.length}`,
      ],
      large,
    );
    expect(raw).toMatch(new RegExp(`\r\ncontent-encoding: ${encoding}\r\n`));
    expect(raw).toMatch(/\r\nvary: accept-encoding\r\n/);
    const response = await post(large, { "accept-encoding": accept });
    expect(((await response.json()) as { text: string }).text).toHaveLength(5_000);
    expect(inflate).toBeTypeOf("function");
  });

  test.each([
    ["a small answer", "{}", "gzip", null],
    ["an answer that nobody wants compressed", large, "identity", "accept-encoding"],
  ])("%s is sent as it is", async (_name, body, accept, vary) => {
    const response = await post(body, { "accept-encoding": accept });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("vary")).toBe(vary);
  });

  test("a body may be compressed, up to the limit of what comes out", async () => {
    const fine = await post(new Uint8Array(gzipSync(large)), { "content-encoding": "gzip" });
    expect(((await fine.json()) as { text: string }).text).toHaveLength(5_000);
    const bomb = await post(new Uint8Array(gzipSync(Buffer.alloc(50_000_000, " "))), {
      "content-encoding": "gzip",
    });
    expect(bomb.status).toBe(413);
    const broken = await post("not gzip", { "content-encoding": "gzip" });
    expect(broken.status).toBe(400);
  });
});

describe("deadlines and callers that leave", () => {
  const deaf = serve(Library, { echo: () => new Promise<never>(() => {}) });

  test("the longest time ends a handler that ignores its signal", async () => {
    await using other = await openRestServer({ services: [deaf], limits: { maxDeadlineMs: 20 } });
    const response = await fetch(`${other.url}/v1/echo/any/x`);
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ code: Code.DeadlineExceeded });
    expect(other.finished[0]?.code).toBe(Code.DeadlineExceeded);
  });

  test("a caller that leaves ends the call", async () => {
    await using other = await openRestServer({ services: [deaf] });
    const finished = other.nextFinished();
    const socket = connect(other.port, "127.0.0.1");
    socket.write("GET /v1/echo/any/x HTTP/1.1\r\nhost: x\r\n\r\n");
    await vi.waitUntil(() => other.started.length === 1);
    socket.destroy();
    expect((await finished).code).toBe(Code.Canceled);
  });

  test("a caller that leaves within its body ends the call", async () => {
    const finished = server.nextFinished();
    const begun = server.started.length;
    const socket = connect(server.port, "127.0.0.1");
    socket.write("POST /v1/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{");
    await vi.waitUntil(() => server.started.length > begun);
    socket.destroy();
    expect((await finished).code).toBe(Code.Canceled);
  });
});

test("a call that is not let in reads no body", async () => {
  await using other = await openRestServer({
    core: {
      authorize: (record, served, header) => {
        expect([record.protocol, served.name, header.get("authorization")]).toEqual([
          "rest",
          "engage.test.v1.Library/Echo",
          "Bearer k",
        ]);
        throw new ConnectError("no such key", Code.Unauthenticated);
      },
    },
  });
  const response = await fetch(`${other.url}/v1/echo`, {
    method: "POST",
    body: "{",
    headers: { authorization: "Bearer k" },
  });
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  expect(other.finished[0]).toMatchObject({ code: Code.Unauthenticated, bytesIn: 0 });
});

describe("HTTP/2", async () => {
  const other = await openRestServer({ http2: true, limits: { maxMessageBytes: 100_000 } });
  const session = connectHttp2(other.url);
  afterAll(async () => {
    session.destroy();
    await other[Symbol.asyncDispose]();
  });

  test.each([
    ["GET", "/v1/books/5", undefined, 200, '"id":"5"'],
    ["HEAD", "/v1/books/5", undefined, 200, ""],
    ["POST", "/v1/echo", '{"text":"t"}', 200, '"text":"t"'],
    ["POST", "/v1/echo", "{", 400, "not JSON"],
    ["POST", "/v1/echo", " ".repeat(200_000), 413, "MESSAGE_TOO_LARGE"],
    ["DELETE", "/v1/echo", undefined, 405, "METHOD_NOT_ALLOWED"],
    ["PUT", "/v1/echo", " ".repeat(200_000), 405, "METHOD_NOT_ALLOWED"],
    ["OPTIONS", "/v1/echo", undefined, 204, ""],
    ["GET", "/v1/downloads/f?chunks=2&chunk_bytes=3", undefined, 200, "000111"],
    ["HEAD", "/v1/downloads/f?chunks=2&chunk_bytes=3", undefined, 200, ""],
  ])("%s %s", async (method, path, body, status, part) => {
    const stream = session.request(
      { ":method": method, ":path": path, "content-type": "application/json" },
      { endStream: body === undefined },
    );
    // The server may stop to read before all is sent.
    stream.on("error", () => {});
    const answer = readText(stream);
    for (const chunk of body === undefined ? [] : [body]) stream.end(chunk);
    const [headers] = await once(stream, "response");
    expect(headers[":status"]).toBe(status);
    expect(await answer).toContain(part);
  });
});

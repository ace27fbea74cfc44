import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { afterAll, describe, expect, test, vi } from "vitest";
import { recordOf } from "../../../gateway/call/record.ts";
import { serve } from "../../../gateway/methods.ts";
import { Library } from "../testproto/gen/engage/test/v1/library_pb.ts";
import { openRestServer } from "./rest-server.ts";

const server = await openRestServer();
afterAll(() => server[Symbol.asyncDispose]());

const watch = (body: object): Promise<Response> =>
  fetch(`${server.url}/v1/books:watch`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

describe("form", () => {
  test("messages are lines of JSON", async () => {
    const response = await watch({ count: 2 });
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = (await response.text()).split("\n");
    expect(lines.map((line) => line && JSON.parse(line))).toEqual([
      { number: 0, row: { cells: ["0", "a,b"] } },
      { number: 1, row: { cells: ["1", "a,b"] } },
      "",
    ]);
  });

  test("of messages with a response body only that field", async () => {
    const response = await fetch(`${server.url}/v1/books:rows?count=1`);
    expect(await response.text()).toBe('{"cells":["0","a,b"]}\n');
  });

  test("no message is an empty answer", async () => {
    const response = await watch({});
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      200,
      "application/x-ndjson",
      "",
    ]);
  });

  test("bodies are sent as they are, under the type of the first", async () => {
    const response = await fetch(`${server.url}/v1/downloads/f.csv?chunks=3&chunk_bytes=4`);
    expect(response.headers.get("content-type")).toBe("text/csv");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="f.csv"');
    expect(response.headers.get("x-request-id")).toBeTruthy();
    expect(await response.text()).toBe("000011112222");
  });

  test("no body is an empty answer", async () => {
    const response = await fetch(`${server.url}/v1/downloads/f`);
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      200,
      "application/octet-stream",
      "",
    ]);
  });

  test("HEAD ends the stream after its first message", async () => {
    const finished = server.nextFinished();
    const response = await fetch(`${server.url}/v1/downloads/f?chunks=1000000&chunk_bytes=10`, {
      method: "HEAD",
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/csv"]);
    expect(await finished).toMatchObject({ code: undefined, bytesOut: 0 });
  });

  test("the bytes of both directions are counted", async () => {
    const finished = server.nextFinished();
    const response = await watch({ count: 2 });
    const { length } = await response.text();
    expect(await finished).toMatchObject({
      bytesIn: 11,
      bytesOut: length,
      code: undefined,
      protocol: "rest",
    });
  });
});

describe("errors", () => {
  test.each([
    ["a bad request", "/v1/downloads/f?chunks=x", 400, Code.InvalidArgument],
    ["the wrong method", "/v1/books:watch", 405, Code.Unimplemented],
  ])("%s is an error answer", async (_name, path, status, code) => {
    const response = await fetch(server.url + path);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  test("before the first message are error answers", async () => {
    const failing = serve(Library, {
      // biome-ignore lint/correctness/useYield: it fails before it yields.
      async *watch() {
        throw new ConnectError("no", Code.PermissionDenied);
      },
    });
    await using other = await openRestServer({ services: [failing] });
    const response = await fetch(`${other.url}/v1/books:rows`);
    expect([response.status, response.headers.get("content-type")]).toEqual([403, "application/json"]);
    expect(await response.json()).toEqual({ code: Code.PermissionDenied, message: "no", details: [] });
    expect(other.finished[0]?.code).toBe(Code.PermissionDenied);
  });

  test("after it break the answer off", async () => {
    const finished = server.nextFinished();
    await expect(watch({ count: 5, failAfter: 2 }).then((response) => response.text())).rejects.toThrow();
    expect(await finished).toMatchObject({ code: Code.Unavailable });
  });

  test("after it reset a connection of HTTP/1.0, whose end would read as the end of the answer", async () => {
    const socket = connect(server.port, "127.0.0.1");
    const error = once(socket, "error");
    socket.resume().write("GET /v1/downloads/f?chunks=3&chunk_bytes=4&fail_after=2 HTTP/1.0\r\n\r\n");
    expect(await error.catch((reason) => [reason])).toMatchObject([{ code: "ECONNRESET" }]);
  });

  test("after it reset a stream of HTTP/2", async () => {
    await using other = await openRestServer({ http2: true });
    const session = connectHttp2(other.url);
    const stream = session.request({ ":path": "/v1/downloads/f?chunks=3&chunk_bytes=4&fail_after=2" });
    stream.resume().on("error", () => {});
    await new Promise((resolve) => stream.once("close", resolve));
    expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
    session.destroy();
  });
});

test("nothing is produced faster than it is read", async () => {
  const socket = connect(server.port, "127.0.0.1");
  socket.write("GET /v1/downloads/f?chunks=4000&chunk_bytes=65536 HTTP/1.1\r\nhost: x\r\n\r\n");
  await once(socket, "readable");
  const before = server.chunksMade.count;
  const finished = server.nextFinished();
  // Held back means: far from done, although nothing but the reader stands in the way.
  await vi.waitUntil(async () => {
    const { count } = server.chunksMade;
    await new Promise((resolve) => setImmediate(resolve));
    return count === server.chunksMade.count;
  });
  expect(server.chunksMade.count - before).toBeLessThan(2_000);
  socket.destroy();
  expect(await finished).toMatchObject({ code: Code.Canceled });
});

describe("cancellation", () => {
  /** A stream that never yields and does not look at its signal. */
  function openDeaf(): { contexts: HandlerContext[]; services: ReturnType<typeof serve>[] } {
    const contexts: HandlerContext[] = [];
    const deaf = serve(Library, {
      async *watch(_request, context) {
        contexts.push(context);
        await new Promise(() => {});
        yield {};
      },
    });
    return { contexts, services: [deaf] };
  }

  test("a caller that leaves ends the call at once", async () => {
    const { contexts, services } = openDeaf();
    await using other = await openRestServer({ services });
    const finished = other.nextFinished();
    const socket = connect(other.port, "127.0.0.1");
    socket.write("GET /v1/books:rows HTTP/1.1\r\nhost: x\r\n\r\n");
    await vi.waitUntil(() => contexts.length === 1);
    socket.destroy();
    expect(await finished).toMatchObject({ code: Code.Canceled });
    expect(contexts[0]?.signal.aborted).toBe(true);
  });

  test("the end of the server ends the call with an answer", async () => {
    const { contexts, services } = openDeaf();
    await using other = await openRestServer({ services });
    const response = fetch(`${other.url}/v1/books:rows`);
    await vi.waitUntil(() => contexts.length === 1);
    other.shutdown.abort();
    expect((await response).status).toBe(503);
    expect(contexts[0]?.signal.reason).toMatchObject({ code: Code.Unavailable });
  });

  test("a handler is stopped, and its clean-up runs", async () => {
    let cleaned = false;
    const endless = serve(Library, {
      async *watch() {
        try {
          for (let number = 0; ; number++) yield { number };
        } finally {
          cleaned = true;
        }
      },
    });
    await using other = await openRestServer({ services: [endless] });
    const finished = other.nextFinished();
    const response = await fetch(`${other.url}/v1/books:rows`);
    await response.body?.cancel();
    expect(await finished).toMatchObject({ code: Code.Canceled });
    await vi.waitUntil(() => cleaned);
  });
});

test("interceptors see the call as a stream, and its messages", async () => {
  const seen: unknown[] = [];
  const library = serve(Library, {
    async *watch(request, context) {
      seen.push(request.count, context.requestHeader.get("x-added"), recordOf(context.values).protocol);
      yield { row: { cells: ["a"] } };
      yield { row: { cells: ["b"] } };
    },
  });
  await using other = await openRestServer({
    services: [library],
    core: {
      interceptors: [
        (next) => async (request) => {
          seen.push(
            request.stream,
            request.method.name,
            request.requestMethod,
            request.url.endsWith("/v1/books:rows?count=7"),
          );
          request.header.set("x-added", "yes");
          const response = await next({ ...request } as typeof request);
          async function* doubled(messages: AsyncIterable<unknown>) {
            for await (const message of messages) yield* [message, message];
          }
          return {
            ...response,
            message: doubled(response.message as AsyncIterable<unknown>),
          } as typeof response;
        },
      ],
    },
  });
  const response = await fetch(`${other.url}/v1/books:rows?count=7`);
  expect(await response.text()).toBe('{"cells":["a"]}\n{"cells":["a"]}\n{"cells":["b"]}\n{"cells":["b"]}\n');
  expect(seen).toEqual([true, "Watch", "GET", true, 7, "yes", "rest"]);
});

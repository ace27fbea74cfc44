import { once } from "node:events";
import { connect } from "node:net";
import { Code, type HandlerContext } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { codeName } from "../../base/rpc/code-names.ts";
import { openGateway, type TestGateway, type TestGatewayOptions } from "../gateway/gateway-server.ts";
import { clientKinds } from "./clients.ts";
import { envelope, grpcStatusOf, openHttp2, type RawAnswer, sendHttp1, untilClosed } from "./raw.ts";

const path = "/engage.test.v1.Library/Echo";
const grpc = { ":path": path, "content-type": "application/grpc", "grpc-timeout": "30m" };
const web = { ":path": path, "content-type": "application/grpc-web+proto", "grpc-timeout": "30m" };
const connectJson = { ":path": path, "content-type": "application/json", "connect-timeout-ms": "30" };
const watch = { ...grpc, ":path": "/engage.test.v1.Library/Watch" };
const collect = { ...grpc, ":path": "/engage.test.v1.Library/Collect" };

/** The code of an answer, wherever its protocol puts it. */
function codeIn(answer: RawAnswer): string | undefined {
  const status = grpcStatusOf(answer);
  return Number.isNaN(status)
    ? /"code":"(\w+)"/.exec(answer.body.toString())?.[1]?.toUpperCase()
    : codeName(status);
}

const never = (): Promise<never> => new Promise(() => undefined);

describe.each([true, false])("with the lanes %j", (lanes) => {
  let server: TestGateway;
  let contexts: HandlerContext[];
  const open = async (options: TestGatewayOptions = {}): Promise<TestGateway> => {
    server = await openGateway({ lanes, ...options });
    return server;
  };
  beforeEach(() => {
    contexts = [];
  });
  afterEach(() => server.gateway.drain(0));
  const inFlight = (protocol: string, method = "engage.test.v1.Library/Echo") =>
    server.metric(`engage_calls_in_flight{method="${method}",protocol="${protocol}"}`);
  const stuck = {
    echo: (_request: unknown, context: HandlerContext) => {
      contexts.push(context);
      return never();
    },
    async *watch(_request: unknown, context: HandlerContext) {
      contexts.push(context);
      yield { number: 1 };
      await never();
    },
    collect: (_requests: unknown, context: HandlerContext) => {
      contexts.push(context);
      return never();
    },
  } as TestGatewayOptions["library"];

  describe("a handler that ignores its signal", () => {
    test.each([
      ["gRPC", grpc, envelope(Buffer.alloc(0))],
      ["gRPC-Web", web, envelope(Buffer.alloc(0))],
      ["Connect", connectJson, Buffer.from("{}")],
      ["gRPC, while it answers a stream", watch, envelope(Buffer.alloc(0))],
    ])("%s: the caller gets DEADLINE_EXCEEDED", async (_protocol, headers, body) => {
      await open({ library: stuck! });
      using request = openHttp2(server.url, headers);
      request.stream.end(body);
      expect(codeIn(await request.answer)).toBe("DEADLINE_EXCEEDED");
      const [record] = await server.settled();
      expect(record?.code).toBe(Code.DeadlineExceeded);
      expect(contexts[0]?.signal.aborted).toBe(true);
      expect(await inFlight(record!.protocol, record!.method.parent.typeName)).toBe(0);
    });

    test("over HTTP/1.1 too", async () => {
      await open({ library: stuck! });
      const headers = {
        "content-type": "application/json",
        "content-length": "2",
        "connect-timeout-ms": "30",
      };
      const answer = await sendHttp1(server.port, `POST ${path}`, headers, "{}");
      expect([answer.status, codeIn(answer)]).toEqual([504, "DEADLINE_EXCEEDED"]);
      await server.settled();
      expect(await inFlight("connect")).toBe(0);
    });

    test.each([path, "/v1/echo"])("a caller without a deadline gets the server's: %s", async (target) => {
      await open({ library: stuck!, limits: { maxDeadlineMs: 30 } });
      const headers = { "content-type": "application/json", "content-length": "2" };
      const answer = await sendHttp1(server.port, `POST ${target}`, headers, "{}");
      expect(answer.status).toBe(504);
    });

    test("a longer deadline is cut to the server's", async () => {
      await open({ library: stuck!, limits: { maxDeadlineMs: 30 } });
      using request = openHttp2(server.url, { ...grpc, "grpc-timeout": "90H" });
      request.stream.end(envelope(Buffer.alloc(0)));
      expect(codeIn(await request.answer)).toBe("DEADLINE_EXCEEDED");
    });
  });

  describe("an upload that stalls", () => {
    test.each([
      ["gRPC", grpc],
      ["gRPC-Web", web],
      ["Connect", connectJson],
      ["a stream of requests", collect],
      ["gRPC, compressed", { ...grpc, "grpc-encoding": "gzip" }],
    ])("%s: ends at its deadline", async (_protocol, headers) => {
      await open({ library: stuck! });
      using request = openHttp2(server.url, headers);
      request.stream.write(Buffer.from([0, 0, 0]));
      expect(codeIn(await request.answer)).toBe("DEADLINE_EXCEEDED");
      await server.settled();
      expect(server.finished[0]?.code).toBe(Code.DeadlineExceeded);
    });

    test.each([
      ["Connect", "application/json", "connect-timeout-ms: 30", "{"],
      ["gRPC-Web", "application/grpc-web+proto", "grpc-timeout: 30m", "\0"],
    ])("%s over HTTP/1.1 ends at its deadline", async (_protocol, type, timeout, begun) => {
      await open();
      const socket = connect(server.port, "127.0.0.1");
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ncontent-length: 100\r\n${timeout}\r\n\r\n${begun}`,
      );
      expect((await untilClosed(socket)).toString("latin1")).toMatch(/deadline_exceeded|grpc-status: 4/);
      await server.settled();
    });
  });

  describe.each(clientKinds)("$name", ({ open: openClient, protocol }) => {
    test("a caller that cancels stops the handler", async () => {
      await open({ library: stuck! });
      using client = openClient(server.url);
      const controller = new AbortController();
      const outcome = client.echo({}, { signal: controller.signal }).catch((error: unknown) => error);
      await vi.waitFor(() => expect(contexts.length).toBe(1));
      const { signal } = contexts[0]!;
      expect(signal.aborted).toBe(false);
      expect(await inFlight(protocol)).toBe(1);
      controller.abort();
      expect(await outcome).toBeInstanceOf(Error);
      await server.settled();
      expect(signal.aborted).toBe(true);
      expect(server.finished[0]?.code).toBe(Code.Canceled);
      const cancelled = `engage_calls_total{method="engage.test.v1.Library/Echo",protocol="${protocol}",code="CANCELLED"}`;
      expect(await server.metric(cancelled)).toBe(1);
      expect(await inFlight(protocol)).toBe(0);
      expect(server.faults).toEqual([]);
    });
  });

  test("a handler that throws its signal's reason has not failed", async () => {
    await open({
      library: {
        echo: async (_request, { signal }) => {
          contexts.push({} as HandlerContext);
          await once(signal, "abort");
          throw new DOMException("aborted", "AbortError");
        },
      },
    });
    using request = openHttp2(server.url, { ...grpc, "grpc-timeout": undefined });
    request.stream.end(envelope(Buffer.alloc(0)));
    await vi.waitFor(() => expect(contexts.length).toBe(1));
    request.stream.close(8);
    await server.settled();
    expect(server.finished[0]?.code).toBe(Code.Canceled);
    expect(server.faults).toEqual([]);
  });

  test.each([
    ["gRPC", grpc],
    ["gRPC-Web", web],
    ["Connect", connectJson],
    ["REST", { ...connectJson, ":path": "/v1/echo" }],
    ["a stream of requests", collect],
  ])("%s: a caller that goes away while it sends is counted", async (_protocol, headers) => {
    await open({
      library: { collect: async (requests) => (await requests[Symbol.asyncIterator]().next()).value },
    });
    using request = openHttp2(server.url, {
      ...headers,
      "grpc-timeout": undefined,
      "connect-timeout-ms": undefined,
    });
    request.stream.write(Buffer.from([0, 0]));
    await vi.waitFor(() => expect(server.started.length).toBe(1));
    request.stream.destroy();
    await server.settled();
    expect(server.finished[0]?.code).toBe(Code.Canceled);
  });
});

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextIteration, setTimeout as timersPhase } from "node:timers/promises";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Health, HealthCheckResponse_ServingStatus } from "../../../gen/grpc/health/v1/health_pb.ts";
import { envelope, openHttp2, untilClosed } from "../../e2e/raw.ts";
import { openGateway, type TestGateway, type TestGatewayOptions } from "../gateway-server.ts";
import { dial, getHealth, healthy, untilMatch } from "./dial.ts";

const path = "/engage.test.v1.Library/Echo";
const grpc = { ":path": path, "content-type": "application/grpc" };
const nothing = envelope(Buffer.alloc(0));
const tls = {
  cert: readFileSync("test/testdata/tls/server.pem"),
  key: readFileSync("test/testdata/tls/server.key"),
};
const trusting = { rejectUnauthorized: false };

/** Opens a gateway whose Echo responds on request, and whose Watch sends two messages around that. */
async function openGated(
  options: TestGatewayOptions = {},
): Promise<TestGateway & { readonly open: () => void }> {
  const gate = Promise.withResolvers<void>();
  const server = await openGateway({
    library: {
      async echo(request) {
        await gate.promise;
        return request;
      },
      async *watch() {
        yield { number: 1 };
        await gate.promise;
        yield { number: 2 };
      },
    },
    ...options,
  });
  onTestFinished(() => server.gateway.drain(0));
  return { ...server, open: gate.resolve };
}

const inFlight = (server: TestGateway, count: number) =>
  vi.waitFor(() => expect(server.started.length).toBe(count));

function post(server: TestGateway, agent: Agent | undefined = undefined): Promise<IncomingMessage> {
  const send = server.url.startsWith("https") ? httpsRequest : httpRequest;
  const headers = { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const request = send(server.url + path, { method: "POST", headers, agent, ...trusting }, resolve);
    request.on("error", reject);
    request.end("{}");
  });
}

describe.each([
  ["in plain text", {}],
  ["over TLS", { tls }],
])("%s", (_name, options) => {
  test.each([true, false])("calls in flight finish, with the lanes %j", async (lanes) => {
    const server = await openGated({ lanes, ...options });
    using unary = openHttp2(server.url, grpc, trusting);
    unary.stream.end(nothing);
    using stream = openHttp2(server.url, { ...grpc, ":path": "/engage.test.v1.Library/Watch" }, trusting);
    stream.stream.end(nothing);
    const overHttp1 = post(server);
    await inFlight(server, 3);
    const drained = server.gateway.drain(10_000);
    server.open();
    expect((await unary.answer).headers["grpc-status"]).toBe("0");
    expect((await stream.answer).headers["grpc-status"]).toBe("0");
    const answer = await overHttp1;
    expect([answer.statusCode, answer.headers.connection]).toEqual([200, "close"]);
    expect(await text(answer)).toBe("{}");
    await drained;
    expect(server.finished.map(({ code }) => code)).toEqual([undefined, undefined, undefined]);
  });

  test("connections without a call do not hold it", async () => {
    const server = await openGated(options);
    server.open();
    const silent = connect(server.port, "127.0.0.1");
    const session = connectHttp2(server.url, trusting);
    const goaway = once(session, "goaway");
    await Promise.all([once(silent, "connect"), once(session, "remoteSettings")]);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await text(await post(server, server.url.startsWith("https") ? undefined : agent));
    await server.gateway.drain(60_000);
    await goaway;
  });

  test("new connections are refused while calls finish", async () => {
    const server = await openGated(options);
    using unary = openHttp2(server.url, grpc, trusting);
    unary.stream.end(nothing);
    await inFlight(server, 1);
    const drained = server.gateway.drain(10_000);
    await expect(post(server)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    server.open();
    await drained;
  });

  test("what does not finish is cut when the time is over", async () => {
    const server = await openGated(options);
    using unary = openHttp2(server.url, grpc, trusting);
    unary.stream.end(nothing);
    const overHttp1 = post(server).catch((error: unknown) => error);
    await inFlight(server, 2);
    await server.gateway.drain(50);
    await unary.answer;
    expect(await overHttp1).toMatchObject({ code: "ECONNRESET" });
    await server.settled(2);
    expect(server.finished.map(({ code }) => code)).toEqual([Code.Canceled, Code.Canceled]);
  });
});

test("requests on a connection that is open while it drains are answered, the last with connection: close", async () => {
  const server = await openGated();
  const socket = connect(server.port, "127.0.0.1");
  const answers = untilClosed(socket);
  using unary = openHttp2(server.url, grpc);
  unary.stream.end(nothing);
  await Promise.all([once(socket, "connect"), inFlight(server, 1)]);
  const drained = server.gateway.drain(10_000);
  socket.write("GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n");
  expect((await answers).toString().toLowerCase()).toMatch(
    /^http\/1\.1 503 [\s\S]*connection: close[\s\S]*draining/,
  );
  server.open();
  await drained;
});

/** Stops the clock and the intervals by which a drain looks for idle connections; `pass` continues them. */
function holdIntervals(): { pass: (ms: number) => Promise<void> } {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  return {
    async pass(ms) {
      vi.advanceTimersByTime(ms);
      await nextIteration();
    },
  };
}

describe("an idle connection", () => {
  const closing = /^HTTP\/1\.1 200 OK\r\nconnection: close\r\n[\s\S]*\{"status":"ok"\}/;

  /** Begins a drain of three connections that have had a response. */
  async function drainIdle() {
    const { pass } = holdIntervals();
    const server = await openGated();
    const sockets = [dial(server), dial(server), dial(server)] as const;
    for (const socket of sockets) {
      socket.write(getHealth);
      await untilMatch(socket, healthy);
    }
    return { sockets, drained: server.gateway.drain(60_000), pass };
  }

  test("is closed if no client makes requests", async () => {
    const { sockets, drained, pass } = await drainIdle();
    const closed = Promise.all(sockets.map(untilClosed));
    await pass(250);
    expect(Buffer.concat(await closed).length).toBe(0);
    await drained;
  });

  test("stays open for two seconds after a request on another, and then gets a response too", async () => {
    const { sockets, drained, pass } = await drainIdle();
    const [first, second, unused] = sockets;
    const closed = untilClosed(unused);
    for (const socket of [first, second]) {
      socket.write(getHealth);
      await untilMatch(socket, closing);
      await pass(1_750);
    }
    expect(unused.readable).toBe(true);
    await pass(250);
    expect((await closed).length).toBe(0);
    await drained;
  });

  test("is not closed before the request that has arrived on it is read", async () => {
    const { sockets, drained, pass } = await drainIdle();
    // A busy process runs its timers before it reads what has arrived.
    await timersPhase(0);
    for (const socket of sockets) socket.write(getHealth);
    await pass(250);
    for (const socket of sockets) await untilMatch(socket, closing);
    await drained;
  });
});

test("a response that its client is reading is not cut off", async () => {
  const { pass } = holdIntervals();
  const server = await openGated({ library: { echo: () => ({ text: "a".repeat(16 << 20) }) } });
  const socket = dial(server);
  socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n`);
  socket.write("content-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
  await once(socket, "readable");
  const drained = server.gateway.drain(60_000);
  await pass(250);
  expect((await untilClosed(socket)).length).toBeGreaterThan(16 << 20);
  await drained;
});

test("health says so to those who watch, and their streams end", async () => {
  const server = await openGated();
  const client = createClient(Health, createGrpcTransport({ baseUrl: server.url }));
  const seen: HealthCheckResponse_ServingStatus[] = [];
  const watching = (async () => {
    for await (const { status } of client.watch({ service: "" })) seen.push(status);
  })();
  await vi.waitFor(() => expect(seen.length).toBe(1));
  await server.gateway.drain(10_000);
  await watching;
  expect(seen).toEqual([
    HealthCheckResponse_ServingStatus.SERVING,
    HealthCheckResponse_ServingStatus.NOT_SERVING,
  ]);
});

test("a stream that never ends gets UNAVAILABLE before the time is over", async () => {
  const server = await openGated();
  using stream = openHttp2(server.url, { ...grpc, ":path": "/engage.test.v1.Library/Watch" });
  stream.stream.end(nothing);
  await inFlight(server, 1);
  // A tenth of the time is left for its end.
  await server.gateway.drain(2_000);
  expect((await stream.answer).headers["grpc-status"]).toBe(String(Code.Unavailable));
});

test("draining twice waits for the same end", async () => {
  const server = await openGated();
  using unary = openHttp2(server.url, grpc);
  unary.stream.end(nothing);
  await inFlight(server, 1);
  const both = [server.gateway.drain(10_000), server.gateway.drain(10_000)];
  server.open();
  await Promise.all(both);
  expect((await unary.answer).headers["grpc-status"]).toBe("0");
});

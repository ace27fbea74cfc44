import { once } from "node:events";
import { type ClientHttp2Stream, connect } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { HealthCheckRequestSchema } from "../../../gen/grpc/health/v1/health_pb.ts";
import { envelope } from "../../e2e/raw.ts";
import { openGatewayForTest, type TestGateway } from "../gateway-server.ts";

const serving = envelope(Buffer.from([8, 1]));
const notServing = envelope(Buffer.from([8, 2]));
const unknownService = envelope(Buffer.from([8, 3]));

interface Watch {
  readonly stream: ClientHttp2Stream;
  readonly head: Readonly<Record<string, unknown>>;
  /** Returns the next bytes. */
  next(): Promise<Buffer>;
  readonly trailers: Promise<Readonly<Record<string, unknown>>>;
}

async function watch(
  { url }: TestGateway,
  message: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Watch> {
  const session = connect(url);
  session.on("error", () => undefined);
  onTestFinished(() => void session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": "/grpc.health.v1.Health/Watch",
    "content-type": "application/grpc",
    ...headers,
  });
  stream.on("error", () => undefined);
  const trailers = once(stream, "trailers").then(([received]) => received as Record<string, unknown>);
  trailers.catch(() => undefined);
  stream.end(envelope(message));
  const [head] = (await once(stream, "response")) as [Record<string, unknown>];
  return { stream, head, trailers, next: async () => (await once(stream, "data"))[0] as Buffer };
}

const of = (service: string) =>
  toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service }));

describe.each([true, false])("Watch with the lanes %j", (lanes) => {
  test("sends the state and each change, and ends with the server's stop", async () => {
    const server = await openGatewayForTest({ lanes });
    const { health } = server.gateway;
    const { next, trailers } = await watch(server, of(""));
    expect(await next()).toEqual(serving);
    health.set("", "not serving");
    expect(await next()).toEqual(notServing);
    health.set("other", "serving");
    health.set("", "serving");
    expect(await next()).toEqual(serving);
    const last = next();
    health.drain();
    expect(await last).toEqual(notServing);
    expect(await trailers).toMatchObject({ "grpc-status": "0" });
    const [record] = await server.settled();
    expect(record).toMatchObject({ code: undefined });
  });

  test("waits for a service that is not known yet", async () => {
    const server = await openGatewayForTest({ lanes });
    const { next } = await watch(server, of("late.Service"));
    expect(await next()).toEqual(unknownService);
    server.gateway.health.set("late.Service", "serving");
    expect(await next()).toEqual(serving);
  });

  test("ends at its deadline", async () => {
    const server = await openGatewayForTest({ lanes });
    const { next, trailers } = await watch(server, of(""), { "grpc-timeout": "200m" });
    expect(await next()).toEqual(serving);
    expect(await trailers).toMatchObject({ "grpc-status": String(Code.DeadlineExceeded) });
    expect((await server.settled())[0]).toMatchObject({ code: Code.DeadlineExceeded });
  });

  test("ends when the caller leaves", async () => {
    const server = await openGatewayForTest({ lanes });
    const { stream, next } = await watch(server, of(""));
    await next();
    stream.close();
    expect((await server.settled())[0]).toMatchObject({ code: Code.Canceled });
  });

  test.each([
    ["malformed", Buffer.from([0x0a, 9]), Code.InvalidArgument],
    ["too large", Buffer.alloc(5_000), Code.ResourceExhausted],
  ])("refuses a message that is %s", async (_what, message, code) => {
    const server = await openGatewayForTest({ lanes });
    const { head, trailers } = await watch(server, message);
    const status = head["grpc-status"] ?? (await trailers)["grpc-status"];
    expect(status).toBe(String(code));
    expect((await server.settled())[0]).toMatchObject({ code });
  });
});

test("the lane serves Watch, and leaves it to Connect's handlers where interceptors see it", async () => {
  const dateOf = async (server: TestGateway) => (await watch(server, of(""))).head["date"];
  expect(await dateOf(await openGatewayForTest())).toBeUndefined();
  const seen: string[] = [];
  const server = await openGatewayForTest({
    interceptors: [
      (next) => (request) => {
        seen.push(request.method.name);
        return next(request);
      },
    ],
  });
  expect(await dateOf(server)).toEqual(expect.any(String));
  expect(seen).toEqual(["Watch"]);
});

test("a thousand that close together are counted no more", async () => {
  const server = await openGatewayForTest();
  const sessions = Array.from({ length: 10 }, () => connect(server.url).on("error", () => undefined));
  const opened = sessions.flatMap((session) =>
    Array.from({ length: 100 }, () => {
      const stream = session.request({
        ":method": "POST",
        ":path": "/grpc.health.v1.Health/Watch",
        "content-type": "application/grpc",
      });
      stream.on("error", () => undefined).end(envelope(of("")));
      return once(stream, "data");
    }),
  );
  await Promise.all(opened);
  for (const session of sessions) session.destroy();
  const finished = await server.settled(1_000);
  expect(new Set(finished.map(({ code }) => code))).toEqual(new Set([Code.Canceled]));
  expect(await (await watch(server, of(""))).next()).toEqual(serving);
});

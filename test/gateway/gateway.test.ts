import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTls } from "node:tls";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { defaultLimits, type GatewayLimits } from "../../gateway/limits.ts";
import { grpcStatusOf, openHttp2, sendHttp1 } from "../e2e/raw.ts";
import { openGatewayForTest } from "./gateway-server.ts";
import { Library } from "./testproto/gen/engage/test/v1/library_pb.ts";

const path = "/engage.test.v1.Library/Echo";

function admit(): never {
  throw new ConnectError("only callers with a key", Code.Unauthenticated);
}

const open = (lanes: boolean) =>
  openGatewayForTest({ lanes, admitCaller: { echo: admit }, library: { echo: () => Promise.reject() } });

test.each([
  [true, "application/grpc", {}],
  [true, "application/grpc", { "grpc-encoding": "gzip" }],
  [true, "application/grpc-web+proto", {}],
  [true, "application/json", {}],
  [true, "application/proto", {}],
  [true, "application/proto", { "content-encoding": "gzip" }],
  [false, "application/grpc", {}],
  [false, "application/grpc-web+proto", {}],
  [false, "application/json", {}],
  [false, "application/proto", {}],
])("a caller is refused before its message is here: lanes %j, %s %j", async (lanes, type, headers) => {
  const server = await open(lanes);
  using call = openHttp2(server.url, { ":path": path, "content-type": type, ...headers });
  const answer = await call.answer;
  expect([String(grpcStatusOf(answer)), String(answer.status)]).toContain(
    type.includes("grpc") ? "16" : "401",
  );
  expect(server.finished.map(({ code }) => code)).toEqual([Code.Unauthenticated]);
});

test("callers of REST are another thing", async () => {
  const server = await openGatewayForTest({ admitCaller: { echo: admit } });
  const headers = { "content-type": "application/json", "content-length": "2" };
  expect((await sendHttp1(server.port, "POST /v1/echo", headers, "{}")).status).toBe(200);
});

describe("a running gateway", () => {
  const open = (url: string, protocol: string) =>
    protocol === "grpc"
      ? createGrpcTransport({ baseUrl: url })
      : createConnectTransport({ baseUrl: url, httpVersion: "1.1" });

  it.each([
    ["grpc", true],
    ["grpc", false],
    ["connect", true],
    ["connect", false],
  ] as const)("takes other limits for the next calls, over %s with the lanes %j", async (protocol, lanes) => {
    const held = Promise.withResolvers<void>();
    const server = await openGatewayForTest({
      lanes,
      library: {
        async echo(request) {
          if (request.text.startsWith("held")) await held.promise;
          return request;
        },
      },
    });
    const client = createClient(Library, open(server.url, protocol));
    const text = "x".repeat(200);
    const waiting = client.echo({ text: `held ${text}` });
    await expect.poll(() => server.started.length).toBe(1);
    const limits = { ...defaultLimits, maxMessageBytes: 100 };
    server.gateway.prepare({ limits, sites: { hosts: [], cors: [], asksForKeys: false } })();
    await expect(client.echo({ text })).rejects.toMatchObject({ code: Code.ResourceExhausted });
    held.resolve();
    expect((await waiting).text).toContain(text);
    server.gateway.prepare({ limits: defaultLimits, sites: { hosts: [], cors: [], asksForKeys: false } })();
    expect((await client.echo({ text })).text).toBe(text);
  });

  it("takes other limits of connections and addresses", async () => {
    const { gateway, url } = await openGatewayForTest();
    const change = (limits: Partial<GatewayLimits>) =>
      gateway.prepare({
        limits: { ...defaultLimits, ...limits },
        sites: { hosts: [], cors: [], asksForKeys: false },
      })();
    const dial = async () => {
      const session = connectHttp2(url);
      session.on("error", () => {});
      onTestFinished(() => void session.destroy());
      const [settings] = await once(session, "remoteSettings");
      return { session, streams: settings.maxConcurrentStreams };
    };
    const first = await dial();
    expect(first.streams).toBe(defaultLimits.maxConcurrentStreams);
    change({ maxConcurrentStreams: 7, maxConnectionsPerAddress: 1 });
    const second = await dial();
    expect(second.streams).toBe(7);
    // A new connection of the address replaces the one that does nothing.
    await expect.poll(() => first.session.destroyed).toBe(true);
    change({ maxConnectionsPerAddress: 1, trustedProxies: ["127.0.0.1"] });
    expect((await dial()).streams).toBe(defaultLimits.maxConcurrentStreams);
    await new Promise<void>((resolve, reject) => {
      second.session.ping((error) => (error === null ? resolve() : reject(error)));
    });
  });

  it("takes another certificate for new connections, and refuses a wrong one", async () => {
    const pem = (name: string) => readFileSync(`test/testdata/tls/${name}`);
    const tls = { cert: pem("server.pem"), key: pem("server.key") };
    const { gateway, port } = await openGatewayForTest({ tls });
    const subject = async () => {
      const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
      onTestFinished(() => void socket.destroy());
      await once(socket, "secureConnect");
      return socket.getPeerX509Certificate()?.fingerprint256;
    };
    const before = await subject();
    expect(before).toBe(new X509Certificate(tls.cert).fingerprint256);
    expect(() => gateway.prepareTls({ cert: pem("server.pem"), key: pem("stranger.key") })).toThrow();
    expect(await subject()).toBe(before);
    gateway.prepareTls({ cert: pem("stranger.pem"), key: pem("stranger.key") })();
    expect(await subject()).toBe(new X509Certificate(pem("stranger.pem")).fingerprint256);
  });
});

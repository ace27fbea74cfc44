import { once } from "node:events";
import http2 from "node:http2";
import https from "node:https";
import type { AddressInfo, Server } from "node:net";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { MessageHandler } from "../../../../gen/engage/handler/v1/message_handler_pb.ts";
import { createGrpcTarget } from "../../../../services/webhook/targets/grpc.ts";
import { createHttpTarget } from "../../../../services/webhook/targets/http.ts";
import type { Target } from "../../../../services/webhook/targets/target.ts";
import { writeReceived } from "../../../../services/webhook/targets/write.ts";
import { createIdentity } from "../../../cmd/config/certificate.ts";
import { handedBatch, messageJson } from "../handed.ts";
import { allDone } from "./handler-server.ts";

const identity = createIdentity();
const stranger = createIdentity();
/** Every name is this machine. */
const outbound = createOutbound({
  allow: ["127.0.0.0/8"],
  resolveAll: (_host, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]),
});

/** A TLS server that wants to see a certificate of ours. */
const secured = { ...identity, ca: [identity.cert], requestCert: true, rejectUnauthorized: true };

const servers: Record<string, () => Server> = {
  http: () => https.createServer(secured, (_request, response) => response.end()),
  grpc: () =>
    http2.createSecureServer(
      secured,
      connectNodeAdapter({ routes: (router) => router.service(MessageHandler, { handle: allDone }) }),
    ),
};

const targets: Record<string, (url: string, tls: object) => Target> = {
  http: (url, tls) =>
    createHttpTarget({
      url,
      method: "POST",
      headers: {},
      per: "message",
      maxMessages: 1,
      write: writeReceived,
      tls,
      signingKeys: [],
      maxConnections: 1,
      maxAnswerBytes: 1_024,
      outbound,
      now: Date.now,
    }),
  grpc: (url, tls) =>
    createGrpcTarget({ url, bearer: undefined, tls, maxMessages: 1, maxAnswerBytes: 1_024, outbound }),
};

describe.each(["http", "grpc"])("%s over TLS", (kind) => {
  let server: Server;
  let port: number;
  beforeEach(async () => {
    server = servers[kind]!().listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    server.close();
  });

  async function deliver(host: string, tls: object): Promise<string> {
    await using target = targets[kind]!(`https://${host}:${port}`, tls);
    const outcomes = await target.deliver(handedBatch([messageJson("a")]), AbortSignal.timeout(10_000));
    return outcomes.map((outcome) => (outcome.kind === "done" ? "done" : outcome.reason)).join();
  }

  it.each(["localhost", "127.0.0.1"])("shows its certificate to %s and checks theirs", async (host) => {
    expect(await deliver(host, { ...identity, ca: identity.cert })).toBe("done");
  });

  it("trusts no strangers", async () => {
    expect(await deliver("localhost", { ...identity, ca: stranger.cert })).toMatch(/certificate/i);
  });

  it("trusts no name that the certificate is not for", async () => {
    expect(await deliver("other.test", { ...identity, ca: identity.cert })).toMatch(/altnames/);
  });

  it("is not let in without a certificate", async () => {
    expect(await deliver("localhost", { ca: identity.cert })).not.toBe("done");
  });
});

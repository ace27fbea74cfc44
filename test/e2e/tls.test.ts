import { readFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { Client, credentials } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAuthorizer } from "../../gateway/auth.ts";
import { recordOf } from "../../gateway/call/record.ts";
import { openGatewayForTest, type TestGateway } from "../gateway/gateway-server.ts";
import { Library } from "../gateway/testproto/gen/engage/test/v1/library_pb.ts";
import { envelope, openHttp2 } from "./raw.ts";
import { tlsToAddress } from "./tls-to-address.ts";

const pem = (name: string): Buffer => readFileSync(`test/testdata/tls/${name}`);
const ca = pem("ca.pem");
const server = { cert: pem("server.pem"), key: pem("server.key") };
const identity = (name: string) => ({ cert: pem(`${name}.pem`), key: pem(`${name}.key`) });
const path = "/engage.test.v1.Library/Echo";

/** Calls Echo by h2 or HTTP/1.1, as ALPN agrees; "refused" when there is no connection. */
const callers: Record<string, (port: number, tls: object) => Promise<string>> = {
  "gRPC on HTTP/2": async (port, tls) => {
    using request = openHttp2(
      `https://127.0.0.1:${port}`,
      { ":path": path, "content-type": "application/grpc" },
      { ca, ...tls },
    );
    request.stream.end(envelope(Buffer.from([0x0a, 2, 0x68, 0x69])));
    const { headers } = await request.answer;
    return headers["grpc-status"] === "0" ? "ok" : "refused";
  },
  "JSON on HTTP/1.1": (port, tls) =>
    new Promise((resolve) => {
      const headers = { "content-type": "application/json" };
      const options = { host: "127.0.0.1", port, path, method: "POST", headers, ca, agent: false, ...tls };
      const request = httpsRequest(options, async (response) => {
        expect(JSON.parse(await text(response))).toEqual({ text: "hi" });
        resolve("ok");
      });
      request.on("error", () => resolve("refused"));
      request.end('{"text":"hi"}');
    }),
};

describe.each([true, false])("with the lanes %j", (lanes) => {
  const open = (tls: object, authorize = createAuthorizer({ mode: "off", keys: [] })): Promise<TestGateway> =>
    openGatewayForTest({ lanes, tls: { ...server, ...tls }, authorize });

  describe.each(Object.keys(callers))("%s", (name) => {
    const call = callers[name]!;

    test("a handler knows that the connection is secure", async () => {
      const { port, seen } = await open({});
      expect(await call(port, {})).toBe("ok");
      const [context] = seen.contexts;
      expect(recordOf(context!.values).peer).toEqual({ address: "127.0.0.1", secure: true });
      expect(context!.url).toMatch(/^https:/);
    });

    test.each([
      ["client-uri", "spiffe://test/shipper"],
      ["client-dns", "shipper.test"],
      ["client-name", "shipper-7"],
    ])("%s is known as %s", async (file, name) => {
      const { port, seen } = await open({ ca });
      expect(await call(port, identity(file))).toBe("ok");
      const record = recordOf(seen.contexts[0]!.values);
      expect(record.peer.certificate).toBe(name);
      expect(record.caller).toEqual({ kind: "certificate", name });
    });

    test.each([
      ["without a certificate", {}],
      ["of another authority", identity("stranger")],
    ])("a client %s is refused", async (_name, tls) => {
      const { port, started } = await open({ ca });
      expect(await call(port, tls)).toBe("refused");
      expect(started).toEqual([]);
    });
  });

  test.each([
    [["h2", "http/1.1"], "h2"],
    [["http/1.1"], "http/1.1"],
    [undefined, false],
  ])("ALPN %j agrees on %j", async (protocols, agreed) => {
    const { port } = await open({});
    const socket = connectTls({ port, ca, ...(protocols && { ALPNProtocols: protocols }) });
    onTestFinished(() => void socket.destroy());
    await new Promise((resolve) => socket.once("secureConnect", resolve));
    expect(socket.alpnProtocol).toBe(agreed);
  });

  test("plain text is not served where TLS is due", async () => {
    const { port, started } = await open({});
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    expect(started).toEqual([]);
  });

  test("a certificate may call what its rule says", async () => {
    const { port } = await open(
      { ca },
      createAuthorizer({
        mode: "keys",
        keys: [],
        certificates: [{ subject: "shipper-7", methods: ["engage.test.v1.Library/Echo"] }],
      }),
    );
    const transportAs = (name: string) =>
      createGrpcTransport({ baseUrl: `https://127.0.0.1:${port}`, nodeOptions: { ca, ...identity(name) } });
    const known = createClient(Library, transportAs("client-name"));
    await expect(known.echo({ text: "a" })).resolves.toMatchObject({ text: "a" });
    await expect(known.getBook({})).rejects.toMatchObject({ code: Code.PermissionDenied });
    const unknown = createClient(Library, transportAs("client-uri"));
    await expect(unknown.echo({})).rejects.toMatchObject({ code: Code.PermissionDenied });
  });

  test("@grpc/grpc-js and Connect's client over HTTP/1.1 call by mTLS", async () => {
    const { port } = await open({ ca });
    const { cert, key } = identity("client-uri");
    const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(ca, key, cert), tlsToAddress);
    onTestFinished(() => client.close());
    const same = (bytes: Buffer): Buffer => bytes;
    const message = Buffer.from([0x0a, 2, 0x68, 0x69]);
    const answer = await new Promise((resolve, reject) =>
      client.makeUnaryRequest(path, same, same, message, (error, bytes) =>
        error ? reject(error) : resolve(bytes),
      ),
    );
    expect(answer).toEqual(message);
    const transport = createConnectTransport({
      baseUrl: `https://127.0.0.1:${port}`,
      httpVersion: "1.1",
      nodeOptions: { ca, cert, key, agent: false },
    });
    await expect(createClient(Library, transport).echo({ text: "a" })).resolves.toMatchObject({ text: "a" });
  });
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openGatewayForTest } from "../../gateway/gateway-server.ts";
import { envelope, openHttp2 } from "../raw.ts";

const pem = (name: string): Buffer => readFileSync(`test/testdata/tls/${name}`);
const ca = pem("ca.pem");
const server = { cert: pem("server.pem"), key: pem("server.key") };
const client = { cert: pem("client-uri.pem"), key: pem("client-uri.key") };
const path = "/engage.test.v1.Library/Echo";

const evil = { origin: "https://evil.example" };
const grpc = { "content-type": "application/grpc" };
const grpcWeb = { "content-type": "application/grpc-web+proto" };
const ownName = { ":authority": "localhost" };

type Headers = Readonly<Record<string, string>>;

async function statusOf(port: number, headers: Headers, tls: object): Promise<unknown> {
  using request = openHttp2(`https://127.0.0.1:${port}`, { ":path": path, ...headers }, { ca, ...tls });
  request.stream.end(envelope(Buffer.alloc(0)));
  const answer = await request.answer;
  return answer.status;
}

// Browsers speak HTTP/2 over TLS, and a page may send any content type once a preflight has been answered.
test.each<[string, Headers, number]>([
  ["gRPC", grpc, 200],
  ["gRPC under another name", { ...grpc, ":authority": "evil.example" }, 200],
  ["gRPC of a page", { ...grpc, ...ownName, ...evil }, 403],
  ["gRPC of a page of its own", { ...grpc, ...ownName, origin: "https://localhost" }, 200],
  ["gRPC-Web", { ...grpcWeb, ...ownName }, 200],
  ["gRPC-Web of a page", { ...grpcWeb, ...ownName, ...evil }, 403],
  ["gRPC-Web under another name", { ...grpcWeb, ":authority": "evil.example" }, 421],
])("HTTP/2 over TLS: %s", async (_name, headers, status) => {
  const { port } = await openGatewayForTest({ tls: server });
  expect(await statusOf(port, headers, {})).toBe(status);
});

// A browser shows a certificate for every page; a key is shown by pages that have it.
test.each<[string, Headers, object, number]>([
  ["a certificate", grpcWeb, client, 200],
  ["a page with a certificate", { ...grpcWeb, ...evil }, client, 403],
  ["a page with a certificate and a key", { ...grpcWeb, ...evil, "x-api-key": "key" }, client, 200],
])("where keys are asked for: %s", async (_name, headers, tls, status) => {
  const { port } = await openGatewayForTest({ tls: { ...server, ca }, sites: { asksForKeys: true } });
  expect(await statusOf(port, { ...ownName, ...headers }, tls)).toBe(status);
});

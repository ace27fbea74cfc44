import { connect, type Socket } from "node:net";
import { expect, onTestFinished } from "vitest";
import { envelope, sendHttp2 } from "../../e2e/raw.ts";
import type { TestGateway } from "../gateway-server.ts";

export const path = "/engage.test.v1.Library/Echo";
export const grpc = { ":path": path, ":method": "POST", "content-type": "application/grpc" };
export const hello = envelope(Buffer.from([0x0a, 2, 0x68, 0x69]));
export const getHealth = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
export const healthy = /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"status":"ok"\}/;
export const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
export const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

/** A connection that is destroyed when the test ends. */
export function dial({ port }: { readonly port: number }): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Resolves with the text received so far, once it matches. */
export async function untilMatch(socket: Socket, pattern: RegExp): Promise<string> {
  let seen = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    seen += (chunk as Buffer).toString("latin1");
    if (pattern.test(seen)) break;
  }
  expect(seen).toMatch(pattern);
  return seen;
}

/** Checks that the server still responds to a gRPC call. */
export async function isServing(server: TestGateway): Promise<void> {
  const answer = await sendHttp2(server.url, grpc, hello);
  expect(answer.headers["grpc-status"]).toBe("0");
}

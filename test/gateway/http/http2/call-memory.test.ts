import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import { expect, test, vi } from "vitest";
import { openGatewayForTest, type TestGateway } from "../../gateway-server.ts";
import { openSession, path, upload } from "../uploads.ts";

/** Each such call takes 14.6 KB without a body. */
const headers = { ":path": path, "content-type": "application/grpc", x: "a".repeat(5_000) };
const limits = { maxMessageBytes: 1_000, methods: {}, openBytesPerConnection: 200_000 };
const few = { ...limits, openBytesPerAddress: 400_000 };

async function isServing(server: TestGateway): Promise<void> {
  const { stream, answer } = upload(openSession(server), { ":path": "/healthz", ":method": "GET" });
  stream.end();
  expect((await answer).status).toBe(200);
}

function open(session: ClientHttp2Session, calls: number) {
  return Array.from({ length: calls }, () => upload(session, headers));
}

test.each([
  ["a connection", [15], limits],
  ["an address", [10, 9, 10], few],
  ["the server", [10, 9, 10], { ...few, openBytes: 400_000, trustedProxies: ["127.0.0.1"] }],
])("calls without a body are not taken beyond the memory of %s", async (_what, calls, limits) => {
  const server = await openGatewayForTest({ limits });
  const sessions = calls.map(() => openSession(server));
  const closed = sessions.map((session) => once(session, "close"));
  for (const [i, session] of sessions.entries()) open(session, calls[i]!);
  await Promise.race(closed);
  expect(sessions.filter((session) => session.closed)).toHaveLength(1);
  await isServing(server);
});

test("the memory of calls is counted until they end", async () => {
  const server = await openGatewayForTest({ limits });
  const session = openSession(server);
  for (const all of [10, 20, 30]) {
    const calls = open(session, 10);
    await vi.waitFor(() => expect(server.started).toHaveLength(all));
    for (const { stream } of calls) stream.close();
    await vi.waitFor(() => expect(server.finished).toHaveLength(all));
  }
  expect(session.destroyed).toBe(false);
});

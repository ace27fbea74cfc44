import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { sendHttp1, untilClosed } from "../../e2e/raw.ts";
import { openGatewayForTest } from "../gateway-server.ts";
import { openSession } from "./uploads.ts";

test("idle connections of one address do not keep others out", async () => {
  const server = await openGatewayForTest({ limits: { maxConnectionsPerAddress: 3 } });
  const idle = [1, 2, 3, 4, 5].map(() => connect(server.port, "127.0.0.1").on("error", () => undefined));
  const closed = idle.slice(0, 3).map(untilClosed);
  await Promise.all(idle.map((socket) => once(socket, "connect")));
  expect((await sendHttp1(server.port, "GET /healthz", {})).status).toBe(200);
  await Promise.all(closed);
});

test("a connection on which no request comes is closed", async () => {
  const server = await openGatewayForTest({ limits: { unusedTimeoutMs: 300 } });
  const session = openSession(server);
  await once(session, "close");
  expect((await sendHttp1(server.port, "GET /healthz", {})).status).toBe(200);
});

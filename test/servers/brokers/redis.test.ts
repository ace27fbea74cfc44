import { createClient } from "@redis/client";
import { expect, it, vi } from "vitest";
import { createOutbound } from "../../../base/net/outbound.ts";
import { createRedisTarget } from "../../../services/webhook/targets/redis.ts";
import { writeReceived } from "../../../services/webhook/targets/write.ts";
import { testTarget } from "../../conformance/target.ts";
import { handedBatch, messageJson } from "../../services/webhook/handed.ts";
import { openServerProcess } from "./server-process.ts";

function openTarget(port: number, maxLength?: number) {
  return createRedisTarget({
    host: "127.0.0.1",
    port,
    tls: undefined,
    username: undefined,
    password: undefined,
    database: 0,
    stream: "push",
    maxLength,
    connectTimeoutMs: 5_000,
    write: writeReceived,
    outbound: createOutbound({ allow: ["127.0.0.0/8"] }),
  });
}

function openServer() {
  return openServerProcess("redis-server", (port, dir) => [
    "--port",
    `${port}`,
    "--bind",
    "127.0.0.1",
    "--dir",
    dir,
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
  ]);
}

async function entriesOf(port: number): Promise<readonly Record<string, string>[]> {
  const client = createClient({ socket: { host: "127.0.0.1", port } });
  await client.connect();
  const entries = await client.xRange("push", "-", "+");
  client.destroy();
  return (entries ?? []).map(({ message }) => ({ ...message }));
}

async function openRig() {
  const server = await openServer();
  const target = openTarget(server.port);
  const behaviours: Record<string, () => unknown> = {
    async later() {
      const client = createClient({ socket: { host: "127.0.0.1", port: server.port } });
      await client.connect();
      await client.configSet("maxmemory", "1");
      client.destroy();
    },
    hang: () => server.freeze(),
  };
  return {
    target,
    behave: (behaviour: string) => behaviours[behaviour]?.(),
    async received() {
      const entries = await entriesOf(server.port);
      return entries.map(({ push_id: pushId = "", message = "" }) => {
        const [, receipt = ""] = /"#ops_receipt_properties":(.*)\}$/.exec(message) ?? [];
        return { pushId, receipt };
      });
    },
    goAway: () => server.stop(),
    async comeBack() {
      await server.start();
      // It listens before it has read its data.
      await vi.waitFor(() => entriesOf(server.port), { timeout: 10_000 });
    },
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

testTarget("redis", openRig, ["later", "hang"]);

const { signal } = new AbortController();

it("names each entry by the id of its message", async () => {
  await using server = await openServer();
  await using target = openTarget(server.port);
  const texts = [messageJson("a"), messageJson("b")];
  await target.deliver(handedBatch(texts), signal);
  expect(await entriesOf(server.port)).toEqual([
    { id: "msg_b1_0_crm", push_id: "a", message: texts[0] },
    { id: "msg_b1_1_crm", push_id: "b", message: texts[1] },
  ]);
});

it("cuts the stream to about its length", async () => {
  await using server = await openServer();
  await using target = openTarget(server.port, 100);
  for (let round = 0; round < 10; round++) {
    await target.deliver(handedBatch(Array.from({ length: 200 }, (_, at) => messageJson(`u${at}`))), signal);
  }
  expect((await entriesOf(server.port)).length).toBeLessThan(400);
});

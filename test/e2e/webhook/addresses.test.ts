import { expect, it, vi } from "vitest";
import { ConfigError } from "../../../cmd/config/problem.ts";
import { openWebhookServer, secret } from "../../cmd/webhook-server.ts";
import { batchOf } from "../../services/webhook/bodies.ts";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";

const channels = { demo: { secrets: [{ value: secret }], targets: ["inside"] } };

function targetAt(host: string, port: number): object {
  const retry = { maxAttempts: 2, minDelayMs: 1, maxDelayMs: 1 };
  return { inside: { kind: "http", url: `http://${host}:${port}/`, retry } };
}

it.each([
  "127.0.0.1",
  "2130706433",
  "0x7f000001",
  "017700000001",
  "0177.0.0.1",
  "127.1",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "169.254.169.254",
])("a target at %s is refused at the start", async (host) => {
  await using target = await openHttpServer();
  const started = openWebhookServer({ channels, targets: targetAt(host, target.port) });
  await expect(started).rejects.toThrow(ConfigError);
  await expect(started).rejects.toThrow(/is not public/);
  expect(target.connections()).toBe(0);
});

it("a name that stands for loopback is never dialled", async () => {
  await using target = await openHttpServer();
  const server = await openWebhookServer({ channels, targets: targetAt("localhost", target.port) });
  expect((await server.send(batchOf(["user-1"], "r-1"))).status).toBe(200);
  const deadLetters = async (): Promise<{ reason: string }[]> =>
    JSON.parse((await server.rest("/v1/webhook/dead-letters")).text).deadLetters ?? [];
  await vi.waitUntil(async () => (await deadLetters()).length === 1, { timeout: 10_000 });
  expect((await deadLetters())[0]!.reason).toContain("is not public");
  expect(target.connections()).toBe(0);
});

import { onTestFinished } from "vitest";
import { openWebhookServer, secret, type WebhookServer } from "../../cmd/webhook-server.ts";
import { openHttpServer, type TestHttpServer } from "../../services/webhook/targets/http-server.ts";

export interface Served {
  readonly server: WebhookServer;
  readonly target: TestHttpServer;
}

/** A server whose channels `demo` and `other` hand on to an HTTP server. */
export async function openWithTarget(
  targetSettings: object = {},
  { channel = {}, settings = {} }: { readonly channel?: object; readonly settings?: object } = {},
): Promise<Served> {
  const target = await openHttpServer();
  onTestFinished(() => target[Symbol.asyncDispose]());
  const demo = { secrets: [{ value: secret }], targets: ["http"], ...channel };
  const server = await openWebhookServer(
    {
      channels: { demo, other: demo },
      targets: { http: { kind: "http", url: target.url, ...targetSettings } },
      outbound: { allow: ["127.0.0.1/32"] },
      inbox: { minFreeBytes: 0 },
    },
    { settings },
  );
  return { server, target };
}

/** The sum of a figure of GetStats over all channels and targets. */
export async function booked(
  server: WebhookServer,
  figure: "accepted" | "delivered" | "dead" | "pending",
): Promise<number> {
  const { text } = await server.rest("/v1/webhook/stats");
  const { targets } = JSON.parse(text) as { targets: Record<string, string>[] };
  return targets.reduce((sum, target) => sum + Number(target[figure]), 0);
}

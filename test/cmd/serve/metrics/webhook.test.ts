import { Registry } from "prom-client";
import { describe, expect, it, test } from "vitest";
import { createWebhookMetrics } from "../../../../cmd/serve/metrics/webhook.ts";
import { registerInboxGauges, registerTargetGauges } from "../../../../cmd/serve/metrics/webhook-gauges.ts";
import { Refusal } from "../../../../services/webhook/receive/refusal.ts";
import type { Counts, InboxHealth } from "../../../../store/inbox/inbox.ts";
import { batchOf } from "../../../services/webhook/bodies.ts";
import { openHandlerServer } from "../../../services/webhook/targets/handler-server.ts";
import { openWebhookServer, secret } from "../../webhook-server.ts";

async function linesOf(registry: Registry): Promise<string[]> {
  return (await registry.metrics()).split("\n").filter((line) => line.startsWith("engage_"));
}

const names = { channels: ["mail"], targets: ["mailer"] };

describe("counters", () => {
  it("count what receiver and engine report", async () => {
    const registry = new Registry();
    const metrics = createWebhookMetrics(registry);
    metrics.configure(names);
    metrics.receive.accepted("mail", { batchId: "b", accepted: 98, failed: 2 });
    metrics.receive.repeated("mail", "b");
    metrics.receive.refused("mail", new Refusal("unauthenticated", "signature mismatch"));
    metrics.receive.warned("mail", {
      duplicateKeys: { count: 3, found: [] },
      numbersForText: 4,
      oddReceiptValues: 0,
      requestIds: 2,
    });
    metrics.receive.failed("mail", "push_id_check", new Error("away"));
    const call = { durationMs: 80, done: 7, retry: 2, dead: 1, reason: "no such user" };
    metrics.delivery.called("mailer", call);
    metrics.delivery.breakerChanged("mailer", "open");
    metrics.delivery.breakerChanged("mailer", "half-open");
    metrics.delivery.leaseLost("mailer", 5);
    metrics.delivery.inboxFailed("mailer", "settle", new Error("full"));
    metrics.clickStored();
    metrics.clickFailed();
    metrics.pruneFailed();
    const lines = await linesOf(registry);
    expect(lines.filter((line) => !line.includes("_bucket") && / (?!0$)/.test(line))).toEqual([
      'engage_webhook_inbox_errors_total{operation="settle"} 1',
      'engage_webhook_inbox_errors_total{operation="prune"} 1',
      'engage_webhook_clicks_total{outcome="kept"} 1',
      'engage_webhook_clicks_total{outcome="failed"} 1',
      'engage_webhook_batches_total{channel="mail",outcome="accepted"} 1',
      'engage_webhook_batches_total{channel="mail",outcome="repeated"} 1',
      'engage_webhook_refused_batches_total{channel="mail",reason="unauthenticated"} 1',
      'engage_webhook_elements_total{channel="mail",outcome="accepted"} 98',
      'engage_webhook_elements_total{channel="mail",outcome="failed"} 2',
      'engage_webhook_warnings_total{channel="mail",kind="duplicate_keys"} 3',
      'engage_webhook_warnings_total{channel="mail",kind="numbers_for_text"} 4',
      'engage_webhook_warnings_total{channel="mail",kind="several_request_ids"} 1',
      'engage_webhook_failed_checks_total{channel="mail",what="push_id_check"} 1',
      'engage_webhook_target_call_seconds_sum{target="mailer"} 0.08',
      'engage_webhook_target_call_seconds_count{target="mailer"} 1',
      'engage_webhook_deliveries_total{target="mailer",outcome="done"} 7',
      'engage_webhook_deliveries_total{target="mailer",outcome="retry"} 2',
      'engage_webhook_deliveries_total{target="mailer",outcome="dead"} 1',
      'engage_webhook_breaker_opened_total{target="mailer"} 1',
      'engage_webhook_lost_leases_total{target="mailer"} 5',
    ]);
  });

  it("have no more series for channels that strangers make up", async () => {
    const registry = new Registry();
    const { receive, configure } = createWebhookMetrics(registry);
    configure(names);
    const before = (await linesOf(registry)).length;
    for (let i = 0; i < 100; i++)
      receive.refused(`made-up-${i}`, new Refusal("unknown_channel", "there is none"));
    const lines = await linesOf(registry);
    expect(lines).toHaveLength(before);
    expect(lines).toContain(
      'engage_webhook_refused_batches_total{channel="(unknown)",reason="unknown_channel"} 100',
    );
  });
});

const counts: readonly Counts[] = [
  { channel: "mail", target: "mailer", accepted: 10, delivered: 5, dead: 2, pending: 3 },
];
const health: InboxHealth = {
  writable: true,
  reason: null,
  oldestPendingMs: 1_500,
  usedBytes: 4_096,
  freeBytes: null,
};

describe("gauges", () => {
  it("show the inbox, asked once for a scrape", async () => {
    const registry = new Registry();
    let asked = 0;
    registerInboxGauges(registry, {
      counts: async () => counts,
      health: async () => {
        asked++;
        return health;
      },
    });
    expect(await linesOf(registry)).toEqual([
      'engage_webhook_pending{channel="mail",target="mailer"} 3',
      'engage_webhook_dead_letters{channel="mail",target="mailer"} 2',
      "engage_webhook_inbox_writable 1",
      "engage_webhook_oldest_pending_seconds 1.5",
      "engage_webhook_inbox_bytes 4096",
    ]);
    expect(asked).toBe(1);
  });

  it("omit unknown values while the store is unavailable", async () => {
    const registry = new Registry();
    const away = async (): Promise<never> => {
      throw new Error("away");
    };
    registerInboxGauges(registry, { counts: away, health: away });
    expect(await linesOf(registry)).toEqual(["engage_webhook_inbox_writable 0"]);
  });

  it("show what goes on at the targets", async () => {
    const registry = new Registry();
    registerTargetGauges(registry, {
      states: () => [
        { target: "mailer", breaker: "half-open", openedMs: 5, nextTryMs: undefined, calls: 1, held: 7 },
      ],
    });
    expect(await linesOf(registry)).toEqual([
      'engage_webhook_breaker_state{target="mailer",state="closed"} 0',
      'engage_webhook_breaker_state{target="mailer",state="open"} 0',
      'engage_webhook_breaker_state{target="mailer",state="half-open"} 1',
      'engage_webhook_calls_in_flight{target="mailer"} 1',
      'engage_webhook_held_messages{target="mailer"} 7',
    ]);
  });
});

test("a server shows what it received and delivered", async () => {
  await using handler = await openHandlerServer();
  const server = await openWebhookServer({
    channels: { demo: { secrets: [{ value: secret }], targets: ["handler"] } },
    targets: { handler: { kind: "grpc", url: handler.url } },
    outbound: { allow: ["127.0.0.1"] },
  });
  const body = batchOf(["a", "b", ""], "r-1");
  await server.send(body);
  await server.send(body);
  await server.send(body, { headers: { "x-svc-ops-signature": "bad" } });
  const metrics = async (): Promise<string> => (await server.rest("/metrics")).text;
  await expect
    .poll(metrics)
    .toContain('engage_webhook_deliveries_total{target="handler",outcome="done"} 2\n');
  const text = await metrics();
  expect(text).toContain('engage_webhook_batches_total{channel="demo",outcome="repeated"} 1\n');
  expect(text).toContain('engage_webhook_elements_total{channel="demo",outcome="failed"} 1\n');
  expect(text).toContain('engage_webhook_refused_batches_total{channel="demo",reason="unauthenticated"} 1\n');
  expect(text).toContain('engage_webhook_breaker_state{target="handler",state="closed"} 1\n');
  expect(text).toContain('engage_webhook_target_call_seconds_count{target="handler"} 1\n');
});

import { describe, expect, it } from "vitest";
import { createThrottle } from "../../../../cmd/serve/log/throttle.ts";
import { createDeliveryLog, createReceiveLog } from "../../../../cmd/serve/log/webhook.ts";
import { Refusal } from "../../../../services/webhook/receive/refusal.ts";
import { createLog } from "../../log-lines.ts";

describe("a throttled log", () => {
  it("writes a burst, then a line a second for each key, and says how many it left out", () => {
    let nowMs = 0;
    const throttle = createThrottle(() => nowMs);
    const ask = (key: string) => throttle(key);
    expect(Array.from({ length: 8 }, () => ask("a"))).toEqual([
      {},
      {},
      {},
      {},
      {},
      undefined,
      undefined,
      undefined,
    ]);
    expect(ask("b")).toEqual({});
    nowMs = 1_000;
    expect([ask("a"), ask("a")]).toEqual([{ omitted: 3 }, undefined]);
    nowMs = 60_000;
    expect(Array.from({ length: 6 }, () => ask("a"))).toEqual([{ omitted: 1 }, {}, {}, {}, {}, undefined]);
  });

  it("tells why a batch is refused, and what goes wrong at targets", () => {
    const { lines, logger } = createLog();
    const throttle = createThrottle(() => 0);
    const receive = createReceiveLog(logger, throttle, () => true);
    receive.refused(
      "mail",
      new Refusal("unauthenticated", "signature mismatch", { detail: "SHA-256 was used" }),
    );
    receive.refused("mail", new Refusal("bad_body", "body is empty"));
    const delivery = createDeliveryLog(logger, throttle);
    const call = { durationMs: 3.4, done: 1, retry: 0, dead: 0, reason: undefined };
    delivery.called("x", call);
    delivery.called("x", { ...call, retry: 2, reason: "HTTP 503" });
    delivery.called("x", { ...call, dead: 2, reason: "HTTP 404" });
    delivery.breakerChanged("x", "open");
    delivery.breakerChanged("x", "half-open");
    delivery.breakerChanged("x", "closed");
    expect(lines.map(({ level, msg, reason, detail }) => [level, msg, reason, detail])).toEqual([
      ["warn", "batch refused", "signature mismatch", "SHA-256 was used"],
      ["info", "batch refused", "body is empty", undefined],
      ["warn", "messages will be retried", "HTTP 503", undefined],
      ["warn", "messages given up", "HTTP 404", undefined],
      ["warn", "target is down", undefined, undefined],
      ["info", "target is up again", undefined, undefined],
    ]);
  });

  it("has the trace of an attempt that failed", () => {
    const { lines, logger } = createLog();
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const call = { durationMs: 3, done: 0, retry: 1, dead: 0, reason: "HTTP 503" };
    const delivery = createDeliveryLog(logger, () => ({}));
    delivery.called("x", { ...call, traceId });
    delivery.called("x", call);
    expect(lines.map(({ trace_id }) => trace_id)).toEqual([traceId, undefined]);
  });

  it("is not filled by those who make up channels", () => {
    const { lines, logger } = createLog();
    const receive = createReceiveLog(
      logger,
      createThrottle(() => 0),
      () => false,
    );
    for (let i = 0; i < 100; i++)
      receive.refused(`made-up-${i}`, new Refusal("unknown_channel", "there is none"));
    expect(lines).toHaveLength(5);
  });
});

import type { Logger } from "pino";
import type { DeliveryObserver } from "../../../services/webhook/delivery/observer.ts";
import type { ReceiveObserver } from "../../../services/webhook/observer.ts";
import type { RefusalKind } from "../../../services/webhook/receive/refusal.ts";
import type { Throttle } from "./throttle.ts";

/** Refusals that need attention, unlike the invalid requests of unknown callers. */
const warned: ReadonlySet<RefusalKind> = new Set(["unauthenticated", "conflict", "unavailable"]);

/** Creates an observer that logs batches. `detail` is only logged: why a signature does not match. */
export function createReceiveLog(
  logger: Logger,
  throttle: Throttle,
  isChannel: (name: string) => boolean,
): ReceiveObserver {
  return {
    accepted: (channel, batch) => logger.debug({ channel, ...batch }, "batch accepted"),
    repeated: (channel, batchId) => logger.debug({ channel, batchId }, "batch repeated"),
    refused(channel, { kind, message, detail }) {
      const line = throttle(`refused ${isChannel(channel) ? channel : ""} ${kind}`);
      if (line === undefined) return;
      logger[warned.has(kind) ? "warn" : "info"](
        { channel: channel.slice(0, 64), kind, reason: message, detail, ...line },
        "batch refused",
      );
    },
    warned(channel, warnings) {
      const line = throttle(`warned ${channel}`);
      if (line !== undefined) logger.warn({ channel, ...warnings, ...line }, "batch accepted with warnings");
    },
    failed(channel, what, error) {
      const line = throttle(`failed ${channel} ${what}`);
      if (line !== undefined)
        logger.warn({ channel, what, err: error, ...line }, "check failed, batch accepted without it");
    },
  };
}

/** Creates an observer that logs the faults of targets. */
export function createDeliveryLog(logger: Logger, throttle: Throttle): DeliveryObserver {
  return {
    called(target, { done, retry, dead, reason, durationMs, traceId }) {
      if (retry + dead === 0) return;
      const line = throttle(`called ${target} ${dead === 0}`);
      if (line === undefined) return;
      const call = {
        target,
        done,
        retry,
        dead,
        reason,
        durationMs: Math.round(durationMs),
        trace_id: traceId,
      };
      logger.warn({ ...call, ...line }, dead === 0 ? "messages will be retried" : "messages given up");
    },
    breakerChanged(target, state) {
      if (state === "open") logger.warn({ target }, "target is down");
      if (state === "closed") logger.info({ target }, "target is up again");
    },
    leaseLost: (target, messages) =>
      logger.warn({ target, messages }, "lease expired, another process delivers the messages"),
    inboxFailed(target, operation, error) {
      const line = throttle(`inbox ${operation}`);
      if (line !== undefined) logger.error({ target, operation, err: error, ...line }, "inbox failed");
    },
  };
}

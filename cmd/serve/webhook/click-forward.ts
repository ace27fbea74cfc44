import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { systemClock } from "../../../base/async/clock.ts";
import type { Outbound } from "../../../base/net/outbound.ts";
import { createSyncServer } from "../../../services/webhook/clicks/sync-server.ts";
import type { ForwardConfig } from "../../../services/webhook/config.ts";
import { openDurableDeadLetters } from "../../../store/deadletters/durable.ts";
import type { ForwardObserver } from "../../../store/records/deliver.ts";
import { openForwarder } from "../../../store/records/forward.ts";
import type { RecordSpool } from "../../../store/records/record-spool.ts";
import type { Throttle } from "../log/throttle.ts";
import { createForwardCounters, registerForwardGauges } from "../metrics/click-forward.ts";

export interface ClickForwardPorts {
  /** The folder of the spool. */
  readonly folder: string;
  readonly spool: RecordSpool;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly throttle: Throttle;
  readonly outbound: Outbound;
  readonly stopMs: () => number;
}

const delays = { minDelayMs: 500, maxDelayMs: 60_000, unknownAppidMs: 60_000 };

/** Forwards the clicks of a spool to the platform's ingest. Refused clicks are written to `dead-letters.ndjson` beside them. */
export function openClickForwarder(config: ForwardConfig, ports: ClickForwardPorts): AsyncDisposable {
  const { folder, spool, logger, registry, outbound } = ports;
  const { wait, now } = systemClock;
  const stack = new AsyncDisposableStack();
  const deadLetters = stack.use(
    openDurableDeadLetters({
      file: join(folder, "dead-letters.ndjson"),
      observer: {
        failed: (error) => logger.error({ err: error }, "could not write dead letters of clicks"),
        resumed: () => logger.info("dead letters of clicks are written again"),
      },
    }),
  );
  const counters = createForwardCounters(registry);
  const forwarder = stack.use(
    openForwarder({
      folder,
      spool,
      delays,
      wait,
      random: Math.random,
      stopMs: ports.stopMs,
      receiver: stack.use(createSyncServer({ ...config, outbound, now })),
      keepDead: (record, reason) =>
        deadLetters.keep({
          time: new Date(now()),
          source: "webhook.clicks.forward",
          reason: "refused",
          message: reason,
          index: undefined,
          format: undefined,
          line: isUtf8(record) ? Buffer.from(record).toString() : record,
        }),
      limits: { maxRecords: config.batchRecords, maxBytes: config.batchBytes },
      deleteForwarded: config.deleteForwarded,
      observer: createForwardLog(config, logger, ports.throttle, counters),
    }),
  );
  registerForwardGauges(registry, forwarder, now);
  return stack;
}

/** Creates an observer that logs faults and counts. */
export function createForwardLog(
  { url, appid }: Pick<ForwardConfig, "url" | "appid">,
  logger: Pick<Logger, "warn" | "error">,
  throttle: Throttle,
  counters: ForwardObserver,
): ForwardObserver {
  const limited = (key: string, write: (line: object) => void): void => {
    const line = throttle(`forward ${key}`);
    if (line !== undefined) write(line);
  };
  return {
    forwarded: counters.forwarded,
    retried(outcome, delayMs) {
      counters.retried(outcome, delayMs);
      const { kind, reason } = outcome;
      const call = { url, reason, delayMs: Math.round(delayMs) };
      if (kind === "retry")
        return limited(kind, (line) =>
          logger.warn({ ...call, ...line }, "could not forward clicks, will retry"),
        );
      const message =
        "could not forward clicks, will retry: the ingest does not know webhook.clicks.forward.appid";
      limited(kind, (line) => logger.error({ ...call, appid, ...line }, message));
    },
    dead(record, reason) {
      counters.dead(record, reason);
      limited("dead", (line) =>
        logger.warn({ url, reason, ...line }, "click refused, kept as a dead letter"),
      );
    },
    failed(error) {
      counters.failed(error);
      limited("failed", (line) =>
        logger.error({ err: error, ...line }, "could not read or write the spool of clicks"),
      );
    },
  };
}

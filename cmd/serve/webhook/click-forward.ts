import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import type { Logger } from "pino";
import { systemClock } from "../../../base/async/clock.ts";
import type { Registry } from "../../../base/metrics/prom-client.ts";
import type { Outbound } from "../../../base/net/outbound.ts";
import { createSyncServer } from "../../../services/webhook/clicks/sync-server.ts";
import type { ForwardConfig } from "../../../services/webhook/config.ts";
import type { DeadLetter } from "../../../store/deadletters/deadletters.ts";
import {
  type DurableDeadLetters,
  openDurableDeadLetters,
  openDurablePostgresDeadLetters,
} from "../../../store/deadletters/durable.ts";
import type { ForwardObserver } from "../../../store/records/deliver.ts";
import { type Forwarder, openForwarder } from "../../../store/records/forward.ts";
import { createFileCursor, type ForwardCursor } from "../../../store/records/forward-cursor.ts";
import type { RecordReader } from "../../../store/records/records.ts";
import type { Throttle } from "../log/throttle.ts";
import { createForwardCounters, registerForwardGauges } from "../metrics/click-forward.ts";
import type { SharedDatabase } from "../shared/databases.ts";
import type { SharedStores } from "../shared/stores.ts";
import { doUnderLease } from "../shared/under-lease.ts";

export interface ClickForwardPorts {
  readonly reader: RecordReader;
  readonly place: ClickForwardPlace;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly throttle: Throttle;
  readonly outbound: Outbound;
  readonly stopMs: () => number;
}

/** Where the position and the refused clicks are stored. */
export type ClickForwardPlace =
  | { readonly folder: string }
  | { readonly database: SharedDatabase; readonly stores: Pick<SharedStores, "leases" | "records"> };

const delays = { minDelayMs: 500, maxDelayMs: 60_000, unknownAppidMs: 60_000 };
/** The name of the lease, of the position and of the refused clicks in the shared database. */
const sharedName = "clicks";

/**
 * Forwards the clicks of a spool to the platform's ingest; of replicas, one at a time does. Refused clicks are kept as
 * dead letters, in the data folder as `dead-letters.ndjson` beside the spool.
 */
export async function openClickForwarder(
  config: ForwardConfig,
  ports: ClickForwardPorts,
): Promise<AsyncDisposable> {
  const { reader, place, logger, registry, outbound } = ports;
  const { wait, now } = systemClock;
  await using opened = new AsyncDisposableStack();
  const deadLetters = opened.use(await openDeadClicks(place, logger));
  const receiver = opened.use(createSyncServer({ ...config, outbound, now }));
  const observer = createForwardLog(config, logger, ports.throttle, createForwardCounters(registry));
  let forwarder: Forwarder | undefined;
  const start = (cursor: ForwardCursor, stopMs: () => number): Forwarder => {
    forwarder = openForwarder({
      reader,
      cursor,
      delays,
      wait,
      stopMs,
      receiver,
      observer,
      random: Math.random,
      keepDead: (record, reason) => deadLetters.keep(deadClick(record, reason, now())),
      limits: { maxRecords: config.batchRecords, maxBytes: config.batchBytes },
      deleteForwarded: config.deleteForwarded,
    });
    return forwarder;
  };
  if ("folder" in place) {
    opened.use(start(createFileCursor(place.folder), ports.stopMs));
  } else {
    const { leases, records } = place.stores;
    opened.use(
      doUnderLease({
        leases,
        name: sharedName,
        clock: systemClock,
        failed: observer.failed,
        async start(lease) {
          // Calls in progress end at once when the lease is lost, since another process then forwards.
          const own = start(records.cursor(lease), () => (lease.signal.aborted ? 0 : ports.stopMs()));
          return {
            async [Symbol.asyncDispose]() {
              forwarder = undefined;
              await own[Symbol.asyncDispose]();
            },
          };
        },
      }),
    );
  }
  registerForwardGauges(registry, { status: async () => await (forwarder ?? notForwarding).status() }, now);
  return opened.move();
}

/** The process which forwards reports what waits. */
const notForwarding: Pick<Forwarder, "status"> = {
  status: () => Promise.reject(new Error("another process forwards clicks")),
};

async function openDeadClicks(place: ClickForwardPlace, logger: Logger): Promise<DurableDeadLetters> {
  const observer = {
    failed: (error: unknown) => logger.error({ err: error }, "could not write dead letters of clicks"),
    resumed: () => logger.info("dead letters of clicks are written again"),
  };
  if ("folder" in place) {
    return openDurableDeadLetters({ file: join(place.folder, "dead-letters.ndjson"), observer });
  }
  const { url, schema } = place.database;
  return openDurablePostgresDeadLetters({ connection: { url }, schema, list: sharedName, observer });
}

function deadClick(record: Uint8Array, reason: string, nowMs: number): DeadLetter {
  return {
    time: new Date(nowMs),
    source: "webhook.clicks.forward",
    reason: "refused",
    message: reason,
    index: undefined,
    format: undefined,
    line: isUtf8(record) ? Buffer.from(record).toString() : record,
  };
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

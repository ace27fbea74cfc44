import type { Registry } from "../../../base/metrics/prom-client.ts";
import type { ForwardObserver } from "../../../store/records/deliver.ts";
import type { Forwarder } from "../../../store/records/forward.ts";
import { counterFactory, registerGauge, single } from "./metrics.ts";

/** Registers the counters of forwarded clicks. */
export function createForwardCounters(registry: Registry): ForwardObserver {
  const counter = counterFactory(registry);
  const forwarded = counter(
    "engage_webhook_click_forwarded_total",
    "Clicks that the platform's ingest has accepted",
  );
  const retries = counter(
    "engage_webhook_click_forward_retries_total",
    "Calls of the ingest that are retried",
    "reason",
  );
  const dead = counter("engage_webhook_click_dead_letters_total", "Clicks that the ingest refused");
  const failures = counter(
    "engage_webhook_click_forward_errors_total",
    "Files that could not be read or written while forwarding",
  );
  for (const reason of ["retry", "unknown_appid"]) retries.add(0, reason);
  return {
    forwarded: (records) => forwarded.add(records),
    retried: ({ kind }) => retries.add(1, kind),
    dead: () => dead.add(1),
    failed: () => failures.add(1),
  };
}

/** Registers the gauges of clicks that are not forwarded yet. They have no sample while the state is unknown. */
export function registerForwardGauges(
  registry: Registry,
  forwarder: Pick<Forwarder, "status">,
  now: () => number,
): void {
  const status = () => forwarder.status().catch(() => undefined);
  registerGauge(
    registry,
    "engage_webhook_click_unforwarded_bytes",
    "Bytes of clicks that are not forwarded yet",
    async () => single((await status())?.waitingBytes),
  );
  registerGauge(
    registry,
    "engage_webhook_click_oldest_unforwarded_seconds",
    "Age of the first click that is not forwarded yet, by its own time; 0 when all are",
    async () => {
      const known = await status();
      return single(known && ageSeconds(known.oldest, now()));
    },
  );
}

/** Reads the time of a click of the spool, which is in UTC. */
function ageSeconds(click: Uint8Array | undefined, nowMs: number): number {
  const [, day, time] =
    /"#time":"(\d{4}-\d\d-\d\d) ([\d:.]+)"/.exec(Buffer.from(click ?? []).toString()) ?? [];
  return day === undefined ? 0 : Math.max(0, nowMs - Date.parse(`${day}T${time}Z`)) / 1_000;
}

import type { Registry } from "prom-client";
import { registerComputed } from "../../../gateway/metrics/computed-metric.ts";
import type { Forwarder } from "../../../store/records/forward.ts";
import type { ForwardObserver } from "../../../store/records/hand-over.ts";
import { createSums } from "./sums.ts";

/** Registers what is counted of clicks that are forwarded. */
export function createForwardCounters(registry: Registry): ForwardObserver {
  const sums = (name: string, help: string, ...labels: readonly string[]) =>
    createSums(registry, { name: `engage_webhook_click_${name}`, help, labels });
  const forwarded = sums("forwarded_total", "Clicks that the platform's ingest has taken");
  const retries = sums("forward_retries_total", "Calls of the ingest that are tried again", "reason");
  const dead = sums("dead_letters_total", "Clicks that the ingest refused");
  const failures = sums("forward_errors_total", "Files that could not be read or written while forwarding");
  for (const reason of ["retry", "unknown_appid"]) retries.add(0, reason);
  return {
    forwarded: (records) => forwarded.add(records),
    retried: ({ kind }) => retries.add(1, kind),
    dead: () => dead.add(1),
    failed: () => failures.add(1),
  };
}

/** Gauges of what is still to be forwarded; left out while it is not known. */
export function registerForwardGauges(
  registry: Registry,
  forwarder: Pick<Forwarder, "status">,
  now: () => number,
): void {
  const status = () => forwarder.status().catch(() => undefined);
  registerComputed(registry, {
    name: "engage_webhook_click_unforwarded_bytes",
    help: "Bytes of clicks that are not forwarded yet",
    type: "gauge",
    async samples() {
      const known = await status();
      return known === undefined ? [] : [{ labels: {}, value: known.waitingBytes }];
    },
  });
  registerComputed(registry, {
    name: "engage_webhook_click_oldest_unforwarded_seconds",
    help: "Age of the first click that is not forwarded yet, by the time it says; 0 when all are",
    type: "gauge",
    async samples() {
      const known = await status();
      return known === undefined ? [] : [{ labels: {}, value: ageSeconds(known.oldest, now()) }];
    },
  });
}

/** The spool's clicks have their time in UTC. */
function ageSeconds(click: Uint8Array | undefined, nowMs: number): number {
  const [, day, time] =
    /"#time":"(\d{4}-\d\d-\d\d) ([\d:.]+)"/.exec(Buffer.from(click ?? []).toString()) ?? [];
  return day === undefined ? 0 : Math.max(0, nowMs - Date.parse(`${day}T${time}Z`)) / 1_000;
}

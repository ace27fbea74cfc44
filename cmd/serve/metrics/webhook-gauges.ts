import type { Registry } from "../../../base/metrics/prom-client.ts";
import type { Sample } from "../../../gateway/metrics/computed-metric.ts";
import type { Delivery } from "../../../services/webhook/delivery/delivery.ts";
import type { Counts, Inbox, InboxHealth } from "../../../store/inbox/inbox.ts";
import { registerGauge, single } from "./metrics.ts";

interface InboxState {
  /** Empty while the store is unavailable. */
  readonly counts: readonly Counts[];
  /** Undefined while the store is unavailable. */
  readonly health: InboxHealth | undefined;
}

/** All gauges of one scrape share one reading. */
const keepMs = 1_000;
/** A scrape usually times out after 10 s. */
const timeoutMs = 2_000;

/** Registers the gauges of the inbox, which is read at each scrape. */
export function registerInboxGauges(registry: Registry, inbox: Pick<Inbox, "counts" | "health">): void {
  const readState = createStateReader(inbox);
  const gauge = (
    name: string,
    help: string,
    read: (state: InboxState) => readonly Sample[],
    ...labels: readonly string[]
  ): void => registerGauge(registry, name, help, async () => read(await readState()), ...labels);
  const countsOf = (field: "pending" | "dead") => (state: InboxState) =>
    state.counts.map(({ channel, target, [field]: value }) => ({ labels: { channel, target }, value }));
  const pending = "Deliveries that wait or are in progress";
  const dead = "Deliveries that were given up and not replayed";
  gauge("engage_webhook_pending", pending, countsOf("pending"), "channel", "target");
  gauge("engage_webhook_dead_letters", dead, countsOf("dead"), "channel", "target");
  gauge("engage_webhook_inbox_writable", "1 while batches can be stored", ({ health }) =>
    single(health?.writable === true ? 1 : 0),
  );
  gauge(
    "engage_webhook_oldest_pending_seconds",
    "Age of the oldest waiting message; 0 when none waits",
    ({ health }) => (health?.usedBytes == null ? [] : single((health.oldestPendingMs ?? 0) / 1_000)),
  );
  gauge("engage_webhook_inbox_bytes", "Bytes that the inbox uses", ({ health }) => single(health?.usedBytes));
  gauge("engage_webhook_inbox_free_bytes", "Free bytes on the disk of the inbox", ({ health }) =>
    single(health?.freeBytes),
  );
}

function createStateReader(inbox: Pick<Inbox, "counts" | "health">): () => Promise<InboxState> {
  let last: Promise<InboxState> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (last === undefined || nowMs - lastMs >= keepMs) {
      last = stateOf(inbox);
      lastMs = nowMs;
    }
    return last;
  };
}

async function stateOf(inbox: Pick<Inbox, "counts" | "health">): Promise<InboxState> {
  const signal = AbortSignal.timeout(timeoutMs);
  const [counts, health] = await Promise.allSettled([inbox.counts({ signal }), inbox.health({ signal })]);
  return {
    counts: counts.status === "fulfilled" ? counts.value : [],
    health: health.status === "fulfilled" ? health.value : undefined,
  };
}

const breakerStates = ["closed", "open", "half-open"] as const;

/** Registers the gauges of targets. */
export function registerTargetGauges(registry: Registry, { states }: Pick<Delivery, "states">): void {
  registerGauge(
    registry,
    "engage_webhook_breaker_state",
    "1 for the state of the target's breaker; open: the target is considered down",
    () =>
      states().flatMap(({ target, breaker }) =>
        breakerStates.map((state) => ({ labels: { target, state }, value: state === breaker ? 1 : 0 })),
      ),
    "target",
    "state",
  );
  registerGauge(
    registry,
    "engage_webhook_calls_in_flight",
    "Calls of targets in progress",
    () => states().map(({ target, calls }) => ({ labels: { target }, value: calls })),
    "target",
  );
  registerGauge(
    registry,
    "engage_webhook_held_messages",
    "Messages that are leased from the inbox and not settled",
    () => states().map(({ target, held }) => ({ labels: { target }, value: held })),
    "target",
  );
}

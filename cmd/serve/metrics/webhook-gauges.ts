import type { Registry } from "prom-client";
import { registerComputed, type Sample } from "../../../gateway/metrics/computed-metric.ts";
import type { Delivery } from "../../../services/webhook/delivery/engine.ts";
import type { Counts, Inbox, InboxHealth } from "../../../store/inbox/inbox.ts";

type Look = () => Promise<Looked>;

interface Looked {
  /** Empty while the store is away. */
  readonly counts: readonly Counts[];
  /** Undefined when there was no answer. */
  readonly health: InboxHealth | undefined;
}

/** One scrape looks once. */
const keepMs = 1_000;
/** Of a scrape's usual 10 s. */
const timeoutMs = 2_000;

/** Gauges of what the inbox holds; it is asked at a scrape. */
export function registerInboxGauges(registry: Registry, inbox: Pick<Inbox, "counts" | "health">): void {
  const look = createLook(inbox);
  const gauge = (name: string, help: string, read: (looked: Looked) => readonly Sample[]): void =>
    registerComputed(registry, {
      name: `engage_webhook_${name}`,
      help,
      type: "gauge",
      samples: async () => read(await look()),
    });
  const book = (field: "pending" | "dead") => (looked: Looked) =>
    looked.counts.map(({ channel, target, [field]: value }) => ({ labels: { channel, target }, value }));
  gauge("pending", "Deliveries that wait or are under way", book("pending"));
  gauge("dead_letters", "Deliveries given up and not replayed", book("dead"));
  gauge("inbox_writable", "1 while batches can be stored", ({ health }) =>
    single(health?.writable === true ? 1 : 0),
  );
  gauge("oldest_pending_seconds", "Age of the oldest message that waits, 0 when none does", ({ health }) =>
    health?.usedBytes == null ? [] : single((health.oldestPendingMs ?? 0) / 1_000),
  );
  gauge("inbox_bytes", "Bytes that the inbox takes", ({ health }) => single(health?.usedBytes));
  gauge("inbox_free_bytes", "Bytes free on the disk of the inbox", ({ health }) => single(health?.freeBytes));
}

function createLook(inbox: Pick<Inbox, "counts" | "health">): Look {
  let last: Promise<Looked> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (last === undefined || nowMs - lastMs >= keepMs) {
      last = lookAt(inbox);
      lastMs = nowMs;
    }
    return last;
  };
}

async function lookAt(inbox: Pick<Inbox, "counts" | "health">): Promise<Looked> {
  const signal = AbortSignal.timeout(timeoutMs);
  const [counts, health] = await Promise.allSettled([inbox.counts({ signal }), inbox.health({ signal })]);
  return {
    counts: counts.status === "fulfilled" ? counts.value : [],
    health: health.status === "fulfilled" ? health.value : undefined,
  };
}

function single(value: number | null | undefined): readonly Sample[] {
  return value === null || value === undefined ? [] : [{ labels: {}, value }];
}

const breakerStates = ["closed", "open", "half-open"] as const;

/** Gauges of what goes on at the targets. */
export function registerTargetGauges(registry: Registry, { states }: Pick<Delivery, "states">): void {
  registerComputed(registry, {
    name: "engage_webhook_breaker_state",
    help: "1 for the state that the target's breaker is in; open: the target is taken for down",
    type: "gauge",
    samples: () =>
      states().flatMap(({ target, breaker }) =>
        breakerStates.map((state) => ({ labels: { target, state }, value: state === breaker ? 1 : 0 })),
      ),
  });
  registerComputed(registry, {
    name: "engage_webhook_calls_in_flight",
    help: "Calls of targets under way",
    type: "gauge",
    samples: () => states().map(({ target, calls }) => ({ labels: { target }, value: calls })),
  });
  registerComputed(registry, {
    name: "engage_webhook_held_messages",
    help: "Messages leased from the inbox and not settled",
    type: "gauge",
    samples: () => states().map(({ target, held }) => ({ labels: { target }, value: held })),
  });
}

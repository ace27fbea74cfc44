import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Delivery, openDelivery } from "../../../../services/webhook/delivery/delivery.ts";
import type { LanePolicy } from "../../../../services/webhook/delivery/lane-options.ts";
import type { DeliveryObserver } from "../../../../services/webhook/delivery/observer.ts";
import type { Target, TargetOutcome } from "../../../../services/webhook/targets/target.ts";
import { encodeDeliveryId } from "../../../../store/inbox/ids.ts";
import type { BatchElement, Counts, Inbox, NewBatch } from "../../../../store/inbox/inbox.ts";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { messageJson } from "../handed.ts";
import { TestClock } from "./test-clock.ts";

export interface Call {
  readonly atMs: number;
  readonly attempt: number;
  readonly pushIds: readonly string[];
  readonly replay: string | null;
}

export type Behave = Target["deliver"];

/** A target with configurable outcomes that records its calls. */
export interface FakeTarget extends Target {
  readonly calls: Call[];
  /** Calls at the same time, at most. */
  readonly peak: () => number;
  behave: Behave;
}

export const allDone: Behave = async ({ elements }) => elements.map(() => ({ kind: "done" }));

export function all(outcome: TargetOutcome): Behave {
  return async ({ elements }) => elements.map(() => outcome);
}

export function createFakeTarget(clock: TestClock, maxMessages = 1_000): FakeTarget {
  let running = 0;
  let peak = 0;
  const calls: Call[] = [];
  const target: FakeTarget = {
    calls,
    maxMessages,
    peak: () => peak,
    behave: allDone,
    async deliver(batch, signal, answered) {
      const { attempt, replay, elements } = batch;
      calls.push({ atMs: clock.now(), attempt, replay, pushIds: elements.map(({ pushId }) => pushId) });
      peak = Math.max(peak, ++running);
      try {
        return await target.behave(batch, signal, answered);
      } finally {
        running--;
      }
    },
    async [Symbol.asyncDispose]() {},
  };
  return target;
}

export const policy: LanePolicy = {
  concurrency: 4,
  maxPerSecond: undefined,
  timeoutMs: 5_000,
  retry: { maxAttempts: 5, maxAgeMs: 86_400_000, minDelayMs: 1_000, maxDelayMs: 60_000 },
  breaker: { failures: 5, openMs: 5_000, maxOpenMs: 60_000 },
};

export interface Event {
  readonly name: keyof DeliveryObserver;
  readonly target: string;
  readonly what: unknown;
}

/** An inbox in a file, and an engine on it as often as wanted, in a time of their own. */
export interface Harness extends AsyncDisposable {
  readonly clock: TestClock;
  readonly inbox: Inbox;
  readonly events: Event[];
  target(maxMessages?: number): FakeTarget;
  start(
    targets: Readonly<Record<string, Target>>,
    options?: { readonly policy?: Partial<LanePolicy>; readonly inbox?: Partial<Inbox> },
  ): Delivery;
  accept(pushIds: readonly string[], targets: readonly string[], ordered?: boolean): Promise<string>;
  /** The books of a target, over all channels. */
  counts(target: string): Promise<Pick<Counts, "accepted" | "delivered" | "dead" | "pending">>;
  isSettled(): Promise<boolean>;
}

export async function openHarness(): Promise<Harness> {
  const clock = new TestClock();
  const folder = await mkdtemp(join(tmpdir(), "engage-delivery-"));
  const opened = await openSqliteInbox({
    path: join(folder, "inbox.db"),
    minFreeBytes: 0,
    reserveBytes: 0,
    now: clock.now,
  });
  const inbox = clock.watch(opened);
  const events: Event[] = [];
  const running: Delivery[] = [];
  const note = (name: keyof DeliveryObserver) => (target: string, what: unknown) => {
    events.push({ name, target, what });
  };
  return {
    clock,
    inbox,
    events,
    target: (maxMessages) => createFakeTarget(clock, maxMessages),
    start(targets, options = {}) {
      const delivery = openDelivery({
        inbox: Object.assign(Object.create(inbox), options.inbox),
        clock,
        random: () => 0.5,
        observer: {
          called: note("called"),
          breakerChanged: note("breakerChanged"),
          leaseLost: note("leaseLost"),
          inboxFailed: note("inboxFailed"),
        },
        deliveryIdOf: encodeDeliveryId,
      });
      for (const [name, target] of Object.entries(targets)) {
        delivery.add({ name, target, policy: { ...policy, ...options.policy } });
      }
      running.push(delivery);
      return delivery;
    },
    async accept(pushIds, targets, ordered = false) {
      const batch = newBatch(pushIds, targets, ordered);
      const result = await inbox.accept(batch);
      return result.batchId;
    },
    async counts(target) {
      const rows = (await inbox.counts()).filter((row) => row.target === target);
      const sum = (name: "accepted" | "delivered" | "dead" | "pending") =>
        rows.reduce((total, row) => total + row[name], 0);
      return {
        accepted: sum("accepted"),
        delivered: sum("delivered"),
        dead: sum("dead"),
        pending: sum("pending"),
      };
    },
    isSettled: async () => (await inbox.counts()).every(({ pending }) => pending === 0),
    async [Symbol.asyncDispose]() {
      const stopped = Promise.all(running.map((delivery) => delivery.stop(0)));
      let isStopped = false;
      await Promise.all([stopped.finally(() => (isStopped = true)), clock.until(() => isStopped)]);
      await opened[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

export function newBatch(pushIds: readonly string[], targets: readonly string[], ordered = false): NewBatch {
  const texts = pushIds.map((pushId) => messageJson(pushId));
  const elements: BatchElement[] = [];
  let start = 1;
  for (const [index, text] of texts.entries()) {
    const end = start + Buffer.byteLength(text);
    const receiptStart = start + text.indexOf('{"ops_project_id"');
    elements.push({ index, pushId: pushIds[index]!, start, end, receiptStart, receiptEnd: end - 1 });
    start = end + 1;
  }
  const body = Buffer.from(`[${texts.join(",")}]`);
  return {
    channel: "mail",
    requestId: null,
    body,
    elements,
    reply: Buffer.from("{}"),
    routes: targets.map((target) => ({ target, indexes: "all", ordered })),
  };
}

export function names(count: number, prefix = "u"): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}${at}`);
}

import type { Clock } from "../../../base/async/clock.ts";
import type { Inbox, NewBatch, Route } from "../../../store/inbox/inbox.ts";
import type { DeliverNow } from "../receive/store-batch.ts";
import type { RouteOutcome } from "../receive/sync-outcome.ts";
import type { HandedBatch, Target } from "../targets/target.ts";
import { type DeliveredNow, Lane } from "./lane.ts";
import type { LaneOptions, LanePolicy } from "./lane-options.ts";
import type { DeliveryObserver, LaneState } from "./observer.ts";

export interface DeliveryTarget {
  readonly name: string;
  readonly target: Target;
  readonly policy: LanePolicy;
}

export interface DeliveryOptions {
  readonly inbox: LaneOptions["inbox"] & Pick<Inbox, "onWork">;
  readonly clock: Clock;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly observer: DeliveryObserver;
  /** Called with the attempts of each call that has ended. */
  readonly attempted?: LaneOptions["attempted"];
  readonly tracer?: LaneOptions["tracer"];
  /** Returns the id that the inbox gives a delivery, for messages that are delivered without a lease. */
  readonly deliveryIdOf: (batchId: string, index: number, target: string) => string;
}

/**
 * Delivers messages from the inbox to their targets, with a lane for each target.
 *
 * A lane (`lane.ts`) leases messages as held items (`held-item.ts`), which keep the lease and settle the outcomes.
 * Each call waits for the limiter (`call-limiter.ts`: concurrency, rate and `breaker.ts`), is marked (`call-
 * marker.ts`), calls the target (`attempt.ts`) and turns failures into retries or dead letters (`retry-policy.ts`).
 * `routing.ts` decides which targets get a message.
 */
export interface Delivery {
  /** Starts to deliver to a target. Its name must not be in use. It is not closed with the delivery. */
  add(target: DeliveryTarget): void;
  /**
   * Stops to deliver to a target. Its messages wait in the inbox, and may be delivered by others and by a new target
   * of the name at once. Resolves when its calls have ended and their outcomes are stored.
   */
  remove(name: string): Promise<void>;
  /** Delivers a batch at once, for channels in sync mode. */
  readonly deliverNow: DeliverNow;
  states(): readonly LaneState[];
  /** Releases waiting messages, lets calls finish for `drainMs` and aborts the others. */
  stop(drainMs: number): Promise<void>;
}

/** Opens the delivery, which has no targets at first. */
export function openDelivery(options: DeliveryOptions): Delivery {
  const { clock } = options;
  const lanes = new Map<string, Lane>();
  /** Lanes of removed targets whose calls have not ended. */
  const ending = new Set<Lane>();
  const hints = options.inbox.onWork((target) => lanes.get(target)?.wake());
  return {
    add({ name, target, policy }) {
      if (lanes.has(name)) throw new Error(`there is a target ${name} already`);
      const lane = new Lane({ ...options, name, target, policy });
      lanes.set(name, lane);
      lane.start();
    },
    async remove(name) {
      const lane = lanes.get(name);
      if (lane === undefined) return;
      lanes.delete(name);
      ending.add(lane);
      // Each call ends by its own time limit.
      await lane.stop(Number.POSITIVE_INFINITY);
      ending.delete(lane);
    },
    states: () => [...lanes.values()].map((lane) => lane.state()),
    async stop(drainMs) {
      hints[Symbol.dispose]();
      await Promise.all([...lanes.values(), ...ending].map((lane) => lane.stop(drainMs)));
    },
    async deliverNow(batch, timeoutMs) {
      const time = new AbortController();
      const isLate = clock.wait(timeoutMs, time.signal).then(() => time.abort());
      const running = batch.routes.map(async (route): Promise<RouteOutcome> => {
        const lane = lanes.get(route.target);
        if (lane === undefined) return { target: route.target, delivered: [], failed: [] };
        const handed = toHanded(batch, route, options.deliveryIdOf, clock.now());
        return toRouteOutcome(route.target, await lane.deliverNow(handed, time.signal));
      });
      const results = await Promise.all(running);
      time.abort();
      await isLate;
      return results;
    },
  };
}

function toHanded(
  { batchId, channel, requestId, body, elements, trace }: Parameters<DeliverNow>[0],
  { target, indexes }: Route,
  deliveryIdOf: DeliveryOptions["deliveryIdOf"],
  acceptedAtMs: number,
): HandedBatch {
  const wanted = indexes === "all" ? undefined : new Set(indexes);
  const chosen = elements.filter(({ index }) => wanted?.has(index) ?? true);
  return {
    target,
    batchId,
    channel,
    requestId,
    acceptedAtMs,
    attempt: 1,
    replay: null,
    trace,
    elements: chosen.map((element) => ({
      index: element.index,
      pushId: element.pushId,
      deliveryId: deliveryIdOf(batchId, element.index, target),
      ...cut(body, element),
    })),
  };
}

function cut(
  body: Uint8Array,
  { start, end, receiptStart, receiptEnd }: NewBatch["elements"][number],
): { readonly json: Uint8Array; readonly receipt: Uint8Array } {
  return { json: body.subarray(start, end), receipt: body.subarray(receiptStart, receiptEnd) };
}

/** Converts the outcomes of a lane. Messages to be retried count as without an outcome: the queue retries them. */
function toRouteOutcome(target: string, { outcomes, attempts }: DeliveredNow): RouteOutcome {
  const ordered = [...outcomes].sort(([a], [b]) => a - b);
  return {
    target,
    attempts,
    delivered: ordered.flatMap(([index, { kind }]) => (kind === "done" ? [index] : [])),
    failed: ordered.flatMap(([index, outcome]) =>
      outcome.kind === "dead" ? [{ index, reason: outcome.reason }] : [],
    ),
  };
}

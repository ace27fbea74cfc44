import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import type { Clock } from "../../../base/async/clock.ts";
import type { Outbound } from "../../../base/net/outbound.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import {
  type Delivery,
  type DeliveryTarget,
  openDelivery,
} from "../../../services/webhook/delivery/delivery.ts";
import type { Attempted } from "../../../services/webhook/delivery/lane-options.ts";
import type { DeliveryObserver } from "../../../services/webhook/delivery/observer.ts";
import type { RetryPolicy } from "../../../services/webhook/delivery/retry-policy.ts";
import type { TargetConfig } from "../../../services/webhook/targets/config.ts";
import { createTarget, type PushConfig } from "../../../services/webhook/targets/targets.ts";
import { encodeDeliveryId } from "../../../store/inbox/ids.ts";
import type { Inbox } from "../../../store/inbox/inbox.ts";

export interface DeliveryPorts {
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: DeliveryObserver;
  readonly attempted: Attempted;
  readonly tracer: Tracer | undefined;
  /** Returns the time left to stop, when it is closed. */
  readonly stopMs: () => number;
}

export interface OpenDelivery extends AsyncDisposable, Pick<Delivery, "deliverNow" | "states"> {
  /** Prepares the delivery to these targets instead of the present ones. Those with the same settings are kept. */
  prepare(configs: Targets, outbound: Outbound): PreparedTargets;
}

export interface PreparedTargets {
  /**
   * Delivers to the targets. Resolves when the calls of the replaced ones have ended and their connections are closed;
   * never rejects.
   */
  apply(): Promise<void>;
  discard(): Promise<void>;
}

type Targets = Readonly<Record<string, TargetConfig>>;

/** A target that is called, with what it was created from. */
interface OpenTarget extends DeliveryTarget {
  readonly settings: string;
  readonly outbound: Outbound;
}

/** Opens the delivery of messages to targets that are called. It has none at first. */
export function openTargets(ports: DeliveryPorts): OpenDelivery {
  const { inbox, clock, observer, attempted, tracer } = ports;
  const delivery = openDelivery({
    inbox,
    clock,
    observer,
    attempted,
    tracer,
    random: Math.random,
    deliveryIdOf: encodeDeliveryId,
  });
  let targets: ReadonlyMap<string, OpenTarget> = new Map();
  const ending = new Set<Promise<void>>();
  return {
    deliverNow: delivery.deliverNow,
    states: delivery.states,
    prepare(configs, outbound) {
      const next = new Map(
        Object.entries(configs).flatMap(([name, config]) =>
          config.kind === "pull" ? [] : [[name, open(name, config, outbound)] as const],
        ),
      );
      const isIn = (all: ReadonlyMap<string, OpenTarget>, one: OpenTarget): boolean =>
        all.get(one.name) === one;
      return {
        apply() {
          const before = targets;
          targets = next;
          for (const one of before.values()) if (!isIn(next, one)) end(one);
          for (const one of next.values()) if (!isIn(before, one)) delivery.add(one);
          return Promise.all(ending).then(() => undefined);
        },
        discard: () => close([...next.values()].filter((one) => !isIn(targets, one))),
      };
    },
    async [Symbol.asyncDispose]() {
      await delivery.stop(ports.stopMs());
      await Promise.all([close([...targets.values()]), ...ending]);
    },
  };

  function open(name: string, config: PushConfig, outbound: Outbound): OpenTarget {
    const files = "tls" in config && config.tls !== undefined ? Object.values(config.tls) : [];
    const settings = JSON.stringify([config, files.map((file) => file && readText(file))]);
    const known = targets.get(name);
    const isConnected = config.kind !== "file" && config.kind !== "log";
    if (known?.settings === settings && (known.outbound === outbound || !isConnected)) return known;
    const target = createTarget(config, {
      outbound,
      now: Date.now,
      log: (entry) => ports.logger.info(entry, "message"),
      readFile: readText,
    });
    const policy = { ...config, maxPerSecond: config.maxPerSecond };
    return { name, target, policy, settings, outbound };
  }

  function end(one: OpenTarget): void {
    const ended = delivery
      .remove(one.name)
      .then(() => close([one]))
      .catch((error: unknown) => {
        ports.logger.error(
          { err: error, target: one.name },
          "could not close the connections of a former target",
        );
      })
      .finally(() => ending.delete(ended));
    ending.add(ended);
  }
}

function readText(path: string): string {
  return readFileSync(path, "utf8");
}

async function close(targets: readonly OpenTarget[]): Promise<void> {
  await Promise.all(targets.map(({ target }) => target[Symbol.asyncDispose]()));
}

/** The retry policies of targets whose messages are pulled; null for targets that are called. */
export interface PullPolicies {
  readonly configured: ReadonlyMap<string, RetryPolicy | null>;
  /** With those of targets that are no longer pulled, by which messages that are leased can be settled. */
  readonly leased: ReadonlyMap<string, RetryPolicy>;
  use(configs: Targets): void;
}

export function createPullPolicies(): PullPolicies {
  const configured = new Map<string, RetryPolicy | null>();
  const leased = new Map<string, RetryPolicy>();
  return {
    configured,
    leased,
    use(configs) {
      configured.clear();
      for (const [name, config] of Object.entries(configs)) {
        configured.set(name, config.kind === "pull" ? config.retry : null);
        if (config.kind === "pull") leased.set(name, config.retry);
      }
    },
  };
}

/** Warns about messages that wait for a target that is no longer configured. */
export async function warnOfOrphans(
  inbox: Pick<Inbox, "counts">,
  configs: Targets,
  logger: Logger,
): Promise<void> {
  for (const { channel, target, pending } of await inbox.counts()) {
    if (pending === 0 || Object.hasOwn(configs, target)) continue;
    logger.warn({ channel, target, pending }, "messages wait for a target that is not configured");
  }
}

import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import type { Clock } from "../../../base/async/clock.ts";
import type { Outbound } from "../../../base/net/outbound.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import { type Delivery, openDelivery } from "../../../services/webhook/delivery/delivery.ts";
import type { Attempted } from "../../../services/webhook/delivery/lane-options.ts";
import type { DeliveryObserver } from "../../../services/webhook/delivery/observer.ts";
import type { RetryPolicy } from "../../../services/webhook/delivery/retry-policy.ts";
import type { TargetConfig } from "../../../services/webhook/targets/config.ts";
import { createTarget } from "../../../services/webhook/targets/targets.ts";
import { encodeDeliveryId } from "../../../store/inbox/ids.ts";
import type { Inbox } from "../../../store/inbox/inbox.ts";

export interface DeliveryPorts {
  readonly inbox: Inbox;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: DeliveryObserver;
  readonly attempted: Attempted;
  readonly tracer: Tracer | undefined;
  /** Returns the time left to stop, when it is closed. */
  readonly stopMs: () => number;
}

export interface OpenDelivery extends AsyncDisposable, Pick<Delivery, "deliverNow" | "states"> {}

type Targets = Readonly<Record<string, TargetConfig>>;

/** Opens the targets that are called and starts delivering to them. */
export function openTargets(configs: Targets, ports: DeliveryPorts): OpenDelivery {
  const { inbox, outbound, clock, logger, observer, attempted, tracer } = ports;
  const targets = Object.entries(configs).flatMap(([name, config]) => {
    if (config.kind === "pull") return [];
    const target = createTarget(config, {
      outbound,
      now: Date.now,
      log: (entry) => logger.info(entry, "message"),
      readFile: (path) => readFileSync(path, "utf8"),
    });
    return [{ name, target, policy: { ...config, maxPerSecond: config.maxPerSecond } }];
  });
  const delivery = openDelivery({
    targets,
    inbox,
    clock,
    observer,
    attempted,
    tracer,
    random: Math.random,
    deliveryIdOf: encodeDeliveryId,
  });
  return {
    ...delivery,
    async [Symbol.asyncDispose]() {
      await delivery.stop(ports.stopMs());
      await Promise.all(targets.map(({ target }) => target[Symbol.asyncDispose]()));
    },
  };
}

/** Returns the retry policies of targets whose messages are pulled; null for targets that are called. */
export function pullPolicies(configs: Targets): ReadonlyMap<string, RetryPolicy | null> {
  return new Map(
    Object.entries(configs).map(([name, config]) => [name, config.kind === "pull" ? config.retry : null]),
  );
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

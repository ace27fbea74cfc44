import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { ServiceImpl } from "@connectrpc/connect";
import { systemClock } from "../../../base/async/clock.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import type { ChannelSender } from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { ChannelSources } from "../../../services/bridges/channel-sources.ts";
import { createChannelSender } from "../../../services/channel/channel.ts";
import { createDelivery, type Delivery } from "../../../services/channel/delivery/delivery.ts";
import type { DeliveryObserver } from "../../../services/channel/delivery/observer.ts";
import type { OpenedExchange } from "../../../services/channel/delivery/sender.ts";
import type { Projects, SenderOptions, SenderPorts } from "../../../services/channel/ports.ts";
import { type ScheduleObserver, startScheduler } from "../../../services/channel/schedule/scheduler.ts";
import type { ChannelStore } from "../../../store/channels/channels.ts";
import { startPruning } from "../prune.ts";

export interface OpenSender extends AsyncDisposable {
  readonly service: ServiceImpl<typeof ChannelSender>;
  readonly store: ChannelStore;
}

export interface SenderParts {
  /** Closed with what is opened. */
  readonly store: ChannelStore;
  readonly sources: ChannelSources;
  readonly openExchange: (url: string) => OpenedExchange;
  readonly refusedAddress: SenderPorts["refusedAddress"];
  readonly projects: Projects;
  /** Requests of one channel under way at a time. */
  readonly concurrency: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly stopping: AbortSignal;
  /** Returns the remaining time to stop; called when the sender is closed. */
  readonly stopMs: () => number;
  readonly deliveryObserver: DeliveryObserver;
  readonly scheduleObserver: ScheduleObserver;
  readonly pruneFailed: (error: unknown) => void;
  readonly callerOf: SenderOptions["callerOf"];
  readonly traceOf: NonNullable<SenderOptions["traceOf"]>;
  readonly tracer: Tracer | undefined;
}

/** Serves a store: methods, schedules, delivery and upkeep. */
export function openSender(parts: SenderParts): OpenSender {
  const { store, projects, now, stopping, stopMs, sources, tracer } = parts;
  const { wait: sleep } = systemClock;
  const opened = new AsyncDisposableStack();
  opened.use(store);
  opened.use(startPruning(store, parts.pruneFailed));
  const delivery = startDelivery(parts);
  opened.defer(() => delivery.stop(stopMs()));
  const scheduler = opened.use(
    startScheduler({ store, projects, now, sleep, observer: parts.scheduleObserver, tracer }),
  );
  const service = createChannelSender({
    store,
    projects,
    now,
    sleep,
    stopping,
    checkContent: delivery.checkContent,
    checkAudience: sources.checkAudience,
    refusedAddress: parts.refusedAddress,
    estimate: delivery.estimate,
    testChannel: delivery.testChannel,
    previewMessage: delivery.previewMessage,
    funnels: delivery.funnels,
    scheduled: scheduler.wake,
    callerOf: parts.callerOf,
    traceOf: parts.traceOf,
  });
  return { service, store, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function startDelivery({
  store,
  sources,
  openExchange,
  concurrency,
  now,
  deliveryObserver,
  tracer,
}: SenderParts): Delivery {
  const delivery = createDelivery({
    store,
    audience: sources.audience,
    events: sources.events,
    openExchange,
    clock: { ...systemClock, now },
    observer: deliveryObserver,
    newRequestId: randomUUID,
    owner: `${hostname()} ${process.pid}`,
    maxInFlight: concurrency,
    tracer,
  });
  delivery.start();
  return delivery;
}

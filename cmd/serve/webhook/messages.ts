import { randomUUID } from "node:crypto";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import { systemClock } from "../../../base/async/clock.ts";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import type { Registry } from "../../../base/metrics/prom-client.ts";
import type { Outbound } from "../../../base/net/outbound.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import type { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { createAdminMethods } from "../../../services/webhook/admin/admin.ts";
import { createBatchMethods } from "../../../services/webhook/admin/batches.ts";
import { createPullMethods } from "../../../services/webhook/admin/pull.ts";
import { mapErrors } from "../../../services/webhook/admin/refusals.ts";
import type { Channel } from "../../../services/webhook/channels.ts";
import type { ClickOptions } from "../../../services/webhook/clicks/clicks.ts";
import type { DeliveryObserver } from "../../../services/webhook/delivery/observer.ts";
import { type ChannelRouter, compileRouter } from "../../../services/webhook/delivery/routing.ts";
import { createExplainer } from "../../../services/webhook/explain/explainer.ts";
import type { ReceiveObserver } from "../../../services/webhook/observer.ts";
import { unknownChannel } from "../../../services/webhook/receive/admit.ts";
import {
  createPushIdCheckers,
  type PushIdCheckers,
} from "../../../services/webhook/receive/check-push-ids.ts";
import { createReceiver, type Receive, type RoutesOf } from "../../../services/webhook/receive/receive.ts";
import { createWatchMethod } from "../../../services/webhook/watch/method.ts";
import { createDeliveryWatches, type DeliveryWatches } from "../../../services/webhook/watch/watch.ts";
import type { Inbox } from "../../../store/inbox/inbox.ts";
import type { Config } from "../../config/config.ts";
import { traceOf } from "../gateway-ports.ts";
import { registerInboxGauges, registerTargetGauges } from "../metrics/webhook-gauges.ts";
import { startPruning } from "../prune.ts";
import type { Prepared } from "../reload/reload.ts";
import type { StopTime } from "../stop-time.ts";
import {
  createPullPolicies,
  type OpenDelivery,
  openTargets,
  type PullPolicies,
  warnOfOrphans,
} from "./delivery.ts";
import { createInboxCheck, openInbox, startReading } from "./inbox.ts";

type Methods = Omit<ServiceImpl<typeof WebhookReceiver>, "receive" | "reportClick" | "listRefusals">;

/** The methods that need the inbox. */
export interface Messages extends AsyncDisposable {
  readonly receive: Receive;
  readonly methods: Methods;
  /** Undefined on a server that stores no messages. */
  readonly inbox: Pick<Inbox, "deadLetters" | "deadLetterGroups" | "delivery" | "replay"> | undefined;
  readonly findDelivery: ClickOptions["findDelivery"];
  readonly checks: Readonly<Record<string, ReadyCheck>>;
  /** Prepares other channels and targets. */
  prepare(wanted: WantedChannels): Prepared;
}

/** Channels and targets, compiled from one configuration. */
export interface WantedChannels {
  readonly webhook: Pick<Config["webhook"], "channels" | "targets">;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly outbound: Outbound;
}

export interface MessagePorts {
  /** The channels in effect, which a reload replaces. */
  readonly channels: ReadonlyMap<string, Channel>;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly receiveObserver: ReceiveObserver;
  readonly deliveryObserver: DeliveryObserver;
  readonly pruneFailed: (error: unknown) => void;
  readonly stop: StopTime;
  readonly tracer: Tracer | undefined;
  readonly holds: FileHolds | undefined;
}

/**
 * Opens the inbox. It delivers to no target before it is told which there are.
 * @throws UserError when the inbox cannot be opened
 */
export async function openMessages(config: Config, ports: MessagePorts): Promise<Messages> {
  await using opened = new AsyncDisposableStack();
  const { logger, registry, stop } = ports;
  const clock = systemClock;
  const inbox = opened.use(await openInbox(config, ports.holds));
  /** Warns about messages of removed targets, once the calls of these have ended. */
  let readingOrphans: Promise<AsyncDisposable> | undefined;
  opened.defer(async () => (await readingOrphans)?.[Symbol.asyncDispose]());
  const watches = createDeliveryWatches({ now: Date.now });
  const delivery = opened.use(
    openTargets({
      inbox,
      clock,
      logger,
      observer: ports.deliveryObserver,
      attempted: watches.attempted,
      tracer: ports.tracer,
      stopMs: stop.leftMs,
    }),
  );
  opened.use(startPruning(inbox, ports.pruneFailed));
  const checkers = opened.use(createPushIdCheckers());
  // An inbox that is opened and not used after all must leave nothing in the registry.
  const registerGauges = once(() => {
    registerInboxGauges(registry, inbox);
    registerTargetGauges(registry, delivery);
  });
  const routing = createRouting();
  const policies = createPullPolicies();
  const stack = opened.move();
  return {
    ...createMethods({ inbox, delivery, watches, checkers, routing, policies }, ports),
    inbox,
    findDelivery: (deliveryId) => mapErrors(() => inbox.delivery(deliveryId)),
    checks: { inbox: createInboxCheck(inbox, () => config.webhook.inbox.maxPendingAgeMs, logger) },
    prepare({ webhook, channels, outbound }) {
      const routers = compileRouters(webhook, channels);
      const targets = delivery.prepare(webhook.targets, outbound);
      return {
        apply() {
          registerGauges();
          checkers.configure(webhook.channels, outbound);
          routing.use(routers);
          policies.use(webhook.targets);
          readingOrphans = readAfter(readingOrphans, targets.apply(), () =>
            startReading(logger, () => warnOfOrphans(inbox, webhook.targets, logger)),
          );
        },
        discard: targets.discard,
      };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Starts to read when the reading before and the calls of replaced targets have ended. */
async function readAfter(
  before: Promise<AsyncDisposable> | undefined,
  ended: Promise<void>,
  start: () => AsyncDisposable,
): Promise<AsyncDisposable> {
  await (await before)?.[Symbol.asyncDispose]();
  await ended;
  return start();
}

interface MethodParts {
  readonly inbox: Inbox;
  readonly delivery: OpenDelivery;
  readonly watches: DeliveryWatches;
  readonly checkers: PushIdCheckers;
  readonly routing: Routing;
  readonly policies: PullPolicies;
}

function createMethods(
  { inbox, delivery, watches, checkers, routing, policies }: MethodParts,
  { channels, receiveObserver, stop }: MessagePorts,
): Pick<Messages, "receive" | "methods"> {
  const clock = systemClock;
  const secrets = () => [...channels.values()].flatMap((channel) => channel.secrets ?? []);
  return {
    receive: createReceiver({
      inbox,
      channels,
      checkPushIds: checkers.checkPushIds,
      observer: showAccepted(receiveObserver, watches),
      explain: createExplainer(secrets, clock.monotonicMs),
      routesOf: routing.routesOf,
      deliverNow: delivery.deliverNow,
      now: Date.now,
      monotonicMs: clock.monotonicMs,
    }),
    methods: {
      ...createAdminMethods({
        inbox,
        states: delivery.states,
        now: Date.now,
        monotonicMs: clock.monotonicMs,
        newNonce: randomUUID,
      }),
      ...createBatchMethods({
        inbox,
        channels,
        explain: createExplainer(secrets, clock.monotonicMs),
        now: Date.now,
      }),
      ...createWatchMethod({ watches, stopSignal: stop.signal, clock }),
      ...createPullMethods({
        inbox,
        clock,
        targets: policies.configured,
        leasedTargets: policies.leased,
        random: Math.random,
        stopSignal: stop.signal,
        traceOf,
      }),
    },
  };
}

function showAccepted(
  observer: ReceiveObserver,
  watches: Pick<ReceiveObserver, "accepted">,
): ReceiveObserver {
  return {
    ...observer,
    accepted(channel, batch) {
      observer.accepted(channel, batch);
      watches.accepted(channel, batch);
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

type Routers = ReadonlyMap<Channel, ChannelRouter>;

function compileRouters(
  { channels, targets }: WantedChannels["webhook"],
  compiled: ReadonlyMap<string, Channel>,
): Routers {
  const rules = new Map(Object.entries(targets));
  return new Map(
    Array.from(compiled, ([name, channel]) => [channel, compileRouter(name, channels[name]!.targets, rules)]),
  );
}

interface Routing {
  readonly routesOf: RoutesOf;
  /** Routes the batches of these channels too. Calls in progress keep the channel that they began with. */
  use(routers: Routers): void;
}

function createRouting(): Routing {
  const routers = new WeakMap<Channel, ChannelRouter>();
  return {
    routesOf: (channel, batch) => routers.get(channel)!(batch),
    use(added) {
      for (const [channel, router] of added) routers.set(channel, router);
    },
  };
}

/** Refuses all calls on a server without channels and targets, which needs no folder, thread or database. */
export function refuseMessages(observer: Pick<ReceiveObserver, "refused">): Messages {
  const nothing = (): never => {
    const message = "this server stores no messages: webhook.channels and webhook.targets are empty";
    throw new ConnectError(message, Code.FailedPrecondition);
  };
  return {
    async receive({ channel, body }) {
      const refusal = unknownChannel(channel);
      observer.refused(channel, refusal, body);
      throw refusal;
    },
    methods: {
      leaseMessages: nothing,
      settleMessages: nothing,
      listBatches: nothing,
      getBatch: nothing,
      listDeliveries: nothing,
      getDelivery: nothing,
      watchDeliveries: nothing,
      listDeadLetters: nothing,
      replayDeadLetters: nothing,
      getStats: nothing,
    },
    inbox: undefined,
    findDelivery: async () => null,
    checks: {},
    prepare: () => ({ apply() {}, async discard() {} }),
    async [Symbol.asyncDispose]() {},
  };
}

import { randomUUID } from "node:crypto";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { systemClock } from "../../../base/async/clock.ts";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import { createOutbound } from "../../../base/net/outbound.ts";
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
import { compileRouter } from "../../../services/webhook/delivery/routing.ts";
import { createExplainer } from "../../../services/webhook/explain/explainer.ts";
import type { ReceiveObserver } from "../../../services/webhook/observer.ts";
import { unknownChannel } from "../../../services/webhook/receive/admit.ts";
import { createPushIdCheckers } from "../../../services/webhook/receive/check-push-ids.ts";
import { createReceiver, type Receive, type RoutesOf } from "../../../services/webhook/receive/receive.ts";
import { createWatchMethod } from "../../../services/webhook/watch/method.ts";
import { createDeliveryWatches } from "../../../services/webhook/watch/watch.ts";
import type { Inbox } from "../../../store/inbox/inbox.ts";
import type { Config } from "../../config/config.ts";
import { traceOf } from "../gateway-ports.ts";
import { registerInboxGauges, registerTargetGauges } from "../metrics/webhook-gauges.ts";
import { startPruning } from "../prune.ts";
import type { StopTime } from "../stop-time.ts";
import { openTargets, pullPolicies, warnOfOrphans } from "./delivery.ts";
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
}

export interface MessagePorts {
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
 * Opens the inbox and begins to deliver.
 * @throws UserError when the inbox cannot be opened
 */
export async function openMessages(config: Config, ports: MessagePorts): Promise<Messages> {
  await using opened = new AsyncDisposableStack();
  const { logger, registry, stop } = ports;
  const { targets, channels } = config.webhook;
  const clock = systemClock;
  const inbox = opened.use(await openInbox(config, ports.holds));
  opened.use(startReading(logger, () => warnOfOrphans(inbox, targets, logger)));
  const outbound = createOutbound(config.webhook.outbound);
  const watches = createDeliveryWatches({ now: Date.now });
  const delivery = opened.use(
    openTargets(targets, {
      inbox,
      outbound,
      clock,
      logger,
      observer: ports.deliveryObserver,
      attempted: watches.attempted,
      tracer: ports.tracer,
      stopMs: stop.leftMs,
    }),
  );
  opened.use(startPruning(inbox, ports.pruneFailed));
  const { checkPushIds } = opened.use(createPushIdCheckers(channels, outbound));
  registerInboxGauges(registry, inbox);
  registerTargetGauges(registry, delivery);
  const secrets = [...ports.channels.values()].flatMap((channel) => channel.secrets ?? []);
  const stack = opened.move();
  return {
    receive: createReceiver({
      inbox,
      channels: ports.channels,
      checkPushIds,
      observer: showAccepted(ports.receiveObserver, watches),
      explain: createExplainer(secrets, clock.monotonicMs),
      routesOf: createRouting(config.webhook),
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
        channels: ports.channels,
        explain: createExplainer(secrets, clock.monotonicMs),
        now: Date.now,
      }),
      ...createWatchMethod({ watches, stopSignal: stop.signal, clock }),
      ...createPullMethods({
        inbox,
        clock,
        targets: pullPolicies(targets),
        random: Math.random,
        stopSignal: stop.signal,
        traceOf,
      }),
    },
    inbox,
    findDelivery: (deliveryId) => mapErrors(() => inbox.delivery(deliveryId)),
    checks: { inbox: createInboxCheck(inbox, config.webhook.inbox.maxPendingAgeMs, logger) },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
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

function createRouting({ channels, targets }: Config["webhook"]): RoutesOf {
  const rules = new Map(Object.entries(targets));
  const routers = new Map(
    Object.entries(channels).map(([name, channel]) => [name, compileRouter(name, channel.targets, rules)]),
  );
  return ({ name }, batch) => routers.get(name)!(batch);
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
    async [Symbol.asyncDispose]() {},
  };
}

import { randomUUID } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import type { Registry } from "../../../base/metrics/prom-client.ts";
import type { Outbound } from "../../../base/net/outbound.ts";
import { retryLater } from "../../../base/rpc/map-errors.ts";
import type { RestCodecs } from "../../../base/rpc/rest-codec.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { type Append, appendToBoth } from "../../../services/bridges/event-sinks.ts";
import type { Channel } from "../../../services/webhook/channels.ts";
import { createClickMethod } from "../../../services/webhook/clicks/clicks.ts";
import type { ReceiveObserver } from "../../../services/webhook/observer.ts";
import { createReceiveAdmit, createReceiveAdmitCaller } from "../../../services/webhook/receive/admit.ts";
import { createRefusalMethod } from "../../../services/webhook/refused/method.ts";
import {
  createRefusedRequests,
  type RefusedRequests,
} from "../../../services/webhook/refused/refused-requests.ts";
import { createWebhookCodecs } from "../../../services/webhook/rest-codecs.ts";
import { createReceiveMethod } from "../../../services/webhook/webhook.ts";
import type { StoredDeadLetter } from "../../../store/deadletters/deadletters.ts";
import { type RecordSink, RecordsUnavailableError } from "../../../store/records/records.ts";
import type { Config } from "../../config/config.ts";
import { combineObservers } from "../combine-observers.ts";
import type { Replays } from "../dead-letters.ts";
import { callerOf, jsonDecoderOf, tooLarge, traceOf } from "../gateway-ports.ts";
import { followService } from "../lazy.ts";
import { createThrottle, type Throttle } from "../log/throttle.ts";
import { createDeliveryLog, createReceiveLog } from "../log/webhook.ts";
import { createWebhookMetrics, type WebhookMetrics } from "../metrics/webhook.ts";
import type { ReloadablePart } from "../reload/reload.ts";
import { sharedDatabase } from "../shared/databases.ts";
import type { SharedStores } from "../shared/stores.ts";
import { createStopTime, type StopTime } from "../stop-time.ts";
import { createChannelsPart, createFollowedMessages, createFollowedOutbound } from "./channels-part.ts";
import { type ClickSpool, clickFolder, openClickSpool } from "./click-spool.ts";
import { type MessagePorts, type Messages, openMessages, refuseMessages } from "./messages.ts";

export interface WebhookServices extends AsyncDisposable {
  readonly receiver: ServiceImpl<typeof WebhookReceiver>;
  /** Admit calls by channel and headers before their bodies are read. */
  readonly admit: { readonly receive: ReturnType<typeof createReceiveAdmit> };
  readonly admitCaller: { readonly receive: ReturnType<typeof createReceiveAdmitCaller> };
  /** The REST forms of its messages. */
  readonly codecs: RestCodecs;
  readonly replayClick: Replays["clicks"];
  /** Returns what a server that stores no messages has none of, until a reload makes it store some. */
  readonly checks: () => Messages["checks"];
  readonly inbox: () => Messages["inbox"];
  /** Reports whether a channel accepts messages without a signature. */
  readonly isUnsigned: (channel: string) => boolean;
  /** Changes channels and targets. Calls in progress keep theirs. */
  readonly part: ReloadablePart;
  /** Starts the stop: calls that wait for messages return, and `drainMs` begins. */
  beginStop(): void;
}

interface WebhookSurroundings {
  readonly logger: Logger;
  readonly registry: Registry;
  /** What replicas share; undefined when all is in the data folder. */
  readonly shared?: SharedStores | undefined;
  /** Stores clicks as events; undefined when they are not stored. */
  readonly appendEvent?: Append | undefined;
  readonly tracer?: Tracer | undefined;
  /** Lets the files of the data folder be copied while they are open. */
  readonly holds?: FileHolds | undefined;
}

/**
 * Opens the inbox with its targets and the spool of clicks. Close it when no more
 * calls can arrive; deliveries in progress may still finish.
 * @throws UserError when the inbox cannot be opened
 */
export async function openWebhookServices(
  config: Config,
  surroundings: WebhookSurroundings,
): Promise<WebhookServices> {
  await using opened = new AsyncDisposableStack();
  const { logger, registry, appendEvent, tracer, holds } = surroundings;
  const clicksConfig = config.webhook.clicks;
  const channels = new Map<string, Channel>();
  const throttle = createThrottle(() => performance.now());
  const metrics = createWebhookMetrics(registry);
  const refused = createRefusedRequests({ channels, now: Date.now });
  const receiveLog = createReceiveLog(logger, throttle, (name) => channels.has(name));
  const receiveObserver = keepRefused(combineObservers(metrics.receive, receiveLog), refused);
  const stop = createStopTime(
    () => config.drainMs,
    () => performance.now(),
  );
  const outbound = createFollowedOutbound(config.webhook.outbound);
  const spool = await openClicks(config, opened, { ...surroundings, throttle, outbound, stop });
  const ports: MessagePorts = {
    channels,
    logger,
    registry,
    stop,
    tracer,
    receiveObserver,
    deliveryObserver: combineObservers(metrics.delivery, createDeliveryLog(logger, throttle)),
    pruneFailed: reportPruneFailure(metrics, logger),
    holds,
  };
  const messages = opened.use(
    createFollowedMessages(refuseMessages(receiveObserver), () => openMessages(config, ports)),
  );
  const part = createChannelsPart({ channels, messages, outbound, metrics, refused });
  (await part.prepare(config)).apply();
  const fixed = {
    ...createClickMethod({
      config: clicksConfig,
      sink: countClicks(appendToBoth(spool.append, appendEvent), metrics),
      findDelivery: (deliveryId) => messages.current().findDelivery(deliveryId),
      now: Date.now,
      newUuid: randomUUID,
    }),
    ...createRefusalMethod({ refused, run: randomUUID() }),
  };
  const serviceOf = ({ receive, methods }: Messages): ServiceImpl<typeof WebhookReceiver> => ({
    ...createReceiveMethod({ channels, receive, callerOf, traceOf, tooLarge }),
    ...fixed,
    ...methods,
  });
  const stack = opened.move();
  return {
    receiver: followService(WebhookReceiver, messages.followed(serviceOf)),
    admit: { receive: createReceiveAdmit({ channels, observer: receiveObserver, tooLarge }) },
    admitCaller: { receive: createReceiveAdmitCaller(channels) },
    codecs: createWebhookCodecs(jsonDecoderOf(config)),
    checks: () => messages.current().checks,
    inbox: () => messages.current().inbox,
    isUnsigned: (name) => channels.has(name) && channels.get(name)?.secrets === undefined,
    replayClick: createClickReplay(clicksConfig, spool),
    part,
    beginStop: stop.begin,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

interface ClickPorts extends WebhookSurroundings {
  readonly throttle: Throttle;
  readonly outbound: Outbound;
  readonly stop: StopTime;
}

/** Opens the spool of clicks, and forwards them if that is configured. */
async function openClicks(
  config: Config,
  opened: AsyncDisposableStack,
  { logger, registry, shared, throttle, outbound, stop }: ClickPorts,
): Promise<ClickSpool> {
  const { forward } = config.webhook.clicks;
  const database = sharedDatabase(config);
  const stores = database === undefined ? undefined : shared;
  const spool = opened.use(await openClickSpool(config, logger, stores));
  if (forward === undefined) return spool;
  const { openClickForwarder } = await import("./click-forward.ts");
  opened.use(
    await openClickForwarder(forward, {
      reader: spool.reader,
      place: database && stores ? { database, stores } : { folder: clickFolder(config) },
      logger,
      registry,
      throttle,
      outbound,
      stopMs: stop.leftMs,
    }),
  );
  return spool;
}

function keepRefused(observer: ReceiveObserver, requests: Pick<RefusedRequests, "add">): ReceiveObserver {
  return {
    ...observer,
    refused(channel, refusal, body) {
      observer.refused(channel, refusal);
      requests.add(channel, refusal, body);
    },
  };
}

function reportPruneFailure(metrics: WebhookMetrics, logger: Logger): (error: unknown) => void {
  return (error) => {
    metrics.pruneFailed();
    logger.error({ err: error }, "could not delete expired messages");
  };
}

/** Returns a function that sends clicks to the platform; a text instead says why clicks are not sent. */
function createClickReplay(
  { forward }: Pick<Config["webhook"]["clicks"], "forward">,
  { append }: Pick<RecordSink, "append">,
): Replays["clicks"] {
  if (forward === undefined) {
    return "clicks are not sent to the platform, since webhook.clicks.forward is not set";
  }
  return async ({ line }: Pick<StoredDeadLetter, "line">): Promise<undefined> => {
    try {
      await append(Buffer.from(line));
    } catch (error) {
      if (!(error instanceof RecordsUnavailableError)) throw error;
      throw retryLater("the spool of clicks is temporarily unavailable", 1_000, { cause: error });
    }
  };
}

function countClicks(append: Append, metrics: WebhookMetrics): Pick<RecordSink, "append"> {
  return {
    async append(record) {
      try {
        await append(record);
        metrics.clickStored();
      } catch (error) {
        metrics.clickFailed();
        throw error;
      }
    },
  };
}

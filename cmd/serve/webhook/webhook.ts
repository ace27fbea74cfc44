import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import { createOutbound } from "../../../base/net/outbound.ts";
import { retryLater } from "../../../base/rpc/map-errors.ts";
import type { RestCodecs } from "../../../base/rpc/rest-codec.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import type { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { type Append, appendToBoth } from "../../../services/bridges/event-sinks.ts";
import { compileChannels } from "../../../services/webhook/channels.ts";
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
import { createThrottle } from "../log/throttle.ts";
import { createDeliveryLog, createReceiveLog } from "../log/webhook.ts";
import { createWebhookMetrics, type WebhookMetrics } from "../metrics/webhook.ts";
import { sharedDatabase } from "../shared/databases.ts";
import type { SharedStores } from "../shared/stores.ts";
import { createStopTime } from "../stop-time.ts";
import { clickFolder, openClickSpool } from "./click-spool.ts";
import { type Messages, openMessages, refuseMessages } from "./messages.ts";

export interface WebhookServices extends AsyncDisposable, Pick<Messages, "checks" | "inbox"> {
  readonly receiver: ServiceImpl<typeof WebhookReceiver>;
  /** Admit calls by channel and headers before their bodies are read. */
  readonly admit: { readonly receive: ReturnType<typeof createReceiveAdmit> };
  readonly admitCaller: { readonly receive: ReturnType<typeof createReceiveAdmitCaller> };
  /** The REST forms of its messages. */
  readonly codecs: RestCodecs;
  readonly replayClick: Replays["clicks"];
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
  { logger, registry, appendEvent, shared, tracer, holds }: WebhookSurroundings,
): Promise<WebhookServices> {
  await using opened = new AsyncDisposableStack();
  const { channels: configs, targets, clicks: clicksConfig } = config.webhook;
  const channels = compileChannels(configs, (file) => readFileSync(file, "utf8"));
  const names = { channels: Object.keys(configs), targets: Object.keys(targets) };
  const throttle = createThrottle(() => performance.now());
  const metrics = createWebhookMetrics(registry, names);
  const refused = createRefusedRequests({ channels, now: Date.now });
  const receiveLog = createReceiveLog(logger, throttle, (name) => channels.has(name));
  const receiveObserver = keepRefused(combineObservers(metrics.receive, receiveLog), refused);
  const stop = createStopTime(config.drainMs, () => performance.now());
  const database = sharedDatabase(config);
  const stores = database === undefined ? undefined : shared;
  const spool = opened.use(await openClickSpool(config, logger, stores));
  if (clicksConfig.forward !== undefined) {
    const { openClickForwarder } = await import("./click-forward.ts");
    opened.use(
      await openClickForwarder(clicksConfig.forward, {
        reader: spool.reader,
        place: database && stores ? { database, stores } : { folder: clickFolder(config) },
        logger,
        registry,
        throttle,
        outbound: createOutbound(config.webhook.outbound),
        stopMs: stop.leftMs,
      }),
    );
  }
  const isUsed = names.channels.length + names.targets.length > 0;
  const messages = opened.use(
    isUsed
      ? await openMessages(config, {
          channels,
          logger,
          registry,
          stop,
          tracer,
          receiveObserver,
          deliveryObserver: combineObservers(metrics.delivery, createDeliveryLog(logger, throttle)),
          pruneFailed: reportPruneFailure(metrics, logger),
          holds,
        })
      : refuseMessages(receiveObserver),
  );
  const stack = opened.move();
  return {
    receiver: {
      ...createReceiveMethod({ channels, receive: messages.receive, callerOf, traceOf, tooLarge }),
      ...createClickMethod({
        config: clicksConfig,
        sink: countClicks(appendToBoth(spool.append, appendEvent), metrics),
        findDelivery: messages.findDelivery,
        now: Date.now,
        newUuid: randomUUID,
      }),
      ...createRefusalMethod({ refused, run: randomUUID() }),
      ...messages.methods,
    },
    admit: { receive: createReceiveAdmit({ channels, observer: receiveObserver, tooLarge }) },
    admitCaller: { receive: createReceiveAdmitCaller(channels) },
    codecs: createWebhookCodecs(jsonDecoderOf(config)),
    checks: messages.checks,
    inbox: messages.inbox,
    replayClick: createClickReplay(clicksConfig, spool),
    beginStop: stop.begin,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
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

import type { Logger } from "pino";
import { createFileHolds } from "../../base/files/file-holds.ts";
import type { Registry } from "../../base/metrics/prom-client.ts";
import type { RestCodec, RestCodecs } from "../../base/rpc/rest-codec.ts";
import type { Tracer } from "../../base/trace/trace.ts";
import type { ReadyCheck } from "../../gateway/health/ready-checks.ts";
import { type ServedService, serve } from "../../gateway/methods.ts";
import { AnalysisProxy } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { Catalog } from "../../gen/engage/analysis/v1/catalog_pb.ts";
import { SavedQueries } from "../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import { ReceiverChecker } from "../../gen/engage/channel/v1/receiver_checker_pb.ts";
import { EventCollector } from "../../gen/engage/event/v1/event_collector_pb.ts";
import { RecordWatcher } from "../../gen/engage/event/v1/record_watcher_pb.ts";
import { ParserExplainer } from "../../gen/engage/parser/v1/parser_explainer_pb.ts";
import { ParserStream } from "../../gen/engage/parser/v1/parser_stream_pb.ts";
import { WebhookReceiver } from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { Parser } from "../../gen/proto/parser_pb.ts";
import { returnCodesByStatus } from "../../services/analysis/refusal/refusal.ts";
import { queryBounds } from "../../services/analysis/rest/query-body.ts";
import { clickSink, parsedRecordsSink } from "../../services/bridges/event-sinks.ts";
import { maxExplainBytes } from "../../services/parser/explain/explain.ts";
import type { Config } from "../config/config.ts";
import type { ConfigPath, Problem } from "../config/problem.ts";
import { type AnalysisServices, openAnalysisServices } from "./analysis/analysis.ts";
import type { FollowedTokenList } from "./analysis/tokens.ts";
import { serveHolds } from "./backup/hold-socket.ts";
import { openChannelServices } from "./channel/channel.ts";
import { tightenDataFolder } from "./data/folder.ts";
import { openDeadLetterService } from "./dead-letters.ts";
import { type EventServices, openEventServices } from "./event/event.ts";
import { registerStoreGauge } from "./metrics/shared.ts";
import { openParserServices, type ParserServices } from "./parser.ts";
import type { ReloadablePart } from "./reload/reload.ts";
import { openSharedStores } from "./shared/stores.ts";
import { serveStoredEvents } from "./stored-events.ts";
import { openWebhookServices } from "./webhook/webhook.ts";

/** The services of a server. */
export interface OpenServices extends AsyncDisposable {
  readonly services: readonly ServedService[];
  /** The REST forms of messages. */
  readonly codecs: RestCodecs;
  /** Returns the checks of the parts that are open; a reload may open others. */
  readonly checks: () => Readonly<Record<string, ReadyCheck>>;
  /** See FollowedTokenList. */
  readonly listTokens: FollowedTokenList["list"];
  /** See EventServices. */
  readonly eventLag: EventServices["lag"];
  /** See WebhookServices. */
  readonly isUnsigned: (channel: string) => boolean;
  /** Change settings while the services run. */
  readonly parts: readonly ReloadablePart[];
  /** Starts the stop, and with it `drainMs`. */
  beginStop(): void;
}

export interface ServiceTools {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Returns the place of an error in formats or projects. */
  readonly locate: (path: ConfigPath, message: string) => Problem;
  /** The time of records and queries, in ms since 1970. */
  readonly now: () => number;
  /** Undefined where nothing is traced. */
  readonly tracer?: Tracer | undefined;
}

/**
 * Opens the services and connects them. A service is closed before those that it uses.
 * @throws ConfigError, or UserError when the data folder cannot be opened
 */
export async function openServices(config: Config, given: ServiceTools): Promise<OpenServices> {
  await using opened = new AsyncDisposableStack();
  const holds = createFileHolds();
  const tools = { ...given, holds };
  tightenDataFolder(config.data);
  const shared = await openSharedStores(config, tools.logger);
  if (shared !== undefined) opened.use(shared);
  const events = opened.use(await openEventServices(config, { ...tools, shared }));
  if (shared !== undefined) {
    const { parts } = events;
    registerStoreGauge(tools.registry, parts === undefined ? [shared.parts] : [shared.parts, parts]);
  }
  const [webhooks, analysis, parsers] = await openTogether(opened, [
    openWebhookServices(config, {
      ...tools,
      shared,
      appendEvent: clickSink(config.webhook.clicks, config.projects, events.sinkOf),
    }),
    openAnalysisServices(config, {
      ...tools,
      store: events.store,
      gate: events.gate,
      lateness: events.lateness,
    }),
    openParserServices(config, { ...tools, keep: parsedRecordsSink(config.parser.store, events.sinkOf) }),
  ]);
  const replays = { clicks: webhooks.replayClick, lines: parsers.replay, records: events.replay };
  const letterPorts = { inbox: webhooks.inbox, replays, leases: shared?.leases, now: tools.now };
  const deadLetters = opened.use(await openDeadLetterService(config, letterPorts));
  const channels = opened.use(
    openChannelServices(config, {
      ...tools,
      async openSources() {
        const { createChannelSources } = await import("../../services/bridges/channel-sources.ts");
        return createChannelSources({
          projects: await analysis.projects(),
          now: tools.now,
          schemaOf: (projectId) => events.store.schema(projectId),
        });
      },
    }),
  );
  opened.use(await serveHolds(config, { holds, logger: tools.logger }));
  const stack = opened.move();
  return {
    services: [
      ...serveParsers(parsers),
      serve(WebhookReceiver, webhooks.receiver, { admit: webhooks.admit, admitCaller: webhooks.admitCaller }),
      serve(EventCollector, events.collector, { admit: events.admit }),
      serve(RecordWatcher, events.watcher),
      ...serveAnalysis(analysis),
      serve(ChannelSender, channels.sender),
      serve(ReceiverChecker, channels.checker),
      deadLetters.service,
      serveStoredEvents(config, { store: events.store, gate: events.gate, logger: tools.logger }),
    ],
    codecs: codecsOf([webhooks, events, analysis, channels]),
    listTokens: analysis.listTokens,
    parts: [analysis.part, parsers.part, webhooks.part],
    eventLag: events.lag,
    isUnsigned: webhooks.isUnsigned,
    checks: () => ({ ...shared?.checks, ...webhooks.checks(), ...events.checks, ...channels.checks }),
    beginStop() {
      events.beginStop();
      webhooks.beginStop();
      channels.beginStop();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function serveParsers({ parser, parserStream, parserExplainer }: ParserServices): readonly ServedService[] {
  return [
    serve(Parser, parser),
    serve(ParserStream, parserStream),
    serve(ParserExplainer, parserExplainer, { maxMessageBytes: maxExplainBytes }),
  ];
}

function serveAnalysis(analysis: AnalysisServices): readonly ServedService[] {
  return [
    serve(AnalysisProxy, analysis.proxy, {
      json: queryBounds,
      admit: analysis.admit,
      returnCodes: returnCodesByStatus,
    }),
    serve(Catalog, analysis.catalog),
    serve(SavedQueries, analysis.savedQueries, { maxMessageBytes: maxSavedBytes }),
  ];
}

/** A saved request of 64 KiB is longer as a string of JSON. */
const maxSavedBytes = 262_144;

function codecsOf(services: readonly { readonly codecs: RestCodecs }[]): RestCodecs {
  return new Map<string, RestCodec>(services.flatMap(({ codecs }) => [...codecs]));
}

/**
 * Opens services concurrently, since each may wait for a thread or a disk. When some
 * fail, the others are closed with the stack and the first error is thrown.
 */
async function openTogether<T extends readonly AsyncDisposable[]>(
  opened: AsyncDisposableStack,
  opening: { readonly [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  const settled = await Promise.allSettled<AsyncDisposable>(opening);
  for (const one of settled) if (one.status === "fulfilled") opened.use(one.value);
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return (await Promise.all(opening)) as unknown as T;
}

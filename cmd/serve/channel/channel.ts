import { ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import { createSettledNow, systemClock } from "../../../base/async/clock.ts";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import type { Registry } from "../../../base/metrics/prom-client.ts";
import type { RestCodecs } from "../../../base/rpc/rest-codec.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import { ChannelSender } from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { ReceiverChecker } from "../../../gen/engage/channel/v1/receiver_checker_pb.ts";
import type { ChannelSources } from "../../../services/bridges/channel-sources.ts";
import type { Projects } from "../../../services/channel/ports.ts";
import { toConnectError } from "../../../services/channel/refusals.ts";
import { createChannelCodecs } from "../../../services/channel/rest/codecs.ts";
import type { Config } from "../../config/config.ts";
import { channelPlace } from "../../config/resolve.ts";
import { combineObservers } from "../combine-observers.ts";
import { callerOf, jsonDecoderOf, traceOf } from "../gateway-ports.ts";
import { createLateService, createLazyResource, type LazyResource } from "../lazy.ts";
import { createChannelLog } from "../log/channel.ts";
import { createThrottle } from "../log/throttle.ts";
import { type ChannelMetrics, createChannelMetrics } from "../metrics/channel.ts";
import { createStopTime, type StopTime } from "../stop-time.ts";
import { createLateChecker } from "./checker.ts";
import type { OpenSender } from "./open-sender.ts";
import { createChannelOutbound, openFollowingExchange } from "./outbound.ts";
import { findRefusedAddress } from "./refused-address.ts";
import { mayHaveTasks, openChannelStore } from "./store.ts";

export interface ChannelServices extends AsyncDisposable {
  readonly sender: ServiceImpl<typeof ChannelSender>;
  readonly checker: ServiceImpl<typeof ReceiverChecker>;
  readonly codecs: RestCodecs;
  readonly checks: Readonly<Record<string, ReadyCheck>>;
  /** Starts the stop: streams of tasks and checks of receivers end, and `drainMs` begins. */
  beginStop(): void;
}

export interface ChannelSurroundings {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called once, when the channel store is opened. */
  readonly openSources: () => Promise<ChannelSources>;
  readonly tracer?: Tracer | undefined;
  /** Lets the files of the data folder be copied while they are open. */
  readonly holds?: FileHolds | undefined;
}

/** Schedules accept a changed clock after this time. */
const settleMs = 30_000;

/** Delay before another attempt to open the store after the start. */
const retryMs = 5_000;

/**
 * Opens the channel sender. Its store is opened by the first call, or after the
 * start when tasks may be waiting, so a server without channels needs neither its
 * thread nor its code.
 */
export function openChannelServices(config: Config, surroundings: ChannelSurroundings): ChannelServices {
  const { logger, registry } = surroundings;
  const metrics = createChannelMetrics(registry);
  const stop = createStopTime(
    () => config.drainMs,
    () => performance.now(),
  );
  const opening = createLazyResource(() => open(config, surroundings, metrics, stop));
  const beginning = mayHaveTasks(config, channelPlace(config))
    ? resume(opening.get, stop.signal, logger)
    : undefined;
  return {
    sender: createLateService(ChannelSender, async () => {
      try {
        return (await opening.get()).service;
      } catch (error) {
        const callError = toConnectError(error);
        if (callError instanceof ConnectError)
          logger.error({ err: error }, "could not open the channel store");
        throw callError;
      }
    }),
    checker: createLateChecker(config, stop.signal),
    codecs: createChannelCodecs(jsonDecoderOf(config)),
    // Channels belong to projects.
    checks: config.projects.length === 0 ? {} : { channels: createCheck(opening) },
    beginStop: stop.begin,
    async [Symbol.asyncDispose]() {
      stop.begin();
      await beginning;
      await opening[Symbol.asyncDispose]();
    },
  };
}

async function open(
  config: Config,
  { logger, now, openSources, tracer, holds }: ChannelSurroundings,
  metrics: ChannelMetrics,
  stop: StopTime,
): Promise<OpenSender> {
  const [{ openSender }, { createExchange, maxReceiverResponseBytes }] = await Promise.all([
    import("./open-sender.ts"),
    import("../../../services/channel/exchange/exchange.ts"),
  ]);
  const { concurrency } = config.channel;
  const outbound = createChannelOutbound(config);
  const log = createChannelLog(
    logger,
    createThrottle(() => performance.now()),
  );
  // A clock that is wrong for a moment neither starts a run nor delays one.
  const settledNow = createSettledNow({ ...systemClock, now }, settleMs);
  const sources = await openSources();
  return openSender({
    store: await openChannelStore(config, settledNow, holds),
    sources,
    projects: projectsOf(config),
    now: settledNow,
    concurrency,
    openExchange: (url) =>
      openFollowingExchange(outbound, (rules) =>
        createExchange({
          url,
          outbound: rules,
          maxConnections: concurrency,
          maxResponseBytes: maxReceiverResponseBytes,
        }),
      ),
    refusedAddress: (url, signal) => findRefusedAddress(outbound, url, signal),
    stopping: stop.signal,
    stopMs: stop.leftMs,
    deliveryObserver: combineObservers(metrics.delivery, log.delivery),
    scheduleObserver: combineObservers(metrics.schedule, log.schedule),
    callerOf,
    traceOf,
    tracer,
    pruneFailed(error) {
      metrics.pruneFailed();
      logger.error({ err: error }, "could not delete expired runs");
    },
  });
}

/** Retries until the store is open, so that waiting tasks continue. */
async function resume(opening: () => Promise<unknown>, stopping: AbortSignal, logger: Logger): Promise<void> {
  while (!stopping.aborted) {
    try {
      await opening();
      return;
    } catch (error) {
      logger.error({ err: error }, "could not open the channel store, tasks of channels wait");
    }
    await pause(retryMs, stopping);
  }
}

function pause(ms: number, stopping: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  stopping.addEventListener("abort", () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

/** A store that was never needed is not open, which is not a fault. */
function createCheck({ peek, hasFailed }: LazyResource<OpenSender>): ReadyCheck {
  return async (signal) => {
    if (hasFailed()) return "the channel store is unavailable";
    try {
      await peek()?.store.check({ signal });
      return undefined;
    } catch {
      return "the channel store is unavailable";
    }
  };
}

function projectsOf({ projects }: Config): Projects {
  const zones = new Map(projects.map(({ id, zone }) => [BigInt(id), zone]));
  return { zoneOf: (projectId) => zones.get(projectId), ids: projects.map(({ id }) => id) };
}

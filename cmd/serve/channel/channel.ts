import { ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { createSettledNow, systemClock } from "../../../base/async/clock.ts";
import { createOutbound } from "../../../base/net/outbound.ts";
import type { RestCodecs } from "../../../base/rpc/rest-codec.ts";
import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import { ChannelSender } from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { ChannelSources } from "../../../services/bridges/channel-sources.ts";
import type { Projects } from "../../../services/channel/ports.ts";
import { toConnectError } from "../../../services/channel/refusals.ts";
import { createChannelCodecs } from "../../../services/channel/rest/codecs.ts";
import type { Config } from "../../config/config.ts";
import { combineObservers } from "../combine-observers.ts";
import { callerOf, jsonDecoderOf } from "../gateway-ports.ts";
import { createLateService, createLazyResource, type LazyResource } from "../lazy.ts";
import { createChannelLog } from "../log/channel.ts";
import { createThrottle } from "../log/throttle.ts";
import { type ChannelMetrics, createChannelMetrics } from "../metrics/channel.ts";
import { createStopTime, type StopTime } from "../stop-time.ts";
import type { OpenSender } from "./open-sender.ts";
import { findRefusedAddress } from "./refused-address.ts";
import { channelPlace, mayHaveTasks, openChannelStore } from "./store.ts";

export interface ChannelServices extends AsyncDisposable {
  readonly sender: ServiceImpl<typeof ChannelSender>;
  readonly codecs: RestCodecs;
  readonly checks: Readonly<Record<string, ReadyCheck>>;
  /** The server begins to stop: who watches a task is told so, and `drainMs` begins to run. */
  beginStop(): void;
}

export interface ChannelSurroundings {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called once, when a channel is first asked for or tasks may be waiting. */
  readonly openSources: () => Promise<ChannelSources>;
}

/** Schedules believe a clock that was set after this. */
const settleMs = 30_000;

/** A store that can't be opened at the start is tried again after this. */
const retryMs = 5_000;

/**
 * The sender of channels. Its store is opened by the first call, or right after
 * the start when there may be tasks that go on: a server without channels does
 * without its thread, and without the code.
 */
export function openChannelServices(config: Config, surroundings: ChannelSurroundings): ChannelServices {
  const { logger, registry } = surroundings;
  const metrics = createChannelMetrics(registry);
  const stop = createStopTime(config.drainMs, () => performance.now());
  const opening = createLazyResource(() => open(config, surroundings, metrics, stop));
  const beginning = mayHaveTasks(config, channelPlace(config))
    ? resume(opening.get, stop.signal, logger)
    : undefined;
  return {
    sender: createLateService(ChannelSender, async () => {
      try {
        return (await opening.get()).service;
      } catch (error) {
        const told = toConnectError(error);
        if (told instanceof ConnectError)
          logger.error({ err: error }, "the store of channels could not be opened");
        throw told;
      }
    }),
    codecs: createChannelCodecs(jsonDecoderOf(config)),
    // A channel is of a project.
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
  { logger, now, openSources }: ChannelSurroundings,
  metrics: ChannelMetrics,
  stop: StopTime,
): Promise<OpenSender> {
  const [{ openSender }, { createExchange, maxChannelAnswerBytes }] = await Promise.all([
    import("./open-sender.ts"),
    import("../../../services/channel/exchange/exchange.ts"),
  ]);
  const { concurrency, outbound: allowed } = config.channel;
  const outbound = createOutbound({ ...allowed, setting: "channel.outbound.allow" });
  const log = createChannelLog(
    logger,
    createThrottle(() => performance.now()),
  );
  // A clock that is put forward for a moment begins no run, and puts off none until it is that time again.
  const settledNow = createSettledNow({ ...systemClock, now }, settleMs);
  const sources = await openSources();
  return openSender({
    store: await openChannelStore(config, settledNow),
    sources,
    projects: projectsOf(config),
    now: settledNow,
    concurrency,
    openExchange: (url) =>
      createExchange({
        url,
        outbound,
        maxConnections: concurrency,
        maxAnswerBytes: maxChannelAnswerBytes,
      }),
    refusedAddress: (url, signal) => findRefusedAddress(outbound, url, signal),
    stopping: stop.signal,
    stopMs: stop.leftMs,
    deliveryObserver: combineObservers(metrics.delivery, log.delivery),
    scheduleObserver: combineObservers(metrics.schedule, log.schedule),
    callerOf,
    pruneFailed(error) {
      metrics.pruneFailed();
      logger.error({ err: error }, "runs that are no longer kept cannot be deleted");
    },
  });
}

/** Opens the store until it is open, so that tasks go on. */
async function resume(opening: () => Promise<unknown>, stopping: AbortSignal, logger: Logger): Promise<void> {
  while (!stopping.aborted) {
    try {
      await opening();
      return;
    } catch (error) {
      logger.error({ err: error }, "tasks of channels cannot go on");
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

/** A store that was never asked for is not open, which is no fault. */
function createCheck({ peek, hasFailed }: LazyResource<OpenSender>): ReadyCheck {
  return async (signal) => {
    if (hasFailed()) return "channels cannot be read";
    try {
      await peek()?.store.check({ signal });
      return undefined;
    } catch {
      return "channels cannot be read";
    }
  };
}

function projectsOf({ projects }: Config): Projects {
  const zones = new Map(projects.map(({ id, zone }) => [BigInt(id), zone]));
  return { zoneOf: (projectId) => zones.get(projectId), ids: projects.map(({ id }) => id) };
}

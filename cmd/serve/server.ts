import type { Logger } from "pino";
import { systemClock } from "../../base/async/clock.ts";
import { watchClockJumps } from "../../base/async/clock-jumps.ts";
import { packageVersion } from "../../base/package/root.ts";
import { traceIdOf } from "../../base/trace/trace.ts";
import type { ReportFault } from "../../gateway/call/failures.ts";
import { createCallTraces } from "../../gateway/call-traces.ts";
import { createGateway, type GatewayOptions } from "../../gateway/gateway.ts";
import { type ServedService, serve } from "../../gateway/methods.ts";
import { createMetrics, type Metrics } from "../../gateway/metrics/metrics.ts";
import { createApiPages } from "../../gateway/openapi/pages.ts";
import { GRPCController } from "../../gen/plugin/grpc_controller_pb.ts";
import { createPluginController, pluginHealthService } from "../../services/parser/plugin/plugin.ts";
import type { Config, DescribedConfig } from "../config/config.ts";
import type { ConfigPath, Problem } from "../config/problem.ts";
import { formatPath } from "../config/problem.ts";
import { describeApi } from "./api-description.ts";
import { consolePath, createConsole } from "./console.ts";
import { createDocs } from "./docs/docs.ts";
import { createFollowedAccessLog } from "./log/access.ts";
import { openLog } from "./log/log.ts";
import { createMcp, type Mcp } from "./mcp/mcp.ts";
import { createLimitsPart, createTlsPart, readTls } from "./reload/gateway-parts.ts";
import { createLiveConfig } from "./reload/live.ts";
import { createReloading, type NewConfig, type ReloadReport, runningWith } from "./reload/reload.ts";
import { createServerAuth, type ServerAuth } from "./server-auth.ts";
import { type OpenServices, openServices } from "./services.ts";
import { serveSettings } from "./settings.ts";
import { createSiteLog, siteOptionsOf } from "./sites.ts";
import { openTracing } from "./tracing/tracing.ts";

export interface ServerOptions {
  /** File descriptor of the log; standard output by default. */
  readonly logFd?: number;
  /** Returns the place of an error that is found when formats are compiled. */
  readonly locate?: (path: ConfigPath, message: string) => Problem;
  /** Describes the configuration. The service Settings is served when this is set. */
  readonly describe?: () => DescribedConfig;
  /** Called by the controller of the go-plugin convention, which is served when this is set. */
  readonly onShutdownRequest?: () => void;
  /** See GatewayOptions. */
  readonly lanes?: boolean;
  /** The time of records and queries, in ms since 1970. Default: the present time. */
  readonly now?: () => number;
}

export interface RunningServer {
  readonly address: { readonly host: string; readonly port: number; readonly url: string };
  readonly logger: Logger;
  /**
   * Puts the settings of another configuration into effect that need no restart. Not to be called again before it has
   * resolved.
   * @throws ConfigError, when the old settings stay in effect
   */
  reload(loaded: NewConfig): Promise<ReloadReport>;
  /** Returns the time for calls in progress when it stops. */
  drainMs(): number;
  /** Drains, then closes what was opened. Safe to call more than once. */
  stop(): Promise<void>;
}

/** Opens everything, wires it and listens. @throws ConfigError, or Error when the port cannot be opened */
export async function startServer(started: Config, options: ServerOptions = {}): Promise<RunningServer> {
  await using opened = new AsyncDisposableStack();
  const running = runningWith(started);
  const { logger } = opened.use(openLog(started.log, options.logFd ?? 1));
  const accessLog = createFollowedAccessLog(logger);
  const live = createLiveConfig(started, accessLog.follow);
  const { config } = live;
  accessLog.follow(config);
  opened.defer(() => logger.info("stopped"));
  opened.use(watchClockJumps(systemClock, (ms) => reportClockJump(logger, ms)));
  const metrics = createMetrics();
  const { tracer } = opened.use(await openTracing(config.tracing, { logger, registry: metrics.registry }));
  const locate = options.locate ?? ((path, message) => ({ where: "", path: formatPath(path), message }));
  const tools = { logger, registry: metrics.registry, locate, now: options.now ?? Date.now, tracer };
  const served = opened.use(await openServices(config, tools));
  const services: ServedService[] = [...served.services];
  const auth = createServerAuth(config, () => void gateway.recheckStreams());
  if (options.describe) {
    const described = { describe: () => reloading.describe(), rules: auth.rules };
    services.push(serveSettings(config, described, served));
  }
  if (options.onShutdownRequest) {
    services.push(serve(GRPCController, createPluginController(options.onShutdownRequest)));
  }
  const requireKey = config.auth.mode === "keys" ? auth.requireKey : undefined;
  const mcp = createMcp(config, { requireKey, now: tools.now });
  services.push(...mcp.services);
  const onRefused = createSiteLog(logger);
  const sitesOf = (rules: Config) => siteOptionsOf(rules, { isUnsigned: served.isUnsigned, onRefused });
  const gateway = createGateway({
    services,
    limits: config.limits,
    authorize: auth.authorize,
    // Before the log, whose lines have the ids of traces.
    observers: [metrics.observer, ...(tracer ? [createCallTraces(tracer)] : []), accessLog.observer],
    reportFault: createFaultLog(logger),
    codecs: served.codecs,
    pages: createPageOptions(config, { auth, mcp, metrics, logger, served, services }),
    unknownMembers: config.gateway.json.unknownMembers,
    sites: sitesOf(config),
    ...(config.tls && { tls: readTls(config.tls) }),
    lanes: options.lanes ?? true,
  });
  const parts = [live.part, createLimitsPart(gateway, sitesOf), createTlsPart(gateway), auth.part];
  const reloading = createReloading([...parts, ...served.parts], running, options);
  mcp.attach(gateway);
  if (options.onShutdownRequest) gateway.health.set(pluginHealthService, "serving");
  const { address: host, port } = await gateway.listen(config.listen.host, config.listen.port);
  opened.defer(() => {
    served.beginStop();
    return gateway.drain(config.drainMs);
  });
  const url = `${config.tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  logger.info(
    { url, ...(config.console && { console: `${url}${consolePath}` }), version: packageVersion() },
    "listening",
  );
  // The process that started the server may wait for this line.
  logger.flush();
  const stack = opened.move();
  let stopped: Promise<void> | undefined;
  return {
    address: { host, port, url },
    logger,
    reload: reloading.reload,
    drainMs: () => config.drainMs,
    stop: () => (stopped ??= reloading.stop().then(() => stack.disposeAsync())),
  };
}

interface PageParts {
  readonly auth: ServerAuth;
  readonly mcp: Mcp;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly served: OpenServices;
  readonly services: readonly ServedService[];
}

function createPageOptions(
  config: Config,
  { auth, mcp, metrics, logger, served, services }: PageParts,
): GatewayOptions["pages"] {
  const console = config.console ? createConsole(auth.sessions) : undefined;
  return {
    ...console,
    folders: [...(console?.folders ?? []), createDocs()],
    endpoints: { ...console?.endpoints, ...mcp.endpoints },
    checks: served.checks,
    metrics,
    requireMetricsKey(request) {
      if (config.metrics.auth === "keys") auth.requireKey(request);
    },
    pages: createApiPages(() => describeApi(services, served.codecs)),
    reportFault: (error, path) => logger.error({ err: error, path }, "page failed"),
  };
}

function reportClockJump(logger: Logger, ms: number): void {
  const direction = ms > 0 ? "forward" : "back";
  logger.warn({ ms }, `the system clock was set ${direction} by ${Math.round(Math.abs(ms) / 1_000)} s`);
}

function createFaultLog(logger: Logger): ReportFault {
  return (error, { requestId, method, trace }) => {
    const name = `${method.parent.typeName}/${method.name}`;
    const trace_id = trace && traceIdOf(trace);
    logger.error({ err: error, requestId, method: name, trace_id }, "call failed");
  };
}

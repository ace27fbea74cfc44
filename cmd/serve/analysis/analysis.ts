import { readFile } from "node:fs/promises";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import { loadOnce } from "../../../base/async/load-once.ts";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import type { Registry } from "../../../base/metrics/prom-client.ts";
import type { RestCodecs } from "../../../base/rpc/rest-codec.ts";
import { AnalysisProxy } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { Catalog } from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import type { SavedQueries } from "../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { createAdmission, createHeadAdmission } from "../../../services/analysis/admission/admission.ts";
import type { PlatformEngine } from "../../../services/analysis/platform/platform.ts";
import { defineProject, type ProjectDefinitions } from "../../../services/analysis/project/definitions.ts";
import { readDimensionFile } from "../../../services/analysis/project/dimension-file.ts";
import type { AnalysisProject } from "../../../services/analysis/project/project.ts";
import { createAnalysisCodecs } from "../../../services/analysis/rest/rest.ts";
import type { EventStore } from "../../../store/events/events.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError, type ConfigPath, type Problem } from "../../config/problem.ts";
import { analystOf, traceOf } from "../gateway-ports.ts";
import { createLateService, type Gate } from "../lazy.ts";
import { createAnalysisMetrics } from "../metrics/analysis.ts";
import type { EmbeddedProjectOptions } from "./embedded-project.ts";
import { createLateSavedQueries } from "./saved-queries.ts";
import { type FollowedTokenList, openTokenList } from "./tokens.ts";

export interface AnalysisServices extends AsyncDisposable {
  readonly proxy: ServiceImpl<typeof AnalysisProxy>;
  readonly catalog: ServiceImpl<typeof Catalog>;
  readonly savedQueries: ServiceImpl<typeof SavedQueries>;
  /** Projects with their engines, by id. */
  readonly projects: () => Promise<ReadonlyMap<number, AnalysisProject>>;
  /** See FollowedTokenList. */
  readonly listTokens: FollowedTokenList["list"];
  /** Changes the tokens of the configuration. */
  readonly part: FollowedTokenList["part"];
  /** Admits calls by token before their bodies are read. */
  readonly admit: ReturnType<typeof createHeadAdmission>;
  /** The REST forms of its messages. */
  readonly codecs: RestCodecs;
}

interface Surroundings {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Events of projects with the embedded engine. */
  readonly store: EventStore;
  /** The gate that their queries wait for. */
  readonly gate: Gate;
  /** See AnalysisProject. */
  readonly lateness: () => string | undefined;
  /** Returns the place of an error in projects. */
  readonly locate: (path: ConfigPath, message: string) => Problem;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Lets the files of the data folder be copied while they are open. */
  readonly holds?: FileHolds | undefined;
}

/**
 * Checks definitions and tokens at once, and loads the code for queries with the
 * first query.
 * @throws ConfigError, UserError when the tokens that commands create cannot be read
 */
export async function openAnalysisServices(
  config: Config,
  { logger, registry, locate, ...surroundings }: Surroundings,
): Promise<AnalysisServices> {
  await using opened = new AsyncDisposableStack();
  const { platform, percentAs } = config.analysis;
  const limits = limitsOf(config);
  const definitions = defineProjects(config, locate);
  const upstream = config.projects.some(({ engine }) => engine === "platform") ? platform : undefined;
  const platformEngine = upstream && opened.use(await openPlatform(upstream, logger));
  const tokens = opened.use(
    await openTokenList(config, (error) =>
      logger.error({ err: error }, "could not read the tokens that commands create"),
    ),
  );
  const observer = createAnalysisMetrics(registry);
  const style = { percentAs };
  const projects = loadOnce(() => loadProjects(config, definitions, platformEngine, surroundings));
  const admission = loadOnce(async () =>
    createAdmission({
      projects: await projects(),
      tokens,
      rateLimit: limits.rateLimit,
      monotonic,
      keyOf: analystOf(config),
      traceOf,
    }),
  );
  const proxy = createLateService(AnalysisProxy, async () => {
    const [{ createAnalysisProxy }, known, admitting] = await Promise.all([
      import("../../../services/analysis/analysis.ts"),
      projects(),
      admission(),
    ]);
    const { now } = surroundings;
    return createAnalysisProxy(
      { ...limits, tokens, monotonic, projects: known, style, observer, now },
      admitting,
    );
  });
  const catalog = createLateService(Catalog, async () => {
    const { createCatalog } = await import("../../../services/analysis/catalog/catalog.ts");
    return createCatalog({ admission: await admission(), observer });
  });
  const { now, holds } = surroundings;
  const saved = opened.use(createLateSavedQueries(config, { admission, observer, logger, now, holds }));
  const stack = opened.move();
  const codecs = createAnalysisCodecs(style);
  const admit = createHeadAdmission(tokens, observer);
  const { list: listTokens, part } = tokens;
  return {
    proxy,
    catalog,
    savedQueries: saved.service,
    projects,
    listTokens,
    part,
    codecs,
    admit,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Limits that may change while the server runs. */
function limitsOf({ analysis }: Config) {
  return {
    rateLimit: () => analysis.rateLimit,
    cacheMaxBytes: () => analysis.cacheMaxBytes,
    readerStallMs: () => analysis.readerStallMs,
  };
}

const monotonic = (): number => performance.now();

async function loadProjects(
  config: Config,
  definitions: readonly ProjectDefinitions[],
  platformEngine: PlatformEngine | undefined,
  surroundings: Omit<EmbeddedProjectOptions, "project" | "zone">,
): Promise<ReadonlyMap<number, AnalysisProject>> {
  const { createEmbeddedProject } = await import("./embedded-project.ts");
  return new Map(
    config.projects.map(({ id, engine, zone }, i): [number, AnalysisProject] => {
      if (engine === "platform") {
        return [id, { engine: platformEngine as PlatformEngine, engineName: "platform" }];
      }
      return [id, createEmbeddedProject({ ...surroundings, zone, project: definitions[i]! })];
    }),
  );
}

/** Loads the code of the platform and its HTTP client only when it is used. */
async function openPlatform(
  upstream: NonNullable<Config["analysis"]["platform"]>,
  logger: Logger,
): Promise<PlatformEngine> {
  const { openPlatformEngine } = await import("../../../services/analysis/platform/platform.ts");
  const { ca: file } = upstream.tls;
  return openPlatformEngine(upstream, {
    ...platformDeps(logger.child({ engine: "platform" })),
    ca: file === undefined ? undefined : await readFile(file, "utf8"),
  });
}

function platformDeps(logger: Logger) {
  return {
    now: () => performance.now(),
    random: Math.random,
    observer: {
      retried: (error: Error) => logger.warn({ err: error }, "query retried"),
      breakerChanged: (state: string) => logger.warn({ state }, "breaker of the platform changed"),
    },
  };
}

function defineProjects(config: Config, locate: Surroundings["locate"]): readonly ProjectDefinitions[] {
  const problems: Problem[] = [];
  const definitions = config.projects.map((project, i) => {
    try {
      return defineProject(project, readDimensionFile);
    } catch (error) {
      problems.push(locate(["projects", i], (error as Error).message));
      return undefined;
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return definitions as readonly ProjectDefinitions[];
}

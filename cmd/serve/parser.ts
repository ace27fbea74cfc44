import { setImmediate } from "node:timers/promises";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import { systemClock } from "../../base/async/clock.ts";
import type { Registry } from "../../base/metrics/prom-client.ts";
import { ParserExplainer } from "../../gen/engage/parser/v1/parser_explainer_pb.ts";
import { ParserStream } from "../../gen/engage/parser/v1/parser_stream_pb.ts";
import { Parser } from "../../gen/proto/parser_pb.ts";
import { compileIsStored } from "../../services/parser/config.ts";
import { createParserExplainer } from "../../services/parser/explain/explain.ts";
import type { Formats } from "../../services/parser/formats/formats.ts";
import { separatorWarnings } from "../../services/parser/line/separators.ts";
import { createParser, type StoreRecords } from "../../services/parser/parser.ts";
import { createParserPool } from "../../services/parser/pool/pool.ts";
import { createLineReplay } from "../../services/parser/replay.ts";
import { createParserStream } from "../../services/parser/stream.ts";
import type { Config } from "../config/config.ts";
import type { ConfigPath, Problem } from "../config/problem.ts";
import { openDeadLetters } from "./data/dead-letters.ts";
import type { Replays } from "./dead-letters.ts";
import { createExplainThread } from "./explain/thread.ts";
import { openCheckedFormats } from "./formats.ts";
import { followService } from "./lazy.ts";
import { createParserMetrics } from "./metrics/parser.ts";
import type { ReloadablePart } from "./reload/reload.ts";
import { sharedDatabase } from "./shared/databases.ts";

export interface ParserServices extends AsyncDisposable {
  readonly parser: ServiceImpl<typeof Parser>;
  readonly parserStream: ServiceImpl<typeof ParserStream>;
  readonly parserExplainer: ServiceImpl<typeof ParserExplainer>;
  readonly replay: Replays["lines"];
  /** Changes formats and how lines are read. Calls in progress keep theirs. */
  readonly part: ReloadablePart;
}

interface Surroundings {
  readonly logger: Logger;
  readonly registry: Registry;
  readonly locate: (path: ConfigPath, message: string) => Problem;
  /** Stores records when `parser.store` is set. */
  readonly keep?: StoreRecords | undefined;
}

/** Bytes of batches that wait for worker threads. Calls beyond the limit are refused. */
const maxPendingBytes = 1024 * 1024 * 1024;

/**
 * Opens the parser: formats, dead letters and worker threads.
 * @throws ConfigError with all faults of the formats
 */
export async function openParserServices(
  settings: Config,
  { logger, registry, locate, keep }: Surroundings,
): Promise<ParserServices> {
  // Services that are opened at the same time start their threads before formats are compiled.
  await setImmediate();
  const { formatFor } = await openCheckedFormats(settings, locate);
  warnOfSeparators(settings.parser, logger);
  const metrics = createParserMetrics(registry);
  const deadLetters = await openDeadLetters(settings, settings.parser.deadLetters, {
    list: "parser",
    database: sharedDatabase(settings),
    observer: {
      ...metrics.deadLetters,
      failed(error) {
        metrics.deadLetters.failed(error);
        logger.error({ err: error }, "could not write dead letters");
      },
    },
  });
  const ports: ParserPorts = { deadLetters, metrics, keep };
  let current = createServices(settings.parser, formatFor, ports);
  /** Replaced services, whose calls may still run. */
  const retired = new Set<Promise<void>>();
  const retire = (old: CompiledServices): void => {
    const closing = Promise.resolve(old[Symbol.asyncDispose]()).finally(() => retired.delete(closing));
    retired.add(closing);
  };
  const { replay } = current;
  return {
    parser: followService(Parser, () => current.parser),
    parserStream: followService(ParserStream, () => current.parserStream),
    parserExplainer: followService(ParserExplainer, () => current.parserExplainer),
    replay:
      typeof replay === "string"
        ? replay
        : (letter) => (current.replay as Exclude<Replays["lines"], string>)(letter),
    part: {
      name: "parser",
      async prepare(config, locateNew) {
        const formats = await openCheckedFormats(config, locateNew);
        const next = createServices(config.parser, formats.formatFor, ports);
        return {
          apply() {
            const old = current;
            current = next;
            retire(old);
            warnOfSeparators(config.parser, logger);
          },
          discard: async () => next[Symbol.asyncDispose](),
        };
      },
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([current[Symbol.asyncDispose](), ...retired]);
      await deadLetters[Symbol.asyncDispose]();
    },
  };
}

function warnOfSeparators(config: Config["parser"], logger: Logger): void {
  const warnings = config.formats.length === 0 ? [] : separatorWarnings(config);
  for (const warning of warnings) logger.warn(warning);
}

interface ParserPorts {
  readonly deadLetters: Awaited<ReturnType<typeof openDeadLetters>>;
  readonly metrics: ReturnType<typeof createParserMetrics>;
  readonly keep: StoreRecords | undefined;
}

type CompiledServices = Omit<ParserServices, "part">;

/** Creates the services for one set of formats. */
function createServices(
  config: Config["parser"],
  formatFor: Formats["formatFor"],
  { deadLetters, metrics, keep }: ParserPorts,
): CompiledServices {
  const pool =
    config.workers === 0
      ? undefined
      : createParserPool({ config, maxPendingBytes, monotonicMs: () => performance.now() });
  const explaining = createExplainThread({ config, clock: systemClock });
  return {
    parser: createParser({
      config,
      formatFor,
      deadLetters,
      observer: metrics.parser,
      now: Date.now,
      pool,
      store: keep,
    }),
    parserStream: createParserStream({
      formatFor,
      maxLineBytes: config.maxLineBytes,
      observer: metrics.parser,
      store: keep,
      isStored: keep && compileIsStored(config),
    }),
    parserExplainer: createParserExplainer({ config, explain: explaining.explain }),
    replay:
      keep === undefined
        ? "parsed records are not stored, since parser.store is not set: send the lines of an export to Parse instead"
        : createLineReplay({
            formatFor,
            maxLineBytes: config.maxLineBytes,
            observer: metrics.parser,
            store: keep,
            isStored: compileIsStored(config),
            deadLetters,
            now: Date.now,
          }),
    async [Symbol.asyncDispose]() {
      await explaining[Symbol.asyncDispose]();
      await pool?.[Symbol.asyncDispose]();
    },
  };
}

import type { ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { systemClock } from "../../base/async/clock.ts";
import type { ParserExplainer } from "../../gen/engage/parser/v1/parser_explainer_pb.ts";
import type { ParserStream } from "../../gen/engage/parser/v1/parser_stream_pb.ts";
import type { Parser } from "../../gen/proto/parser_pb.ts";
import { compileIsStored } from "../../services/parser/config.ts";
import { createParserExplainer } from "../../services/parser/explain/explain.ts";
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
import { createParserMetrics } from "./metrics/parser.ts";
import { sharedDatabase } from "./shared/databases.ts";

export interface ParserServices extends AsyncDisposable {
  readonly parser: ServiceImpl<typeof Parser>;
  readonly parserStream: ServiceImpl<typeof ParserStream>;
  readonly parserExplainer: ServiceImpl<typeof ParserExplainer>;
  readonly replay: Replays["lines"];
}

/** Bytes of batches that wait for worker threads. Calls beyond the limit are refused. */
const maxPendingBytes = 1024 * 1024 * 1024;

/**
 * Opens the parser: formats, dead letters and worker threads.
 * @throws ConfigError with all faults of the formats
 */
export async function openParserServices(
  settings: Config,
  {
    logger,
    registry,
    locate,
    keep,
  }: {
    logger: Logger;
    registry: Registry;
    locate: (path: ConfigPath, message: string) => Problem;
    /** Stores records when `parser.store` is set. */
    keep?: StoreRecords | undefined;
  },
): Promise<ParserServices> {
  const { parser: config } = settings;
  const { formatFor } = await openCheckedFormats(settings, locate);
  const warnings = config.formats.length === 0 ? [] : separatorWarnings(config);
  for (const warning of warnings) logger.warn(warning);
  const metrics = createParserMetrics(registry);
  const deadLetters = await openDeadLetters(settings, config.deadLetters, {
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
      await deadLetters[Symbol.asyncDispose]();
    },
  };
}

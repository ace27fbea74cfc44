import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { retryLater } from "../../base/rpc/map-errors.ts";
import { quoteText } from "../../base/text/quote.ts";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { type Parser, type Response, ResponseSchema } from "../../gen/proto/parser_pb.ts";
import type { DeadLetters } from "../../store/deadletters/deadletters.ts";
import { RecordsUnavailableError } from "../../store/records/records.ts";
import { compileIsKept, type ParserConfig } from "./config.ts";
import { type Batch, createBatchParser, type ParsedBatch } from "./line/batch.ts";
import { type Framing, framings, isFraming } from "./line/framing.ts";
import type { Format } from "./line/line.ts";
import { separatorsOf } from "./line/separators.ts";
import { reportCounts } from "./line/tally.ts";
import type { ParserObserver } from "./observer.ts";
import { type ParserPool, PoolBusyError, WorkerCrashError } from "./pool/pool.ts";

export interface ParserOptions {
  readonly config: ParserConfig;
  readonly formatFor: (index: string) => Format | undefined;
  readonly deadLetters: DeadLetters;
  readonly observer: ParserObserver;
  /** Clock in ms since 1970, for dead letters. */
  readonly now: () => number;
  readonly keep?: KeepRecords | undefined;
  /** Takes the batches of at least `config.workerThresholdBytes`; without one all are parsed inline. */
  readonly pool: ParserPool | undefined;
}

/**
 * Called with records, a JSON array, before the call is answered. Resolves when they are on disk.
 * @throws RecordsUnavailableError when they can't be kept now
 */
export type KeepRecords = (records: Uint8Array) => Promise<void>;

/** Names the framing of one call: `items`, `lines` or `none`. */
const framingHeader = "parser-framing";

/** Names the INDEX of all lines of one call, for the framings that carry none. */
const indexHeader = "parser-index";

/**
 * The Parser service. A line never fails a call. What does: an unknown framing in the header (InvalidArgument, the
 * caller's programming), too much waiting for the workers, a worker that ended and records that can't be stored (all
 * Unavailable with RetryInfo: the same call succeeds later).
 */
export function createParser(options: ParserOptions): ServiceImpl<typeof Parser> {
  const { config, pool, observer } = options;
  const parseInline = createBatchParser({
    formatFor: options.formatFor,
    maxLineBytes: config.maxLineBytes,
    separators: separatorsOf(config),
    isKept: options.keep && compileIsKept(config),
    now: options.now,
  });
  function answer(parsed: ParsedBatch): Response | Promise<Response> {
    reportCounts(parsed.counts, observer);
    if (parsed.letters.count > 0) options.deadLetters.append(parsed.letters);
    const response = create(ResponseSchema, { content: parsed.content });
    if (parsed.kept === undefined || options.keep === undefined) return response;
    return keepRecords(options.keep, parsed.kept).then(() => response);
  }
  return {
    parse(request, context) {
      const batch = batchOf(request.content, context, config);
      const bytes = batch.content.byteLength;
      if (pool === undefined || bytes < config.workerThresholdBytes || !pool.isUsable()) {
        observer.batch("inline", bytes);
        return answer(parseInline(batch));
      }
      observer.batch("worker", bytes);
      return parseInPool(pool, batch, context.signal, observer).then(answer);
    },
  };
}

function batchOf(content: Uint8Array, context: HandlerContext, config: ParserConfig): Batch {
  return {
    content,
    framing: framingOf(context, config),
    index: context.requestHeader.get(indexHeader) ?? "",
    source: context.protocolName,
  };
}

function framingOf(context: HandlerContext, config: ParserConfig): Framing {
  const named = context.requestHeader.get(framingHeader);
  if (named === null) return framingOfProtocol(context.protocolName, config);
  if (isFraming(named)) return named;
  const description = `header ${framingHeader} is ${quoteText(named)}, valid values: ${framings.join(", ")}`;
  throw new ConnectError(description, Code.InvalidArgument, undefined, [
    { desc: BadRequestSchema, value: { fieldViolations: [{ field: framingHeader, description }] } },
  ]);
}

function framingOfProtocol(protocol: string, { framing }: ParserConfig): Framing {
  const byProtocol: Readonly<Record<string, Framing | undefined>> = framing;
  return byProtocol[protocol] ?? "items";
}

async function parseInPool(
  pool: ParserPool,
  batch: Batch,
  signal: AbortSignal,
  observer: ParserObserver,
): Promise<ParsedBatch> {
  try {
    return await pool.parse(batch, signal);
  } catch (error) {
    if (error instanceof PoolBusyError) observer.refused();
    else if (error instanceof WorkerCrashError) observer.workerCrashed();
    else throw error;
    throw retryLater(error.message, retryMs, { cause: error });
  }
}

/** @throws ConnectError UNAVAILABLE, so that the lines are sent again */
export async function keepRecords(keep: KeepRecords, records: Uint8Array): Promise<void> {
  try {
    await keep(records);
  } catch (error) {
    throw error instanceof RecordsUnavailableError
      ? retryLater(error.message, retryMs, { cause: error })
      : error;
  }
}

/** The same call may succeed after this. */
const retryMs = 1_000;

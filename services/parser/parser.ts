import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { retryLater } from "../../base/rpc/map-errors.ts";
import { knownNames } from "../../base/text/known-names.ts";
import { quoteText } from "../../base/text/quote.ts";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { type Parser, type Response, ResponseSchema } from "../../gen/proto/parser_pb.ts";
import type { DeadLetters } from "../../store/deadletters/deadletters.ts";
import { RecordsUnavailableError } from "../../store/records/records.ts";
import { compileIsStored, type ParserConfig } from "./config.ts";
import { type Batch, createBatchParser, type ParsedBatch } from "./line/batch.ts";
import { reportCounts } from "./line/counts.ts";
import { type Framing, framings, isFraming } from "./line/framing.ts";
import type { Format } from "./line/line.ts";
import { separatorsOf } from "./line/separators.ts";
import type { ParserObserver } from "./observer.ts";
import { type ParserPool, PoolBusyError, WorkerCrashError } from "./pool/pool.ts";

export interface ParserOptions {
  readonly config: ParserConfig;
  readonly formatFor: (index: string) => Format | undefined;
  readonly deadLetters: DeadLetters;
  readonly observer: ParserObserver;
  /** Clock in ms since 1970, for dead letters. */
  readonly now: () => number;
  readonly store?: StoreRecords | undefined;
  /** Parses batches of at least `config.workerThresholdBytes`; when undefined, all are parsed inline. */
  readonly pool: ParserPool | undefined;
}

/**
 * Stores records, a JSON array, before the call returns. Resolves when they are on disk.
 * @throws RecordsUnavailableError when they cannot be stored now
 */
export type StoreRecords = (records: Uint8Array) => Promise<void>;

/** Header with the framing of one call: `items`, `lines` or `none`. */
const framingHeader = "parser-framing";

/** Header with the INDEX of all lines of one call, for framings without one. */
const indexHeader = "parser-index";

/**
 * The Parser service. A bad line never fails a call. A call fails with InvalidArgument for an unknown framing in the
 * header, and with Unavailable and RetryInfo when the workers are busy, a worker crashed or records cannot be stored:
 * the same call succeeds later.
 *
 * - `line/`: splits a batch into lines (framing, segments), parses each with its format and counts
 * - `formats/`: one file for each format, from line to fields
 * - `mapping/`: fields to records; `mapping/copy/` copies the bytes of JSON lines instead
 * - `output/`: the content of the response, dead letters and records to store
 * - `pool/`: worker threads for large calls
 * - `check/`: finds mistakes in a configuration; `file/`: parses files line by line
 */
export function createParser(options: ParserOptions): ServiceImpl<typeof Parser> {
  const { config, pool, observer } = options;
  const parseInline = createBatchParser({
    formatFor: options.formatFor,
    maxLineBytes: config.maxLineBytes,
    separators: separatorsOf(config),
    isStored: options.store && compileIsStored(config),
    now: options.now,
  });
  function respond(parsed: ParsedBatch): Response | Promise<Response> {
    reportCounts(parsed.counts, observer);
    if (parsed.deadLetters.count > 0) options.deadLetters.append(parsed.deadLetters);
    const response = create(ResponseSchema, { content: parsed.content });
    if (parsed.recordsToStore === undefined || options.store === undefined) return response;
    return storeRecords(options.store, parsed.recordsToStore).then(() => response);
  }
  return {
    parse(request, context) {
      const batch = batchOf(request.content, context, config);
      const bytes = batch.content.byteLength;
      if (pool === undefined || bytes < config.workerThresholdBytes || !pool.isUsable()) {
        observer.batch("inline", bytes);
        return respond(parseInline(batch));
      }
      observer.batch("worker", bytes);
      return parseInPool(pool, batch, context.signal, observer).then(respond);
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
  const description = `header ${framingHeader} is ${quoteText(named)}, ${knownNames(named, framings)}`;
  throw new ConnectError(description, Code.InvalidArgument, undefined, [
    { desc: BadRequestSchema, value: { fieldViolations: [{ field: framingHeader, description }] } },
  ]);
}

/** Returns the framing of calls over a protocol that do not name one. */
export function framingOfProtocol(protocol: string, { framing }: Pick<ParserConfig, "framing">): Framing {
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

/** @throws ConnectError UNAVAILABLE when the records cannot be stored; the caller then sends the lines again */
export async function storeRecords(keep: StoreRecords, records: Uint8Array): Promise<void> {
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

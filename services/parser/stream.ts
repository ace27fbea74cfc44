import { isUtf8 } from "node:buffer";
import { setImmediate as nextIteration } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type LineResult,
  LineResultSchema,
  type ParseLinesRequest,
  type ParserStream,
} from "../../gen/engage/parser/v1/parser_stream_pb.ts";
import type { IsStored } from "./config.ts";
import { type BatchCounter, createBatchCounter, reportCounts } from "./line/counts.ts";
import { isFailure, type LineFailure } from "./line/line.ts";
import { createLineParser, type LineParser, type LineParserOptions } from "./line/line-parser.ts";
import type { ParserObserver } from "./observer.ts";
import { createRecordsToStore, type RecordsToStore } from "./output/records-to-store.ts";
import { type StoreRecords, storeRecords } from "./parser.ts";

export interface ParserStreamOptions extends LineParserOptions {
  readonly observer: ParserObserver;
  readonly isStored?: IsStored | undefined;
  readonly store?: StoreRecords | undefined;
}

/** Yields to the event loop after this many bytes, about 2 ms of parsing. */
const yieldBytes = 131_072;

/**
 * The ParserStream service: each request gets one response before the next request is read. Errors are returned line
 * by line and counted; they become no dead letters, since the caller has the lines.
 */
export function createParserStream(options: ParserStreamOptions): ServiceImpl<typeof ParserStream> {
  return {
    async *parseLines(requests, context) {
      const lineParser = createLineParser(options);
      let index = "";
      let lineNumber = 0n;
      for await (const request of requests) {
        if (request.index !== "") index = request.index;
        const counter = createBatchCounter();
        const toStore = createRecordsToStore(options.isStored);
        const state = { lineParser, counter, toStore, signal: context.signal };
        const results = await parseMessage(request, index, lineNumber, state);
        lineNumber += BigInt(request.lines.length);
        reportCounts(counter.counts({ collisions: 0, deadLettersDropped: 0 }), options.observer);
        const records = toStore?.close();
        if (records !== undefined && options.store !== undefined) await storeRecords(options.store, records);
        yield { results };
      }
    },
  };
}

interface StreamState {
  readonly lineParser: LineParser;
  readonly counter: BatchCounter;
  readonly toStore: RecordsToStore | undefined;
  readonly signal: AbortSignal;
}

async function parseMessage(
  { lines }: ParseLinesRequest,
  index: string,
  firstLine: bigint,
  { lineParser, counter, toStore, signal }: StreamState,
): Promise<LineResult[]> {
  const results: LineResult[] = [];
  let sinceYield = 0;
  for (const line of lines) {
    // Empty lines take time too.
    sinceYield += line.length + 64;
    if (sinceYield > yieldBytes) {
      sinceYield = 0;
      await nextIteration();
      signal.throwIfAborted();
    }
    const result = parseBytes(lineParser, index, line);
    const format = lineParser.formatName();
    if (isFailure(result)) counter.refused(format, result.reason);
    else {
      counter.parsed(format, result.length);
      toStore?.add(format, result);
    }
    results.push(lineResultOf(firstLine + BigInt(results.length), result));
  }
  return results;
}

function parseBytes(parser: LineParser, index: string, line: Uint8Array): readonly string[] | LineFailure {
  if (!isUtf8(line)) return parser.parse(index, "", { reason: "invalid_utf8", bytes: line });
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString("utf8");
  return parser.parse(index, text.replace(/\r?\n$|\r$/, ""), undefined);
}

function lineResultOf(lineNumber: bigint, result: readonly string[] | LineFailure): LineResult {
  if (isFailure(result)) {
    const { reason, message } = result;
    return create(LineResultSchema, { lineNumber, outcome: { case: "error", value: { reason, message } } });
  }
  const json = result.map((record) => Buffer.from(record));
  return create(LineResultSchema, { lineNumber, outcome: { case: "records", value: { json } } });
}

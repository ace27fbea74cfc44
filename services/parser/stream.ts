import { isUtf8 } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type LineResult,
  LineResultSchema,
  type ParseLinesRequest,
  type ParserStream,
} from "../../gen/engage/parser/v1/parser_stream_pb.ts";
import type { IsKept } from "./config.ts";
import { isFailure, type LineFailure } from "./line/line.ts";
import { createLineParser, type LineParser, type LineParserOptions } from "./line/line-parser.ts";
import { createTally, reportCounts, type Tally } from "./line/tally.ts";
import type { ParserObserver } from "./observer.ts";
import { createKeptRecords, type KeptRecords } from "./output/kept-records.ts";
import { type KeepRecords, keepRecords } from "./parser.ts";

export interface ParserStreamOptions extends LineParserOptions {
  readonly observer: ParserObserver;
  readonly isKept?: IsKept | undefined;
  readonly keep?: KeepRecords | undefined;
}

/** After this much of a message other calls get their turn: about 2 ms of parsing. */
const TURN_BYTES = 131_072;

/**
 * The ParserStream service: each message of lines is answered by one message before the next is read. Errors go to
 * the caller, line by line, and are counted; the caller has the lines, so no dead letters are kept.
 */
export function createParserStream(options: ParserStreamOptions): ServiceImpl<typeof ParserStream> {
  return {
    async *parseLines(requests, context) {
      const lineParser = createLineParser(options);
      let index = "";
      let lineNumber = 0n;
      for await (const request of requests) {
        if (request.index !== "") index = request.index;
        const tally = createTally();
        const kept = createKeptRecords(options.isKept);
        const state = { lineParser, tally, kept, signal: context.signal };
        const results = await parseMessage(request, index, lineNumber, state);
        lineNumber += BigInt(request.lines.length);
        reportCounts(tally.counts({ collisions: 0, lettersDropped: 0 }), options.observer);
        const records = kept?.close();
        if (records !== undefined && options.keep !== undefined) await keepRecords(options.keep, records);
        yield { results };
      }
    },
  };
}

interface StreamState {
  readonly lineParser: LineParser;
  readonly tally: Tally;
  readonly kept: KeptRecords | undefined;
  readonly signal: AbortSignal;
}

async function parseMessage(
  { lines }: ParseLinesRequest,
  index: string,
  firstLine: bigint,
  { lineParser, tally, kept, signal }: StreamState,
): Promise<LineResult[]> {
  const results: LineResult[] = [];
  let turnBytes = 0;
  for (const line of lines) {
    // An empty line takes time as well.
    turnBytes += line.length + 64;
    if (turnBytes > TURN_BYTES) {
      turnBytes = 0;
      await nextTurn();
      signal.throwIfAborted();
    }
    const result = parseBytes(lineParser, index, line);
    const format = lineParser.formatName();
    if (isFailure(result)) tally.refused(format, result.reason);
    else {
      tally.parsed(format, result.length);
      kept?.add(format, result);
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

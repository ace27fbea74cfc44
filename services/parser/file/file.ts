import { detectGzip, gunzip } from "../../../base/compression/gzip-files.ts";
import { withoutByteOrderMark } from "../../../base/text/byte-order-mark.ts";
import { visitLines } from "../line/framing.ts";
import type { Format, LineFailure } from "../line/line.ts";
import { isFailure, refuse } from "../line/line.ts";
import { createLineParser, type LineParser } from "../line/line-parser.ts";
import type { LineVisitor } from "../line/segment.ts";

export interface ParseStreamOptions {
  /** INDEX of all lines, for instance the file's name. */
  readonly index: string;
  /** `() => format` applies one format to all lines. */
  readonly formatFor: (index: string) => Format | undefined;
  readonly maxLineBytes: number;
  /** `auto` decompresses sources that begin with the two bytes of a gzip file. */
  readonly gzip: "auto" | "on" | "off";
  readonly signal?: AbortSignal;
}

export interface FailedLine {
  /** Counted from 1. */
  readonly lineNumber: number;
  readonly failure: LineFailure;
  /** Empty for a line that is too long; bytes for one that is not UTF-8. */
  readonly line: string | Uint8Array;
}

/** The results of the lines of one block of the source. */
export interface ParsedLines {
  /** Each one line of JSON text, in the order of the lines. */
  readonly records: readonly string[];
  readonly failures: readonly FailedLine[];
  readonly lines: number;
  /** Bytes read from the source so far, before decompression, for a progress bar. */
  readonly bytesRead: number;
}

/**
 * Parses a file or another source of bytes line by line, in linear time. Memory is bounded by `maxLineBytes` and the
 * size of the source's chunks. Rejects when the source does or its gzip data are invalid, after all results before
 * that were yielded.
 */
export async function* parseStream(
  source: AsyncIterable<Uint8Array>,
  options: ParseStreamOptions,
): AsyncGenerator<ParsedLines> {
  let bytesRead = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      options.signal?.throwIfAborted();
      bytesRead += chunk.length;
      yield chunk;
    }
  }
  const parser = createBlockParser(options);
  for await (const block of blocksOf(inflated(counted(), options.gzip), options.maxLineBytes)) {
    options.signal?.throwIfAborted();
    yield { ...parser(block), bytesRead };
  }
}

/** Whole lines, or a line that was too long to keep. */
type Block = Uint8Array | "line_too_long";

function createBlockParser(options: ParseStreamOptions): (block: Block) => Omit<ParsedLines, "bytesRead"> {
  const lineParser: LineParser = createLineParser(options);
  const tooLong = refuse("line_too_long", `the line is longer than ${options.maxLineBytes} bytes`);
  let lineNumber = 0;
  let isFirst = true;
  return (block) => {
    const records: string[] = [];
    const failures: FailedLine[] = [];
    const before = lineNumber;
    if (block === "line_too_long") {
      failures.push({ lineNumber: ++lineNumber, failure: tooLong, line: "" });
    } else {
      const visit: LineVisitor["visit"] = (index, line, unreadable) => {
        lineNumber++;
        const result = lineParser.parse(index, line, unreadable);
        if (isFailure(result))
          failures.push({ lineNumber, failure: result, line: unreadable?.bytes ?? line });
        else for (const record of result) records.push(record);
      };
      visitLines(isFirst ? withoutByteOrderMark(block) : block, options.index, { visit });
    }
    isFirst = false;
    return { records, failures, lines: lineNumber - before };
  };
}

const lf = 0x0a;

/** Splits chunks at their last LF; collects the parts of a line over several chunks and joins them once. */
async function* blocksOf(chunks: AsyncIterable<Uint8Array>, maxLineBytes: number): AsyncGenerator<Block> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isTooLong = false;
  function hold(bytes: Uint8Array): void {
    heldBytes += bytes.length;
    isTooLong ||= heldBytes > maxLineBytes + lineEndBytes;
    // The source may reuse its buffer, so kept bytes are copied.
    if (isTooLong) held = [];
    else held.push(new Uint8Array(bytes));
  }
  function release(): Block {
    const block = isTooLong ? "line_too_long" : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    isTooLong = false;
    return block;
  }
  for await (const chunk of chunks) {
    const first = chunk.indexOf(lf) + 1;
    hold(first === 0 ? chunk : chunk.subarray(0, first));
    if (first === 0) continue;
    yield release();
    const last = chunk.lastIndexOf(lf) + 1;
    if (last > first) yield chunk.subarray(first, last);
    if (last < chunk.length) hold(chunk.subarray(last));
  }
  if (heldBytes > 0) yield release();
}

/** Length of CR and LF after a line of full length. */
const lineEndBytes = 2;

async function* inflated(
  source: AsyncGenerator<Uint8Array>,
  gzip: ParseStreamOptions["gzip"],
): AsyncGenerator<Uint8Array> {
  const { isGzip, chunks } = await detectGzip(source);
  yield* gzip === "on" || (gzip === "auto" && isGzip) ? gunzip(chunks) : chunks;
}

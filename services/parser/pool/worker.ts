import { getPriority, setPriority } from "node:os";
import { isMarkedAsUntransferable, workerData } from "node:worker_threads";
import { move, transferableSymbol, valueSymbol } from "piscina";
import { compileIsKept, type ParserConfig } from "../config.ts";
import { openFormats } from "../formats/formats.ts";
import { createBatchParser, type ItemGuide, type ParseBatch, type ParsedBatch } from "../line/batch.ts";
import { separatorsOf } from "../line/separators.ts";
import { allItems } from "./crashing-items.ts";
import type { WorkerTask } from "./pool.ts";

/** A third of the time that a thread gets otherwise, where there is more work than cores. */
const niceness = 5;

// On Linux it is that of the calling thread alone: the main thread goes first, with the small calls of others.
// A process that stands further back already may not come forward.
if (process.platform === "linux") setPriority(Math.max(niceness, getPriority()));

let opened: Promise<ParseBatch> | undefined;

/** The worker's entry: parses one batch and gives its bytes away without copying them. */
export async function parseInWorker(task: WorkerTask): Promise<ParsedBatch> {
  opened ??= openParser(workerData);
  const parse = await opened;
  return moved(parse(task, guideOf(task)));
}

async function openParser(config: ParserConfig): Promise<ParseBatch> {
  const { formatFor } = await openFormats(config);
  return createBatchParser({
    formatFor,
    separators: separatorsOf(config),
    maxLineBytes: config.maxLineBytes,
    isKept: compileIsKept(config),
    now: Date.now,
  });
}

function guideOf({ progress, skipped }: WorkerTask): ItemGuide {
  const items = new Set(skipped);
  const isAllSkipped = items.has(allItems);
  return {
    begin(item) {
      if (isAllSkipped || items.has(item)) return false;
      progress[0] = item;
      return true;
    },
  };
}

function moved(batch: ParsedBatch): ParsedBatch {
  const content = owned(batch.content);
  const ndjson = owned(batch.letters.ndjson);
  const kept = batch.kept && owned(batch.kept);
  const value: ParsedBatch = { ...batch, content, kept, letters: { ...batch.letters, ndjson } };
  const buffers = [content.buffer, ndjson.buffer, ...(kept === undefined ? [] : [kept.buffer])];
  const result = { [transferableSymbol]: buffers, [valueSymbol]: value };
  // Piscina hands the value of such an object to the caller, which its types don't say.
  return move(result as never) as never;
}

/** Small buffers lie in Node's shared pool, which can't be given away. */
function owned(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return isMarkedAsUntransferable(bytes.buffer) ? new Uint8Array(bytes) : bytes;
}

import { getPriority, setPriority } from "node:os";
import { isMarkedAsUntransferable, workerData } from "node:worker_threads";
import { move, transferableSymbol, valueSymbol } from "piscina";
import { compileIsStored, type ParserConfig } from "../config.ts";
import { openFormats } from "../formats/formats.ts";
import { createBatchParser, type ItemGate, type ParseBatch, type ParsedBatch } from "../line/batch.ts";
import { separatorsOf } from "../line/separators.ts";
import { allItems } from "./crashing-items.ts";
import type { WorkerTask } from "./pool.ts";

/** Gives the worker about a third of the usual time where there is more work than cores. */
const niceness = 5;

// This sets the priority of the calling thread only on Linux, so that the main thread with its small calls precedes it.
// A process may not raise its priority again.
if (process.platform === "linux") setPriority(Math.max(niceness, getPriority()));

let opened: Promise<ParseBatch> | undefined;

/** The entry point of the worker: parses one batch and transfers its bytes. */
export async function parseInWorker(task: WorkerTask): Promise<ParsedBatch> {
  opened ??= openParser(workerData);
  const parse = await opened;
  return transferred(parse(task, gateOf(task)));
}

async function openParser(config: ParserConfig): Promise<ParseBatch> {
  const { formatFor } = await openFormats(config);
  return createBatchParser({
    formatFor,
    separators: separatorsOf(config),
    maxLineBytes: config.maxLineBytes,
    isStored: compileIsStored(config),
    now: Date.now,
  });
}

function gateOf({ progress, skipped }: WorkerTask): ItemGate {
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

function transferred(batch: ParsedBatch): ParsedBatch {
  const content = owned(batch.content);
  const ndjson = owned(batch.deadLetters.ndjson);
  const recordsToStore = batch.recordsToStore && owned(batch.recordsToStore);
  const value: ParsedBatch = {
    ...batch,
    content,
    recordsToStore,
    deadLetters: { ...batch.deadLetters, ndjson },
  };
  const buffers = [
    content.buffer,
    ndjson.buffer,
    ...(recordsToStore === undefined ? [] : [recordsToStore.buffer]),
  ];
  const result = { [transferableSymbol]: buffers, [valueSymbol]: value };
  // Piscina passes the value of such an object to the caller, which its types do not say.
  return move(result as never) as never;
}

/** Copies small buffers: they are part of Node's shared pool, which cannot be transferred. */
function owned(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return isMarkedAsUntransferable(bytes.buffer) ? new Uint8Array(bytes) : bytes;
}

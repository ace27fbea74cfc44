import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished } from "vitest";
import { type Forwarder, openForwarder } from "../../../store/records/forward.ts";
import { createFileCursor } from "../../../store/records/forward-cursor.ts";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool, type RecordSpool } from "../../../store/records/record-spool.ts";
import type { SendOutcome } from "../../../store/records/records.ts";

let root = "";
export let folder = "";

/** Makes a folder for each test of the file. */
export function useFolder(): void {
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "forward-"));
    folder = join(root, "records");
  });
  afterEach(() => rmSync(root, { recursive: true }));
}

/** For machines that are busy with other tests. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });
export const taken: SendOutcome = { kind: "taken" };
export const away: SendOutcome = { kind: "retry", reason: "away" };
export const delays = { minDelayMs: 100, maxDelayMs: 1_000, unknownAppidMs: 5_000 };
export const textOf = (n: number): string => `{"n":${n}}`;
export const range = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => textOf(from + n));

/** Opens a receiver, which accepts everything by default, and records all reports of the forwarder. */
export function openBench(spool: RecordSpool, settings: object = {}) {
  const bench = {
    calls: [] as string[][],
    taken: [] as string[],
    dead: [] as string[],
    retried: [] as string[],
    failures: [] as string[],
    waits: [] as number[],
    reply: async (_records: readonly string[], _signal: AbortSignal): Promise<SendOutcome> => taken,
    keepDead: async (_record: string): Promise<void> => {},
    wait: async (_ms: number): Promise<void> => {},
    forwarder: undefined as unknown as Forwarder,
  };
  bench.forwarder = openForwarder({
    reader: createRecordReader({ folder, spool }),
    cursor: createFileCursor(folder),
    delays,
    random: () => 0.5,
    stopMs: () => 60_000,
    deleteForwarded: true,
    limits: { maxRecords: 100, maxBytes: 65_536 },
    receiver: {
      async send(records, signal) {
        const texts = records.map((record) => Buffer.from(record).toString());
        bench.calls.push(texts);
        const outcome = await bench.reply(texts, signal);
        bench.taken.push(...(outcome.kind === "taken" ? texts : []));
        return outcome;
      },
    },
    keepDead: (record) => bench.keepDead(Buffer.from(record).toString()),
    observer: {
      forwarded: () => {},
      retried: ({ kind }) => void bench.retried.push(kind),
      dead: (record) => void bench.dead.push(Buffer.from(record).toString()),
      failed: (error) => void bench.failures.push((error as Error).message),
    },
    wait: (ms) => {
      bench.waits.push(ms);
      return bench.wait(ms);
    },
    ...settings,
  });
  onTestFinished(() => bench.forwarder[Symbol.asyncDispose]());
  return bench;
}

type SpoolOptions = Partial<Parameters<typeof openRecordSpool>[0]>;

export async function spoolOf(texts: readonly string[], options: SpoolOptions = {}): Promise<RecordSpool> {
  const spool = openRecordSpool({ folder, ...options });
  onTestFinished(() => spool[Symbol.asyncDispose]());
  for (const text of texts) await spool.append(Buffer.from(text));
  return spool;
}

export const cursor = (): unknown => JSON.parse(readFileSync(join(folder, "forward.json"), "utf8"));
export const segments = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
export const nameOf = (number: number): string => `${String(number).padStart(12, "0")}.ndjson`;

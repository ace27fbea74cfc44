import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { EventCollector } from "../../../gen/engage/event/v1/event_collector_pb.ts";
import type { RecordResult } from "../../../gen/engage/event/v1/record_pb.ts";
import { createEventCollector, type EventCollectorOptions } from "../../../services/event/event.ts";
import { createPreparer } from "../../../services/event/load/prepare.ts";
import type { PreparedBatch } from "../../../services/event/load/prepared.ts";
import type { NameRates } from "../../../services/event/record/name-book.ts";
import { dropReasonName, refusalReasonName } from "../../../services/event/results.ts";
import { openSqliteIntake } from "../../../store/intake/sqlite/open.ts";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool, type RecordSpool } from "../../../store/records/record-spool.ts";
import type { RecordReader } from "../../../store/records/records.ts";
import { createMemoryStore } from "./load/memory-store.ts";
import { nowMs } from "./record/checking.ts";

/** The ways to send records. `sdk` gets no verdicts. Two ways name the project by its app id. */
export type Way = "sdk" | "debug" | "track" | "track by app id" | "dry run" | "dry run by app id";

/** `name: reason` of each property that was dropped and each record that was refused, of all records of a call. */
export type Drops = readonly string[];

export interface PendingRig extends AsyncDisposable {
  send(way: Way, records: readonly unknown[], project?: number): Promise<Drops>;
  /** Takes batch after batch, each of one record. */
  stream(records: readonly unknown[]): Promise<readonly Drops[]>;
  /** Loads the next line; undefined when there is none. */
  loadLine(): Promise<LoadedLine | undefined>;
}

export interface LoadedLine {
  readonly text: string;
  /** How many properties, by reason. */
  readonly dropped: PreparedBatch["counts"]["dropped"];
  /** How many records, by reason. */
  readonly refused: PreparedBatch["counts"]["refused"];
}

type RigOptions = Pick<EventCollectorOptions, "maxProperties" | "maxPendingBytes" | "names"> & {
  readonly now?: () => number;
  /** The spool. Default: of files. */
  readonly records?: { readonly spool: RecordSpool; readonly reader: RecordReader };
  /** Called before a line is appended; what it rejects with is what becomes of the line. */
  readonly beforeAppend?: () => Promise<void>;
};

/** A collector over a real spool, which is loaded into memory when a test says so. */
export function openPendingRig({ beforeAppend, records, ...options }: RigOptions = {}): PendingRig {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "pending-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const openFiles = () => {
    const spool = stack.use(openRecordSpool({ folder: join(folder, "spool"), maxFileBytes: 1_000 }));
    return { spool, reader: createRecordReader({ folder: join(folder, "spool"), spool }) };
  };
  const { spool, reader } = records ?? openFiles();
  const intake = stack.use(openSqliteIntake({ path: join(folder, "intake.db") }));
  const store = createMemoryStore();
  const preparer = createPreparer({ intake, folder });
  const starts = [1, 2].map((id) => [id, { schema: store.schema(id), zone: "+00:00" }] as const);
  const { maxProperties, names } = options;
  const rates = new Map<number, NameRates>();
  const started = preparer.reset({
    loadedTo: undefined,
    projects: new Map(starts),
    ...(maxProperties !== undefined && { maxProperties }),
    names,
  });
  const collector = createEventCollector({
    ...options,
    now: options.now ?? (() => nowMs),
    rates: (projectId) => rates.get(projectId),
    projects: [1, 2].map((id) => ({ id, appids: [`app${id}`], zone: "+00:00" })),
    async append(line) {
      await beforeAppend?.();
      await spool.append(line);
    },
    schema: store.schema,
    pending: () => ({ ...reader, loadedTo: store.loadedTo }),
    deadLetters: { append: () => {} },
    observer: { accepted: () => {}, refused: () => {}, dropped: () => {}, rejected: () => {} },
  });
  const transport = createRouterTransport(({ service }) => service(EventCollector, collector));
  const client = createClient(EventCollector, transport);
  return {
    send: (way, records, project = 1) => send(client, way, records, project),
    async stream(records) {
      const batches = records.map((record, at) => ({
        sequence: BigInt(at + 1),
        batch: batchOf([record], 1),
      }));
      const drops: Drops[] = [];
      for await (const { result } of client.trackStream(inTurn(batches)))
        drops.push(dropsOf(result!.results));
      return drops;
    },
    async loadLine() {
      await started;
      const from = store.loadedTo() ?? (await reader.start());
      const chunk = await reader.read(from, 1_000);
      if (chunk === undefined) return undefined;
      const text = Buffer.from(chunk.bytes).toString().split("\n", 1)[0]!;
      const { batch, counts, ...prepared } = await preparer.prepare({ ...chunk, maxRecords: 1, skipped: [] });
      await store.load(batch);
      for (const [project, of] of prepared.rates ?? []) rates.set(project, of);
      return { text, dropped: counts.dropped, refused: counts.refused };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function send(
  client: Client<typeof EventCollector>,
  way: Way,
  records: readonly unknown[],
  project: number,
): Promise<Drops> {
  if (way !== "sdk" && way !== "debug") {
    const named = way.endsWith("app id") ? ({ case: "appid", value: `app${project}` } as const) : undefined;
    const batch = batchOf(records, project);
    const { results } = await client.track({
      ...batch,
      project: named ?? batch.project,
      dryRun: way.startsWith("dry run"),
    });
    return dropsOf(results);
  }
  const body = { contentType: "application/json", data: Buffer.from(JSON.stringify(records)) };
  const answer = await client.ingest({ body, appid: `app${project}`, debug: way === "debug" ? 1 : 0 });
  return dropsOf(answer.records.flatMap(({ result }) => result ?? []));
}

function batchOf(records: readonly unknown[], project: number) {
  const jsonLines = Buffer.from(records.map((record) => JSON.stringify(record)).join("\n"));
  return { project: { case: "projectId", value: BigInt(project) } as const, jsonLines };
}

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

function dropsOf(results: readonly RecordResult[]): Drops {
  return results.flatMap(({ outcome }) =>
    outcome.case === "accepted"
      ? outcome.value.dropped.map(({ name, reason }) => `${name}: ${dropReasonName(reason)}`)
      : outcome.case === "refused"
        ? [`${outcome.value.field}: ${refusalReasonName(outcome.value.reason)}`]
        : [],
  );
}

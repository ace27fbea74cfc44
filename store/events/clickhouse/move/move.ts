import type { ProjectContents, StoredPart } from "../../contents.ts";
import type { Fence } from "../../ledger/load.ts";
import type { MoveState } from "../../ledger/moves.ts";
import type { ProjectSchema } from "../../schema.ts";
import { insertEvents } from "../load/events.ts";
import type { LoadSource, SpoolLease } from "../load/load.ts";
import type { Target } from "../load/target.ts";
import { loadUpdates } from "../load/updates.ts";
import { insertLines } from "./rows.ts";

/**
 * Copies the contents of another store into this one, part by part. A part which is copied becomes visible as a whole,
 * and what a copy leaves that died is deleted, so a copy may be begun again at any time.
 */
export interface StoreMover {
  /** Begins or continues the move of a source. */
  begin(source: string): Promise<MoveState>;
  /** Returns the stamps of the copied parts of a project, by name. */
  moved(projectId: number): Promise<ReadonlyMap<string, string>>;
  /** Gives a project the names of the source, and gives up copied parts with others. */
  setNames(project: ProjectContents): Promise<void>;
  /**
   * Copies a part instead of its last copy. An error of `lines` is thrown as it is.
   * @param onRows called with the number of rows that were sent
   */
  copy(project: ProjectContents, part: StoredPart, lines: PartLines, onRows: OnRows): Promise<void>;
  /** Gives up copied parts which the source has no more. */
  remove(projectId: number, names: readonly string[]): Promise<void>;
  /** Ends the move: nothing can be copied any more. */
  finish(): Promise<void>;
}

export type PartLines = AsyncIterable<readonly string[]>;
export type OnRows = (rows: number) => void;

/** Lines that are inserted by one statement. */
const linesPerInsert = 50_000;

/** @param lease the lease of the move, which one process at a time holds */
export function createMover(source: LoadSource, lease: SpoolLease): StoreMover {
  const { ledger, columns, connection, projects } = source;
  const { signal } = lease;
  const fence: Fence = { name: lease.name, token: lease.token };
  return {
    begin: (name) => ledger.call("beginMove", name, fence),
    finish: () => ledger.call("finishMove", fence),
    remove: (projectId, names) => ledger.call("removeMovedParts", projectId, names, fence),
    async moved(projectId) {
      const parts = await ledger.call("movedParts", projectId);
      return new Map(parts.map(({ name, stamp }) => [name, stamp]));
    },
    async setNames({ projectId, events, properties }) {
      await ledger.call("setMovedNames", { projectId, events, properties, fence });
      // A column of another type is of a property which the source has removed since.
      await columns.ensure(projectId, properties, properties);
      await projects.snapshot(projectId);
    },
    async copy(project, part, lines, onRows) {
      const { projectId, name, stamp, day, cohort } = part;
      const number = await ledger.call("beginMovedPart", projectId, fence);
      const schema = schemaOf(project);
      const target: Target = { connection, projectId, batch: number, schema, before: undefined, signal };
      const reading = createReading(lines, signal, onRows);
      try {
        await insertPart(target, part, reading.lines());
      } catch (error) {
        // A statement reports a fault of what it reads as one of its server.
        throw reading.fault() ?? error;
      }
      const isUpdatable = part.kind === "updatable";
      const rows = reading.rows();
      const copied = { projectId, number, name, stamp, day, rows, cohort, isUpdatable, fence };
      await ledger.call("completeMovedPart", copied);
    },
  };
}

function schemaOf({ events, properties }: ProjectContents): ProjectSchema {
  return {
    version: 0,
    events: new Map(events.map((event) => [event.name, event])),
    properties: new Map(properties.map((property) => [`${property.table}:${property.name}`, property])),
  };
}

async function insertPart(target: Target, part: StoredPart, lines: PartLines): Promise<void> {
  if (part.kind === "day") {
    await insertEvents(target, new Set(part.properties), bytesOf(lines));
    return;
  }
  for await (const some of groupLines(lines)) {
    if (part.kind === "updatable") await loadUpdates(target, just(some));
    else await insertLines(target, part, some);
  }
}

/** Reads the lines of a part once; counts them and keeps their error. */
function createReading(given: PartLines, signal: AbortSignal, onRows: OnRows) {
  let rows = 0;
  let fault: unknown;
  return {
    rows: () => rows,
    fault: () => fault,
    async *lines(): AsyncGenerator<readonly string[], void> {
      try {
        for await (const some of given) {
          signal.throwIfAborted();
          rows += some.length;
          onRows(some.length);
          yield some;
        }
      } catch (error) {
        fault = error;
        throw error;
      }
    },
  };
}

async function* bytesOf(lines: PartLines): AsyncGenerator<Buffer, void> {
  for await (const some of lines) if (some.length > 0) yield Buffer.from(`${some.join("\n")}\n`);
}

async function* groupLines(lines: PartLines): AsyncGenerator<readonly string[], void> {
  let group: string[] = [];
  for await (const some of lines) {
    for (const line of some) group.push(line);
    if (group.length < linesPerInsert) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function* just(lines: readonly string[]): AsyncGenerator<readonly string[], void> {
  yield lines;
}

import { compileToInstant } from "../../../base/time/zone.ts";
import { RecordShapes } from "../shape/record-shapes.ts";
import { ShapedLines } from "../shape/shaped-lines.ts";
import { BatchPreparer, type RowsOptions } from "./batch-preparer.ts";
import type { PreparedBatch, PrepareStart, PrepareTask } from "./prepared.ts";
import { createProjectState, type ProjectState } from "./project-state.ts";
import { keysOf, TaskLines } from "./task-lines.ts";

export interface PreparerOptions extends RowsOptions {
  /** Called with the offset of each line in the file of the spool, before it is read and before it is prepared. */
  readonly begun?: (offset: number) => void;
}

/**
 * Converts lines of the spool to rows for the store, one call at a time. It is for a thread of its own: it yields only
 * where the intake does.
 */
export interface Preparer {
  /** Discards the state of records that the store has not loaded. Must be called first, and after each error. */
  reset(start: PrepareStart): Promise<void>;
  /**
   * Prepares the next batch; batches follow each other without a gap. Its claims are on disk when the promise resolves.
   * @throws IntakeUnavailableError, or an error of the file system; then `reset` must be called
   */
  prepare(task: PrepareTask): Promise<PreparedBatch>;
}

export function createPreparer(options: PreparerOptions): Preparer {
  const { intake, begun = () => {} } = options;
  let projects: ReadonlyMap<number, ProjectState> = new Map();
  let shaped: ShapedLines | undefined;
  return {
    async reset(start) {
      await intake.rewind(start.loadedTo);
      projects = new Map(
        Array.from(start.projects, ([id, { schema, zone, rates }]) => [
          id,
          createProjectState(schema, compileToInstant(zone), {
            maxProperties: start.maxProperties,
            names: start.names,
            rates,
          }),
        ]),
      );
      const shapes = new Map(Array.from(projects, ([id, state]) => [id, new RecordShapes(state)]));
      shaped = new ShapedLines(shapes);
    },
    async prepare(task) {
      const { from } = task;
      using batch = new BatchPreparer(options, projects, task);
      const lines = new TaskLines(task, begun, canBeShaped(options, task) ? shaped : undefined);
      shaped?.begin(intake.needsKeys);
      if (intake.needsKeys) {
        const all = lines.all();
        await intake.begin(from, keysOf(all, projects));
        for (const line of all) {
          begun(line.offset);
          batch.add(line, lines.bytes);
        }
      } else {
        await intake.begin(from);
        for (let line = lines.next(); line !== undefined; line = lines.next()) batch.add(line, lines.bytes);
      }
      const to = lines.end;
      const prepared = batch.close(to);
      await intake.commit(to);
      return { ...prepared, lines: lines.count, uuidsForgotten: intake.stats().uuidsForgotten };
    },
  };
}

/** Records that are watched are needed as values. */
function canBeShaped({ eventFormat, shardOf }: PreparerOptions, { watched = [] }: PrepareTask): boolean {
  const areColumns = eventFormat === "columns" || shardOf !== undefined;
  return areColumns && watched.length === 0;
}

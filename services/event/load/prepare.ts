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

/** Converts lines of the spool to rows for the store. It is for a thread of its own, which it holds for long. */
export interface Preparer {
  /** Discards the state of records that the store has not loaded. Must be called first, and after each error. */
  reset(start: PrepareStart): Promise<void>;
  /**
   * Prepares the next batch; batches follow each other without a gap. Its claims, and those of the batches before, are
   * on disk when the promise resolves.
   * @param written called when its rows are written, and the claims of the batches before are on disk. From then on the
   *   next call may be made: that batch is prepared while the claims of this one are committed.
   * @throws IntakeUnavailableError, or an error of the file system; then `reset` must be called
   */
  prepare(task: PrepareTask, written?: (batch: PreparedBatch) => void): Promise<PreparedBatch>;
}

export function createPreparer(options: PreparerOptions): Preparer {
  const { intake, begun = () => {} } = options;
  let projects: ReadonlyMap<number, ProjectState> = new Map();
  let shaped: ShapedLines | undefined;
  /** Ends when the claims of the last batch are on disk. */
  let committing = Promise.resolve();
  return {
    async reset(start) {
      await committing.catch(() => {});
      committing = Promise.resolve();
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
    async prepare(task, written = () => {}) {
      const { from } = task;
      using batch = new BatchPreparer(options, projects, task);
      const lines = new TaskLines(task, begun, canBeShaped(options, task) ? shaped : undefined);
      shaped?.begin(intake.needsKeys);
      if (intake.needsKeys) {
        const all = await lines.all();
        await intake.begin(from, await keysOf(all, projects));
        for (const line of all) {
          begun(line.offset);
          batch.add(line, lines.bytes);
        }
      } else {
        await intake.begin(from);
        for (let line = lines.next(); line !== undefined; line = lines.next()) batch.add(line, lines.bytes);
      }
      const to = lines.end;
      const { uuidsForgotten } = intake.stats();
      const prepared = { ...batch.close(to), lines: lines.count, uuidsForgotten };
      await committing;
      committing = intake.commit(to);
      written(prepared);
      await committing;
      return prepared;
    },
  };
}

/** Records that are watched are needed as values. */
function canBeShaped({ eventFormat, shardOf }: PreparerOptions, { watched = [] }: PrepareTask): boolean {
  const areColumns = eventFormat === "columns" || shardOf !== undefined;
  return areColumns && watched.length === 0;
}
